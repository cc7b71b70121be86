<%= banner %>
"""Every op, version and combination of types that the library registers: it takes the node, and
its numbers are the CPU's. The cases are in `op_cases.json`; tensors of no elements and of rank 0
are among them.
"""

import json
from pathlib import Path
from typing import Any

import onnxruntime
import pytest

<% if custom_ops %>
from support import NoReferenceError, Plugin, Trial, assert_same, expected, trials
<% else %>
from support import Plugin, Trial, assert_same, expected, trials
<% endif %>

_MANIFEST: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[2] / "src/gen/manifest.json").read_text(encoding="utf-8")
)
_ORT = onnxruntime.capi.onnxruntime_pybind11_state
# Not cased: onnxruntime turns Constant nodes into initializers before anyone can take them.
_UNREACHABLE = {("", "Constant")}
<% if graphs %>
# Nodes with graphs of their own: test_control_flow.py.
_WITH_GRAPHS = {
<% for op in graphs %>
    ("", <%= op | py_string %>),
<% endfor %>
}
<% endif %>


@pytest.mark.parametrize("trial", list(trials(_MANIFEST, stubs=True)), ids=str)
def test_the_node_runs_here_and_its_values_are_right(plugin: Plugin, trial: Trial) -> None:
    one = trial.build()
    try:
        if not trial.ready and not plugin.takes(one.model):
            pytest.skip("its kernel is a stub: see kReady in src/kernels/")
        wanted = expected(one)
    except _ORT.Fail as error:
        if "under development" not in str(error):
            raise
        pytest.skip(f"this onnxruntime knows no opset {trial.since}")
    except _ORT.InvalidArgument:
        if trial.ready:
            raise
        pytest.skip("inputs of equal shapes do not fit it: write a test of its own beside this one")
    except _ORT.NotImplemented:
        if trial.ready:
            raise
        pytest.skip("its kernel is a stub, and the CPU has none: see kReady in src/kernels/")
<% if custom_ops %>
    except NoReferenceError as error:
        pytest.skip(f"{error}: write a test of its own beside this one")
<% endif %>
    session = plugin.session(one.model)
    assert plugin.taken(session) == [one.op]
    assert_same(session.run(None, one.feeds), wanted)


def test_every_registered_op_has_a_case() -> None:
    cased = {(trial.case["domain"], trial.case["op"]) for trial in trials(_MANIFEST)}
    registered = {(op["domain"], op["op"]) for op in _MANIFEST["ops"] if op["ready"]}
    assert registered - cased <= _UNREACHABLE<% if graphs %> | _WITH_GRAPHS<% endif %>
