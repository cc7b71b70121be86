"""Runs the tests of one module, one after the other: `python -m ort_examples.run MODULE GIVEN`.

GIVEN is a JSON file: libraries and names of execution providers by blueprint, a folder, and the
file that a line is added to for each test: its name, and what went wrong, if anything.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from pathlib import Path

from ort_examples.harness import Place, by_name


def main(module: str, given: Path) -> None:
    content = json.loads(given.read_text(encoding="utf-8"))
    tests = by_name(importlib.import_module(f"ort_examples.{module}"))
    with open(content["outcomes"], "a", encoding="utf-8") as outcomes:
        for name, test in tests.items():
            folder = Path(content["folder"]) / name
            folder.mkdir(parents=True)
            wrong = ""
            try:
                test(Place(content["libraries"], content["eps"], folder))
            except Exception:  # whatever a test raises is its outcome
                wrong = traceback.format_exc()
            print(json.dumps([name, wrong]), file=outcomes, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
