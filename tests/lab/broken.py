"""Broken blueprints: how many errors are in the right line, at the right column, and cured by
their fix. Prints the three figures and what is not so, and keeps it in `tests/lab/` under today's
date. Of mistakes that were written afresh it prints both halves; what is not so, of the open one.

    python tests/lab/broken.py [PART OF A NAME ...]
"""

from __future__ import annotations

import datetime
import sys
import tempfile
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:1] = [str(_HERE.parent / "support")]

from broken_blueprints import BROKEN  # noqa: E402
from broken_blueprints.afresh import HELD_OUT, OPEN, Mistake  # noqa: E402
from broken_blueprints.afresh.judge import Finding, find  # noqa: E402
from broken_blueprints.judge import Verdict, judge  # noqa: E402
from broken_blueprints.run import run_here  # noqa: E402


def main() -> int:
    wanted = sys.argv[1:]
    chosen = [b for b in BROKEN if not wanted or any(part in b.name for part in wanted)]
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        verdicts = [judge(broken, run_here, place) for broken in chosen]
        found = [find(m, run_here, place) for m in _chosen(OPEN, wanted)]
        held = [find(m, run_here, place) for m in HELD_OUT] if not wanted else []
    lines = [
        *_figures(verdicts),
        *_found("open", found),
        *_found("held out", held),
        "",
        *(line for each in verdicts for line in _told(each, wanted)),
        *(line for each in found for line in _said(each, wanted)),
    ]
    print("\n".join(lines))
    if not wanted:
        path = _HERE / f"broken-{datetime.date.today().isoformat()}.txt"
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return 0 if all(each.line for each in (*verdicts, *found)) else 1


def _figures(verdicts: list[Verdict]) -> list[str]:
    total = len(verdicts)
    counts = {
        "in the right line": sum(each.line for each in verdicts),
        "at the right column": sum(each.column for each in verdicts),
        "cured by the fix": sum(each.cured for each in verdicts),
        "not to be mended by a program": sum(bool(each.broken.unmendable) for each in verdicts),
    }
    shares = (f"{count:4} {count / max(total, 1):6.1%}  {what}" for what, count in counts.items())
    return [f"{total:4}         broken blueprints", *shares]


def _told(verdict: Verdict, wanted: list[str]) -> list[str]:
    """What is to be said of a blueprint; nothing where all is well, unless it was asked for."""
    broken = verdict.broken
    wrong = [] if verdict.line else ["LINE"]
    wrong += [] if verdict.column or not verdict.line else ["COLUMN"]
    if not verdict.cured:
        wrong.append(f"not cured: {broken.unmendable or verdict.why.upper()}")
    if not wrong and not wanted:
        return []
    return [
        f"{broken.name}: {'; '.join(wrong) or 'fine'}",
        *(f"    {each}" for each in verdict.told),
    ]


def _chosen(mistakes: tuple[Mistake, ...], wanted: list[str]) -> list[Mistake]:
    return [m for m in mistakes if not wanted or any(part in m.name for part in wanted)]


def _found(half: str, found: list[Finding]) -> list[str]:
    """The figures of a half of the mistakes that were written afresh."""
    total = len(found)
    mendable = [each for each in found if not each.mistake.unmendable]
    counts = (
        (sum(each.line for each in found), total, "in the right line"),
        (sum(each.column for each in found), total, "at the right column"),
        (sum(each.rounds == 1 for each in mendable), len(mendable), "as meant after one fix"),
        (sum(each.rounds > 0 for each in mendable), len(mendable), "as meant after all fixes"),
        (sum(each.wrong for each in found), total, "another one than was meant, unnoticed"),
    )
    shares = (f"{n:4} {n / max(of, 1):6.1%}  {what}, of {of}" for n, of, what in counts)
    return ["", f"{total:4}         written afresh, {half}", *shares]


def _said(finding: Finding, wanted: list[str]) -> list[str]:
    """Like `_told`, of a mistake that was written afresh."""
    mistake = finding.mistake
    wrong = [] if finding.line else ["LINE"]
    wrong += [] if finding.column or not finding.line else ["COLUMN"]
    if finding.wrong:
        wrong.append(f"WRONG: {finding.why}")
    elif not finding.rounds:
        wrong.append(f"not cured: {mistake.unmendable or finding.why.upper()}")
    if not wrong and not wanted:
        return []
    return [f"{mistake.name}: {'; '.join(wrong) or 'fine'}", *(f"    {t}" for t in finding.told)]


if __name__ == "__main__":
    sys.exit(main())
