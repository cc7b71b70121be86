"""Rung `ops`: every declared op; what is declared, runs and is right.

Several ops share a process as long as all is well with them.

FR 27, 29, 35, 36, 41, 44 of the field reports.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from epforge.validate.load import ROUNDS, fate, verdict
from epforge.validate.manifest import CustomOpClaim, OpClaim
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.process import workers
from epforge.validate.site import Ran, Site, as_case, verdict_of

_BATCHES = 10  # of ops that share a process, for each worker at a time
_CLOSE = 1e-4  # largest difference between two float32 results that are the same


def run(site: Site) -> tuple[Check, ...]:
    """One line per op, sorted as declared."""
    lines = list(site.claims.lines)
    groups = asked(site)
    if wrong := nothing_to_do(site, groups):
        return (*lines, site.check(Rung.OPS, "claims", Outcome.FAILED, wrong))
    found = _kept(site, groups)
    for line in found.values():
        site.on_check(line)
    left = {name: claims for name, claims in groups.items() if name not in found}
    done = itertools.count(len(found) + 1)

    def told(lines: Sequence[Check]) -> list[Check]:
        for line in lines:
            if line.name in groups:
                site.kept.keep(_asked(site, groups[line.name]), [line])
                site.progress(f"[{next(done)}/{len(groups)}] ops {line.name}: {line.outcome}")
                site.on_check(line)
        return list(lines)

    def some(batch: Sequence[Sequence[OpClaim]]) -> list[Check]:
        return told([_op(site, batch[0])] if len(batch) == 1 else _together(site, batch))

    elsewhere = [
        each
        for each in (site.manifest.custom_ops if site.manifest else ())
        if each.kernel == "elsewhere" and not site.only
    ]
    with workers(site.jobs) as pool:
        shared = [[each] for each in left.values()] if site.thorough else batches(left, site.jobs)
        new = [line for part in pool.map(some, shared) for line in part]
        others = list(pool.map(lambda each: _elsewhere(site, each), elsewhere))
    found |= {line.name: line for line in new if line.name in groups}
    lines += [found[name] for name in groups]
    lines += [line for line in new if line.name not in groups] + others
    if not any(line.outcome.bad for line in lines):
        lines.append(_again(site))
    return tuple(lines)


def asked(site: Site) -> dict[str, list[OpClaim]]:
    """The claims of the ops that are asked for, by the op's name."""
    groups: dict[str, list[OpClaim]] = {}
    for claim in site.claims.ops:
        if not site.only or claim.name in site.only:
            groups.setdefault(claim.name, []).append(claim)
    return groups


def nothing_to_do(site: Site, groups: Mapping[str, Sequence[OpClaim]]) -> str:
    """What is wrong with the ops that are asked for, if something is."""
    verb = "declared" if site.manifest else "taken"
    if unknown := [name for name in site.only if name not in groups]:
        known = ", ".join(dict.fromkeys(claim.name for claim in site.claims.ops)) or "none"
        return f"{', '.join(unknown)}: not {verb}; {verb} are {known}"
    if groups:
        return ""
    return "no op is declared" if site.manifest else "it takes no op that epforge has cases for"


def _kept(site: Site, groups: Mapping[str, Sequence[OpClaim]]) -> dict[str, Check]:
    """The lines that are known from before."""
    found = {}
    for name, claims in groups.items():
        for line in site.kept.find(_asked(site, claims)) or ():
            found[name] = line
    return found


def _asked(site: Site, claims: Sequence[OpClaim]) -> dict[str, object]:
    """What decides on the line of an op, beside what decides on all of them."""
    return {"rung": "ops", "thorough": site.thorough, **claimed(site, claims)}


def batches(groups: Mapping[str, Sequence[OpClaim]], jobs: int) -> list[list[Sequence[OpClaim]]]:
    """The ops that share a process: ten batches for each worker at a time, about alike in work.

    An op with its own schema is alone, and all of them are where they are few.
    """
    work = {name: 1 + sum(_combinations(claim) for claim in some) for name, some in groups.items()}
    most = sum(work.values()) / (_BATCHES * jobs)
    found: list[list[Sequence[OpClaim]]] = []
    size = most
    for name, claims in groups.items():
        alone = bool(claims[0].domain)
        if size + work[name] > most or alone:
            found.append([])
            size = 0
        found[-1].append(claims)
        size = most if alone else size + work[name]
    return found


def _combinations(claim: OpClaim) -> int:
    return min(math.prod(len(types) for types in claim.types.values() if types), 256)


def _together(site: Site, batch: Sequence[Sequence[OpClaim]]) -> list[Check]:
    """The lines of several ops, run in one process.

    Whatever is not well is run again in a process of its own: that is what counts then, so that
    no op has to answer for another.
    """
    job = {"job": "ops", "skip": [], "batch": [claimed(site, claims) for claims in batch]}
    run = site.worker({**job, "thorough": site.thorough})
    if run.ended or not run.finished or run.named("error"):
        lines = [_op(site, claims) for claims in batch]
        if run.ended and not any(line.outcome.bad for line in lines):
            what = f"{batch[0][0].name} to {batch[-1][0].name}"
            text = f"{what} in one process: {run.ended}; each of them alone is well"
            lines.append(site.check(Rung.OPS, "together", fate(run), text, run.seconds))
        return lines
    parts: list[list[Mapping[str, Any]]] = []
    for record in run.records:
        if record["record"] == "operator":
            parts.append([])
        elif parts:
            parts[-1].append(record)
    lines = []
    for claims, records in zip(batch, parts, strict=True):
        cases = tuple(record for record in records if record["record"] == "case")
        seconds = sum(float(r["seconds"]) for r in records if r["record"] == "operator done")
        line = _line(site, claims, Ran(tuple(records), cases, seconds))
        lines.append(_op(site, claims) if line.outcome.bad else line)
    return lines


