"""The grid of rung `ops`: operator x since-version x element type, made of the cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from epforge.validate.manifest import OpClaim
from epforge.validate.model import CaseResult, Check, Outcome, Rung

# The labels of `worker.ops`: "since 13, T=float32, T1=int64: row 2", "since 13, undeclared T=int8".
_LABEL = re.compile(r"since (\d+)(?:, (undeclared |not ready|elsewhere)?((?:\w+=\w+(?:, )?)*))?")
_WHOLE = ""  # the type of a case that has none: a stub, a version that the runtime lacks
_BAD = (Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.FAILED)


@dataclass
class _Cell:
    claimed: bool = False
    count: Counter[str] = field(default_factory=Counter)

    def add(self, case: CaseResult, alone: bool) -> None:
        """Counts a case.

        Args:
            alone: it asks that the library leaves the node to others.
        """
        if case.outcome is Outcome.PASSED:
            word = "left alone" if alone else "passed"
        elif case.outcome is Outcome.NOT_CHECKED and case.detail == "refused":
            word = "refused"
        else:
            word = str(case.outcome)
        self.count[word] += 1

    @property
    def status(self) -> str:
        """What the cell says in a word: the worst that happened in it, else the best."""
        order = (*map(str, _BAD), "passed", "refused", "left alone", "not checked")
        return next((word for word in order if self.count[word]), "claimed")


def grid(checks: Sequence[Check], claims: Sequence[OpClaim]) -> list[dict[str, object]]:
    """A row per runtime, operator and since-version; the keys are stable.

    Args:
        claims: what the library says it takes; known without a run.
    """
    rows: dict[tuple[str, str, int], dict[str, _Cell]] = {}
    lines = [check for check in checks if check.rung is Rung.OPS and check.cases]
    for runtime in dict.fromkeys(line.runtime for line in lines) or ("",):
        for claim in claims:
            row = rows.setdefault((runtime, claim.name, claim.since), {})
            for types in claim.types.values() if claim.ready else ():
                for type_ in types:
                    row.setdefault(type_, _Cell()).claimed = True
    for line in lines:
        for since, types, alone, case in _placed(line.cases):
            row = rows.setdefault((line.runtime, line.name, since), {})
            for type_ in types:
                row.setdefault(type_, _Cell()).add(case, alone)
    return [
        {
            "runtime": runtime,
            "op": op,
            "since": since,
            "types": {
                type_: {"status": cell.status, "claimed": cell.claimed, "cases": dict(cell.count)}
                for type_, cell in cells.items()
            },
        }
        for (runtime, op, since), cells in rows.items()
    ]


def _placed(
    cases: Sequence[CaseResult],
) -> Iterator[tuple[int, tuple[str, ...], bool, CaseResult]]:
    """Since-version, types, whether it is to be left to others, and the case."""
    for case in cases:
        found = _LABEL.match(case.label)
        if found is None:  # of the process, not of a model
            continue
        pairs = filter(None, (found[3] or "").split(", "))
        types = tuple(dict.fromkeys(pair.partition("=")[2] for pair in pairs))
        yield int(found[1]), types or (_WHOLE,), bool(found[2]), case
