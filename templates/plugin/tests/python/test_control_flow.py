<%= banner %>
"""Nodes with graphs of their own: the device takes them, and their values are right. What is in the
graphs may be anybody's."""

import numpy as np
import onnx.parser
import onnxruntime
import pytest

from support import Plugin

_MAY_FALL_BACK = {"session.disable_cpu_ep_fallback": "0"}
_HEAD = '<ir_version: 8, opset_import: ["" : 16]>\n'
<% if "If" in ops %>
_IF = """
choose (bool which, float[2,3] a, float[2,3] b) => (float[2,3] y) {
  y = If (which) <
    then_branch = yes () => (float[2,3] p) { p = Add (a, b) },
    else_branch = no () => (float[2,3] q) { q = Sub (a, b) }
  >
}
"""
<% endif %>
<% if "Loop" in ops %>
_LOOP = """
sum (int64 trips, bool go, float[2] start, float[2] step) => (float[2] last, float[N,2] each) {
  last, each = Loop (trips, go, start) <
    body = iteration (int64 i, bool on, float[2] now) => (bool still, float[2] next, float[2] out) {
      still = Identity (on)
      next = Add (now, step)
      out = Identity (next)
    }
  >
}
"""
<% endif %>
<% if "Scan" in ops %>
_SCAN = """
sums (float[2] start, float[2,3] x) => (float[2] last, float[2,3] each) {
  last, each = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [1],
    body = slice (float[2] now, float[2] x_i) => (float[2] next, float[2] out) {
      next = Add (now, x_i)
      out = Identity (next)
    }
  > (start, x)
}
"""
<% endif %>


def _session(plugin: Plugin, text: str, op: str) -> onnxruntime.InferenceSession:
    model = onnx.parser.parse_model(_HEAD + text)
    session = plugin.session(model.SerializeToString(), config=_MAY_FALL_BACK)
    assert op in plugin.taken(session)
    return session


<% if "If" in ops %>
@pytest.mark.parametrize("which", [True, False])
def test_a_branch_is_chosen_and_sees_the_outer_graph(plugin: Plugin, which: bool) -> None:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    b = np.full((2, 3), 10, dtype=np.float32)
    feeds = {"which": np.array(which), "a": a, "b": b}
    (y,) = _session(plugin, _IF, "If").run(None, feeds)
    np.testing.assert_array_equal(y, a + b if which else a - b)


<% endif %>
<% if "Loop" in ops %>
@pytest.mark.parametrize("trips", [0, 1, 5])
def test_a_loop_hands_its_state_on_and_joins_its_results(plugin: Plugin, trips: int) -> None:
    start, step = np.array([1, 2], dtype=np.float32), np.array([1, -1], dtype=np.float32)
    feeds = {"trips": np.array(trips), "go": np.array(True), "start": start, "step": step}
    last, each = _session(plugin, _LOOP, "Loop").run(None, feeds)
    np.testing.assert_array_equal(last, start + trips * step)
    np.testing.assert_array_equal(each, [start + (i + 1) * step for i in range(trips)] or each)
    assert each.shape[0] == trips


<% endif %>
<% if "Scan" in ops %>
def test_a_scan_goes_along_an_axis_that_is_not_the_first(plugin: Plugin) -> None:
    start, x = np.array([1, 2], dtype=np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    last, each = _session(plugin, _SCAN, "Scan").run(None, {"start": start, "x": x})
    np.testing.assert_array_equal(each, start[:, None] + x.cumsum(axis=1))
    np.testing.assert_array_equal(last, each[:, -1])
<% endif %>
