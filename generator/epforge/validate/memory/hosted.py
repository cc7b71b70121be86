"""The lines of rung `memory` that the C++ host finds: entry points, factories, sanitizers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from epforge.errors import EpforgeError
from epforge.validate import native
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.sanitized import Report, broken, reports
from epforge.validate.site import Ran, Site, as_case, verdict_of
from epforge.validate.worker import shimmed

# The lines, with the probes of each; see cross/host/probes.h.
LINES: Mapping[str, tuple[str, ...]] = {
    "entry points": ("entry", "nulls", "exhausted"),
    "factory": ("factories", "devices", "hardware", "memory"),
    "copies": ("copies",),
    "streams": ("streams",),
}
_PROBES = tuple(probe for probes in LINES.values() for probe in probes)
_PASSED = {
    "entry points": "bad arguments, runtimes that are too old and exhausted memory end in errors",
    "factory": "1,000 times made, and 1,000 times asked for devices: nothing stays behind",
    "copies": "only between the host and its own devices",
    "streams": "real streams for its devices",
}
_ECHO = f"exit status {native.ASAN_STATUS}"


def probes(site: Site) -> Iterator[Check]:
    """The lines of what no runtime does with a library on a good day."""
    hosted = native.in_host(site)
    if isinstance(hosted, str):
        yield site.check(Rung.MEMORY, "entry points", Outcome.NOT_CHECKED, hosted)
        return
    site.progress("memory: entry points and factories")
    ran = hosted.cases(
        {"job": "probing", "probes": _PROBES, "claims": [], "sanitize": False, "shim": ""}
    )
    cases = {case.label: case for case in _named(ran)}
    for name, probes in LINES.items():
        found = [cases.pop(probe) for probe in probes if probe in cases]
        if found:
            yield _line(site, name, found, _PASSED[name], ran.seconds / len(LINES))
    for case in cases.values():  # the worker itself, outside of any probe
        yield _line(site, case.label, [case], "", 0)


def without_sanitizers(site: Site, why: str) -> Check:
    """The line that says why there is none of sanitizers."""
    return site.check(Rung.MEMORY, "sanitizers", Outcome.NOT_CHECKED, why)


def sanitized(site: Site, own: Path | None) -> Iterator[Check]:
    """The line of what sanitizers say of probes and sessions.

    Args:
        own: the library built with them; without it, the release build is looked at for leaks.
    """
    library = own or site.library
    try:
        shim = site.instruments.shim()
    except EpforgeError:  # without it no call fails
        shim = None
    variables = shimmed.environment(library) if shim else {}
    seen = replace(site, environment={**site.environment, **variables})
    hosted = native.in_host(seen, native.SANITIZERS)
    if isinstance(hosted, str):
        yield without_sanitizers(site, hosted)
        return
    site.progress("memory: sessions with sanitizers")
    job = {
        "job": "probing",
        "probes": _PROBES,
        "claims": site.claims.job(),
        "sanitize": True,
        "shim": str(shim or ""),
    }
    ran = replace(hosted, library=library).cases(job)
    runtime = native.library_of(site.runtime)
    assert runtime is not None  # in_host has looked
    found = [*_named(ran), *_reported(ran, library, [runtime, *([shim] if shim else [])])]
    how = "AddressSanitizer, UndefinedBehaviorSanitizer" if own else "the release build"
    passed = f"{how} and LeakSanitizer: nothing is lost, nothing is used that is not there"
    if broken(ran.stderr):
        found.append(CaseResult("leaks", Outcome.NOT_CHECKED, "LeakSanitizer may not trace here"))
        passed += ", as far as could be seen: LeakSanitizer may not trace here"
    yield _line(site, "sanitizers", _without_echoes(found), passed, ran.seconds)


def _named(ran: Ran) -> Iterator[CaseResult]:
    """The cases; one in which the program fell names the function that was called."""
    calling = [str(record["where"]) for record in ran.named("calling")]
    for record in ran.cases:
        case = as_case(record)
        if record.get("kind") == "death" and calling:
            where = calling.pop(0)
            case = replace(case, detail=f"{where}: {case.detail}" if where else case.detail)
        yield case


def _reported(ran: Ran, library: Path, between: Sequence[Path]) -> Iterator[CaseResult]:
    """What the sanitizers report of the library.

    Args:
        between: the runtime, and what stands between it and the library.
    """
    kept = {str(record["step"]) for record in ran.named("kept")}
    seen: set[str] = set()  # what is lost is reported again by each later look
    for report in reports(ran.stderr):
        frame = report.blamed(library, between)
        if frame is None or frame.words in seen:
            continue
        seen.add(frame.words)
        if report.is_leak and report.step in kept:
            continue
        text = f"{report.text} in {frame.words}{_within(report, library, frame.words)}"
        yield CaseResult(report.step, Outcome.FAILED, text)


def _within(report: Report, library: Path, innermost: str) -> str:
    """The library's outermost function in the stack: the callback."""
    own = [frame for frame in report.frames if Path(frame.module).name == library.name]
    words = own[-1].words if own else innermost
    return "" if words == innermost else f", called by {words}"


def _without_echoes(cases: Sequence[CaseResult]) -> list[CaseResult]:
    """Without probes of what is not there, which another line has, and without the ends of a
    program of which a sanitizer has said why."""
    said = {case.label for case in cases if _ECHO not in case.detail}
    return [
        case
        for case in cases
        if not (case.outcome is Outcome.NOT_CHECKED and case.label in _PROBES)
        and not (_ECHO in case.detail and case.label in said)
    ]


def _line(site: Site, name: str, cases: Sequence[CaseResult], passed: str, seconds: float) -> Check:
    outcome, detail = verdict_of(cases, passed)
    return Check(Rung.MEMORY, name, outcome, detail, site.version, seconds, tuple(cases))
