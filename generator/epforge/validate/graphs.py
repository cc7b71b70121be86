"""Rung `graphs`: models that an execution provider has to divide, and sessions side by side.

FR 28-31, 34, 40-42, 54 of the field reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from epforge.validate.model import CaseResult, Check, Rung
from epforge.validate.pictures import of_record
from epforge.validate.site import Ran, Site, as_case, by_line, numbers, verdict_of

_LINES = ("partitions", "inputs", "shapes", "subgraphs", "buffers", "sessions")


def run(site: Site) -> tuple[Check, ...]:
    """One line per kind of graph."""
    site.progress("graphs")
    job = {"job": "graphs", "declared": site.manifest is not None, "claims": site.claims.job()}
    ran = site.cases(job)
    if ran.idle:
        return (site.check(Rung.GRAPHS, "all", ran.idle.outcome, ran.idle.detail, ran.seconds),)
    lines = by_line([as_case(record) for record in ran.cases])
    return tuple(
        _line(site, name, lines[name], ran)
        for name in sorted(lines, key=lambda n: _LINES.index(n) if n in _LINES else -1)
    )


def _line(site: Site, name: str, cases: Sequence[CaseResult], ran: Ran) -> Check:
    passed = f"{numbers(cases, 'graph right', 'graphs right')}{_placed(name, ran)}"
    outcome, detail = verdict_of(cases, passed)
    seconds = ran.seconds_of(name)
    drawn = [of_record(record) for record in _of(name, ran, "picture")]
    pictures = tuple(replace(each, label=each.label.partition("/")[2]) for each in drawn)
    return Check(Rung.GRAPHS, name, outcome, detail, site.version, seconds, tuple(cases), pictures)


def _of(line: str, ran: Ran, record: str) -> list[Mapping[str, Any]]:
    return [each for each in ran.named(record) if str(each["label"]).startswith(f"{line}/")]


def _placed(line: str, ran: Ran) -> str:
    """How many of the nodes that the library should take it took."""
    found = _of(line, ran, "placement")
    declared = sum(int(record["declared"]) for record in found)
    taken = sum(int(record["taken"]) for record in found)
    groups = sum(int(record["groups"]) for record in found)
    if not declared:
        return ""
    return f"; {taken} of {declared} nodes taken, in {groups} group{'' if groups == 1 else 's'}"
