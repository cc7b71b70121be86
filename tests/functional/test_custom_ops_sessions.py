"""Custom operators in real sessions: on the execution provider, from their library, from both."""

from __future__ import annotations

import re

import pytest
from fresh import complaints, every_runtime, ok
from projects import Project

BOTH = """
import own_ops, onnx
library = plugin.get_custom_ops_library_path()
"""


@every_runtime
def test_fr_72_a_model_that_does_not_load_says_what_is_missing(
    custom_ops: Project, version: str | None
) -> None:
    """The right domain runs; another domain, none, a later version, nothing registered do not."""
    ok(
        custom_ops,
        BOTH
        + """
right = own_ops.clip()
inputs = models.feeds(right)
wanted = [own_ops.clip_of(inputs["x0"])]
models.close(own_ops.session(right, device).run(None, inputs), wanted)
models.close(own_ops.session(right, library=library).run(None, inputs), wanted)

later = own_ops.clip(version=2)
models.close(own_ops.session(later, device).run(None, inputs), wanted)
models.close(own_ops.session(later, library=library).run(None, inputs), wanted)

other = own_ops.fails(own_ops.clip(domain="com.other"), device)
assert "com.other:Clip(-1) is not a registered function/op" in other, other
pair = [((2,), np.float32)] * 2
nowhere = own_ops.fails(own_ops.call("GatedUnit", *pair, domain=""), device)
assert "No Op registered for GatedUnit" in nowhere, nowhere
nothing = own_ops.fails(right)
assert "com.contoso:Clip(-1) is not a registered function/op" in nothing, nothing
""",
        version,
    )


FOUR = """
def optional(dtype, there):
    bias = ((3,), dtype) if there else None
    return own_ops.call("Scale", (("N", 3), dtype), bias, ((1,), dtype))

for dtype in (np.float32, np.int64):
    for there in (True, False):
        made = optional(dtype, there)
        inputs = {name: (value * 3).astype(dtype) for name, value in models.feeds(made).items()}
        wanted = [own_ops.scale_of(inputs["x0"], inputs.get("x1"), inputs["x2"])]
        on_device = own_ops.session(made, device)
        assert models.taken(on_device, ep) == ["Scale"]
        for one in (on_device, own_ops.session(made, library=library)):
            (output,) = one.get_outputs()
            assert (output.type, output.shape) == (one.get_inputs()[0].type, ["N", 3]), output
            models.close(one.run(None, inputs), wanted)
"""


@every_runtime
def test_fr_77_the_output_s_type_follows_the_input(
    custom_ops: Project, version: str | None
) -> None:
    """Two types, and an optional input that is there or not: four models."""
    ok(custom_ops, BOTH + FOUR, version)


def test_what_cannot_be_told_of_a_shape_is_left_open(custom_ops: Project) -> None:
    """The runtime shows an input of no known rank as a scalar: then the output has no known rank
    either, and nobody warns of it when it turns out to have one."""
    said = ok(
        custom_ops,
        BOTH
        + """
node = models.node
made = models.model(
    [
        node("Reshape", ["X", "S"], ["r"], name="r0"),
        node("Clip", ["r"], ["c"], name="c0", domain=own_ops.DOMAIN),
        node("Scale", ["X", "", "k"], ["d"], name="s0", domain=own_ops.DOMAIN),
        node("Relu", ["c"], ["Y"], name="r1"),
        node("Relu", ["d"], ["Z"], name="r2"),
    ],
    [models.value("X", ["N", 4]), models.value("S", ["R"], models.INT64), models.value("k", [])],
    [onnx.helper.make_empty_tensor_value_info(name) for name in "YZ"],
    extra=[(own_ops.DOMAIN, 1)],
)
x = models.feeds(made)["X"]
inputs = {"X": x, "S": np.array([4, 1, -1]), "k": np.array(2, np.float32)}
wanted = [np.maximum(own_ops.clip_of(x.reshape(4, 1, -1)), 0), np.maximum(x * 2, 0)]
for arguments in ({"device": device, "fallback": True}, {"library": library}):
    models.close(own_ops.session(made, **arguments, level=2).run(None, inputs), wanted)
""",
    )
    assert complaints(said) == []


@every_runtime
def test_fr_77_mixed_types_are_refused_by_the_operator_s_name(
    custom_ops: Project, version: str | None
) -> None:
    ok(
        custom_ops,
        BOTH
        + """
mixed = own_ops.call("Scale", ((3,), np.float32), None, ((3,), np.int64))
unknown = own_ops.call("Scale", ((3,), np.float64), None, ((3,), np.float64))
for made in (mixed, unknown):
    for arguments in ({"device": device, "fallback": True}, {"library": library}):
        text = own_ops.fails(made, **arguments)
        assert "com.contoso::Scale node 'own'" in text, text
""",
        version,
    )


