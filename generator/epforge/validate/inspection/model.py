"""What is known of a library, in the words of its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus
from epforge.plain import plain
from epforge.validate.binary import Binary
from epforge.validate.static import ENTRY_POINTS, Kind

FORMAT = 1
_MOST_NAMES = 20


@dataclass(frozen=True)
class Slot:
    """A member of a struct that a library fills.

    Args:
        since: the level that brought it.
        required: what a library that leaves it null gets: "required", "crashes", "conditional",
            "optional" or "unknown".
    """

    name: str
    since: int
    need: str = "unknown"


@dataclass(frozen=True)
class Finding:
    """Something about a library that its users will meet.

    Args:
        rule: a word for the kind of thing: "exports", "silent-when-old".
    """

    rule: str
    text: str


@dataclass(frozen=True)
class Filled:
    """A struct that the library has handed out.

    Args:
        of: what it is for, where there are several.
        members: the callbacks that are set, with their levels, those that are not and could be,
            and those of them that had to be.
    """

    factory: int
    struct: str
    of: str
    stamp: int
    set: tuple[tuple[str, int], ...]
    unset: tuple[str, ...]
    lacking: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        members = [{"name": name, "since": since} for name, since in self.set]
        rest = {"unset": list(self.unset), "lacking": list(self.lacking)}
        return {"struct": self.struct, "of": self.of, "stamp": self.stamp, "set": members, **rest}


@dataclass(frozen=True)
class Factory:
    """One factory of the library.

    Args:
        ep: the name that an EP of it says; None where none was made.
        memory: per device on this machine's hardware, the kinds of memory with their names.
        errors: what it answered with an error: (call, text).
    """

    index: int
    name: str = ""
    vendor: str = ""
    vendor_id: int | None = None
    version: str = ""
    stream_aware: bool | None = None
    custom_op_domains: int = 0
    ep: str | None = None
    memory: tuple[Mapping[str, str], ...] = ()
    structs: tuple[Filled, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()

    def struct(self, name: str) -> Filled | None:
        """The first struct of that name."""
        return next((each for each in self.structs if each.struct == name), None)

    def to_json(self) -> dict[str, object]:
        return {
            **asdict(self),
            "structs": [each.to_json() for each in self.structs],
            "errors": [{"where": where, "text": text} for where, text in self.errors],
        }


@dataclass(frozen=True)
class Ended:
    """How one thing went that the library was asked to do.

    Args:
        outcome: "fine", "refused", "failed", "crashed", "timed out" or "not run".
        detail: in words: the library's own, or why not.
    """

    outcome: str
    detail: str = ""

    @property
    def bad(self) -> bool:
        return self.outcome in ("crashed", "timed out", "failed")


@dataclass(frozen=True)
class OnHardware:
    """What one factory offers on a made-up device.

    Args:
        eps: the names of the devices that it offers.
        own: some of them are not on that device: the library made hardware up, too.
    """

    hardware: str
    eps: tuple[str, ...] = ()
    own: bool = False
    detail: str = ""


@dataclass(frozen=True)
class Answers:
    """What a library said when it was run.

    Args:
        runtime: the onnxruntime that it was run in.
        level: the API level of that.
        asked: the API levels that it asked for, in order, and whether it got them.
        older: how it goes on a runtime that has nothing to offer a plugin.
        entry: how asking it directly went.
        registered: how registering it and unregistering it again went.
        name: under which there are devices; empty if there are none.
        devices: as ONNX Runtime lists them.
        unmapped: was it gone from memory afterwards? None where nobody knows.
        log: what it logged meanwhile; stray: what it wrote to stderr past the logger.
    """

    runtime: str = ""
    level: int = 0
    asked: tuple[tuple[int, bool], ...] = ()
    older: Ended = Ended("not run")
    entry: Ended = Ended("not run")
    registered: Ended = Ended("not run")
    name: str = ""
    factories: tuple[Factory, ...] = ()
    devices: tuple[Mapping[str, Any], ...] = ()
    hardware: tuple[OnHardware, ...] = ()
    unmapped: bool | None = None
    log: tuple[str, ...] = ()
    stray: tuple[str, ...] = ()

    def to_json(self) -> Any:
        asked = [{"level": level, "given": given} for level, given in self.asked]
        factories = [each.to_json() for each in self.factories]
        return plain({**asdict(self), "asked": asked, "factories": factories})


@dataclass(frozen=True)
class Inspection:
    """All that was found out about a file.

    Args:
        kind: what it is.
        wrong: why it is not what was expected here, in one line; empty if it is.
        size: in bytes.
        manifest: the file beside it that says what it claims.
        answers: what it said when it was run; None when it was not.
        not_run: why not.
    """

    library: Path
    kind: Kind
    expected: Kind
    wrong: str
    size: int
    binary: Binary
    manifest: Path | None
    answers: Answers | None
    not_run: str = ""
    findings: tuple[Finding, ...] = field(default=())

    @property
    def extra(self) -> tuple[str, ...]:
        """Names that are exported besides the entry points."""
        return tuple(name for name in self.binary.exports if name not in ENTRY_POINTS)

    @property
    def fine(self) -> bool:
        """Is it what was expected, and does it survive being asked?"""
        went = self.answers
        ends = (went.older, went.entry, went.registered) if went else ()
        return not self.wrong and not any(each.bad for each in ends)

    @property
    def exit_status(self) -> ExitStatus:
        """`ExitStatus.CHECK_FAILED` unless it is fine."""
        return ExitStatus.OK if self.fine else ExitStatus.CHECK_FAILED

    def to_json(self) -> dict[str, object]:
        """The report, with the keys that `schema.SCHEMA` describes."""
        binary = self.binary
        return {
            "format": FORMAT,
            "library": str(self.library),
            "kind": str(self.kind),
            "expected": str(self.expected),
            "explanation": self.wrong,
            "file": {
                "format": binary.format,
                "machine": binary.machine,
                "size": self.size,
                "damage": binary.damage,
                "soname": binary.soname,
                "needed": list(binary.needed),
                "search": list(binary.search),
                "floors": list(binary.floors),
                "exports": {
                    "count": len(binary.exports),
                    "entry_points": [name for name in ENTRY_POINTS if name in binary.exports],
                    "extra": list(self.extra[:_MOST_NAMES]),
                    "unique": len(binary.unique),
                },
            },
            "manifest": str(self.manifest) if self.manifest else None,
            "not_run": self.not_run,
            "answers": self.answers.to_json() if self.answers else None,
            "findings": [asdict(finding) for finding in self.findings],
            "fine": self.fine,
        }


def slots(members: Sequence[Sequence[Any]], known: Sequence[Slot]) -> tuple[Any, Any, Any]:
    """Set, unset and lacking members of a struct, of what a worker saw in it."""
    needs = {slot.name: slot.need for slot in known}
    there = tuple((str(name), int(since)) for name, since, full in members if full)
    unset = tuple(str(name) for name, _, full in members if not full)
    return there, unset, tuple(n for n in unset if needs.get(n) in ("required", "crashes"))
