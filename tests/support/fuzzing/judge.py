"""What becomes of one blueprint: read, planned, rendered, written; and what is wrong with that."""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from unittest import mock

from ruamel.yaml import YAML

from epforge.blueprint import BlueprintErrors, Diagnostic, apply_fix, parse, render
from epforge.blueprint.text import decode, split_lines
from epforge.errors import EpforgeError
from epforge.plan import make_plan
from epforge.render import clang
from epforge.resolve import analyse, resolve_supported, resolved_yaml
from epforge.resolve.model import Blueprint
from epforge.verbs.change.project import expand
from epforge.verbs.scaffold import scaffold_project

_WRITTEN_BESIDES = ("blueprint.yaml", "epforge.lock")
_MOST_FIXES = 6  # of one blueprint are tried


@dataclass(frozen=True)
class Depth:
    """How far a case goes.

    Args:
        twice: it is expanded twice, and must give the same.
        formatted: C++ goes through clang-format, too, which is most of the time of a case.
        folder: an empty folder to scaffold into; None to write nothing.
    """

    twice: bool = False
    formatted: bool = False
    folder: Path | None = None


def judge(data: bytes, depth: Depth) -> tuple[str, str]:
    """How far a blueprint got ("refused", "unsupported", "expanded"), and what is wrong with that.

    Whatever is raised that is no EpforgeError is among what is wrong, with the place in epforge.
    """
    try:
        return _judge(data, depth)
    except AssertionError as error:
        return "fault", " ".join(str(error).split())
    except Exception as error:
        return "fault", _place(error)


def _place(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "epforge" in f.filename]
    last = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.name}"
    return f"{type(error).__name__} in {where}: {' '.join(str(error).split())[:300]}"


def _judge(data: bytes, depth: Depth) -> tuple[str, str]:
    try:
        text = decode(data, "b.yaml").whole
        analysis = analyse(parse(text, "b.yaml"))
    except BlueprintErrors as error:
        _check_found(error.diagnostics, error.text)
        return "refused", ""
    found = (*analysis.errors, *analysis.warnings, *analysis.unsupported)
    assert (analysis.blueprint is None) == bool(analysis.errors), "errors and a blueprint"
    _check_found(found, text)
    if analysis.blueprint is None:
        return "refused", ""
    _check_resolved(analysis.blueprint)
    if analysis.unsupported:
        return "unsupported", ""
    return _expanded(text, depth)


# ---- what is said of a text ----


def _check_found(found: tuple[Diagnostic, ...], text: str) -> None:
    """Every finding lies in the text, says something, and its fix can be made and read."""
    text = text.removeprefix("\ufeff")
    report = render(found, text)
    assert bool(report) == bool(found), "findings without a report"
    lines = split_lines(text)
    for each in found:
        what = f"{each.code}: {each.message}"[:200]
        for line, column in (
            (each.line, each.column),
            (each.end_line, each.end_column),
        ):
            length = len(lines[line - 1]) if 1 <= line <= len(lines) else 0
            assert 1 <= line <= len(lines) + 1, f"{what}: line {line} is not in the text"
            assert 1 <= column <= length + 1, f"{what}: column {column} is not in the line"
        assert (each.end_line, each.end_column) >= (each.line, each.column), f"{what}: ends early"
        for part in (each.message, each.expected, each.hint):
            shown = f"{what}: {part[:80]!r}"
            assert "\n" not in part, f"{shown} is not one line"
            assert part.strip() == part, f"{shown} begins or ends with blanks"
            assert len(part) < 2000, f"{what}: a sentence of {len(part)} characters"
            assert all(c.isprintable() for c in part), f"{shown} acts on a terminal"
        assert each.message, f"{each.code}: no message"
    for each in [each for each in found if each.fix][:_MOST_FIXES]:
        _check_fix(each, text, found)


def _check_fix(found: Diagnostic, text: str, before: Sequence[Diagnostic]) -> None:
    """The fix gives YAML in which that is wrong less often.

    Of a text that is no YAML only the first mistake is known: the next one may come to light.
    """
    assert found.fix is not None
    fixed = apply_fix(text, found.fix)
    what = f"{found.code}: {found.message}"[:150]
    try:
        after = analyse(parse(fixed, "b.yaml")).errors
    except BlueprintErrors as error:
        after = error.diagnostics
        told = f"the fix of {what!r} gives no YAML: {after[0].message}"
        assert found.code == "yaml-syntax", told
    same = [d for d in after if (d.code, d.message) == (found.code, found.message)]
    there = any((d.line, d.column) == (found.line, found.column) for d in same)
    were = sum((d.code, d.message) == (found.code, found.message) for d in before)
    assert not there or len(same) < were, f"the fix of {what!r} changes nothing"


