"""Public bug reports as tests, part three: what compiling execution providers take, and compute.

The numbers are those of the reports that the project keeps; each test says what went wrong there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiling_projects import BETA, LOG, SINGLE, groups, watched
from fresh import complaints, every_runtime, ok
from projects import Project
from runtimes import SUPPORTED, runtime

# Sessions that compile a model, and that find it compiled.
BOTH_WAYS = """
def both_ways(made, fallback=False):
    yield models.session(made, device, fallback=fallback)
    yield models.session(models.compiled(made, device), device, fallback=fallback)
"""


@pytest.fixture(scope="module")
def beta(project_of: Callable[..., Project]) -> Project:
    return project_of(BETA)


@pytest.fixture(scope="module")
def single(project_of: Callable[..., Project]) -> Project:
    return project_of(SINGLE)


@pytest.fixture(scope="module", name="watched")
def watched_project() -> Project:
    return watched()


@every_runtime
@pytest.mark.parametrize("other", ["beta", "minimal"])
def test_fr_28_two_execution_providers_in_one_session(
    compiled: Project, other: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """One claimed nodes that another held already, and the process ended. The other one compiles
    as well, or has a kernel for each node."""
    second: Project = request.getfixturevalue(other)
    stderr = ok(
        compiled,
        """
        ort.register_execution_provider_library("other", library)
        found = {each.ep_name: each for each in ort.get_ep_devices()}
        made = models.add_mul_add()
        for first, last in ((ep, other), (other, ep)):
            def add_last(settings):
                settings.log_severity_level = 2
                settings.add_provider_for_devices([found[last]], {})
            session = models.session(made, found[first], adjust=add_last)
            assert models.taken(session, first) == ["Add", "Add", "Mul"], first
            assert models.taken(session, last) == [], last
            inputs = models.feeds(made)
            models.close(session.run(None, inputs), models.reference(made, inputs))
            del session
        """,
        version,
        library=str(second.library),
        other=second.ep,
    )
    assert complaints(stderr) == []


@every_runtime
def test_fr_29_optional_inputs_and_outputs_that_are_left_out(
    watched: Project, version: str | None
) -> None:
    """They are null in the graph, which was not expected."""
    ok(
        watched,
        BOTH_WAYS
        + """
for made, nodes in (
    (models.clip_gap(), ["Clip"]), (models.lstm_gap(), ["LSTM", "Mul", "Relu"])
):
    inputs = models.feeds(made)
    assert models.taken(models.session(made, device), ep) == nodes
    for session in both_ways(made):
        models.close(session.run(None, inputs), models.reference(made, inputs))
""",
        version,
    )


@every_runtime
@pytest.mark.parametrize(
    ("project", "made", "nodes"),
    [("compiled", "lstm_gap", ["Mul", "Relu"]), ("beta", "clip_gap", [])],
)
def test_fr_29_and_nodes_with_them_that_are_declined(
    project: str,
    made: str,
    nodes: list[str],
    version: str | None,
    request: pytest.FixtureRequest,
) -> None:
    ok(
        request.getfixturevalue(project),
        """
        made = getattr(models, made)()
        assert models.taken(models.session(made, device, fallback=True), ep) == nodes
        models.check(made, device, fallback=True)
        """,
        version,
        made=made,
        nodes=nodes,
    )


FANOUT = """
def interface(made):
    \"\"\"The inputs of the only group, and its outputs, in any order.\"\"\"
    (node,) = models.contexts(models.compiled(made, device))
    return list(node.input), set(node.output)
"""


@every_runtime
def test_fr_30_a_value_with_several_consumers_is_no_input_of_its_group(
    watched: Project, version: str | None, tmp_path: Path
) -> None:
    """What a group had computed itself was taken for an input, as other nodes read it, too."""
    ok(
        watched,
        FANOUT
        + BOTH_WAYS
        + f"""
import os
os.environ[{LOG!r}] = log
for made, outputs in (
    (models.fanout("Y", "Z", "p"), {{"Y", "Z", "p"}}),
    (models.fanout("Y", "Z", "S", sin=True), {{"Y", "Z", "p"}}),
    (models.fanout("Y", "Z"), {{"Y", "Z"}}),
):
    assert interface(made) == (["X"], outputs), interface(made)
    inputs = models.feeds(made, 3)
    for session in both_ways(made, fallback=True):
        models.close(session.run(None, inputs), models.reference(made, inputs))
