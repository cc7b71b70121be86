"""Compares the newest run of the benchmarks with an earlier one on the same machine.

    python tests/bench/compare.py           # with the one before
    python tests/bench/compare.py COMMIT    # with that of a commit

Ends with status 1 if a figure has become worse beyond noise: its least time by more than 15 %, by
more than the runs of either were apart, and by 0.02 s; where it is measured beside something else,
the ratio must have grown so, too. Runs that began while the machine had other work do not count.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from bench_history import of_one_machine, read, regressions


def main(arguments: list[str]) -> int:
    """The exit status; what was found is printed."""
    runs = of_one_machine(read())
    if not runs:
        print("there is no history; run: python tests/bench/run.py")
        return 2
    *earlier, new = runs
    if arguments:
        earlier = [entry for entry in earlier if entry.commit.startswith(arguments[0])]
    if not earlier:
        print(f"{new.date}: nothing earlier on this machine to compare with")
        return 2 if arguments else 0
    old = earlier[-1]
    worse = regressions(old, new)
    print(f"{new.commit} of {new.date} beside {old.commit} of {old.date}:")
    print("\n".join(worse) or "nothing is slower beyond noise")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
