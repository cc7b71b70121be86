"""What a node costs beside its arithmetic, on the execution provider against the CPU's.

Run with ``pytest -m bench tests/bench``; the figures are printed.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest
from projects import built

pytestmark = pytest.mark.bench
Report = Callable[[str], None]

_MINIMAL = Path(__file__).parents[2] / "blueprints/minimal.yaml"
_SHORT, _LONG = 10, 1000
_MOST = 1.2  # the slope between them, against the CPU's

#: Both sessions run in turns; of each turn the slopes are compared, so that what else the machine
#: does falls on both.
_TURNS = f"""
    import time

    def session(count, on_device):
        nodes = [models.node("Mul", [f"v{{i}}", "K"], [f"v{{i + 1}}"]) for i in range(count)]
        model = models.model(
            nodes,
            [models.value("v0", [4])],
            [models.value(f"v{{count}}", [4])],
            [models.constant("K", np.ones(4, np.float32))],
        )
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        if on_device:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
            options.add_provider_for_devices([device], {{}})
        return ort.InferenceSession(model.SerializeToString(), options, enable_fallback=0)

    def seconds(opened, runs):
        x = {{"v0": np.arange(4, dtype=np.float32)}}
        best = 1e9
        for _ in range(runs):
            start = time.perf_counter()
            opened.run(None, x)
            best = min(best, time.perf_counter() - start)
        return best

    sessions = {{
        (count, on_device): session(count, on_device)
        for count in ({_SHORT}, {_LONG})
        for on_device in (True, False)
    }}
    slopes = []
    for turn in range(30):
        took = {{}}
        for key in sorted(sessions, reverse=turn % 2 == 1):
            took[key] = seconds(sessions[key], 20)
        slopes.append([
            (took[{_LONG}, on_device] - took[{_SHORT}, on_device]) / {_LONG - _SHORT}
            for on_device in (True, False)
        ])
    print(json.dumps(slopes))
"""


def test_a_node_costs_about_what_it_costs_on_the_cpu_s(report: Report) -> None:
    project = built(_MINIMAL.read_text(encoding="utf-8"))
    result = project.python(_TURNS)
    assert result.returncode == 0, result.stderr[-4000:]
    slopes: list[tuple[float, float]] = json.loads(result.stdout)
    ratio = statistics.median(ours / cpu for ours, cpu in slopes)
    ours, cpu = (statistics.median(column) * 1e9 for column in zip(*slopes, strict=True))
    report(f"a node of a chain of Mul: {ours:.0f} ns, the CPU's {cpu:.0f} ns: {ratio:.2f}x")
    assert ratio <= _MOST