""",
        version,
        log=str(tmp_path / "log"),
    )
    seen = {
        (tuple(each["inputs"]), tuple(sorted(each["outputs"]))) for each in groups(tmp_path / "log")
    }
    assert seen == {(("X",), ("Y", "Z", "p")), (("X",), ("Y", "Z"))}


@every_runtime
def test_fr_30_and_a_consumer_outside(beta: Project, version: str | None) -> None:
    ok(
        beta,
        FANOUT
        + """
made = models.fanout("Y", "Z", "p")
assert interface(made) == (["X"], {"Y", "p"}), interface(made)
made = models.fanout("Y", "Z")  # p is needed by Relu alone, which is the CPU's
assert interface(made) == (["X"], {"Y", "p"}), interface(made)
models.check(made, device, fallback=True)
models.check(models.fanout("Y", "Z", "p"), device, fallback=True)
""",
        version,
    )


@every_runtime
def test_fr_31_groups_are_legal_and_as_few_as_can_be(
    compiled: Project, version: str | None
) -> None:
    """A path led out of a group and back; and nodes between made pieces of what was connected."""
    stderr = ok(
        compiled,
        """
        def loud(settings):
            settings.log_severity_level = 2
        for made, wanted in (
            (models.diamond(), [["Add"], ["Mul"]]),
            (models.chain(), [["Mul"], ["Mul"]]),
            (models.branches(), [["Add", "Mul", "Relu"], ["Add", "Mul", "Relu"]]),
        ):
            session = models.session(made, device, fallback=True, adjust=loud)
            assert models.parts(session, ep) == wanted, models.parts(session, ep)
            inputs = models.feeds(made, 3)
            models.close(session.run(None, inputs), models.reference(made, inputs))
        """,
        version,
    )
    assert complaints(stderr) == []


PATTERN = """
for first, wanted in (("Relu", [["Add", "Mul"], ["Relu"]]), ("Mul", [["Add", "Mul"], ["Mul"]])):
    made = models.pattern_beside(first)
    session = models.session(made, device, fallback=True)
    assert models.parts(session, ep) == wanted, models.parts(session, ep)
    models.check(made, device, fallback=True)
"""


@every_runtime
def test_fr_32_a_pattern_stays_whole(watched: Project, version: str | None, tmp_path: Path) -> None:
    """The parts of a pattern went into different groups, and it was not found any more."""
    setting = f"import os\nos.environ[{LOG!r}] = log\n"
    ok(watched, setting + PATTERN, version, log=str(tmp_path / "log"))
    found = [each for each in groups(tmp_path / "log") if len(each["nodes"]) == 2]
    assert found
    assert all(each["patterns"] == ["MulAdd: m0 a0"] for each in found)


@every_runtime
def test_fr_32_or_its_nodes_run_singly(single: Project, version: str | None) -> None:
    ok(
        single,
        """
        made = models.pattern_beside("Mul")
        session = models.session(made, device, fallback=True)
        assert models.parts(session, ep) == [["Add"], ["Mul"], ["Mul"]], models.parts(session, ep)
        models.check(made, device, fallback=True)
        """,
        version,
    )


@pytest.mark.lab
def test_fr_32_a_debug_build_looks_for_the_patterns_that_were_claimed() -> None:
    """... and refuses a graph in which they are not found again."""
    sound = watched("debug")
    ok(sound, PATTERN)
    path = "src/abi/graph_reader.cc"
    text = (sound.root / path).read_text(encoding="utf-8")
    call = "\n  AddPatterns();\n"
    assert text.count(call) == 1
    forgetful = watched("debug", {path: text.replace(call, "\n")})
    ok(
        forgetful,
        """
        try:
            models.session(models.pattern_beside(), device, fallback=True)
        except Exception as error:
            assert "MulAdd" in str(error) and "m0" in str(error), error
        else:
            raise AssertionError("nobody noticed")
        """,
    )


QUANTIZED = """
quantizing = ["DequantizeLinear", "QuantizeLinear"]
def plain(settings):
    settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
def check(made, nodes, left):
    session = models.session(made, device, fallback=True, adjust=plain)
    # Each operator once: the runtime gives every reader a DequantizeLinear of its own.
    taken = [sorted(set(models.taken(session, who))) for who in (ep, "CPUExecutionProvider")]
    assert taken == [nodes, left], taken
    inputs = models.feeds(made)
    (mine,), (theirs,) = session.run(None, inputs), models.reference(made, inputs)
    assert mine.shape == theirs.shape and mine.dtype == theirs.dtype
    assert abs(mine - theirs).max() <= models.QUANTUM * 1.001
    models.session(made, device, fallback=True)  # as optimized
