"""Rung `context`: compiled models, written, read elsewhere, and refused where they are not good.

FR 56-64 of the field reports. Sets of cases that read run after those that write, each in a
process of its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from epforge.validate.load import verdict
from epforge.validate.manifest import EpContext, Manifest
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.process import workers
from epforge.validate.site import Ran, Site, as_case, by_line, idle, numbers, verdict_of

_LINES = ("embed", "external", "compatibility", "memory", "output", "share", "damage", "names")
_MODES = ("embed", "external")
_WRITING = ("write", "output", "share")
_READING = ("read", "read shared", "damage", "names")
_OF_SHARING = ("share", "read shared")
_OF_FILES = ("names",)
_NO_NODE = "returned a NULL EPContext node"  # ONNX Runtime's words


def run(site: Site) -> tuple[Check, ...]:
    """One line per kind of case; a single one for a library that compiles no models."""
    site.progress("compiled models")
    with tempfile.TemporaryDirectory(prefix="epforge-context-") as folder:
        line, answers = _ask(site, folder)
        modes = [answer.mode for answer in answers if answer.does]
        if line.outcome.bad or not modes:
            return (line,)
        ran = _run_sets(site, folder, modes, _sets(site.manifest, modes))
    return (line, *_lines(site, ran))


def _sets(manifest: Manifest | None, modes: Sequence[str]) -> list[str]:
    """The sets of cases for a library that does these modes; sharing is tried unless denied."""
    files = "external" in modes
    shares = files and (manifest is None or manifest.ep_context.share)
    return [
        name
        for name in (*_WRITING, *_READING)
        if (shares or name not in _OF_SHARING) and (files or name not in _OF_FILES)
    ]


@dataclass(frozen=True)
class _Answer:
    """What a library does when it is asked for compiled models of one mode.

    Args:
        refusal: its own words; empty if it does not refuse.
        idle: the way of asking in which nothing came of it; empty if it does what it is asked.
    """

    mode: str
    refusal: str
    idle: str

    @property
    def does(self) -> bool:
        return not self.idle

    @property
    def words(self) -> str:
        return self.refusal or f"nothing is compiled by {self.idle}, and nothing said"


def _ask(site: Site, folder: str) -> tuple[Check, tuple[_Answer, ...]]:
    """The line about which kinds of compiled models there are, and whether that is as declared;
    and what the library answers."""
    run = site.worker(_job(site, folder, "try", ()))
    nothing = idle(run.named("error"))
    outcome, detail = (nothing.outcome, nothing.detail) if nothing else verdict(run)
    answers: tuple[_Answer, ...] = ()
    if outcome is Outcome.PASSED:
        answers = tuple(_answer(mode, run.named("tried")) for mode in _MODES)
        outcome, detail = _as_declared(site.manifest.ep_context if site.manifest else None, answers)
    return site.check(Rung.CONTEXT, "support", outcome, detail, run.seconds), answers


def _answer(mode: str, tried: Sequence[Mapping[str, Any]]) -> _Answer:
    for record in tried:
        if record["mode"] == mode and not record["written"]:
            return _Answer(mode, str(record["refused"]), str(record["way"]))
    return _Answer(mode, "", "")


def _as_declared(declared: EpContext | None, answers: Sequence[_Answer]) -> tuple[Outcome, str]:
    """Outcome and detail of asking; without a manifest nothing is declared, and all is well."""
    wrong = [_against(declared, answer) for answer in answers] if declared else []
    if not any(wrong) and (broken := [a for a in answers if _NO_NODE in a.refusal]):
        # It has compiled, and written nothing: ONNX Runtime refuses, and cannot say why.
        wrong = [f"{a.mode} is neither done nor refused: {a.words}" for a in broken[:1]]
    if any(wrong):
        return Outcome.FAILED, "; ".join(filter(None, wrong))
    does = [answer.mode for answer in answers if answer.does]
    if does:
        refuses = [f"{a.mode} is refused: {a.words}" for a in answers if not a.does]
        return Outcome.PASSED, "; ".join([" and ".join(does), *refuses])
    outcome = Outcome.PASSED if declared else Outcome.NOT_CHECKED
    return outcome, f"compiles no models: {answers[0].words}"


def _against(declared: EpContext, answer: _Answer) -> str:
    """What is wrong with an answer, by the manifest."""
    mode = answer.mode
    if getattr(declared, mode):
        return "" if answer.does else f"{mode} is declared, but: {answer.words}"
    if answer.does:
        return f"{mode} is not declared, but done"
    return "" if answer.refusal else f"{mode} is not refused: {answer.words}"


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
        seconds = sum(one.seconds_of(name) for _, one in ran)
        yield Check(Rung.CONTEXT, name, outcome, detail, site.version, seconds, tuple(lines[name]))
