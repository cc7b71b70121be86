"""Checks a set of headers file by file, before any compiler or CMake sees it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import MissingError
from epforge.ort.ctext import CText, line_of
from epforge.ort.levels import corrections, known_levels, load_level
from epforge.ort.model import Struct
from epforge.ort.reader import (
    C_API,
    EP_API,
    Declared,
    HeaderError,
    read_c,
    read_level_number,
    read_structs,
    to_struct,
)
from epforge.ort.sdk.layout import locate, searched

_TABLE_LEVEL = 27
"""Up to here the table comes from headers alone, so a difference is the SDK's fault."""

_KEY_HEADERS = ("onnxruntime_env_config_keys.h", "onnxruntime_ep_device_ep_metadata_keys.h")
_KEY_HEADERS_SINCE = 24

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif)\b")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'')


@dataclass(frozen=True)
class Problem:
    """What is wrong with one file of an SDK."""

    file: Path
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"

    def to_json(self) -> dict[str, str]:
        """The problem for programs; the keys are stable."""
        return {"file": str(self.file), "message": self.message}


class BadSdkError(MissingError):
    """A set of headers is there but cannot be used; `problems` says why, file by file."""

    def __init__(self, root: Path, problems: Iterable[Problem], origin: str = "") -> None:
        self.problems = tuple(problems)
        lines = "".join(f"\n    {problem}" for problem in self.problems)
        by = f" (from {origin})" if origin else ""
        super().__init__(
            f"the ONNX Runtime headers in {root}{by} cannot be used:{lines}",
            "Take all headers from one official release, or run: epforge sdk install",
        )

    def details(self) -> Mapping[str, object]:
        return {"problems": [problem.to_json() for problem in self.problems]}


def verify(path: Path, level: int | None = None, needs: Iterable[str] = ()) -> list[Problem]:
    """Everything that is wrong with the headers below ``path``; an empty list is a good SDK.

    Args:
        path: the SDK's root, or the directory with the headers itself.
        level: the lowest API level that will do; None takes any.
        needs: further headers that must be there, by name.
    """
    include = locate(path)
    if include is None:
        looked = ", ".join(str(directory) for directory in searched(path))
        return [Problem(path, f"no {EP_API} in any of: {looked}")]
    problems = list(_check_files(include, (*_required(include), *needs)))
    if problems:
        return problems
    found = read_level_number(include)
    if level is not None and found < level:
        problems.append(
            Problem(
                include / C_API,
                f"is of API level {found} (ONNX Runtime 1.{found}); needed is at least {level}",
            )
        )
    problems += _check_structs(include, found)
    return problems


def _required(include: Path) -> tuple[str, ...]:
    """The headers that generated projects include, as far as the release has them."""
    try:
        level = read_level_number(include)
    except HeaderError:
        level = 0  # reported when the files are read
    return (C_API, EP_API, *(_KEY_HEADERS if level >= _KEY_HEADERS_SINCE else ()))


def _check_files(include: Path, required: Iterable[str]) -> Iterator[Problem]:
    """Each header of the runtime and what it includes: there, readable, whole."""
    waiting = {include / name: "" for name in required}
    for pattern in ("onnxruntime_*.h", "onnxruntime_*.inc"):
        for file in sorted(include.glob(pattern)):
            waiting.setdefault(file, "")
    seen: set[Path] = set()
    while waiting:
        file, wanted_by = next(iter(waiting.items()))
        del waiting[file]
        if file in seen:
            continue
        seen.add(file)
        try:
            text = read_c(file)
        except HeaderError as error:
            yield Problem(file, error.problem + wanted_by)
            continue
        if (line := _unbalanced(text)) and file.suffix != ".inc":
            yield Problem(file, f"is cut off or damaged: braces do not match (line {line})")
        if file.name == C_API and (include / EP_API).exists() and EP_API not in text.raw:
            yield Problem(file, f"does not include {EP_API}: cut off, or older than 1.22")
        for match in _INCLUDE.finditer(text.raw):
            place = f"; {file.name} includes it in line {line_of(text.raw, match.start())}"
            waiting.setdefault(_resolve(match[1], file, include), place)


def _resolve(name: str, file: Path, include: Path) -> Path:
    """Where a quoted include points: beside the file, at the root, at the root of a checkout."""
    roots = [file.parent, include, *list(include.parents)[:3]]
    for root in roots:
        if (root / name).exists():
            return root / name
    return file.parent / name


def _unbalanced(text: CText) -> int:
    """Line of the first brace without its partner; 0 if all match.

    Of every conditional the first branch counts: the headers open and close ``extern "C"`` under
    the same condition, and open what several branches share in each of them.
    """
    opened: list[int] = []
    in_first: list[bool] = []
    code = _STRING.sub(lambda match: " " * len(match[0]), text.raw)
    for number, line in enumerate(code.split("\n"), start=1):
        directive = _CONDITIONAL.match(line)
        if directive:
            if directive[1].startswith("if"):
                in_first.append(True)
            elif in_first and directive[1] == "endif":
                in_first.pop()
            elif in_first:
                in_first[-1] = False
        elif all(in_first) and not line.lstrip().startswith("#"):
            for brace in re.findall(r"[{}]", line):
                if brace == "{":
                    opened.append(number)
                elif opened:
                    opened.pop()
                else:
                    return number
    return opened[0] if opened else 0


def _check_structs(include: Path, level: int) -> Iterator[Problem]:
    """Every struct of the table against the headers that declare it."""
    if level < known_levels()[0]:
        return
    declared: dict[str, Declared] = {}
    for name in (C_API, EP_API):
        declared |= read_structs(include / name)
    expected = load_level(min(level, _TABLE_LEVEL)).structs
    for name, struct in expected.items():
        file = include / struct.header
        if name not in declared:
            yield Problem(file, f"declares no {name}, which level {level} has")
            continue
        actual = to_struct(declared[name], level, "")
        if problem := _struct_problem(struct, actual, level):
            yield Problem(include / actual.header, problem)


def _struct_problem(expected: Struct, actual: Struct, level: int) -> str:
    for slot, member in enumerate(expected.members):
        if slot >= len(actual.members):
            last = actual.members[-1].name if actual.members else "nothing"
            older = _level_of(expected.name, len(actual.members))
            return (
                f"{expected.name} ends after {last}; level {level} goes on with {member.name}"
                + (f". This file looks like level {older}" if older else "")
            )
        found = actual.members[slot]
        if found.shape != member.shape:
            return (
                f"{expected.name} has at position {slot} {found.signature!r}; "
                f"level {level} has {member.signature!r}"
            )
    surplus = actual.members[len(expected.members) :]
    if surplus and level <= _TABLE_LEVEL and (expected.name, surplus[0].name) not in corrections():
        return f"{expected.name} has {surplus[0].name}, which level {level} does not have yet"
    return ""


def _level_of(struct: str, count: int) -> int:
    """The newest level in which the struct has that many members; 0 if none."""
    for level in range(_TABLE_LEVEL, known_levels()[0] - 1, -1):
        found = load_level(level).structs.get(struct)
        if found and len(found.members) == count:
            return level
    return 0