"""


@every_runtime
def test_fr_33_neighbours_that_are_not_supported_stay_outside(
    compiled: Project, version: str | None
) -> None:
    """Quantizing neighbours of a node were claimed with it, and could not be compiled."""
    ok(
        compiled,
        QUANTIZED
        + """
check(models.qdq_mul(), ["Mul"], quantizing)
check(models.qdq_mul(np.int8), ["Mul"], quantizing)
check(models.qdq_bias(), ["Add"], quantizing)
""",
        version,
    )


@every_runtime
def test_fr_33_and_so_do_element_types(watched: Project, version: str | None) -> None:
    ok(
        watched,
        QUANTIZED
        + """
check(models.qdq_mul(), sorted(["Mul", *quantizing]), [])
check(models.qdq_mul(np.int8), ["Mul"], quantizing)
check(models.qdq_bias(), sorted(["Add", *quantizing]), ["DequantizeLinear"])  # that of the bias
""",
        version,
    )


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "compiled_virtual", "beta"])
def test_fr_34_nested_graphs_that_read_from_two_levels_up(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """What they read was not found, and bodies of one name were taken for each other."""
    ok(
        request.getfixturevalue(project),
        """
        models.check(models.nested_loops(), device, fallback=True)
        made = models.two_branches()
        session = models.session(made, device, fallback=True)
        assert "Mul" in models.taken(session, ep)
        for which in (True, False):
            inputs = {**models.feeds(made), "which": np.array(which)}
            models.close(session.run(None, inputs), models.reference(made, inputs))
        """,
        version,
    )


@every_runtime
@pytest.mark.parametrize(
    ("project", "constants"), [("compiled", []), ("compiled_virtual", []), ("beta", ["W"])]
)
def test_fr_37_constants_are_inputs_or_part_of_what_is_compiled(
    project: str, constants: list[str], version: str | None, request: pytest.FixtureRequest
) -> None:
    """They stayed inputs, so that the host could not free them, and were there twice."""
    ok(
        request.getfixturevalue(project),
        BOTH_WAYS
        + """
made = models.mul_const()
(node,) = models.contexts(models.compiled(made, device))
assert list(node.input) == ["X", *constants], node.input
kept = [each.name for each in models.compiled(made, device).graph.initializer]
assert kept == constants, kept
inputs = models.feeds(made)
for session in both_ways(made):
    for _ in range(2):
        models.close(session.run(None, inputs), models.reference(made, inputs))

made = models.chain()
nodes = models.contexts(models.compiled(made, device))
assert len(nodes) == 2
for node, name in zip(nodes, ("K1", "K2")):
    assert (name in node.input) == bool(constants), node.input
inputs = models.feeds(made, 3)
for session in both_ways(made, fallback=True):
    models.close(session.run(None, inputs), models.reference(made, inputs))
""",
        version,
        constants=constants,
    )


@every_runtime
def test_fr_37_the_hook_has_the_constants_and_a_run_does_not(
    watched: Project, version: str | None, tmp_path: Path
) -> None:
    ok(
        watched,
        f"""
        import os
        os.environ[{LOG!r}] = log
        models.check(models.mul_const(), device)
        """,
        version,
        log=str(tmp_path / "log"),
    )
    assert [(each["inputs"], each["constants"]) for each in groups(tmp_path / "log")] == [
        (["X"], ["W"])
    ]


LARGE = """
import onnx
from onnx.external_data_helper import convert_model_to_external_data

def resident():
    (line,) = (each for each in open("/proc/self/status") if each.startswith("VmRSS"))
    return int(line.split()[1]) * 1024

size = 8192  # 256 MiB of float32
source = folder / "large.onnx"
if not source.exists():
    made = models.matmul_const(size, size)
    convert_model_to_external_data(made, location="large.bin", size_threshold=0)
    onnx.save(made, source)
    del made
