"""Nodes with graphs of their own: If, Loop and Scan on the host, on a device, and with queues."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from projects import Project, built
from runtimes import SUPPORTED, runtime
from selection import plain

from epforge.validate import Outcome, Rung, find_runtime, validate

_HEAD = """\
epforge: 1
name: contoso-flow
vendor: {name: Contoso, pci_id: 0xB357}
types: [float32, int64, bool]
ops: [If, Loop, Scan, Add, Identity, Mul, Sub]
"""
_DEVICE = "devices: [{name: npu, type: npu, match: {vendor_id: 0xB357}, virtual: allowed}]\n"
KINDS = {
    "host": _HEAD,
    "device": f"{_HEAD}{_DEVICE}memory: {{default: arena}}\n",
    "queues": f"{_HEAD}{_DEVICE}memory: {{default: plain, streams: true}}\n",
}
_OLDER = [pytest.param(version, marks=pytest.mark.lab) for version in SUPPORTED[:-1]]
_EVERY = pytest.mark.parametrize("version", [*_OLDER, SUPPORTED[-1]])


@pytest.fixture(params=plain("host", of=KINDS))
def project(request: pytest.FixtureRequest) -> Project:
    return built(KINDS[request.param])


@_EVERY
def test_every_version_and_type_that_is_claimed_is_right(project: Project, version: str) -> None:
    report = validate(
        project.library,
        rungs=(Rung.LOAD, Rung.OPS),
        runtimes=(find_runtime(version),),
        only=("If", "Loop", "Scan"),
    )
    assert report.passed, report
    lines = {check.name: check for check in report.checks if check.rung is Rung.OPS}
    assert {lines[op].outcome for op in ("If", "Loop", "Scan")} == {Outcome.PASSED}


@_EVERY
def test_the_project_s_own_tests_pass(project: Project, version: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/python/test_control_flow.py"],
        cwd=project.root,
        env=project.environment(runtime(version)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-4000:]


# FR 34: two graphs of one name, and a value from two levels up.
_NESTED = textwrap.dedent(
    """
    import sys
    import numpy as np, onnx.parser, onnxruntime

    model = onnx.parser.parse_model('''
    <ir_version: 8, opset_import: ["" : 16]>
    outer (float[3] start, float[3] factor, int64 n) => (float[3] last) <bool yes = {1}> {
      last = Loop (n, yes, start) <
        body = body (int64 i, bool on, float[3] now) => (bool still, float[3] next) {
          still = Identity (on)
          next = Loop (n, on, now) <
            body = body (int64 j, bool go, float[3] x) => (bool goes, float[3] product) {
              goes = Identity (go)
              product = Mul (x, factor)
            }
          >
        }
      >
    }
    ''').SerializeToString()
    onnxruntime.register_execution_provider_library("x.virtual", sys.argv[1])
    device = [d for d in onnxruntime.get_ep_devices() if d.ep_name == sys.argv[2]][0]
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    options.add_provider_for_devices([device], {})
    session = onnxruntime.InferenceSession(model, options, enable_fallback=0)
    feeds = {"start": np.float32([1, 2, 3]), "factor": np.float32([1, 2, -1]), "n": np.array(3)}
    (last,) = session.run(None, feeds)
    np.testing.assert_array_equal(last, feeds["start"] * feeds["factor"] ** 9)
    """
)


@_EVERY
def test_a_graph_within_a_graph_reads_what_is_outside_of_both(
    project: Project, version: str
) -> None:
    result = subprocess.run(
        [sys.executable, "-c", _NESTED, str(project.library), project.ep],
        env=project.environment(runtime(version)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
