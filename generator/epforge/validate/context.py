"""Rung `context`: compiled models, written, read elsewhere, and refused where they are not good.

FR 56-64 of the field reports. Sets of cases that read run after those that write, each in a
process of its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from epforge.validate.load import verdict
from epforge.validate.manifest import EpContext
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.process import workers
from epforge.validate.site import Ran, Site, as_case, by_line, idle, numbers, verdict_of

_LINES = ("embed", "external", "compatibility", "memory", "output", "share", "damage", "names")
_WRITING = ("write", "output", "share")
_READING = ("read", "read shared", "damage", "names")
_OF_SHARING = ("share", "read shared")
_OF_FILES = ("names",)


def run(site: Site) -> tuple[Check, ...]:
    """One line per kind of case; a single one for a library that compiles no models."""
    site.progress("compiled models")
    with tempfile.TemporaryDirectory(prefix="epforge-context-") as folder:
        tried = _try(site, folder)
        lines = list(_support(site, tried))
        able = tried.able
        if not (able.embed or able.external) or any(line.outcome.bad for line in lines):
            return tuple(lines)
        modes = tuple(mode for mode in ("embed", "external") if getattr(able, mode))
        sets = [
            name
            for name in (*_WRITING, *_READING)
            if (name not in _OF_SHARING or able.share) and (name not in _OF_FILES or able.external)
        ]
        ran = _run_sets(site, folder, modes, sets)
    return (*lines, *_lines(site, ran))


@dataclass(frozen=True)
class _Tried:
    """What came of asking for compiled models.

    Args:
        line: what went wrong with the asking itself.
        refusals: per mode what the library says; empty for a mode that it does.
        able: what is done in fact; `share` is what is to be tried.
    """

    line: Check | None = None
    refusals: Mapping[str, str] = field(default_factory=dict)
    able: EpContext = field(default_factory=EpContext)
    seconds: float = 0.0


def _try(site: Site, folder: str) -> _Tried:
    run = site.worker(_job(site, folder, "try", ()))
    nothing = idle(run.named("error"))
    outcome, fault = (nothing.outcome, nothing.detail) if nothing else verdict(run)
    if outcome is not Outcome.PASSED:
        return _Tried(site.check(Rung.CONTEXT, "support", outcome, fault, run.seconds))
    tried = run.named("tried")
    refusals = {
        mode: next((_answer(r) for r in tried if r["mode"] == mode and not r["written"]), "")
        for mode in ("embed", "external")
    }
    does = {mode: not refusal for mode, refusal in refusals.items()}
    share = does["external"] and (site.manifest is None or site.manifest.ep_context.share)
    return _Tried(None, refusals, EpContext(**does, share=share), run.seconds)


def _answer(record: Mapping[str, Any]) -> str:
    return str(record["refused"]) or f"nothing is compiled by {record['way']}, and nothing said"


def _support(site: Site, tried: _Tried) -> Iterator[Check]:
    """The line about which kinds of compiled models there are, and whether that is as declared."""
    if tried.line is not None:
        yield tried.line
        return
    declared = site.manifest.ep_context if site.manifest else None
    wrong = [] if declared is None else [_against(declared, mode, tried) for mode in tried.refusals]
    wrong = [text for text in wrong if text]
    if wrong:
        outcome, detail = Outcome.FAILED, "; ".join(wrong)
    elif tried.able.any:
        does = [mode for mode, refusal in tried.refusals.items() if not refusal]
        refuses = [f"{m} is refused: {text}" for m, text in tried.refusals.items() if text]
        outcome, detail = Outcome.PASSED, "; ".join([" and ".join(does), *refuses])
    else:
        outcome = Outcome.NOT_CHECKED if declared is None else Outcome.PASSED
        detail = f"compiles no models: {next(iter(tried.refusals.values()))}"
    yield site.check(Rung.CONTEXT, "support", outcome, detail[:400], tried.seconds)


def _against(declared: EpContext, mode: str, tried: _Tried) -> str:
    """What is wrong with a mode, by the manifest."""
    refusal = tried.refusals[mode]
    if getattr(declared, mode):
        return f"{mode} is declared, but: {refusal}" if refusal else ""
    if not refusal:
        return f"{mode} is not declared, but done"
    return f"{mode} is not refused: {refusal}" if "nothing said" in refusal else ""


def _job(site: Site, folder: str, set_: str, modes: Sequence[str]) -> dict[str, object]:
    return {
        "job": "context",
        "set": set_,
        "folder": folder,
        "modes": list(modes),
        "strict": site.manifest is not None,
        "claims": site.claims.job(),
        "skip": [],
    }


def _run_sets(
    site: Site, folder: str, modes: Sequence[str], sets: Sequence[str]
) -> list[tuple[str, Ran]]:
    """Runs the sets, those that write before those that read what was written."""
    done: list[tuple[str, Ran]] = []
    for wave in (_WRITING, _READING):
        names = [name for name in sets if name in wave]
        with workers(site.jobs) as pool:
            found = pool.map(lambda name: site.cases(_job(site, folder, name, modes)), names)
            done += zip(names, found, strict=True)
    return done


def _lines(site: Site, ran: Sequence[tuple[str, Ran]]) -> Iterator[Check]:
    cases: list[CaseResult] = []
    for name, one in ran:
        cases += map(as_case, one.cases)
        cases += [replace(one.idle, label=f"{name}/the process")] if one.idle else []
    lines = by_line(cases)
    for name in sorted(lines, key=lambda n: _LINES.index(n) if n in _LINES else -1):
        passed = numbers(lines[name], "check passed", "checks passed")
        outcome, detail = verdict_of(lines[name], passed)
        yield Check(Rung.CONTEXT, name, outcome, detail, site.version, cases=tuple(lines[name]))
