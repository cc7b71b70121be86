"""ep_context_data_utils_test.cc: names of files in models, and the files that they lead to.

Those are tests of helpers of the example's, which the library has inside; here they are asked from
outside, by models with such names in them.
"""

from __future__ import annotations

from pathlib import Path

import onnx
from models import contexts

from ort_examples.harness import (
    NO_FALLBACK,
    Example,
    Place,
    X,
    example,
    mul,
    of,
    refusal,
    same,
    save,
)


def _compiled(it: Example, folder: Path, stem: str = "m") -> tuple[Path, Path]:
    """A compiled model, and its data."""
    path = folder / f"{stem}_ctx.onnx"
    it.compile(save(mul(), folder / f"{stem}.onnx"), path)
    (data,) = (each for each in folder.iterdir() if each.suffix == ".bin")
    return path, data


def _named(path: Path, name: bytes) -> Path:
    """The same model with another name in it."""
    made = onnx.load(path)
    (found,) = contexts(made)
    for each in found.attribute:
        if each.name == "ep_cache_context":
            each.s = name
    onnx.save(made, path.with_name("named.onnx"))
    return path.with_name("named.onnx")


def _runs(it: Example, path: Path) -> None:
    session = it.session(path, it.options(NO_FALLBACK))
    same(it.run(session, {"X": X}, "Y")[0], X * X)
    it.close(session)


def _refused(it: Example, path: Path, name: bytes) -> str:
    """What is said of a model with that name in it."""
    text = str(refusal(lambda: it.session(_named(path, name), it.options(NO_FALLBACK))))
    assert "EPContext node" in text, text
    return text


@of("EpContextDataUtils_PathHelpersRoundTrip")
def names_beyond_ascii(place: Place) -> None:
    with example(place) as it:
        path, data = _compiled(it, place.folder / "模型", "größe")
        assert data.name.startswith("größe_ctx.")
        _runs(it, path)


@of("EpContextDataUtils_ResolvePathAndInvalidArguments")
def no_name_at_all(place: Place) -> None:
    with example(place) as it:
        path, data = _compiled(it, place.folder)
        _refused(it, path, b"")
        _runs(it, _named(path, data.name.encode()))


@of("EpContextDataUtils_ResolvePathRejectsUnsafeNames")
def names_that_lead_elsewhere(place: Place) -> None:
    """The file is there, wherever the name leads to."""
    with example(place) as it:
        path, data = _compiled(it, place.folder / "models/inner")
        (place.folder / "models/escape.bin").write_bytes(data.read_bytes())
        absolute = str(data).encode()
        for name in (
            b"../escape.bin",
            absolute,
            b".",
            b"..",
            b"sub/..",
            b"sub/",
            b"./../escape.bin",
        ):
            _refused(it, path, name)


@of("EpContextDataUtils_ResolvePathRejectsSymlinkEscape")
def a_link_that_leads_elsewhere(place: Place) -> None:
    with example(place) as it:
        path, data = _compiled(it, place.folder / "models")
        outside = place.folder / "outside"
        outside.mkdir()
        (outside / "escape.bin").write_bytes(data.read_bytes())
        (path.parent / "linked_outside").symlink_to(Path("..") / "outside")
        (path.parent / "linked.bin").symlink_to(Path("..") / "outside/escape.bin")
        for name in (b"linked_outside/escape.bin", b"linked.bin"):
            _refused(it, path, name)


@of("EpContextDataUtils_FileFallbackReadsAndWrites")
def files_are_written_and_read(place: Place) -> None:
    with example(place) as it:
        path, data = _compiled(it, place.folder)
        _runs(it, path)
        (path.parent / "empty.bin").touch()
        assert "empty.bin" in _refused(it, path, b"empty.bin")
        text = _refused(it, path, b"missing.bin")
        assert "missing.bin" in text
        assert "there is no" in text
        assert data.is_file()
