"""Runs the tests of one module, one after the other: `python -m ort_examples.run MODULE GIVEN`.

GIVEN is a JSON file: libraries and names of execution providers by blueprint, a folder, the file
that a line is added to for each test, which has its name, and what went wrong, if anything; and,
where that is wanted, the shim plugin, to stand in front of the libraries and to find nothing.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from pathlib import Path

from ort_examples.harness import Place, by_name
from ort_examples.shimmed import Shims


def main(module: str, given: Path) -> None:
    content = json.loads(given.read_text(encoding="utf-8"))
    tests = by_name(importlib.import_module(f"ort_examples.{module}"))
    libraries, shims = content["libraries"], None
    if "shim" in content:
        shims = Shims(Path(content["shim"]), libraries, Path(content["folder"]) / "shims")
        libraries = shims.libraries
    with open(content["outcomes"], "a", encoding="utf-8") as outcomes:
        for name, test in tests.items():
            folder = Path(content["folder"]) / name
            folder.mkdir(parents=True)
            wrong = ""
            try:
                test(Place(libraries, content["eps"], folder))
            except Exception:  # whatever a test raises is its outcome
                wrong = traceback.format_exc()
            if shims is not None:
                wrong += shims.noted()
            print(json.dumps([name, wrong]), file=outcomes, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
