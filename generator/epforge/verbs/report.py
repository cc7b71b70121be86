"""What a report of ``epforge validate`` says, and what has changed since."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus
from epforge.plain import plain
from epforge.verbs.types import FORMAT, AnyPath, AnyPaths, Written, paths

if TYPE_CHECKING:
    from epforge.report import Difference, Report


@dataclass(frozen=True)
class ReadReport:
    """A report that was read back.

    Args:
        report: what it says.
    """

    report: Report

    @property
    def exit_status(self) -> ExitStatus:
        """`ExitStatus.OK`: that something failed then is no failure to read it."""
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return self.report.model_dump(mode="json")


class RenderedReport(Written):
    """Files that a report was written to."""


@dataclass(frozen=True)
class ReportDiff:
    """What has changed from one report to another."""

    difference: Difference

    @property
    def exit_status(self) -> ExitStatus:
        """`ExitStatus.CHECK_FAILED` if something got worse."""
        return ExitStatus.CHECK_FAILED if self.difference.worse else ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        found = self.difference
        return {
            "format": FORMAT,
            "worse": found.worse,
            **plain(dataclasses.asdict(found)),
            "rungs": dict(found.rungs),
            "runtimes": list(found.runtimes) if found.runtimes else None,
        }


def read_report(report: AnyPath) -> ReadReport:
    """Reads a report of `epforge validate --report FILE.json`; `epforge report show`.

    Args:
        report: the file.

    Raises:
        UsageError: it is no such report.
    """
    from epforge.report import read

    return ReadReport(read(Path(report)))


def render_report(report: AnyPath, files: AnyPaths) -> RenderedReport:
    """Writes a report as a page of HTML, or as JUnit XML; `epforge report render`.

    Args:
        report: the report in JSON.
        files: what to write; the suffix says how.

    Raises:
        UsageError: it is no report, or a file cannot be written.
    """
    from epforge.verbs import report_files

    wanted = paths(files)
    report_files.check(wanted)
    report_files.write(wanted, read_report(report).to_json())
    return RenderedReport(wanted)


def diff_reports(before: AnyPath, after: AnyPath) -> ReportDiff:
    """Says what has changed from one report of a library to another; `epforge report diff`.

    Args:
        before: the older report.
        after: the newer one.

    Raises:
        UsageError: one is no report.
    """
    from epforge.report import compare, read

    return ReportDiff(compare(read(Path(before)), read(Path(after))))
