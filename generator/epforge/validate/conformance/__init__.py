"""Rung `conformance`: ONNX's own node tests of every operator that a library claims, and a model
of each since-version and combination of types.

A test counts only when the library has the node. How many ONNX Runtime's CPU provider passes is
measured in the same run: that is what a library is compared with.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from epforge.validate import ops
from epforge.validate.conformance import lists
from epforge.validate.conformance.lines import detail_of
from epforge.validate.conformance.model import ConformanceCase, OpCheck, Standing
from epforge.validate.manifest import OpClaim
from epforge.validate.model import Check, Outcome, Rung
from epforge.validate.process import workers
from epforge.validate.site import Ran, Site
from epforge.validate.worker.records import BY_CPU

_RESTARTS = 40  # crashes of one operator until the rest of its tests is given up
_HANGS = 2  # the same for tests that make no progress


def run(site: Site) -> tuple[Check, ...]:
    """One line per op, sorted as declared, and one about exclusions of unknown tests."""
    lines: list[Check] = [replace(x, rung=Rung.CONFORMANCE) for x in site.claims.lines]
    groups = ops.asked(site)
    if wrong := ops.nothing_to_do(site, groups):
        return (*lines, site.check(Rung.CONFORMANCE, "claims", Outcome.FAILED, wrong))
    done = itertools.count(1)

    def one(claims: list[OpClaim]) -> OpCheck:
        line = _op(site, claims, site.excluded.get(claims[0].name, {}))
        count = f"[{next(done)}/{len(groups)}]"
        site.progress(f"{count} conformance {line.name}: {line.outcome}")
        site.on_check(line)
        return line

    with workers(site.jobs) as pool:
        found = list(pool.map(one, groups.values()))
    return (*lines, *found, *_unknown(site, found))


def _op(site: Site, claims: Sequence[OpClaim], excluded: Mapping[str, str]) -> OpCheck:
    name = claims[0].name
    job = {**ops.claimed(site, claims), "job": "conformance", "tolerance": lists.tolerance(name)}
    ran = site.cases(job, restarts=_RESTARTS, hangs=_HANGS)
    tested = _tested(ran, excluded)
    stub = bool(ran.named("no claims"))
    if stub:  # nobody promises anything of it
        tested = tuple(case for case in tested if not case.node_test)
    outcome, detail = detail_of(claims, tested, stub)
    if not tested and ran.idle:
        outcome, detail = ran.idle.outcome, ran.idle.detail
    left_out = max((int(each["number"]) for each in ran.named("left out")), default=0)
    return OpCheck(
        Rung.CONFORMANCE, name, outcome, detail, site.version, ran.seconds, tested,
        tested=tested, left_out=left_out,
    )  # fmt: skip


def _tested(ran: Ran, excluded: Mapping[str, str]) -> tuple[ConformanceCase, ...]:
    """Everything that was to be run, in that order, with what is known of it."""
    facts: dict[str, dict[str, Any]] = {}
    for record in ran.records:
        if record["record"] in ("test", "model", "moved"):
            known = facts.setdefault(str(record["label"]), {"node_test": False})
            known["node_test"] |= record["record"] == "test"
            known |= record
    ended = {str(case["label"]): case for case in ran.cases}
    others = [label for label in ended if label not in facts and not label.startswith(BY_CPU)]
    return tuple(
        _case(label, facts.get(label, {}), ended.get(label), excluded.get(label, ""))
        for label in (*facts, *others)
    )


def _case(
    label: str, facts: Mapping[str, Any], ended: Mapping[str, Any] | None, excluded: str
) -> ConformanceCase:
    outcome, standing, detail = _ended(ended, excluded)
    return ConformanceCase(
        label=label,
        outcome=outcome,
        detail=detail,
        node_test=bool(facts.get("node_test")),
        since=int(facts.get("since", 0)),
        types=str(facts.get("types", "")),
        cpu=bool(facts.get("cpu")),
        claimed=bool(facts.get("claimed", True)),
        opset=int(facts.get("opset", 0)),
        standing=standing,
    )


def _ended(record: Mapping[str, Any] | None, excluded: str) -> tuple[Outcome, Standing, str]:
    if record is None:
        return Outcome.NOT_CHECKED, Standing.NOT_RUN, "not run: the process ended before"
    outcome, detail = Outcome(record["outcome"]), str(record["detail"])
    if outcome is Outcome.NOT_CHECKED:
        refused = record["kind"] == "refused" or detail == "refused"
        return outcome, Standing.REFUSED if refused else Standing.NOT_RUN, detail
    if excluded and outcome is Outcome.PASSED:
        return Outcome.FAILED, Standing.STALE, f"excluded, but passes: {excluded}"
    if excluded and outcome is Outcome.FAILED:
        return Outcome.NOT_CHECKED, Standing.EXCLUDED, f"excluded: {excluded}"
    return outcome, Standing(str(outcome)), detail


def _unknown(site: Site, lines: Sequence[OpCheck]) -> tuple[Check, ...]:
    """Exclusions of tests that the installed onnx does not have."""
    found = [
        f"{line.name}: {test}"
        for line in lines
        for test in site.excluded.get(line.name, {})
        if test not in {case.label for case in line.tested}
        and any(case.node_test for case in line.tested)
    ]
    if not found:
        return ()
    detail = f"unknown: onnx has no {', '.join(found)}"
    return (site.check(Rung.CONFORMANCE, "exclusions", Outcome.NOT_CHECKED, detail),)
