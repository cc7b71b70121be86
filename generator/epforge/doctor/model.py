"""What a doctor finds: facts with a name, and of each that is not well the one command to go on."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from epforge.errors import ExitStatus
from epforge.plain import plain

FORMAT = 1


class Severity(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    NOTE = "note"  # nothing fails; something could be had
    WARNING = "warning"  # some things go wrong, or it cannot be told whether they do
    MISSING = "missing"  # what is not on this machine, and is needed
    ERROR = "error"  # something would fail


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Args:
        code: what kind of thing; stable.
        what: what was found, one line.
        why: why it matters, one line; empty when it is well.
        command: the one command that cures it; empty when it is well, or no command can.
    """

    code: str
    severity: Severity
    what: str
    why: str = ""
    command: str = ""

    def to_json(self) -> dict[str, str]:
        """For programs; the keys are stable."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.what,
            "why": self.why,
            "command": self.command,
        }


def ok(code: str, what: str) -> Finding:
    """Something that is well."""
    return Finding(code, Severity.OK, what)


def note(code: str, what: str, why: str = "", command: str = "") -> Finding:
    """Something that could be had, or is worth knowing."""
    return Finding(code, Severity.NOTE, what, why, command)


def warning(code: str, what: str, why: str, command: str) -> Finding:
    """Something that goes wrong for some."""
    return Finding(code, Severity.WARNING, what, why, command)


def missing(code: str, what: str, why: str, command: str) -> Finding:
    """Something that is needed and not here."""
    return Finding(code, Severity.MISSING, what, why, command)


def error(code: str, what: str, why: str, command: str) -> Finding:
    """Something that would fail."""
    return Finding(code, Severity.ERROR, what, why, command)


@dataclass(frozen=True)
class Checkup:
    """Everything that was found about one thing.

    Args:
        about: "machine", "blueprint", "project" or "library".
        subject: its path; empty for this machine.
        facts: what was gathered, ready for JSON.
    """

    about: str
    subject: str
    findings: tuple[Finding, ...]
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def exit_status(self) -> ExitStatus:
        """What would fail counts more than what is missing."""
        return status_of(finding.severity for finding in self.findings)

    def to_json(self) -> dict[str, object]:
        """For programs; the keys are stable."""
        return {
            "format": FORMAT,
            "about": self.about,
            "subject": self.subject,
            "exit_status": int(self.exit_status),
            "findings": [finding.to_json() for finding in self.findings],
            "facts": plain(dict(self.facts)),
        }


def status_of(severities: Iterable[Severity]) -> ExitStatus:
    """The exit status that findings come to."""
    found = set(severities)
    if Severity.ERROR in found:
        return ExitStatus.CHECK_FAILED
    return ExitStatus.MISSING if Severity.MISSING in found else ExitStatus.OK


def command(*words: str) -> str:
    """A command line that can be copied into a shell."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def pip(*words: str) -> str:
    """A command of this Python's pip."""
    return command(sys.executable, "-m", "pip", *words)
