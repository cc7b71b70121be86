"""Runs all benchmarks, adds them to the history, draws it and compares with the run before.

    python tests/bench/run.py

It takes less than a quarter of an hour on two idle cores. The status is that of the benchmarks, or
of the comparison when they pass.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(arguments: list[str]) -> int:
    """The exit status.

    Args:
        arguments: more for pytest.
    """
    pytest = ["-m", "pytest", "-n0", "-m", "bench", "-s", str(HERE), *arguments]
    measured = subprocess.run([sys.executable, *pytest], cwd=HERE.parents[1], check=False)
    subprocess.run([sys.executable, str(HERE / "plot.py")], check=True)
    compared = subprocess.run([sys.executable, str(HERE / "compare.py")], check=False)
    return measured.returncode or compared.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
