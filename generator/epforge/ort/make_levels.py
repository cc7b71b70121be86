"""Makes the table of API levels from official headers: ``python -m epforge.ort.make_levels DIR...``

Each DIR holds the headers of one level. The newest gives the table; every older one must be a
prefix of it, member by member, and confirms or refutes the levels that comments state. Writes
``data/structs.json`` and ``data/keys.json``; with ``--check`` it only compares.

The headers' own words are not copied: only names, types and levels.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from epforge.errors import EpforgeError, UsageError
from epforge.ort.model import ApiLevel, Member, Struct
from epforge.ort.reader import read_level

DATA = Path(__file__).resolve().parent / "data"


def difference(older: Struct, newer: Struct) -> str:
    """Why ``older`` is no prefix of ``newer``; empty if it is one."""
    if len(older.members) > len(newer.members):
        return f"{older.name} lost {newer.members and older.members[len(newer.members)].name}"
    for slot, (before, after) in enumerate(zip(older.members, newer.members, strict=False)):
        if before.shape != after.shape:
            return f"{older.name} slot {slot}: {before.signature} became {after.signature}"
    return ""


def sharpen(struct: Struct, older: ApiLevel) -> Struct:
    """Levels that the headers leave open become exact where the older headers settle them."""
    known = (
        {member.name for member in older.structs[struct.name].members}
        if (struct.name in older.structs)
        else set()
    )
    return replace(
        struct,
        members=tuple(
            replace(member, since_exact=True)
            if member.name not in known and member.since == older.level + 1
            else member
            for member in struct.members
        ),
    )


def _row(member: Member) -> list[Any]:
    params = None if member.params is None else [f"{p.type} {p.name}" for p in member.params]
    since = member.since if member.since_exact else f"<={member.since}"
    return [member.name, member.type, params, since]


def _struct(struct: Struct) -> str:
    rows = ",\n".join("      " + json.dumps(_row(member)) for member in struct.members)
    head = f'"role": "{struct.role}", "header": "{struct.header}"'
    return f'    "{struct.name}": {{{head}, "members": [\n{rows}\n    ]}}'


def structs_json(levels: Sequence[ApiLevel]) -> str:
    """The table of structs, one member per line. Raises UsageError where the rule is broken."""
    newest = levels[-1]
    for older in levels[:-1]:
        for name, struct in older.structs.items():
            if problem := difference(struct, newest.struct(name)):
                raise UsageError(f"1.{older.level} is no prefix of 1.{newest.level}: {problem}")
            for member in newest.struct(name).members[len(struct.members) :]:
                if member.since <= older.level:
                    raise UsageError(
                        f"{name}::{member.name} claims level {member.since}, "
                        f"but level {older.level} lacks it",
                        "Is it a wrong mark? Then write it into data/corrections.json.",
                    )
    structs = list(newest.structs.values())
    for older in levels[:-1]:
        structs = [sharpen(struct, older) for struct in structs]
    body = ",\n".join(map(_struct, structs))
    read = json.dumps([level.level for level in levels])
    return f'{{\n  "format": 1,\n  "read": {read},\n  "structs": {{\n{body}\n  }}\n}}\n'


def keys_json(levels: Sequence[ApiLevel]) -> str:
    """The table of well-known keys, each with the first of the read levels that has it."""
    rows: dict[tuple[str, str], list[Any]] = {}
    for level in levels:
        for key in level.keys:
            rows.setdefault((key.scope, key.key), [key.scope, key.key, key.constant, level.level])
    body = ",\n".join("    " + json.dumps(row) for row in rows.values())
    read = json.dumps([level.level for level in levels])
    return f'{{\n  "format": 1,\n  "read": {read},\n  "keys": [\n{body}\n  ]\n}}\n'


def make(directories: Sequence[Path]) -> dict[str, str]:
    """File name -> text of the tables. Raises EpforgeError."""
    levels = sorted(map(read_level, directories), key=lambda level: level.level)
    if len({level.level for level in levels}) != len(levels) or not levels:
        raise UsageError("give directories of headers, each of another level")
    return {"structs.json": structs_json(levels), "keys.json": keys_json(levels)}


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    check = "--check" in arguments
    try:
        made = make([Path(argument) for argument in arguments if argument != "--check"])
    except EpforgeError as error:
        print(error, file=sys.stderr)
        return int(error.exit_status)
    stale = (
        [n for n, text in made.items() if (DATA / n).read_text("utf-8") != text] if check else []
    )
    for name, text in made.items():
        if not check:
            (DATA / name).write_text(text, encoding="utf-8", newline="\n")
    for name in stale:
        print(f"{name} differs from what these headers give", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
