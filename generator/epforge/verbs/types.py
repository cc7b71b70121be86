"""What the functions of all verbs have in common: how they are called, and what they return."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeVar

from epforge.errors import ExitStatus, UsageError

#: A path as programs have it.
AnyPath = Path | str
#: One name, or several.
Names = str | Iterable[str]
#: One path, or several.
AnyPaths = AnyPath | Iterable[AnyPath]
#: Told what is being done now, a line each: "[12/40] compiling src/abi/ep.cc".
Progress = Callable[[str], None]
_Choice = TypeVar("_Choice", bound=StrEnum)

FORMAT = 1
"""Of all JSON; it goes up when a key changes its meaning or goes away."""


class Result(Protocol):
    """What every function of a verb returns."""

    @property
    def exit_status(self) -> ExitStatus:
        """What the verb would tell the shell."""
        ...

    def to_json(self) -> dict[str, Any]:
        """What the verb would print with ``--json``; the keys are stable."""
        ...


def names(given: Names | None) -> tuple[str, ...]:
    """The names that were given; a text is one of them."""
    return (given,) if isinstance(given, str) else tuple(given or ())


def paths(given: AnyPaths | None) -> tuple[Path, ...]:
    """The paths that were given."""
    if isinstance(given, str | Path):
        return (Path(given),)
    return tuple(map(Path, given or ()))


def silent(text: str) -> None:
    """Tells nobody."""
    del text


def choice(kinds: type[_Choice], wanted: str, option: str) -> _Choice:
    """One of the words of an option.

    Raises:
        UsageError: it is none of them.
    """
    try:
        return kinds(wanted)
    except ValueError:
        known = ", ".join(kinds)
        raise UsageError(
            f"--{option} {wanted}: there is no such choice", f"One of: {known}."
        ) from None


@dataclass(frozen=True)
class Written:
    """Files that were written, and nothing else to say."""

    written: tuple[Path, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "written": [str(path) for path in self.written]}
