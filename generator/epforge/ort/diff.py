"""What differs between two levels of ONNX Runtime's C API: structs, members, keys. Pure data.

Structs only grow at their end, so from an older level to a newer one members come, and the other
way round the same members are lost. Headers that break the rule show as changed members.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from epforge.ort.levels import corrections, key_corrections, known_levels, load_level
from epforge.ort.model import ApiLevel, Key, Member, Struct


@dataclass(frozen=True)
class Slotted:
    """A member and its position in its struct, counted from 0."""

    slot: int
    member: Member


@dataclass(frozen=True)
class Changed:
    """A member that is declared otherwise at the two levels: what no release has done."""

    slot: int
    before: Member
    after: Member


@dataclass(frozen=True)
class StructDiff:
    """What differs in one struct.

    Args:
        struct: as the newer level has it.
        whole: the older level does not have the struct at all.
        members: what the older level lacks.
        changed: what is declared otherwise, seen from the older level.
    """

    struct: Struct
    whole: bool
    members: tuple[Slotted, ...]
    changed: tuple[Changed, ...] = ()


@dataclass(frozen=True)
class Correction:
    """A level that headers state wrongly.

    Args:
        what: ``OrtStruct.Member``, or the key.
        header_says: the level that headers state.
        since: the level that holds.
        why: how that is known.
    """

    what: str
    header_says: int
    since: int
    why: str


@dataclass(frozen=True)
class ApiDiff:
    """What differs between two levels.

    Args:
        before: the level that is left.
        after: the level that is gone to; with one older than `before`, everything here is lost.
        structs: by name, in the order of the table; only those that differ.
        keys: well-known keys that the older level lacks.
        deprecated: keys that a level after the older one has deprecated.
        gains: per level after the older one, what it brought.
        corrections: wrong levels in headers that touch what lies between.
    """

    before: int
    after: int
    structs: Mapping[str, StructDiff]
    keys: tuple[Key, ...] = ()
    deprecated: tuple[Key, ...] = ()
    gains: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()

    @property
    def is_loss(self) -> bool:
        """Does the way go from a newer level to an older one?"""
        return self.after < self.before


def diff_levels(before: ApiLevel, after: ApiLevel) -> ApiDiff:
    """What differs between two levels, from the tables or from headers.

    Args:
        before: the level that is left.
        after: the level that is gone to; it may be the older one.
    """
    older, newer = sorted((before, after), key=lambda level: level.level)
    if older.level == newer.level:  # two sets of headers of one level, perhaps
        older, newer = before, after
    known = {(key.scope, key.key) for key in older.keys}
    between = range(older.level + 1, newer.level + 1)
    return ApiDiff(
        before=before.level,
        after=after.level,
        structs=_structs(older, newer),
        keys=tuple(key for key in newer.keys if (key.scope, key.key) not in known),
        deprecated=tuple(key for key in newer.keys if key.until in between),
        gains={level: load_level(level).gains for level in between if level in known_levels()},
        corrections=tuple(
            row for row in _corrections() if row.since in between or row.header_says in between
        ),
    )


def _structs(older: ApiLevel, newer: ApiLevel) -> Mapping[str, StructDiff]:
    found = {}
    for name, struct in newer.structs.items():
        before = older.structs.get(name)
        diff = _struct(before, struct)
        if diff.members or diff.changed:
            found[name] = diff
    return found


def _struct(older: Struct | None, newer: Struct) -> StructDiff:
    members = older.members if older else ()
    count = len(members)
    came = tuple(Slotted(slot, m) for slot, m in enumerate(newer.members) if slot >= count)
    changed = tuple(
        Changed(slot, before, after)
        for slot, (before, after) in enumerate(zip(members, newer.members, strict=False))
        if before.shape != after.shape
    )
    return StructDiff(newer, older is None, came, changed)


def _corrections() -> tuple[Correction, ...]:
    members = (
        Correction(f"{struct}.{member}", row["header_says"], row["since"], row["why"])
        for (struct, member), row in corrections().items()
    )
    keys = (
        Correction(key, row["header_says"], row["since"], row["why"])
        for key, row in key_corrections().items()
    )
    return (*members, *keys)
