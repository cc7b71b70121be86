"""Every seeded defect, validated: which line of the report tells it. Prints a table, and leaves it
in `tests/lab/`.

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
from defects.judge import Finding, look_for  # noqa: E402

import conftest  # noqa: E402, F401  # compiling with ccache
from epforge.errors import EpforgeError  # noqa: E402


def main() -> int:
    wanted = sys.argv[1:]
    unknown = set(wanted) - {defect.name for defect in DEFECTS}
    if unknown:
        print(f"no such defect: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    lines: list[str] = []
    found = 0
    chosen = [defect for defect in DEFECTS if not wanted or defect.name in wanted]
    for defect in chosen:
        try:
            finding = look_for(defect)
        except EpforgeError as error:
            lines.append(f"{defect.name:14} does not build: {error}")
        else:
            found += finding.line is not None
            lines.append(_line(finding))
        print(lines[-1], flush=True)
    lines.append(f"{found} of {len(chosen)} found")
    print(lines[-1])
    if not wanted:
        path = _HERE / f"defects-{datetime.date.today().isoformat()}.txt"
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return 0 if found == len(chosen) else 1


def _line(finding: Finding) -> str:
    text = " ".join(finding.text.split())
    return f"{finding.defect.name:14} {finding.seconds:6.1f} s  {text[:300]}"


if __name__ == "__main__":
    sys.exit(main())