def _op(site: Site, claims: Sequence[OpClaim]) -> Check:
    """The line of an op, run in a process of its own."""
    ran = site.cases({"job": "ops", "thorough": site.thorough, **claimed(site, claims)})
    return _line(site, claims, ran)


def _line(site: Site, claims: Sequence[OpClaim], ran: Ran) -> Check:
    cases = [as_case(record) for record in ran.cases]
    if ran.idle:
        cases.append(ran.idle)
    left_alone = sum(r["kind"] == "left alone" and r["outcome"] == "passed" for r in ran.cases)
    outcome, detail = _verdict(claims, cases, left_alone)
    left_out = sum(int(record["left_out"]) for record in ran.named("models"))
    if outcome is Outcome.PASSED and left_out:
        detail += f", {left_out} more alike"
    return Check(
        Rung.OPS, claims[0].name, outcome, detail, site.version, ran.seconds, tuple(cases),
        models_left_out=left_out,
    )  # fmt: skip


def claimed(site: Site, claims: Sequence[OpClaim]) -> dict[str, object]:
    """What a worker needs to know of one op and what is claimed of it."""
    first = claims[0]
    return {
        "domain": first.domain,
        "op": first.op,
        "declared": site.manifest is not None,
        "converted": not first.domain and _is_converted(site, first.op),
        "converts": site.manifest is not None and bool(site.manifest.converted),
        "claims": [{"since": c.since, "types": c.types, "ready": c.ready} for c in claims],
        **_custom(site, first.domain, first.op),
    }


def _is_converted(site: Site, op: str) -> bool:
    """Does ONNX Runtime convert the op's nodes to the layout that the library prefers?"""
    return site.manifest is not None and op in site.manifest.converted


def _custom(site: Site, domain: str, op: str) -> dict[str, object]:
    """What a worker needs to know of a custom op; nothing for an op of ONNX's."""
    found = site.manifest.custom_op(domain, op) if site.manifest else None
    if site.manifest is None or found is None:
        return {}
    library = site.manifest.custom_ops_beside(site.library)
    return {"custom": found.job(), "custom_ops_library": str(library) if library else ""}


def _elsewhere(site: Site, claim: CustomOpClaim) -> Check:
    """The line of a custom op that another library computes."""
    ran = site.cases(
        {
            "job": "ops",
            "domain": claim.domain,
            "op": claim.op,
            "declared": True,
            "claims": [],
            **_custom(site, claim.domain, claim.op),
        }
    )
    cases = [as_case(record) for record in ran.cases] + ([ran.idle] if ran.idle else [])
    outcome, detail = verdict_of(cases, "its kernel is elsewhere: not taken, as it should")
    return Check(Rung.OPS, claim.name, outcome, detail, site.version, ran.seconds, tuple(cases))


def _verdict(
    claims: Sequence[OpClaim], cases: Sequence[CaseResult], left_alone: int
) -> tuple[Outcome, str]:
    """Outcome and detail of one op."""
    passed = sum(case.outcome is Outcome.PASSED for case in cases)
    if any(case.outcome.bad for case in cases) or not cases:
        return verdict_of(cases or [CaseResult("", Outcome.NOT_CHECKED, "no case for this op")], "")
    if passed == left_alone:
        if passed and not any(claim.ready for claim in claims):
            return Outcome.PASSED, "a stub that is not ready: not taken, as it should"
        return verdict_of([c for c in cases if c.outcome is not Outcome.PASSED], "")
    since = " ".join(str(claim.since) for claim in claims)
    types = sorted({t for claim in claims for values in claim.types.values() for t in values})
    shown = ", ".join(types[:4]) + (f" +{len(types) - 4}" if len(types) > 4 else "")
    detail = "; ".join(
        filter(None, (f"since {since}", shown, f"{_models(passed - left_alone)} right"))
    )
    open_ = sum(case.outcome is Outcome.NOT_CHECKED for case in cases)
    detail += f", {left_alone} undeclared left alone" if left_alone else ""
    return Outcome.PASSED, detail + (f", {open_} not checked" if open_ else "")


def _again(site: Site) -> Check:
    """Rounds of register, compute, unregister in one process: all with the same numbers."""
    run = site.worker({"job": "rounds", "rounds": ROUNDS, "compute": True})
    outcome, detail = verdict(run)
    off = [r for r in run.named("round") if not r["difference"] <= _CLOSE]
    if outcome is Outcome.PASSED and off:
        outcome = Outcome.FAILED
        detail = f"round {off[0]['index'] + 1} differs from the CPU by {off[0]['difference']:g}"
    text = detail or f"{ROUNDS} of register, compute, unregister in one process"
    return site.check(Rung.OPS, "rounds", outcome, text, run.seconds)


def _models(number: int) -> str:
    return f"{number} model{'' if number == 1 else 's'}"
