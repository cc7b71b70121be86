<%= banner %>
"""Every op, version and combination of types: its numbers are the CPU's. The cases are those of the
library's own tests, in `../../tests/python/op_cases.json`.
"""

import inspect

import onnxruntime
import pytest

import <%= package %> as native
from calls import KERNELS, MANIFEST, computed
<% if custom_ops %>
from support import NoReferenceError, Trial, assert_same, expected, trials
<% else %>
from support import Trial, assert_same, expected, trials
<% endif %>

_ORT = onnxruntime.capi.onnxruntime_pybind11_state


@pytest.mark.parametrize("trial", list(trials(MANIFEST)), ids=str)
def test_its_values_are_right(trial: Trial) -> None:
    one = trial.build()
    try:
        wanted = expected(one)
    except _ORT.Fail as error:
        if "under development" not in str(error):
            raise
        pytest.skip(f"this onnxruntime knows no opset {trial.since}")
<% if custom_ops %>
    except NoReferenceError as error:
        pytest.skip(f"{error}: write a test of its own beside this one")
<% endif %>
    assert_same(computed(one, trial.since, [value.dtype for value in wanted]), wanted)


def test_every_operator_has_a_function() -> None:
    kernels = {(each["domain"], each["op"]) for each in KERNELS}
    assert len(native.ops.__all__) == len(kernels)
    for name in native.ops.__all__:
        function = getattr(native.ops, name)
        assert "copy" in inspect.signature(function).parameters
        assert "version" in (function.__doc__ or "")