@every_runtime
def test_fr_78_one_operator_for_the_cpu_and_for_the_execution_provider(
    custom_ops: Project, version: str | None
) -> None:
    """EP kernel when present, CPU kernel otherwise, two sessions at once, threads; no warning."""
    said = ok(
        custom_ops,
        BOTH
        + """
made = own_ops.neighbours()
on_device = own_ops.session(made, device, level=2)
alone = own_ops.session(made, library=library, level=2)
assert models.taken(on_device, ep) == ["Add", "Clip", "GatedUnit", "Mul", "Relu"]
assert models.taken(alone, ep) == []

def task(seed):
    inputs = models.feeds(made, 1 + seed, seed)
    for one in (on_device, alone):
        models.close(one.run(None, inputs), [own_ops.neighbours_of(inputs["X"])])

models.in_threads(task, 8)
more = [own_ops.session(made, device, level=2), own_ops.session(made, library=library, level=2)]
del on_device, alone
on_device, alone = more
task(3)
""",
        version,
    )
    assert complaints(said) == []


@every_runtime
def test_fr_78_the_domain_brings_kernels_for_the_cpu(
    custom_ops: Project, version: str | None
) -> None:
    """The session knows the execution provider's domain, and is on the CPU alone."""
    said = ok(
        custom_ops,
        BOTH
        + """
made = own_ops.neighbours()
settings = ort.SessionOptions()
settings.log_severity_level = 2
settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
settings.add_provider_for_devices([device], {})
one = ort.InferenceSession(made.SerializeToString(), settings, ["CPUExecutionProvider"])
cpu = models.taken(one, "CPUExecutionProvider")
assert cpu == ["Add", "Clip", "GatedUnit", "Mul", "Relu"], cpu
inputs = models.feeds(made, 5)
models.close(one.run(None, inputs), [own_ops.neighbours_of(inputs["X"])])
""",
        version,
    )
    assert complaints(said) == []


@every_runtime
def test_an_execution_provider_and_then_the_library_are_one_domain_too_many(
    custom_ops: Project, version: str | None
) -> None:
    """How onnxruntime has it: the library's domain is there already, and no session is made."""
    ok(
        custom_ops,
        BOTH
        + """
settings = ort.SessionOptions()
settings.log_severity_level = 3
settings.add_provider_for_devices([device], {})
settings.register_custom_ops_library(library)
try:
    ort.InferenceSession(own_ops.clip().SerializeToString(), settings)
except Exception as error:
    assert "Domain already set in registry" in str(error), error
else:
    raise AssertionError("a session was made")
""",
        version,
    )


@every_runtime
def test_the_library_and_then_the_execution_provider_work_with_a_warning(
    custom_ops: Project, version: str | None
) -> None:
    """How onnxruntime has it: the second domain of a name is skipped."""
    said = ok(
        custom_ops,
        BOTH
        + """
settings = ort.SessionOptions()
settings.log_severity_level = 2
settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
settings.register_custom_ops_library(library)
settings.add_provider_for_devices([device], {})
made = own_ops.clip()
one = ort.InferenceSession(made.SerializeToString(), settings)
assert models.taken(one, ep) == ["Clip"]
inputs = models.feeds(made)
models.close(one.run(None, inputs), [own_ops.clip_of(inputs["x0"])])
""",
        version,
    )
    (warning,) = complaints(said)
    assert re.search(r"com\.contoso", warning), warning


def test_nobody_computes_what_is_not_written_yet(custom_ops: Project) -> None:
    ok(
        custom_ops,
        BOTH
        + """
made = own_ops.call("PairSum", ((2, 4), np.float32))
for arguments in ({"device": device, "fallback": True}, {"library": library}):
    text = own_ops.fails(made, **arguments)
    assert "com.contoso::PairSum node 'own'" in text and "not written yet" in text, text
""",
    )


@pytest.mark.parametrize("cycles", [5, pytest.param(50, marks=pytest.mark.lab)])
@every_runtime
def test_cycles_of_register_and_unregister_leave_nothing_behind(
    custom_ops: Project, version: str | None, cycles: int
) -> None:
    ok(
        custom_ops,
        BOTH
        + """
import gc, os

def files():
    return len(os.listdir("/proc/self/fd"))

def size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

made = own_ops.neighbours()
inputs = models.feeds(made)
device = None
sizes = []
for cycle in range(cycles):
    if cycle:
        plugin.register()
    one = own_ops.session(made, plugin.devices()[0])
    alone = own_ops.session(made, library=library)
    for each in (one, alone):
        models.close(each.run(None, inputs), [own_ops.neighbours_of(inputs["X"])])
    del one, alone, each
    gc.collect()
    plugin.unregister()
    sizes.append((files(), size()))
assert sizes[-1][0] == sizes[1][0], sizes
if cycles >= 20:  # until then the allocator of the C library still settles
    assert sizes[-1][1] - sizes[cycles // 2][1] < 1 << 18, sizes
plugin.register()
""",
        version,
        cycles=cycles,
    )