def _check_resolved(blueprint: Blueprint) -> None:
    """What ``check --resolved`` prints is a blueprint that means the same."""
    text = resolved_yaml(blueprint)
    try:
        again = resolved_yaml(_resolved(text))
    except BlueprintErrors as error:
        first = error.diagnostics[0]
        raise AssertionError(f"--resolved is refused: {first.code}: {first.message}") from None
    assert again == text, f"--resolved means something else: {_difference(text, again)}"


def _resolved(text: str) -> Blueprint:
    analysis = analyse(parse(text, "resolved.yaml"))
    if analysis.blueprint is None:
        raise BlueprintErrors(analysis.errors, text)
    return analysis.blueprint


def _difference(one: str, other: str) -> str:
    pairs = zip(one.splitlines(), other.splitlines(), strict=False)
    return next((f"{a!r} and {b!r}" for a, b in pairs if a != b), "one is longer")


# ---- what is made of it ----


def _expanded(text: str, depth: Depth) -> tuple[str, str]:
    try:
        blueprint = resolve_supported(parse(text, "b.yaml"))
        with _format(depth.formatted):
            files = {file.path: file.content for file in expand(blueprint, root=_nowhere()).files}
            once_more = expand(blueprint, root=_nowhere()).files if depth.twice else ()
    except EpforgeError as error:
        if not blueprint.overlays or not error.message:
            return "fault", f"{type(error).__name__}: {error.message[:300]}"
        return "refused", ""
    again = {file.path: file.content for file in once_more} if depth.twice else files
    planned = [spec.path for spec in make_plan(blueprint).files]
    assert files == again, f"not the same twice: {_unequal(files, again)}"
    if not blueprint.overlays:
        assert list(files) == planned, "the plan lists other files"
    for path, content in files.items():
        _check_file(path, content)
    if depth.folder is not None:
        with _format(depth.formatted):
            _check_written(text, files, depth.folder)
    return "expanded", ""


def _nowhere() -> Path:
    return Path("/nonexistent/blueprints")


def _unequal(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> str:
    return ", ".join(sorted(p for p in one.keys() | other.keys() if one.get(p) != other.get(p)))


@contextmanager
def _format(really: bool) -> Iterator[None]:
    """clang-format, or what costs nothing in its place."""
    if really:
        yield
        return
    with mock.patch.object(clang, "format_all", lambda sources, style: dict(sources)):
        yield


def _check_file(path: str, content: bytes) -> None:
    """A path that stays in the project, and content that its kind of file may have."""
    pure = PurePosixPath(path)
    assert not pure.is_absolute(), f"{path!r} is absolute"
    assert ".." not in pure.parts, f"{path!r} leads elsewhere"
    assert str(pure) == path, f"{path!r} is spelled in a roundabout way"
    assert re.fullmatch(r"[\w./+@-]+", path, re.ASCII), f"{path!r} is no plain name"
    assert len(path) < 200, f"{path[:80]!r}... has {len(path)} characters"
    wrong = _unreadable(pure.suffix, content) if pure.suffix in _READERS else ""
    assert not wrong, f"{path} cannot be read: {wrong}"


@lru_cache(4096)  # most files are those of the case before
def _unreadable(suffix: str, content: bytes) -> str:
    try:
        _READERS[suffix](content.decode())
    except Exception as error:
        return " ".join(str(error).split())[:200]
    return ""


def _python(text: str) -> None:
    compile(text, "generated.py", "exec", dont_inherit=True)


def _yaml(text: str) -> None:
    list(YAML(typ="safe", pure=True).load_all(text))


_READERS: Mapping[str, Callable[[str], object]] = {
    ".toml": tomllib.loads,
    ".json": json.loads,
    ".py": _python,
    ".pyi": _python,
    ".yml": _yaml,
}


def _check_written(text: str, files: Mapping[str, bytes], folder: Path) -> None:
    """What `scaffold` writes is the plan, and all of it lies in the directory it was given."""
    source, target = folder / "b.yaml", folder / "out"
    source.write_bytes(text.encode())
    try:
        scaffold_project(source, target)
        outside = sorted(os.listdir(folder))
        assert outside == ["b.yaml", "out"], f"written beside the target: {outside}"
        there = {
            path.relative_to(target).as_posix(): path.read_bytes()
            for path in target.rglob("*")
            if path.is_file() and ".epforge" not in path.parts
        }
        for name in _WRITTEN_BESIDES:
            assert there.pop(name, None) is not None or name in files, f"{name} is not written"
        wanted = {k: v for k, v in files.items() if k not in _WRITTEN_BESIDES}
        assert there == wanted, f"scaffold and plan differ: {_unequal(there, wanted)}"
        links = [str(path) for path in target.rglob("*") if path.is_symlink()]
        assert not links, f"links are written: {links[:3]}"
    finally:
        shutil.rmtree(target, ignore_errors=True)
        source.unlink(missing_ok=True)
