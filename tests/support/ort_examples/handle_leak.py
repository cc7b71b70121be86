"""test_handle_leak.cc, in a process that does nothing else."""

from __future__ import annotations

from pathlib import Path

from ort_examples.harness import Place, example, of


@of("RegisterUnregisterDoesNotLeakLibraryHandle")
def the_library_is_unmapped(place: Place) -> None:
    library = place.libraries["compiled"]

    def mapped() -> bool:
        return library in Path("/proc/self/maps").read_text(encoding="utf-8")

    assert not mapped()
    with example(place):
        assert mapped()
    assert not mapped()
