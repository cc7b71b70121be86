"""What the benchmarks keep: written, read, compared and drawn."""

from __future__ import annotations

import importlib.util
import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from bench_history import Entry, Figure, figure, of_one_machine, read, regressions, write

BENCH = Path(__file__).parents[1] / "bench"


def entry(least: float, ratio: float | None = None, spread: float = 0.02) -> Entry:
    times = [least, least * (1 + spread), least * (1 + 3 * spread)]
    beside = None if ratio is None else ("other", [time / ratio for time in times])
    one = figure("scaffold/40/warm", times, beside, limit=1.0, ratio_limit=0.5)
    machine = {"cpu": "x", "cores": 2, "python": "3.11"}
    return Entry("2026-01-01T00:00:00Z", "abc1234", machine, 0.1, {one.name: one})


def test_the_ratio_is_of_the_same_rounds() -> None:
    found = figure("a", [1.0, 4.0, 3.0], ("b", [2.0, 4.0, 12.0]))
    assert found == Figure("a", 3, 1.0, 3.0, 4.0, "b", 0.5)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    one = figure("a", [0.1, 0.3], ("b", [0.2, 0.3]), ratio_limit=0.9)
    path = write([one], 0.5, tmp_path / "history")
    (found,) = read(tmp_path / "history")
    assert found.figures == {"a": one}
    assert found.load == 0.5
    assert {"cpu", "cores", "python", "system"} == set(found.machine)
    data = json.loads(path.read_text())
    assert data["format"] == 1
    path.write_text(json.dumps({**data, "format": 2}))
    with pytest.raises(ValueError, match="not of format 1"):
        read(tmp_path / "history")


def test_only_quiet_runs_of_one_machine_are_compared() -> None:
    other = replace(entry(1.0), machine={"cpu": "y", "cores": 2})
    assert of_one_machine([entry(1.0), other, entry(2.0)]) == [entry(1.0), entry(2.0)]
    busy = replace(entry(1.0), load=1.0)
    assert of_one_machine([busy, entry(2.0), busy]) == [entry(2.0)]
    assert of_one_machine([busy, busy]) == [busy, busy]
    assert of_one_machine([]) == []


@pytest.mark.parametrize(
    ("old", "new", "worse"),
    [
        (entry(1.0), entry(1.1), False),  # less than noise
        (entry(1.0), entry(1.3), True),
        (entry(1.3), entry(1.0), False),  # faster
        (entry(0.02), entry(0.035), False),  # a hundredth of a second
        (entry(1.0, spread=0.4), entry(1.3), False),  # its runs were as far apart
        (entry(1.0, ratio=0.4), entry(1.3, ratio=0.41), False),  # so was the other one
        (entry(1.0, ratio=0.4), entry(1.3, ratio=0.55), True),
    ],
)
def test_a_regression_is_more_than_noise(old: Entry, new: Entry, worse: bool) -> None:
    found = regressions(old, new)
    assert bool(found) == worse
    assert all(line.startswith("scaffold/40/warm: 1.3") for line in found)


@pytest.fixture(scope="module")
def plot() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_plot", BENCH / "plot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_has_every_figure_and_needs_nothing(plot: ModuleType) -> None:
    odd = figure("a <b> & c", [0.1])
    second = replace(entry(1.3), figures={**entry(1.3).figures, odd.name: odd})
    text = plot.picture([entry(1.0), second])
    root = ElementTree.fromstring(text)
    shown = "\n".join(element.text or "" for element in root.iter())
    assert "warm: 1.326 s" in shown
    assert "a <b> & c: 0.100 s" in shown
    assert "href" not in text
    dots = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(dots) == 3


def test_the_table_says_what_the_limits_are(plot: ModuleType) -> None:
    text = plot.table(entry(1.0, ratio=0.4))
    assert (
        "| scaffold/40/warm | 1.020 s (1.000 s to 1.060 s) | 3 | 0.40 x other | 1 s, 0.5 x |"
        in text
    )
