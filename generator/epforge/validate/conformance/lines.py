"""The line of one operator in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from epforge.validate.conformance.model import ConformanceCase, Standing
from epforge.validate.manifest import OpClaim
from epforge.validate.model import Outcome
from epforge.validate.site import verdict_of

_OPEN = (Standing.REFUSED, Standing.EXCLUDED, Standing.NOT_RUN)


def detail_of(
    claims: Sequence[OpClaim], cases: Sequence[ConformanceCase], stub: bool
) -> tuple[Outcome, str]:
    """Outcome and detail of an operator.

    Args:
        stub: none of the claims is ready.
    """
    outcome, _ = verdict_of(cases, "")
    if stub and not outcome.bad:
        return Outcome.NOT_CHECKED, "a stub that is not ready: not claimed"
    parts = [_tests(cases), _models(claims, cases), *_open(cases)]
    counted = "; ".join(filter(None, parts))
    if not outcome.bad:
        ran = any(case.outcome is Outcome.PASSED for case in cases)
        return (Outcome.PASSED if ran else Outcome.NOT_CHECKED), counted
    return outcome, f"{verdict_of(cases, '')[1]}; {counted}"


def _tests(cases: Sequence[ConformanceCase]) -> str:
    """ "12 of 13 node tests"."""
    tests = [case for case in cases if case.node_test]
    if not tests:
        return "no node tests"
    passed = sum(case.standing is Standing.PASSED for case in tests)
    moved = sorted({case.opset for case in tests if case.opset and case.outcome is Outcome.PASSED})
    where = f" (some as models of opset {', '.join(map(str, moved))})" if moved else ""
    return f"{passed} of {_number(len(tests), 'node test')}{where}"


def _models(claims: Sequence[OpClaim], cases: Sequence[ConformanceCase]) -> str:
    """ "since 13 14 x 3 types: 6 models"."""
    models = [case for case in cases if not case.node_test]
    passed = sum(case.standing is Standing.PASSED for case in models)
    since = " ".join(str(claim.since) for claim in claims)
    types = {t for claim in claims for values in claim.types.values() for t in values}
    more = f" of {len(models)}" if passed < len(models) else ""
    shown = f"{passed}{more} {'model' if len(models) == 1 else 'models'}"
    return f"since {since} x {_number(len(types), 'type')}: {shown}"


def _open(cases: Sequence[ConformanceCase]) -> list[str]:
    """ "2 refused: why", "1 excluded: why"."""
    found = []
    if unclaimed := sum(_unclaimed(case) for case in cases):
        found.append(f"{unclaimed} in types or versions that are not claimed")
    for standing in _OPEN:
        rest = [case for case in cases if case.standing is standing and not _unclaimed(case)]
        reasons = [case.detail for case in rest]
        if reasons:
            detail, times = Counter(reasons).most_common(1)[0]
            detail = detail.removeprefix(f"{standing}: ")
            others = (
                f" (and {len(reasons) - times} for other reasons)" if times < len(reasons) else ""
            )
            found.append(f"{len(reasons)} {standing}: {detail}{others}")
    return found


def _unclaimed(case: ConformanceCase) -> bool:
    return case.standing is Standing.REFUSED and not case.claimed


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
