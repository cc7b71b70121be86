"""What dividing a graph into groups costs, for large graphs against small ones in the same run.

Run with ``pytest -m bench tests/bench``; the figures are printed.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from compiled import WARNINGS
from projects import Project, expanded

pytestmark = pytest.mark.bench
Report = Callable[[str], None]

_TIMES = Path(__file__).parents[1] / "support/partition_times.cc"
_ROUNDS = 20
_SESSION_ROUNDS = 20
_SMALL, _LARGE = 500, 5000
_GROWTH = 2.0  # of the cost per node
_BESIDE_CPU = 2.0  # a session, against one of the CPU's

#: Sessions of one model, on the device and on the CPU in turns; the least times.
_SESSIONS = """
    import time

    def chain(count):
        ops = [("Relu", []), ("Mul", ["K"]), ("Add", ["K"])]
        return [
            models.node(op, [f"v{{i}}", *more], [f"v{{i + 1}}"])
            for i in range(count)
            for op, more in [ops[i % 3]]
        ], [f"v{{count}}"]

    def diamonds(count):
        nodes = []
        for i in range(0, count, 3):
            nodes.append(models.node("Relu", [f"v{{i}}"], [f"a{{i}}"]))
            nodes.append(models.node("Mul", [f"v{{i}}", "K"], [f"b{{i}}"]))
            nodes.append(models.node("Add", [f"a{{i}}", f"b{{i}}"], [f"v{{i + 3}}"]))
        return nodes[:count], [nodes[:count][-1].output[0]]

    def fan_out(count):
        nodes = [models.node("Relu", ["v0"], ["v1"])]
        nodes += [models.node("Add", [f"v{{i}}", "v1"], [f"v{{i + 1}}"]) for i in range(1, count)]
        return nodes, [f"v{{count}}"]

    def results(count):
        nodes = [models.node("Relu", ["v0"], ["v1"])]
        nodes += [models.node("Mul", ["v1", "K"], [f"v{{i + 1}}"]) for i in range(1, count)]
        return nodes, [f"v{{i + 1}}" for i in range(1, count)]

    def make(shape, count):
        nodes, outputs = shape(count)
        return models.model(
            nodes,
            [models.value("v0", ["N", 4])],
            [models.value(name, ["N", 4]) for name in outputs],
            [models.constant("K", np.arange(4, dtype=np.float32))],
        ).SerializeToString()

    def seconds(model, on_device):
        options = ort.SessionOptions()
        options.log_severity_level = 1 if on_device and {logs} else 4
        if on_device:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
            options.add_provider_for_devices([device], {{}})
        start = time.perf_counter()
        ort.InferenceSession(model, options, enable_fallback=0)
        return time.perf_counter() - start

    ort.disable_telemetry_events()
    model = make({shape}, {count})
    ours, cpu = [], []
    for number in range({rounds}):
        ours.append(seconds(model, True))
        if number < {cpu_rounds}:
            cpu.append(seconds(model, False))
    print(json.dumps([min(ours), min(cpu)]))
"""


def test_the_cost_per_node_does_not_grow(repository: Path, tmp_path: Path, report: Report) -> None:
    """Of the function alone, for graphs of all shapes: the least of many rounds, in turns."""
    text = (repository / "blueprints/compiled.yaml").read_text(encoding="utf-8")
    expansion = expanded(text)
    for file in expansion.files:
        if file.path.startswith("src/gen/"):
            target = tmp_path / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
    own = ("src/gen/graph/partition.cc", "src/gen/graph/quotient.cc", "src/gen/api/status.cc")
    namespace = f"-DPROJECT={expansion.blueprint.names.namespace}"
    command = ["g++", "-std=c++17", "-O2", *WARNINGS, namespace, "-Isrc", *own, str(_TIMES)]
    subprocess.run([*command, "-o", "times"], cwd=tmp_path, check=True)
    done = subprocess.run(
        [tmp_path / "times", str(_ROUNDS)], capture_output=True, text=True, check=True
    )
    growth = {}
    for line in done.stdout.splitlines():
        name, small, large = line.split("\t")
        growth[name] = float(large) / float(small)
        report(f"{float(large) * 1e9:6.0f} ns per node, {growth[name]:.2f} x the small, {name}")
    assert growth
    assert {name: ratio for name, ratio in growth.items() if ratio > _GROWTH} == {}


def _sessions(
    project: Project, shape: str, count: int, rounds: int, *, logs: bool = False
) -> tuple[float, float, float]:
    """The least seconds of a session on the device, of the CPU's, and of claiming its nodes.

    The log tells the last, with ``logs``: from ONNX Runtime's line before it to our own.
    """
    cpu_rounds = 3 if logs else rounds
    values = {"shape": shape, "count": count, "rounds": rounds, "cpu_rounds": cpu_rounds}
    code = _SESSIONS.format(**values, logs=logs)
    done = project.python(code, timeout=900)
    assert done.returncode == 0, done.stderr
    claims = []
    before = 0.0
    for line in done.stderr.splitlines():
        stamp = re.match(r"\d{4}-\d\d-\d\d (\d\d):(\d\d):(\d\d\.\d+) ", line)
        if stamp is None:
            continue
        now = 3600 * int(stamp[1]) + 60 * int(stamp[2]) + float(stamp[3])
        if f"takes {count} of {count} nodes in 1 group" in line:
            claims.append(now - before)
        before = now
    assert bool(claims) == logs
    ours, cpu = json.loads(done.stdout)
    return ours, cpu, min(claims, default=0)


@pytest.mark.parametrize("shape", ["chain", "diamonds", "fan_out", "results"])
def test_claiming_does_not_grow_in_real_sessions(
    compiled: Project, report: Report, shape: str
) -> None:
    sides = zip(
        _sessions(compiled, shape, _SMALL, _SESSION_ROUNDS, logs=True),
        _sessions(compiled, shape, _LARGE, _SESSION_ROUNDS, logs=True),
        strict=True,
    )
    ours, cpu, claim = ([small / _SMALL * 1e6, large / _LARGE * 1e6] for small, large in sides)
    for what, (small, large) in (
        ("claiming", claim),
        ("the whole session", ours),
        ("the CPU's", cpu),
    ):
        report(f"{shape}: {what} {small:.1f} us per node, {large / small:.2f} x at {_LARGE} nodes")
    assert claim[1] <= _GROWTH * claim[0]


def test_a_session_takes_at_most_twice_the_cpus(compiled: Project, report: Report) -> None:
    ours, cpu, _ = _sessions(compiled, "chain", 1000, _SESSION_ROUNDS)
    report(f"a chain of 1,000 nodes: {ours * 1e3:.1f} ms, {ours / cpu:.2f} x the CPU's")
    assert ours <= _BESIDE_CPU * cpu
