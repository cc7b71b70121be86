"""What an API newer than the examples' is needed for: data by callbacks, and the best candidate.

These run on `blueprints/compiled.yaml` for the newest level, with headers that tests put together.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

from capi import _READ, Library

from ort_examples.harness import (
    FAIL,
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


def _compiled(it: Example, folder: Path) -> tuple[Path, str, bytes]:
    """A compiled model, whose data a callback has taken: its name, and what it is."""
    taken: dict[str, bytes] = {}
    source, output = save(mul(), folder / "m.onnx"), folder / "m_ctx.onnx"
    it.plugin.compile(source, output, write=taken.__setitem__)
    assert {path.name for path in folder.iterdir()} == {"m.onnx", "m_ctx.onnx"}
    ((name, data),) = taken.items()
    return output, name, data


def _loads(it: Example, path: Path, read: Callable[..., int | None]) -> int:
    """A session whose data comes from a callback with the runtime's own arguments."""
    function = _READ(read)
    it.plugin._kept.append(function)
    options = it.options({**NO_FALLBACK, "session.disable_model_compile": "1"})
    it.api("SessionOptionsSetEpContextDataReadFunc", options, function, 0)
    return it.session(path, options)


def _gives(it: Example, content: bytes, names: list[str]) -> Callable[..., int | None]:
    def read(_state: Any, name: bytes, allocator: int, data: Any, size: Any) -> int | None:
        names.append(name.decode())
        data[0] = it.api.make("AllocatorAlloc", allocator, len(content))
        ctypes.memmove(data[0], content, len(content))
        size[0] = len(content)
        return None

    return read


@of("EpContextDataUtils_CallbackFallbackUsesCallbacks")
def callbacks_in_place_of_files(place: Place) -> None:
    """Nothing is no compiled data: it is refused, with the name."""
    with example(place, "newest") as it:
        path, name, data = _compiled(it, place.folder)
        names: list[str] = []
        session = _loads(it, path, _gives(it, data, names))
        same(it.run(session, {"X": X}, "Y")[0], X * X)
        assert names == [name]
        assert name in str(refusal(lambda: _loads(it, path, _gives(it, b"", names))))


@of("EpContextDataUtils_ReadCallbackRejectsNullBufferForNonEmptyPayload")
def a_size_without_data(place: Place) -> None:
    with example(place, "newest") as it:
        path, name, _ = _compiled(it, place.folder)

        def read(_state: Any, _name: bytes, _allocator: int, data: Any, size: Any) -> None:
            data[0], size[0] = None, 1

        assert name in str(refusal(lambda: _loads(it, path, read)))


@of("EpContextDataUtils_ReadEpContextDataLeavesOutputEmptyOnCallbackError")
def a_callback_that_fails_half_way(place: Place) -> None:
    """It has allocated memory when it fails; the next one is asked as if nothing had been."""
    with example(place, "newest") as it:
        path, _, data = _compiled(it, place.folder)
        given = _gives(it, data, [])

        def fails(*arguments: Any) -> int:
            given(*arguments)
            return it.api.get("CreateStatus", FAIL, "a failure after allocation")

        assert "a failure after allocation" in str(refusal(lambda: _loads(it, path, fails)))
        same(it.run(_loads(it, path, given), {"X": X}, "Y")[0], X * X)


@of("SelectBestModelCandidate_UsesHardwareDevices")
def the_best_candidate(place: Place) -> None:
    """In the form of the releases: a candidate may have several models, each with a text."""
    with example(place, "newest") as it:
        library = Library(it.ort, place.libraries["newest"])
        options = it.api.make("CreateSessionOptions")
        made = library.make_ep(it.hardware, options)
        best = library.compatibility(made)
        library.factory.get("ReleaseEp", library.factory.address, made.address)
        assert ";version=0.1.0;" in best
        texts = (
            best.replace(it.ep, "SomeOtherEp"),
            best.replace("=0.1.0;", "=0.1.1;"),
            best,
        )
        candidates = [{"num_models": "1", "0.ep_compatibility_info": each} for each in texts]
        assert library.select(it.hardware, candidates) == 2
        library.release()
