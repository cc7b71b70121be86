"""The errors epforge reports: each has a message, a cure and an exit status.

Exit statuses (the same for every verb):

* 0 fine,
* 1 a check failed, or there is drift,
* 2 the blueprint or the call is wrong,
* 3 open conflicts,
* 4 something is missing on this machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum


class ExitStatus(IntEnum):
    """What a verb returns to the shell."""

    OK = 0
    CHECK_FAILED = 1
    WRONG_INPUT = 2
    CONFLICTS = 3
    MISSING = 4


class EpforgeError(Exception):
    """An error with a cure. Subclasses set ``exit_status``.

    Args:
        message: what is wrong, one line, naming the place.
        cure: what to do about it, one line; empty if the message says it all.
    """

    exit_status: ExitStatus = ExitStatus.CHECK_FAILED

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure

    def details(self) -> Mapping[str, object]:
        """What a program is told beside message and cure, ready for JSON; the keys are stable."""
        return {}

    def __str__(self) -> str:
        return f"{self.message}\n  {self.cure}" if self.cure else self.message


class UsageError(EpforgeError):
    """The call is wrong: a flag, a path, a directory that is not ours."""

    exit_status = ExitStatus.WRONG_INPUT


class MissingError(EpforgeError):
    """Something is missing on this machine; the cure says how to get it."""

    exit_status = ExitStatus.MISSING