"""


@pytest.mark.lab
@pytest.mark.parametrize("version", SUPPORTED)
@pytest.mark.parametrize("project", ["compiled", "compiled_virtual"])
@pytest.mark.parametrize("name", ["large", "large_ctx"], ids=["compiled", "loaded"])
def test_fr_37_a_large_constant_is_in_memory_once(
    project: str, version: str, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Also where the model was compiled before. It is made in a process of its own: what that one
    needs is not what counts."""
    chosen: Project = request.getfixturevalue(project)
    compiling = "models.write(source, device)\n" if name == "large_ctx" else ""
    ok(chosen, LARGE + compiling, version, folder=tmp_path)
    ok(
        chosen,
        LARGE
        + """
x = np.zeros((1, size), np.float32)
x[0, [0, size - 1]] = (1, 2)
models.session(models.matmul_const(), device)  # what any first session brings with it
before = resident()
session = models.session(source.with_name(f"{name}.onnx"), device)
grown = (resident() - before) / (4 * size * size)
assert grown < 1.3, grown
weights = np.memmap(source.with_name("large.bin"), np.float32, "r", shape=(size, size))
wanted = weights[0] + 2 * weights[size - 1]
for _ in range(2):
    np.testing.assert_allclose(session.run(None, {"X": x})[0][0], wanted, rtol=1e-5)
""",
        version,
        folder=tmp_path,
        name=name,
    )


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "compiled_virtual"])
def test_fr_38_a_constant_matrix_with_and_without_packing(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """A hook that packs constants passed on an allocator that was not there. There is no such hook
    here; that must make no difference, also where two sessions share the constant."""
    ok(
        request.getfixturevalue(project),
        """
        made = models.matmul_const()
        inputs = models.feeds(made, 5)
        wanted = models.reference(made, inputs)
        models.close(models.session(made, device).run(None, inputs), wanted)
        unpacked = {"session.disable_prepacking": "1"}
        models.close(models.session(made, device, config=unpacked).run(None, inputs), wanted)
        (weights,) = (models.numpy_helper.to_array(each) for each in made.graph.initializer)
        shared = ort.OrtValue.ortvalue_from_numpy(weights)
        sessions = [
            models.session(made, device, adjust=lambda s: s.add_initializer("W", shared))
            for _ in range(2)
        ]
        for session in sessions:
            models.close(session.run(None, inputs), wanted)
        """,
        version,
    )


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "compiled_virtual"])
def test_fr_40_every_run_may_have_another_batch(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """The second one failed with the shape of the first."""
    ok(
        request.getfixturevalue(project),
        BOTH_WAYS
        + """
def check(session, length, seed):
    inputs = models.feeds(made, length, seed)
    models.close(session.run(None, inputs), cpu.run(None, inputs))

for made in (models.dynamic(), models.layers()):
    cpu = models.session(made)
    for session in both_ways(made):
        for length in (1, 16, 1, 3):
            check(session, length, length)

        lengths = (1, 16, 1, 3, 20000, 30000)  # the last ones take long enough to overlap

        def several(thread):
            for turn in range(40):
                check(session, lengths[(thread + turn) % len(lengths)], 100 * thread + turn)

        models.in_threads(several, 4)
""",
        version,
    )


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "compiled_virtual"])
def test_fr_41_no_elements_and_no_dimensions(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """Zero elements meant a division by zero, or an error of a library below."""
    ok(
        request.getfixturevalue(project),
        BOTH_WAYS
        + """
def rank_0():
    return models.model(
        [
            models.node("Add", ["A", "B"], ["t"], name="a0"),
            models.node("Mul", ["t", "K"], ["u"], name="m0"),
            models.node("Relu", ["u"], ["Y"], name="r0"),
        ],
        [models.value("A", []), models.value("B", [])],
        [models.value("Y", [])],
        [models.constant("K", np.float32(-2))],
    )

def nothing_to_sum():
    return models.model(
        [models.node("MatMul", ["X", "W"], ["p"]), models.node("Relu", ["p"], ["Y"])],
        [models.value("X", ["N", 0])],
        [models.value("Y", ["N", 3])],
        [models.constant("W", np.ones((0, 3), np.float32))],
    )

for made in (
    *(models.dynamic(), models.scalar(), rank_0(), nothing_to_sum(), models.layers()),
    *(models.chain(), models.diamond()),  # what is empty goes on to the CPU and comes back
):
    for session in both_ways(made, fallback=True):
        assert models.taken(session, ep)
        for length in (0, 2, 0):
            inputs = models.feeds(made, length)
            models.close(session.run(None, inputs), models.reference(made, inputs))
""",
        version,
    )


@every_runtime
def test_fr_41_tensors_without_elements_in_the_device_s_memory(
    compiled_virtual: Project, version: str | None
) -> None:
    """Memory of 0 bytes is asked for, and copies of 0 bytes go both ways."""
    ok(
        compiled_virtual,
        """
        made = models.layers()
        session = models.session(made, device)
        def room(like):
            made = ort.OrtValue.ortvalue_from_shape_and_type(
                like.shape, like.dtype, "npu", 0, 0xB357
            )
            assert made.device_name().lower() != "cpu"
            return made

        for length in (0, 2, 0):
            x = models.feeds(made, length)["X"]
            wanted = models.reference(made, {"X": x})
            tensor, result = room(x), room(wanted[0])
            ort.copy_tensors([ort.OrtValue.ortvalue_from_numpy(x)], [tensor], None)
            models.close([tensor.numpy()], [x])
            binding = session.io_binding()
            binding.bind_ortvalue_input("X", tensor)
            binding.bind_ortvalue_output("Y", result)
            session.run_with_iobinding(binding)
            models.close([result.numpy()], wanted)
        """,
        version,
    )


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "compiled_virtual"])
def test_fr_42_a_run_changes_nothing_but_its_outputs(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """An output lay in the memory of an input of the application, and smaller inputs failed."""
    ok(
        request.getfixturevalue(project),
        BOTH_WAYS
        + """
def run(session, made, length):
    inputs = models.feeds(made, length, length)
    given = {name: ort.OrtValue.ortvalue_from_numpy(each) for name, each in inputs.items()}
    copies = {name: each.numpy().copy() for name, each in given.items()}
    results = session.run_with_ort_values(None, given)
    for name, each in given.items():
        np.testing.assert_array_equal(each.numpy(), copies[name])
    places = [each.data_ptr() for each in (*given.values(), *results)]
    assert len(set(places)) == len(places), places
    wanted = models.reference(made, inputs)
    models.close([each.numpy() for each in results], wanted)
    return results, wanted

for pattern in (True, False):
    for reuse in (True, False):
        def adjust(settings):
            settings.enable_mem_pattern = pattern
            settings.enable_mem_reuse = reuse
        for made in (models.chain(), models.layers(), models.fanout("Y", "Z", "p")):
            for source in (made, models.compiled(made, device)):
                session = models.session(source, device, fallback=True, adjust=adjust)
                kept = [run(session, made, length) for length in (8, 1, 8)]
                for results, wanted in kept:  # nor what earlier runs have returned
                    models.close([each.numpy() for each in results], wanted)
""",
        version,
    )


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "compiled_virtual", "beta"])
def test_an_initializer_that_may_be_overridden_is_never_compiled_in(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """Whoever runs the model may feed another value; a compiled constant would ignore it."""
    ok(
        request.getfixturevalue(project),
        """
        made = models.overridable()
        x = models.feeds(made)
        session = models.session(made, device)
        for inputs in (x, {**x, "W": np.full((2, 2), -7, np.float32)}, x):
            models.close(session.run(None, inputs), models.reference(made, inputs))
        packed = models.compiled(made, device)
        (node,) = models.contexts(packed)
        assert "W" in node.input, node.input
        # The runtime writes it as a plain initializer of the model; there it may be replaced.
        (kept,) = (each for each in packed.graph.initializer if each.name == "W")
        models.close(models.session(packed, device).run(None, x), models.reference(made, x))
        changed = np.full((2, 2), -7, np.float32)
        kept.CopyFrom(models.constant("W", changed))
        wanted = models.reference(made, {**x, "W": changed})
        models.close(models.session(packed, device).run(None, x), wanted)
        """,
        version,
    )


@every_runtime
@pytest.mark.parametrize("project", ["minimal", "strict_gpu"])
def test_kernels_read_an_initializer_that_is_overridden_and_keep_one_that_is_not(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """A kernel looks at a constant input once: only at what is one."""
    ok(
        request.getfixturevalue(project),
        """
        made = models.overridable()
        x = models.feeds(made)
        session = models.session(made, device)
        for inputs in (x, {**x, "W": np.full((2, 2), -7, np.float32)}, x, {"X": -x["X"]}):
            wanted = models.reference(made, {**{"W": np.full((2, 2), 3, np.float32)}, **inputs})
            models.close(session.run(None, inputs), wanted)
        """,
        version,
    )


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "minimal"])
def test_fr_13_a_failure_that_nobody_catches_is_no_crash(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """A clean-up that came too early ended the process with a signal. Here the session has failed,
    and what is left of it lives in the traceback."""
    chosen: Project = request.getfixturevalue(project)
    place = runtime(version) if version else None
    done = chosen.python("models.session(models.sin_only(), device)", runtime=place)
    assert "fallback to CPU EP has been explicitly disabled" in done.stderr
    assert done.returncode == 1


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "minimal"])
def test_fr_13_nor_is_one_that_is_kept(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """... while the library is unregistered, which may be refused."""
    ok(
        request.getfixturevalue(project),
        """
        try:
            models.session(models.sin_only(), device)
        except Exception as error:
            kept = error
        try:
            plugin.unregister()
        except RuntimeError as error:
            assert "in use" in str(error), error
        """,
        version,
    )
