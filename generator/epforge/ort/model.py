"""What the ONNX Runtime C API offers at one level: structs, members, signatures. Pure data.

An API level is the minor number of the release: level 24 is ONNX Runtime 1.24. Every struct only
ever grew at its end, so one table with a `since` per member describes all levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """Which side fills a struct."""

    IMPLEMENTS = "implements"
    """The execution provider fills it with callbacks; the runtime calls them."""
    CALLS = "calls"
    """The runtime fills it with functions; the execution provider calls them."""
    PASSES = "passes"
    """Plain values that travel between the two."""


class Confidence(StrEnum):
    """How a statement about the API was established, best first."""

    HEADER = "header"
    """Read in an official header."""
    BINARY = "binary"
    """Found in the code of a released runtime; a parameter's name may be a guess."""
    DOCUMENT = "document"
    """Only a document or a design note says so."""


class Need(StrEnum):
    """What happens to a provider that leaves a callback null."""

    REQUIRED = "required"
    """The API demands it."""
    CRASHES = "crashes"
    """The API does not demand it, yet released runtimes crash or fail without it."""
    CONDITIONAL = "conditional"
    """Demanded as soon as the provider offers something else; `Member.when` says what."""
    OPTIONAL = "optional"
    """Null is an answer; `Member.when_null` says which."""
    UNKNOWN = "unknown"
    """Nothing is recorded. Always so for functions the provider calls."""


@dataclass(frozen=True)
class Param:
    """One parameter: ``const OrtGraph*`` ``graph``. The name is empty where none is known."""

    type: str
    name: str

    def __str__(self) -> str:
        if "(*)" in self.type:
            return self.type.replace("(*)", f"(*{self.name})", 1)
        base, bracket, extent = self.type.partition("[")
        return f"{base} {self.name}".strip() + bracket + extent


@dataclass(frozen=True)
class Member:
    """One member of a struct.

    Args:
        name: as the header spells it.
        type: what a function returns; what a value is (``uint32_t``, ``uint64_t[6]``).
        params: the parameters of a function pointer; None for a value or where they are not known.
        since: the first level whose runtime has it, or, when not `since_exact`, the first level
            that certainly has it (headers do not mark most members older than 22).
        since_exact: whether `since` is the very first.
        is_function: a function pointer, not a value.
        confidence: how the member itself was established.
        source: where from, short.
        need: what a provider that leaves it null gets.
        when: for `Need.CONDITIONAL`: when it must be there.
        when_null: what null means, or what it does to the host.
        note: what else an implementer must know.
        fact_source: where need, when, when_null and note come from.
    """

    name: str
    type: str
    params: tuple[Param, ...] | None
    since: int
    is_function: bool
    since_exact: bool = True
    confidence: Confidence = Confidence.HEADER
    source: str = ""
    need: Need = Need.UNKNOWN
    when: str = ""
    when_null: str = ""
    note: str = ""
    fact_source: str = ""

    @property
    def shape(self) -> tuple[object, ...]:
        """What the ABI sees: name and types, not the names of parameters."""
        params = None if self.params is None else tuple(param.type for param in self.params)
        return self.name, self.type, params, self.is_function

    @property
    def signature(self) -> str:
        """The declaration in plain C, without the runtime's annotation macros."""
        if self.type.startswith("union"):
            return f"{self.type} {self.name}"
        if not self.is_function:
            base, bracket, extent = self.type.partition("[")
            return f"{base} {self.name}{bracket}{extent}"
        if self.params is None:
            return f"{self.type} (*{self.name})(?)"
        return f"{self.type} (*{self.name})({', '.join(map(str, self.params)) or 'void'})"


@dataclass(frozen=True)
class Struct:
    """One struct at one level: its members in the order of the ABI."""

    name: str
    role: Role
    members: tuple[Member, ...]
    header: str = ""

    @property
    def since(self) -> int:
        """The first level that has the struct."""
        return min(member.since for member in self.members)

    @property
    def version_field(self) -> Member | None:
        """The member that a provider stamps with the negotiated level; None if there is none."""
        first = self.members[0]
        return first if first.name in ("ort_version_supported", "version") else None

    def member(self, name: str) -> Member:
        """The member of that name. Raises KeyError."""
        for member in self.members:
            if member.name == name:
                return member
        raise KeyError(f"{self.name} has no member {name}")

    def slot(self, name: str) -> int:
        """Position of the member, counted from 0. Raises KeyError."""
        return self.members.index(self.member(name))


@dataclass(frozen=True)
class Key:
    """A well-known configuration or metadata key.

    Args:
        key: the string itself.
        constant: the name the headers give it; empty if they name none.
        scope: where it is used: session, run, dynamic, environment,
            ep-device, hardware-device, model.
        since: the first level known to have it.
        exact: False when an earlier level may have it already.
        until: the level that deprecated it; None if none did.
        note: what an implementer must know.
        source: where the statements come from.
    """

    key: str
    constant: str
    scope: str
    since: int
    exact: bool
    until: int | None = None
    note: str = ""
    source: str = ""


@dataclass(frozen=True)
class ApiLevel:
    """Everything recorded about one level.

    Args:
        level: 27 for ONNX Runtime 1.27.
        structs: by name, sorted as in the table.
        keys: well-known keys this level has.
        confidence: the weakest confidence of any member.
        source: where the table comes from.
        gains: what this level brought for providers, one line each.
    """

    level: int
    structs: Mapping[str, Struct]
    keys: tuple[Key, ...] = ()
    confidence: Confidence = Confidence.HEADER
    source: str = ""
    gains: tuple[str, ...] = field(default=())

    @property
    def release(self) -> str:
        """The release as people call it: ``1.27``."""
        return f"1.{self.level}"

    def struct(self, name: str) -> Struct:
        """The struct of that name. Raises KeyError."""
        try:
            return self.structs[name]
        except KeyError:
            raise KeyError(f"API level {self.level} has no struct {name}") from None
