"""The table of API levels that travels with epforge.

One table holds all levels: structs only grew at their end, so level n is every member with
`since <= n` (`make_levels` refuses headers that break the rule). Four more files add what the
headers do not give: corrections of wrong levels, facts about releases, members newer than the
headers at hand, and what each level brought.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from epforge.errors import UsageError
from epforge.ort.model import ApiLevel, Confidence, Key, Member, Need, Param, Role, Struct

DEFAULT_MIN = "1.24.4"
"""Oldest runtime of edition 1 when the blueprint names none."""
DEFAULT_TARGET = "1.27"
"""Target of edition 1 when the blueprint names none."""
LATEST_EDITION_TARGET = 27
"""The same as a level."""

_DATA = Path(__file__).resolve().parent / "data"
_FIRST = 23
_LAST = 32
_WEAKNESS = (Confidence.HEADER, Confidence.BINARY, Confidence.DOCUMENT)


def known_levels() -> tuple[int, ...]:
    """The levels `load_level` knows, oldest first."""
    return tuple(range(_FIRST, _LAST + 1))


def parse_level(text: str) -> int:
    """The level of a release: ``1.24``, ``1.24.4`` and ``24`` are 24.

    Raises UsageError for anything else; the level need not be a known one.
    """
    match = re.fullmatch(r"(?:1\.)?([1-9]\d{0,3})(?:\.\d+)?", text.strip())
    if not match or (text.count(".") == 1 and not text.strip().startswith("1.")):
        raise UsageError(
            f"{text!r} is no release of ONNX Runtime", 'Write it as "1.24", "1.24.4" or 24.'
        )
    return int(match[1])


@cache
def load_level(level: int) -> ApiLevel:
    """Everything recorded about one level, with corrections and facts.

    Raises UsageError when the level is not one of `known_levels`.
    """
    if level not in known_levels():
        raise UsageError(
            f"API level {level} (ONNX Runtime 1.{level}) is not in epforge's tables",
            f"Known are 1.{_FIRST} to 1.{_LAST}.",
        )
    structs: dict[str, Struct] = {}
    for struct in _all_structs():
        members = tuple(member for member in struct.members if member.since <= level)
        if members:
            structs[struct.name] = replace(struct, members=members)
    weakest = max(
        (member.confidence for struct in structs.values() for member in struct.members),
        key=_WEAKNESS.index,
    )
    read = ", ".join(f"1.{number}" for number in _json("structs.json")["read"])
    return ApiLevel(
        level=level,
        structs=structs,
        keys=tuple(key for key in _all_keys() if key.since <= level),
        confidence=weakest,
        source=f"headers of ONNX Runtime {read}; corrections and newer members as marked",
        gains=tuple(_json("gains.json")["gains"].get(str(level), ())),
    )


def describe(level: ApiLevel) -> ApiLevel:
    """A level read from headers, with the corrections and facts the table has.

    Members and keys the table does not know stay as the headers declare them.
    """
    structs = {name: _described(struct) for name, struct in level.structs.items()}
    known = {(key.scope, key.key): key for key in _all_keys()}
    keys = tuple(known.get((key.scope, key.key), key) for key in level.keys)
    gains = tuple(_json("gains.json")["gains"].get(str(level.level), ()))
    return replace(level, structs=structs, keys=keys, gains=gains)


@cache
def corrections() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """(struct, member) -> what the headers say, what holds, why and from where."""
    rows = _json("corrections.json")["corrections"]
    return {(row["struct"], row["member"]): row for row in rows}


@cache
def key_corrections() -> Mapping[str, Mapping[str, Any]]:
    """Key -> what the headers say of its level, what holds, why and from where."""
    return {row["key"]: row for row in _json("corrections.json")["keys"]}


@cache
def required_arguments(struct: str, function: str) -> frozenset[str]:
    """The parameters of a function of the runtime that certainly must not be null."""
    return frozenset(_json("required.json")["required"].get(struct, {}).get(function, ()))


@cache
def _all_structs() -> tuple[Struct, ...]:
    """Every struct with every member up to the newest level."""
    table = _json("structs.json")
    newer = _json("newer.json")
    source = f"headers of ONNX Runtime 1.{table['read'][-1]}"
    members: dict[str, list[Member]] = {}
    heads: dict[str, Struct] = {}
    for name, body in table["structs"].items():
        heads[name] = Struct(name, Role(body["role"]), (), body["header"])
        members[name] = [_member(row, Confidence.HEADER, source) for row in body["members"]]
    for name, role in newer["roles"].items():
        heads[name] = Struct(name, Role(role), ())
        members[name] = []
    for struct, *row, confidence, origin in newer["members"]:
        member = _member(row, Confidence(confidence), origin)
        members[struct].append(replace(member, is_function=True))
    return tuple(
        _described(replace(head, members=tuple(members[name]))) for name, head in heads.items()
    )


def _member(row: list[Any], confidence: Confidence, source: str) -> Member:
    name, type_, params, since = row
    exact = isinstance(since, int)
    return Member(
        name=name,
        type=type_,
        params=None if params is None else tuple(map(_param, params)),
        since=since if exact else int(since.removeprefix("<=")),
        since_exact=exact,
        is_function=params is not None,
        confidence=confidence,
        source=source,
    )


def _param(text: str) -> Param:
    type_, _, name = text.rpartition(" ")
    return Param(type_, name)


def _described(struct: Struct) -> Struct:
    """The struct with corrections and facts in its members."""
    facts = _json("facts.json")["facts"].get(struct.name, {})
    return replace(
        struct,
        members=tuple(
            _with_fact(_corrected(struct.name, member), facts.get(member.name, {}))
            for member in struct.members
        ),
    )


def _corrected(struct: str, member: Member) -> Member:
    row = corrections().get((struct, member.name))
    return replace(member, since=row["since"], since_exact=True) if row else member


def _with_fact(member: Member, fact: Mapping[str, str]) -> Member:
    if not fact:
        return member
    return replace(
        member,
        need=Need(fact["need"]),
        when=fact.get("when", ""),
        when_null=fact.get("null", ""),
        note=fact.get("note", ""),
        fact_source=fact["source"],
    )


@cache
def _all_keys() -> tuple[Key, ...]:
    table = _json("keys.json")
    facts = _json("key_facts.json")
    oldest = table["read"][0]
    found = {
        (scope, key): Key(key, constant, scope, since, exact=False, source=f"headers of 1.{since}")
        for scope, key, constant, since in table["keys"]
    }
    for row in facts["newer"]:
        found[row["scope"], row["key"]] = Key(
            row["key"], row.get("constant", ""), row["scope"], row["since"], row["exact"]
        )
    for row in _fact_rows(facts):
        place = row["scope"], row["key"]
        key = found[place]
        since = row.get("since", key.since)
        found[place] = replace(
            key,
            since=since,
            exact=key.exact or ("since" in row and since >= oldest),
            until=row.get("until"),
            note=row.get("note", ""),
            source=row.get("source", key.source),
        )
    corrected = {key: row["since"] for key, row in key_corrections().items()}
    return tuple(replace(key, since=corrected.get(key.key, key.since)) for key in found.values())


def _fact_rows(facts: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    yield from facts["facts"]
    yield from facts["newer"]


@cache
def _json(name: str) -> Any:
    return json.loads((_DATA / name).read_text(encoding="utf-8"))
