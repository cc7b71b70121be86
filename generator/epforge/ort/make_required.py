"""Makes the table of arguments that are not null: ``python -m epforge.ort.make_required DIR...``

Each DIR holds the headers of one level. An argument is in the table where every one of them that
has the function marks it ``_In_``, ``_Inout_``, ``_Out_`` or ``_Outptr_``, and no comment speaks of
null or of an option. Never in it are plain ``void*``, passed on as they are, and what a length
follows, which may be 0. Writes ``data/required.json``; with ``--check`` it only compares.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from epforge.errors import EpforgeError
from epforge.ort.ctext import (
    CText,
    matching_brace,
    parse_member,
    parse_param,
    split_arguments,
    statements,
)
from epforge.ort.model import Role
from epforge.ort.reader import C_API, EP_API, ROLES, read_c, read_level_number

DATA = Path(__file__).resolve().parent / "data" / "required.json"
_STRUCT = re.compile(r"\b(?:typedef\s+)?struct\s+(\w+)\s*\{")
_MARK = re.compile(r"\b_[A-Z]\w*_(?!\w)(?:\s*\([^()]*\))?")
_REQUIRED = frozenset({
    *("_In_", "_In_z_", "_Inout_", "_Out_", "_Outptr_", "_Outptr_result_maybenull_"),
})  # fmt: skip
_PARAM = re.compile(r"[\\@]param(?:\[[\w,]+\])?\s+(\w+)(.*?)(?=[\\@]\w|\Z)", re.DOTALL)
_LENIENT = re.compile(r"\bnull\b(?![- ]terminated)|\bnullptr\b|\boptional", re.IGNORECASE)
_LENGTHS = ("size_t", "size_t*")
_ABOUT = (
    "Arguments that must not be null: marked so in all headers read, and no comment says "
    "otherwise. By struct and function, the names of the parameters."
)


def read_required(directory: Path) -> dict[str, dict[str, list[str]]]:
    """Struct -> function -> names of its required parameters. Raises HeaderError."""
    found: dict[str, dict[str, list[str]]] = {}
    for header in (C_API, EP_API):
        parts = read_c(directory / header)
        for match in _STRUCT.finditer(parts.code):
            if ROLES.get(match[1]) is Role.CALLS:
                found[match[1]] = dict(_functions(parts, match.end() - 1))
    return found


def _functions(parts: CText, opening: int) -> Iterator[tuple[str, list[str]]]:
    """The functions of the struct that begins there."""
    closing = matching_brace(parts.code, opening) or len(parts.code)
    previous = opening + 1
    for begin, semicolon in statements(parts.code, opening + 1, closing):
        declared = parse_member(parts.code[begin:semicolon])
        if declared and declared.params is not None:
            lenient = _lenient(parts, previous, begin)
            marked = dict(_marked(parts.code[begin:semicolon]))
            yield (
                declared.name,
                [
                    param.name
                    for param, after in zip_longest(declared.params, declared.params[1:])
                    if marked.get(param.name)
                    and _is_one(param.type, after.type if after else "")
                    and param.name not in lenient
                ],
            )
        previous = semicolon + 1


def _is_one(type_: str, after: str) -> bool:
    """A pointer to one thing, by the parameter that comes after it."""
    if "*" not in type_ or type_ in ("void*", "const void*"):
        return False
    return after not in _LENGTHS or bool(re.fullmatch(r"(const )?Ort\w+\*|const char\*", type_))


def _marked(statement: str) -> Iterator[tuple[str, bool]]:
    """The parameters of a declaration, and whether they are marked as required."""
    opening = statement.index("(")
    if not re.match(r"\s*ORT_", statement):
        opening = statement.index("(", statement.index(")"))
    for text in split_arguments(statement[opening + 1 : statement.rindex(")")]):
        marks = {mark.split("(")[0].strip() for mark in _MARK.findall(text)}
        yield parse_param(text).name, bool(marks) and marks <= _REQUIRED


def _lenient(parts: CText, start: int, end: int) -> set[str]:
    """The parameters of which the comments between two offsets say that they may be left out."""
    text = "\n".join(c.text for c in parts.comments if start <= c.start < end)
    return {match[1] for match in _PARAM.finditer(text) if _LENIENT.search(match[2])}


def make(directories: Sequence[Path]) -> str:
    """The text of the table. Raises EpforgeError."""
    read = sorted((read_level_number(each), each) for each in directories)
    tables = [read_required(each) for _, each in read]
    rows = []
    for struct, functions in tables[-1].items():
        lines = []
        for function, names in functions.items():
            has = [t[struct][function] for t in tables if function in t.get(struct, {})]
            kept = [name for name in names if all(name in older for older in has)]
            if kept:
                lines.append(f"      {json.dumps(function)}: {json.dumps(kept)}")
        if lines:
            rows.append(f"    {json.dumps(struct)}: {{\n" + ",\n".join(lines) + "\n    }")
    levels = json.dumps([level for level, _ in read])
    body = ",\n".join(rows)
    return (
        f'{{\n  "format": 1,\n  "about": {json.dumps(_ABOUT)},\n  "read": {levels},\n'
        f'  "required": {{\n{body}\n  }}\n}}\n'
    )


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    check = "--check" in arguments
    try:
        made = make([Path(argument) for argument in arguments if argument != "--check"])
    except EpforgeError as error:
        print(error, file=sys.stderr)
        return int(error.exit_status)
    if not check:
        DATA.write_text(made, encoding="utf-8", newline="\n")
    elif DATA.read_text(encoding="utf-8") != made:
        print(f"{DATA.name} differs from what these headers give", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
