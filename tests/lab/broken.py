"""Broken blueprints: how many errors are in the right line, at the right column, and cured by
their fix. Prints the three figures and what is not so, and keeps it in `tests/lab/` under today's
date.

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
from broken_blueprints.judge import Verdict, judge  # noqa: E402
from broken_blueprints.run import run_here  # noqa: E402


def main() -> int:
    wanted = sys.argv[1:]
    chosen = [b for b in BROKEN if not wanted or any(part in b.name for part in wanted)]
    with tempfile.TemporaryDirectory() as directory:
        verdicts = [judge(broken, run_here, Path(directory)) for broken in chosen]
    lines = [*_figures(verdicts), "", *(line for each in verdicts for line in _told(each, wanted))]
    print("\n".join(lines))
    if not wanted:
        path = _HERE / f"broken-{datetime.date.today().isoformat()}.txt"
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return 0 if all(each.line for each in verdicts) else 1


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


if __name__ == "__main__":
    sys.exit(main())
