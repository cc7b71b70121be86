"""What the shim's templates print, worked out from the tables of the API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from epforge.names import Safe
from epforge.ort.levels import known_levels, load_level, required_arguments
from epforge.ort.model import ApiLevel, Member, Need, Param, Role, Struct
from epforge.shim.ownership import BORROWED, GIVEN, OPEN, PURE, TAKEN, YIELDED

_OUT = re.compile(r"(Ort\w+)\*\*")
_HANDLE = re.compile(r"(?:const )?(Ort\w+)\*")
_WORD = re.compile(r"\b[A-Z]\w+\b")
_CALLBACK = re.compile(r"\w+(?:Fn|Func|Function|FnPtr|Delegate)")
_OF_KERNELS = ("KernelCompute", "KernelComputeV2", "KernelDestroy")  # they do not get their struct
_FORGETS_ARGUMENT = {
    "OrtEpFactory": ("ReleaseEp", "ReleaseAllocator"),
    "OrtExternalResourceImporterImpl": ("ReleaseMemory", "ReleaseSemaphore"),
}
_ENTRIES = {
    "kCreateEpFactories": "CreateEpFactories",
    "kReleaseEpFactory": "ReleaseEpFactory",
    "kKernelCreateFunc": "OrtKernelCreateFunc",
    "kGetApi": "OrtApiBase.GetApi",
    "kGetVersionString": "OrtApiBase.GetVersionString",
    "kCreateStatus": "OrtApi.CreateStatus",
}


@dataclass(frozen=True)
class FunctionView:
    """A function of the runtime, or a callback of a library.

    Args:
        id: its number.
        name: ``OrtApi.CreateStatus``.
        member: what its struct calls it; the entry points are in none.
        known: are its parameters?
        needed: a runtime crashes or fails where this callback is null.
        roles: of its arguments, as a C++ list.
    """

    id: int
    name: str
    member: Safe
    since: int
    known: bool
    needed: bool
    roles: Safe


@dataclass(frozen=True)
class StructView:
    """A struct: its declaration, and the functions in it that the shim stands before.

    Args:
        short: without ``Ort``.
        stamp: the member that says its version; empty if none does.
    """

    name: Safe
    text: str
    short: Safe
    fields: tuple[Safe, ...]
    functions: tuple[FunctionView, ...]
    since: int
    stamp: Safe


@dataclass(frozen=True)
class KindView:
    """A kind of handle that a library can own."""

    name: Safe
    type: Safe
    label: str
    closed: bool
    pure: bool


@dataclass(frozen=True)
class Row:
    """One thing with a few names: an entry point, a hook, a getter of a table."""

    values: dict[str, object]

    def __getattr__(self, name: str) -> object:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


class View:
    """All that the templates print."""

    def __init__(self, level: ApiLevel | None = None) -> None:
        self.oldest, self.newest = known_levels()[0], known_levels()[-1]
        self._level = level or load_level(self.newest)
        self._ids = {name: number for number, name in enumerate(self._names())}

    @cached_property
    def structs(self) -> list[StructView]:
        """All structs; what others hold by value comes first."""
        order = (Role.PASSES, Role.IMPLEMENTS, Role.CALLS)
        found = sorted(self._level.structs.values(), key=lambda struct: order.index(struct.role))
        return [self._struct(struct) for struct in found]

    @property
    def tables(self) -> list[StructView]:
        """The tables of functions of the runtime, but for the one that leads to the others."""
        return [s for s in self.structs if self._role(s) is Role.CALLS and s.text != "OrtApiBase"]

    @property
    def callback_structs(self) -> list[StructView]:
        """The structs that a library fills."""
        return [s for s in self.structs if self._role(s) is Role.IMPLEMENTS]

    @cached_property
    def functions(self) -> list[FunctionView]:
        """Everything that has a number, in that order."""
        by_name = {f.name: f for s in self.structs for f in s.functions}
        plain = [
            FunctionView(self._ids[name], name, Safe(""), 0, True, False, Safe(""))
            for name in _ENTRIES.values()
        ]
        by_name = {f.name: f for f in plain} | by_name
        return [by_name[name] for name in self._ids]

    @property
    def most_params(self) -> int:
        return max(len(m.params or ()) for _, m in self._functions())

    @property
    def entries(self) -> list[Row]:
        return [Row({"name": Safe(k), "id": self._ids[v]}) for k, v in _ENTRIES.items()]

    @cached_property
    def kinds(self) -> list[KindView]:
        """Kinds of handles that some function of the runtime makes for its caller."""
        implemented = {s.name for s in self._structs(Role.IMPLEMENTS)}
        made = {"OrtStatus"}
        for struct, member in self._functions():
            if struct.role is Role.CALLS:
                made.update(
                    t
                    for p in member.params or ()
                    if (t := _made(f"{struct.name}.{member.name}", p))
                )
        return [
            KindView(
                Safe(f"k{name[3:]}"),
                Safe(name),
                name[3:] + (" (the runtime's)" if name in implemented else ""),
                name not in OPEN,
                name in PURE,
            )
            for name in sorted(made)
        ]

    @property
    def getters(self) -> list[Row]:
        """The functions of OrtApi that lead to the other tables."""
        tables = {f"const {s.text}*": s for s in self.tables}
        return [
            Row({"member": Safe(m.name), "table": tables[m.type].name, "since": m.since})
            for m in self._level.struct("OrtApi").members
            if m.type in tables
        ]

    @property
    def hooks(self) -> list[Row]:
        """Callbacks after which an object is gone."""
        rows = []
        for struct, member in self._functions():
            if struct.role is not Role.IMPLEMENTS:
                continue
            base = ""
            if member.name == "Release":
                base = "ForgetsItself"
            elif member.name in _FORGETS_ARGUMENT.get(struct.name, ()):
                base = "ForgetsArgument"
            if base:
                slot = Safe(f"{struct.name}::{member.name}")
                rows.append(Row({"slot": slot, "base": Safe(base)}))
        return rows

    @property
    def enums(self) -> list[Safe]:
        """Types of plain numbers."""
        return sorted(Safe(n) for n in self._by_value() if not _CALLBACK.fullmatch(n))

    @property
    def callbacks(self) -> list[Safe]:
        """Types of functions that are only passed on."""
        named = (n for n in self._by_value() if _CALLBACK.fullmatch(n))
        return sorted(Safe(n) for n in named if n != "OrtKernelCreateFunc")

    @property
    def opaque(self) -> list[Safe]:
        """Types of which only the runtime knows what they are."""
        words = {word for text in self._types() for word in _WORD.findall(text)}
        known = {"ORTCHAR_T", *self._level.structs, *self._by_value()}
        return sorted(Safe(word) for word in words - known)

    def _names(self) -> Iterator[str]:
        yield from (name for name in _ENTRIES.values() if "." not in name)
        for struct, member in self._functions():
            yield f"{struct.name}.{member.name}"

    def _functions(self) -> Iterator[tuple[Struct, Member]]:
        """Every function that the shim stands before."""
        for role in (Role.CALLS, Role.IMPLEMENTS):
            for struct in self._structs(role):
                yield from ((struct, m) for m in struct.members if _is_before(struct, m))

    def _structs(self, role: Role) -> Iterable[Struct]:
        return (struct for struct in self._level.structs.values() if struct.role is role)

    def _role(self, view: StructView) -> Role:
        return self._level.struct(view.text).role

    def _types(self) -> Iterator[str]:
        for struct in self._level.structs.values():
            for member in struct.members:
                yield member.type
                yield from (param.type for param in member.params or ())

    def _by_value(self) -> set[str]:
        """Names of types of which there are values, not only pointers."""
        plain = (text.removeprefix("const ").removeprefix("enum ") for text in self._types())
        named = {text for text in plain if _WORD.fullmatch(text)}
        return named - {"ORTCHAR_T", *self._level.structs}

    def _struct(self, struct: Struct) -> StructView:
        stamp = struct.version_field
        return StructView(
            name=Safe(struct.name),
            text=struct.name,
            short=Safe(struct.name.removeprefix("Ort")),
            fields=tuple(_field(member) for member in struct.members),
            functions=tuple(
                self._function(struct, m) for m in struct.members if _is_before(struct, m)
            ),
            since=struct.since,
            stamp=Safe(stamp.name if stamp else ""),
        )

    def _function(self, struct: Struct, member: Member) -> FunctionView:
        name = f"{struct.name}.{member.name}"
        roles = [self._param(struct, member, param) for param in member.params or ()]
        while roles and roles[-1] == "kPlain":
            roles.pop()
        return FunctionView(
            id=self._ids[name],
            name=name,
            member=Safe(member.name),
            since=member.since,
            known=member.params is not None,
            needed=member.need in (Need.REQUIRED, Need.CRASHES),
            roles=Safe(", ".join(roles)),
        )

    def _param(self, struct: Struct, member: Member, param: Param) -> str:
        """The roles of a parameter."""
        name = f"{struct.name}.{member.name}"
        if struct.role is not Role.CALLS:
            return "kYields" if (name, param.name) in YIELDED else "kPlain"
        kinds = {kind.type for kind in self.kinds}
        roles = []
        if param.name in required_arguments(struct.name, member.name):
            roles.append("kRequired")
        if made := _made(name, param):
            assert made in kinds
            roles.append("kMakes")
        if taken := TAKEN.get((name, param.name)):
            roles.append(taken)
        if member.name.startswith("Release") and len(member.params or ()) == 1:
            handle = _HANDLE.fullmatch(param.type)
            if handle and handle[1] in kinds:
                roles.append("kReleases")
        return " | ".join(roles) or "kPlain"


def _made(function: str, param: Param) -> str:
    """The type of the handle that the caller gets through a parameter; empty if it gets none."""
    out = _OUT.fullmatch(param.type)
    place = function, param.name
    if not out or function in BORROWED or place in GIVEN or place in TAKEN:
        return ""
    return out[1]


def _is_before(struct: Struct, member: Member) -> bool:
    """Does the shim stand before that member?"""
    if not member.is_function or struct.role is Role.PASSES:
        return False
    if struct.role is Role.CALLS:
        return True
    if not member.params:
        return False
    own = _HANDLE.fullmatch(member.params[0].type)
    return bool(own and own[1] == struct.name) or member.name in _OF_KERNELS


def _field(member: Member) -> Safe:
    """The member as C++."""
    if member.is_function and member.params is None:
        return Safe(f"Unknown {member.name}")
    return Safe(re.sub(r"\benum ", "", member.signature))
