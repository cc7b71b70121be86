"""Seeded defects, validated: which line of the report tells each. Prints a table, and keeps it in
`tests/lab/` under today's date; lines of defects that are not asked for stay as they are.

    python tests/lab/defects.py [D25 ...]
"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
# The package of the same name as this script is what is meant below.
sys.path[:1] = [str(_HERE.parent / "support"), str(_HERE.parent)]

from defects import DEFECTS  # noqa: E402
from defects.judge import look_for  # noqa: E402
from defects.model import Defect  # noqa: E402
from locking import locked  # noqa: E402

import conftest  # noqa: E402, F401  # compiling with ccache
from epforge.cache import cache_dir  # noqa: E402
from epforge.errors import EpforgeError  # noqa: E402

_NAME = 14  # columns
_TEXT_MAX = 300


def main() -> int:
    wanted = sys.argv[1:]
    unknown = set(wanted) - {defect.name for defect in DEFECTS}
    if unknown:
        print(f"no such defect: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    missed = 0
    for defect in DEFECTS:
        if not wanted or defect.name in wanted:
            found, text = _look(defect)
            missed += not found
            line = f"{defect.name:{_NAME}} {'found' if found else 'MISSED':6} {text}"
            print(line, flush=True)
            _keep(line)
    return 1 if missed else 0


def _look(defect: Defect) -> tuple[bool, str]:
    """Whether a defect is found, and by what in how many seconds."""
    try:
        finding = look_for(defect)
    except EpforgeError as error:
        return False, f"does not build: {error}"
    text = " ".join(finding.text.split())[:_TEXT_MAX]
    return finding.line is not None, f"{finding.seconds:4.0f} s  {text}"


def _keep(line: str) -> None:
    """Writes a line into today's table, in the place of an earlier one."""
    path = _HERE / f"defects-{datetime.date.today().isoformat()}.txt"
    with locked(cache_dir("tests", "defects")):
        before = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        lines = {each[:_NAME].strip(): each for each in [*before, line]}
        ordered = [lines[defect.name] for defect in DEFECTS if defect.name in lines]
        path.write_text("\n".join([*ordered, ""]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
