"""One wheel for every Python, and two of them in one process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from projects import Project
from pythons import VERSIONS, python
from runtimes import runtime
from wheels import wheel_of

from epforge.validate import THIS, Limits, Outcome, Runtime
from epforge.validate.package import Packing, run
from epforge.validate.package.environment import make

BOTH = """\
import gc, json, sys
import numpy as np
import onnxruntime as ort


import onnxruntime_ep_contoso_npu as one
import onnxruntime_ep_fabrikam_ml as two

ort.set_default_logger_severity(4)
model, x = sys.argv[1], np.load(sys.argv[2])
for order in ((one, two), (two, one)):
    for package in order:
        package.register()
    assert [len(p.devices()) for p in order] == [1, 1]
    assert one.devices()[0].ep_name != two.devices()[0].ep_name
    found = {}
    for label, packages in {"one": [one], "two": [two], "both": [one, two]}.items():
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        if label != "one":  # it has no Softmax
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        for package in packages:
            options.add_provider_for_devices(package.devices()[:1], {})
        session = ort.InferenceSession(model, options, enable_fallback=0)
        parts = session.get_provider_graph_assignment_info()
        found[label] = {n.op_type: p.ep_name for p in parts for n in p.get_nodes()}
        np.save(sys.argv[3] + label, session.run(None, {"x": x})[0])
        del session, parts
    order[0].unregister()
    assert not order[0].devices() and order[1].devices()
    order[1].unregister()
    assert not order[1].devices()
with open(sys.argv[3] + "found.json", "w") as file:
    json.dump(found, file)
"""


@pytest.mark.lab
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("onnxruntime", ["1.24.4", ""], ids=["1.24.4", "installed"])
def test_the_same_wheel_works_on_every_python(
    version: str, onnxruntime: str, minimal: Project
) -> None:
    chosen = Runtime(onnxruntime, runtime(onnxruntime)) if onnxruntime else THIS
    packing = Packing(
        minimal.library, lambda _: wheel_of(minimal), [chosen], python=python(version)
    )
    checks = run(packing)
    assert [(c.name, c.detail) for c in checks if c.outcome is not Outcome.PASSED] == []
    (install,) = (check for check in checks if check.name == "install")
    assert f", for Python {version}." in install.detail


@pytest.mark.lab
def test_two_packages_live_in_one_process(
    minimal: Project, project_of: Callable[..., Project], repository: Path, tmp_path: Path
) -> None:
    other = project_of((repository / "blueprints/packaged.yaml").read_text(encoding="utf-8"))
    environment = make(tmp_path)
    for project in (minimal, other):
        environment.pip("install", "--no-index", str(wheel_of(project)))
    environment.add_runtime(THIS)
    text = (
        '<ir_version: 8, opset_import: ["": 17]> g (float[2, 3] x) => (float[2, 3] y)'
        "{ p = Relu(x) y = Softmax(p) }"
    )
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "both.py").write_text(BOTH)
    names = ("both.py", "model.onnx", "x.npy", "out-")
    done = environment.run([str(tmp_path / name) for name in names], Limits(), tmp_path / "records")
    assert (done.returncode, done.stderr) == (0, "")
    contoso, fabrikam = "ContosoNpuExecutionProvider", "FabrikamMlExecutionProvider"
    assert json.loads((tmp_path / "out-found.json").read_text()) == {
        "one": {"Relu": contoso, "Softmax": "CPUExecutionProvider"},
        "two": {"Relu": fabrikam, "Softmax": fabrikam},
        "both": {"Relu": contoso, "Softmax": fabrikam},
    }
    power = np.exp(np.maximum(x, 0))
    expected = power / power.sum(axis=1, keepdims=True)
    for label in ("one", "two", "both"):
        np.testing.assert_allclose(np.load(tmp_path / f"out-{label}.npy"), expected, rtol=1e-5)


@pytest.mark.lab
def test_the_environment_has_nothing_of_this_one(tmp_path: Path) -> None:
    environment = make(tmp_path)
    code = "import sys; print([p for p in sys.path if 'site-packages' in p]); import onnxruntime"
    done = subprocess.run(
        [environment.python, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=dict(environment.variables),
    )
    assert done.returncode == 1
    assert "No module named 'onnxruntime'" in done.stderr
    assert str(environment.folder) in done.stdout
