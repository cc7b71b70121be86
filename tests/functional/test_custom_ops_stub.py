"""A custom operator whose kernel is its owner's: a stub that was filled in, and an ejected one."""

from __future__ import annotations

from pathlib import Path

import pytest
from fresh import every_runtime, ok
from pair_sum import written_project
from projects import Project

from epforge.validate import Outcome, Rung, validate

BOTH = """
import own_ops, onnx
library = plugin.get_custom_ops_library_path()
"""


@pytest.fixture(scope="module")
def written_one(repository: Path) -> Project:
    """PairSum is written, and Clip ejected."""
    return written_project(repository)


@every_runtime
def test_its_kernel_serves_the_execution_provider_and_the_cpu(
    written_one: Project, version: str | None
) -> None:
    ok(
        written_one,
        BOTH
        + """
for shape, axis in (((2, 4), -1), ((4, 3), 0), ((2, 6, 5), 1), ((0, 4), 1), ((3, 0), -1)):
    made = own_ops.call("PairSum", (shape, np.float32), axis=axis)
    inputs = models.feeds(made)
    wanted = [own_ops.pair_sum_of(inputs["x0"], axis)]
    on_device = own_ops.session(made, device)
    assert models.taken(on_device, ep) == ["PairSum"]
    models.close(on_device.run(None, inputs), wanted)
    models.close(own_ops.session(made, library=library).run(None, inputs), wanted)
default = own_ops.call("PairSum", ((2, 4), np.float32))
inputs = models.feeds(default)
wanted = [own_ops.pair_sum_of(inputs["x0"])]
models.close(own_ops.session(default, device).run(None, inputs), wanted)
""",
        version,
    )


@every_runtime
def test_its_function_tells_the_runtime_the_shape(
    written_one: Project, version: str | None
) -> None:
    """Symbols stay where the function keeps a dimension; what it computes from one is unknown."""
    ok(
        written_one,
        BOTH
        + """
def inferred(shape, axis):
    made = own_ops.call("PairSum", (shape, np.float32), axis=axis)
    one, other = own_ops.session(made, device), own_ops.session(made, library=library)
    assert own_ops.shapes(one) == own_ops.shapes(other)
    return own_ops.shapes(one)[0]

assert inferred((6, 4), 1) == [6, 2]
assert inferred(("N", 4), 1) == ["N", 2]
assert inferred(("N", 4, "M"), 1) == ["N", 2, "M"]
assert inferred(("N", "N", 8), -1) == ["N", "N", 4]
first, second = inferred(("N", 4), 0)
assert second == 4 and first != "N" and not isinstance(first, int), first

# What stands behind it knows the shape, too.
node = models.node
made = models.model(
    [node("PairSum", ["X"], ["p"], name="p0", domain=own_ops.DOMAIN),
     node("Mul", ["p", "W"], ["Y"], name="m0")],
    [models.value("X", ["N", 4])], [onnx.helper.make_empty_tensor_value_info("Y")],
    [models.constant("W", np.array([2, 3], np.float32))], extra=[(own_ops.DOMAIN, 1)],
)
one = own_ops.session(made, device)
assert own_ops.shapes(one) == [["N", 2]]
assert models.taken(one, ep) == ["Mul", "PairSum"]
for length in (1, 7, 0):
    inputs = models.feeds(made, length)
    wanted = own_ops.pair_sum_of(inputs["X"]) * np.array([2, 3], np.float32)
    models.close(one.run(None, inputs), [wanted])
""",
        version,
    )


def test_a_shape_that_it_refuses_is_an_error_with_its_words(written_one: Project) -> None:
    ok(
        written_one,
        BOTH
        + """
made = own_ops.call("PairSum", ((2, 3), np.float32))
for arguments in ({"device": device}, {"library": library}):
    try:
        own_ops.session(made, **arguments).run(None, models.feeds(made))
    except Exception as error:
        assert "com.contoso::PairSum: an odd number of elements" in str(error), error
    else:
        raise AssertionError("it was computed")
""",
    )


def test_an_ejected_kernel_goes_on_computing(written_one: Project) -> None:
    assert (written_one.root / "src/kernels/com_contoso_clip.cc").is_file()
    ok(
        written_one,
        BOTH
        + """
made = own_ops.clip(("N", 3), lo=-0.25)
inputs = models.feeds(made, 5)
wanted = [own_ops.clip_of(inputs["x0"], -0.25)]
for one in (own_ops.session(made, device), own_ops.session(made, library=library)):
    assert own_ops.shapes(one) == [["N", 3]]
    models.close(one.run(None, inputs), wanted)
""",
    )


@pytest.mark.lab
def test_validation_tests_what_was_written(written_one: Project) -> None:
    report = validate(written_one.library, rungs=[Rung.OPS])
    assert report.passed, report.summary
    found = {each.name: each for each in report.checks}
    for name in ("com.contoso::Clip", "com.contoso::PairSum"):
        assert found[name].outcome is Outcome.PASSED
        assert "right" in found[name].detail, found[name].detail
