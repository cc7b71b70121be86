"""Temporary files of those who write compiled models: names that nobody can foresee."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from epforge.validate.worker.press import Check, Press
from epforge.validate.worker.watching import appearing, planted

_KEPT = "mine"


def temporary(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    source = press.original()
    for mode in modes:
        yield f"output/temporary files, {mode}", partial(_unforeseen, press, source, mode)


def _unforeseen(press: Press, source: Path, mode: str) -> str:
    """Two models are compiled in one folder: what they leave no trace of must have other names
    each time. And a link at a name that the first had must not be followed."""
    place = press.folder / "temporary" / mode
    with _own_temporary_folder(place / "tmp") as shared:
        first = _passing(press, source, mode, place / "out" / "a.onnx", shared)
        second = _passing(press, source, mode, place / "out" / "b.onnx", shared)
        own = [path for path in sorted(first & second) if not _is_everybodys(path)]
        followed = _followed(press, source, mode, place / "again" / "a.onnx", place, first)
    if followed:
        return f"writes through a link that is called like its temporary file {followed.name}"
    if own:
        return (
            f"the temporary file {own[0].name} has the same name each time: two sessions would "
            "write into one another's"
        )
    return ""


def _passing(press: Press, source: Path, mode: str, output: Path, shared: list[Path]) -> set[Path]:
    """The files that are there only while a model is compiled."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with appearing([*shared, output.parent]) as found:
        press.compile(source, output, mode, "options")
    return {path for path in found if not path.exists() or path.parent in shared}


def _followed(
    press: Press, source: Path, mode: str, output: Path, place: Path, names: set[Path]
) -> Path | None:
    """The first of ``names`` at which a link was written through."""
    victim = place / "victim"
    output.parent.mkdir(parents=True)
    for name in sorted(names):
        # What stood beside the model stands beside this one.
        at = output.parent / name.name if name.parent == place / "out" else name
        victim.write_text(_KEPT, encoding="utf-8")
        with planted([at], victim), suppress(Exception):  # a refusal is as good as another name
            press.compile(source, output, mode, "options")
        for made in output.parent.iterdir():
            made.unlink()
        if victim.read_text(encoding="utf-8", errors="replace") != _KEPT:
            return name
    return None


def _is_everybodys(path: Path) -> bool:
    """May others have made it?"""
    return path.parent == Path("/tmp")


@contextmanager
def _own_temporary_folder(folder: Path) -> Iterator[list[Path]]:
    """Where temporary files may go beside the output: there, and to the system's folder."""
    folder.mkdir(parents=True)
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(folder)
    try:
        yield [folder, Path("/tmp")] if os.path.isdir("/tmp") else [folder]
    finally:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
        tempfile.tempdir = None
