"""What a kernel costs to compile, against a file that includes <vector> and nothing else."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest
from projects import expanded

pytestmark = pytest.mark.bench

_LIMIT = 4.0
_ROUNDS = 5


def _cpu_seconds(directory: Path, source: str) -> float:
    """The processor time, user's and system's, of one compilation."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["g++", "-std=c++17", "-O2", "-I", "src", "-c", source, "-o", "unit.o"]
    subprocess.run(command, cwd=directory, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_kernel_costs_at_most_four_times_what_vector_costs(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All kernels of the largest blueprint, and what they share. Rounds take turns, so that a busy
    moment of the machine meets every file alike; the least of each file counts."""
    text = (repository / "blueprints/kernel-registry.yaml").read_text(encoding="utf-8")
    for file in expanded(text).files:
        if file.path.startswith("src/"):
            target = tmp_path / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
    (tmp_path / "vector.cc").write_text("#include <vector>\n")
    kernels = [str(p.relative_to(tmp_path)) for p in (tmp_path / "src/gen/kernels").rglob("*.cc")]
    assert len(kernels) > 100

    best: dict[str, float] = {}
    for _ in range(_ROUNDS):
        for number, source in enumerate(kernels):
            best[source] = min(best.get(source, 1e9), _cpu_seconds(tmp_path, source))
            if number % 10 == 0:
                vector = _cpu_seconds(tmp_path, "vector.cc")
                best["vector.cc"] = min(best.get("vector.cc", 1e9), vector)
    base = best.pop("vector.cc")
    ratios = {source: seconds / base for source, seconds in best.items()}
    with capsys.disabled():
        print(f"\n  <vector> alone: {base:.3f} s")
        for source, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
            print(f"  {ratio:.2f}  {source}")
    assert {path: ratio for path, ratio in ratios.items() if ratio > _LIMIT} == {}
