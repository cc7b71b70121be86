"""Data races, by ThreadSanitizer: the library is built with it, and run by the C++ host.

The runtime is not built with it. Its mutexes are seen all the same, and its allocator is asked to
take every tensor from the system, so that memory that goes from one thread to another is seen to.
What is reported counts only where the library's own code is in one of the two stacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from epforge.errors import EpforgeError
from epforge.validate import native
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.sanitized import Frame, own_frame, stack
from epforge.validate.site import Site, as_case, verdict_of

_WARNING = re.compile(r"WARNING: ThreadSanitizer: (?P<kind>[\w-]+(?: \w+)*)")
_ACCESS = re.compile(r"\s+(?P<what>(?:[Pp]revious )?(?:atomic )?(?:write|read|Write|Read)) of size")
_END = "=================="
_BROKEN = "FATAL: ThreadSanitizer"


@dataclass(frozen=True)
class Race:
    """What ThreadSanitizer reports.

    Args:
        kind: "data race", "lock-order-inversion", ...
        stacks: what was done, in a word, and where; the later first.
    """

    kind: str
    stacks: tuple[tuple[str, tuple[Frame, ...]], ...]

    def text(self, library: Path) -> str:
        """The places in the library; empty if it has no part in it."""
        places = [(what, own_frame(frames, library)) for what, frames in self.stacks]
        return " and ".join(f"{what} in {frame.words}" for what, frame in places if frame)


def check(site: Site, job: Mapping[str, object]) -> Check:
    """The line about races.

    Args:
        job: what the library claims.
    """
    hosted = native.in_host(site, native.THREADS)
    if isinstance(hosted, str):
        return _left_out(site, hosted)
    try:
        own = site.instruments.sanitized("tsan")
    except EpforgeError as error:
        return _left_out(site, f"it cannot be built with ThreadSanitizer: {error.message}")
    if own is None:
        return _left_out(site, "ThreadSanitizer needs the library's sources")
    site.progress("threads: sessions with ThreadSanitizer")
    ran = replace(hosted, library=own).cases({**job, "job": "crowds"})
    if _BROKEN in ran.stderr:
        line = next(line for line in ran.stderr.splitlines() if _BROKEN in line)
        return _left_out(site, f"ThreadSanitizer cannot run here: {line.split(': ', 1)[-1]}")
    if ran.idle:
        return _left_out(site, ran.idle.detail)
    crowds = list(map(as_case, ran.cases))
    names = "; ".join(case.label for case in crowds)
    cases = [*_named(reports(ran.stderr), own), *crowds]
    outcome, detail = verdict_of(cases, f"ThreadSanitizer sees none in {names}")
    return Check(Rung.THREADS, "races", outcome, detail, site.version, ran.seconds, tuple(cases))


def _left_out(site: Site, why: str) -> Check:
    return site.check(Rung.THREADS, "races", Outcome.NOT_CHECKED, why)


def _named(found: Sequence[Race], library: Path) -> Iterator[CaseResult]:
    """Races of the library's, each once."""
    for kind, text in dict.fromkeys((race.kind, race.text(library)) for race in found):
        if text:
            yield CaseResult(kind, Outcome.FAILED, text)


def reports(stderr: str) -> list[Race]:
    """The reports in what a program wrote."""
    lines = stderr.splitlines()
    starts = [index for index, line in enumerate(lines) if _WARNING.search(line)]
    found = []
    for start in starts:
        rest = lines[start + 1 :]
        end = next((i for i, line in enumerate(rest) if line.startswith(_END)), len(rest))
        warning = _WARNING.search(lines[start])
        assert warning is not None
        found.append(Race(warning["kind"], tuple(_stacks(rest[:end]))))
    return found


def _stacks(lines: Sequence[str]) -> Iterator[tuple[str, tuple[Frame, ...]]]:
    """The stacks of both accesses; of a report without any, its first."""
    some = False
    for index, line in enumerate(lines):
        if access := _ACCESS.match(line):
            some = True
            yield access["what"].lower(), stack(lines[index + 1 :])
    if not some:
        yield "seen", stack(lines)
