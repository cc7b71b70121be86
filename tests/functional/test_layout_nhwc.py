"""Projects that prefer NHWC: what ONNX Runtime converts, and what must not be claimed before it.

FR 47, 48. Sessions run in processes of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cpp_tests import assert_clean, instrumented, run
from projects import Project, built, expanded
from runtimes import SUPPORTED, runtime

NHWC = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
layout: NHWC
types: [float32, float64]
ops:
  - Conv
  - MaxPool
  - AveragePool
  - LpPool
  - GlobalAveragePool
  - GlobalMaxPool
  - BatchNormalization
  - InstanceNormalization
  - LRN
  - Relu
  - Add
  - Concat
  - Transpose
"""
#: Nothing of it transposes: ONNX Runtime's transposes are left to the CPU.
BARE = NHWC.replace("  - Transpose\n", "").replace(", float64", "")
CONVERTED = "com.ms.internal.nhwc"
RUNTIMES = [
    *(pytest.param(version, marks=pytest.mark.lab) for version in SUPPORTED[:-1]),
    SUPPORTED[-1],
]
READ = "Status Read(const Node& node, ConvAttrs& attrs) {"
#: A kernel that takes its input for one of the usual layout.
IGNORED = {
    "src/gen/kernels/support/channels_last.cc": (
        "if (nchw.size() > 2) std::rotate(nchw.begin() + 1, nchw.end() - 1, nchw.end());",
        "",
    )
}
#: Kernels that compute at the wrong place, whatever the shapes say.
MISPLACED = {
    "src/gen/kernels/com_ms_internal_nhwc_max_pool.cc": (
        "FindLargest(window, region, plane, channels)",
        "FindLargest(window, region, plane, 1)",
    ),
    "src/gen/kernels/com_ms_internal_nhwc_batch_normalization.cc": (
        "from[i] * factors[i] + offsets[i]",
        "from[i] * factors[0] + offsets[0]",
    ),
    "src/gen/kernels/com_ms_internal_nhwc_global_max_pool.cc": (
        "PoolPlane(image + i % channels, count, channels)",
        "PoolPlane(image + i % channels * count, count, 1)",
    ),
}

CODE = """
    import os, tempfile, onnx

    random = np.random.default_rng(1)
    FORBIDS = "session.disable_cpu_ep_fallback"
    ALL = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    NONE = ort.GraphOptimizationLevel.ORT_DISABLE_ALL

    def weights(name, *shape):
        return models.constant(name, random.standard_normal(shape).astype(np.float32))

    def conv(shape, kernel, **attributes):
        return models.model(
            [models.node("Conv", ["X", "W", "B"], ["Y"], name="c0", **attributes)],
            [models.value("X", shape)], [onnx.helper.make_empty_tensor_value_info("Y")],
            [weights("W", *kernel), weights("B", kernel[0])],
        )

    def run(model, level=NONE, **shapes):
        "What of a model is converted, what of it the CPU gets; the values must be right."
        inputs = {
            each.name: random.standard_normal(
                shapes.get(each.name) or [d.dim_value for d in each.type.tensor_type.shape.dim]
            ).astype(np.float32)
            for each in model.graph.input
        }
        settings = ort.SessionOptions()
        settings.log_severity_level = 3
        settings.graph_optimization_level = level
        settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        settings.add_provider_for_devices([device], {})
        path = os.path.join(tempfile.mkdtemp(), "written.onnx")
        settings.optimized_model_filepath = path
        data = model.SerializeToString()
        session = ort.InferenceSession(data, settings, enable_fallback=0)
        cpu = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
        for got, want in zip(session.run(None, inputs), cpu.run(None, inputs), strict=True):
            assert got.shape == want.shape, (got.shape, want.shape)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
        parts = session.get_provider_graph_assignment_info()
        nodes = [(part.ep_name, each) for part in parts for each in part.get_nodes()]
        if ort.__version__ >= "1.32":  # older ones do not record converted nodes
            recorded = sorted(n.op_type for _, n in nodes if n.domain == "com.ms.internal.nhwc")
            assert all(n.domain != "com.ms.internal.nhwc" or ep == plugin.get_ep_name()
                       for ep, n in nodes)
        graphs, written = [onnx.load(path).graph], []
        for graph in graphs:
            for each in graph.node:
                graphs += [a.g for a in each.attribute if a.type == onnx.AttributeProto.GRAPH]
                written += [each.op_type] if each.domain == "com.ms.internal.nhwc" else []
        if ort.__version__ >= "1.32":
            assert recorded == sorted(written), (recorded, written)
        left = sorted(n.op_type for ep, n in nodes if ep == "CPUExecutionProvider")
        return sorted(written), left
"""


@pytest.fixture(scope="module")
def project() -> Project:
    return built(NHWC)


def _run(project: Project, code: str, version: str = SUPPORTED[-1]) -> object:
    prelude = "\n".join(line[4:] for line in CODE.splitlines())
    result = project.python(prelude + "\n" + code, runtime=runtime(version))
    assert result.returncode == 0, result.stderr[-4000:]
    return json.loads(result.stdout)


def _changed(changes: dict[str, tuple[str, str]], text: str = NHWC) -> Project:
    """The project with other code in some of its files."""
    files = {file.path: file.content.decode() for file in expanded(text).files}
    for path, (old, _) in changes.items():
        assert files[path].count(old) == 1, (path, old)
    replaced = {path: files[path].replace(*change) for path, change in changes.items()}
    return built(text, changes=replaced)


@pytest.mark.parametrize("version", RUNTIMES)
def test_convolutions_are_converted(project: Project, version: str) -> None:
    code = """
print(json.dumps({
    "plain": run(conv([2, 3, 5, 7], [4, 3, 2, 3])),
    "many channels": run(conv([2, 9, 11, 13], [70, 9, 3, 3], strides=[2, 1], pads=[1, 0, 1, 2])),
    "groups": run(conv([2, 6, 5, 7], [9, 2, 2, 3], group=3)),
    "groups of many": run(conv([2, 6, 5, 7], [15, 2, 2, 3], group=3)),
    "depthwise": run(conv([2, 3, 5, 7], [3, 1, 3, 2], group=3, pads=[1, 1, 1, 1])),
    "rank 3": run(conv([2, 3, 7], [4, 3, 2])),
    "rank 5": run(conv([2, 3, 5, 6, 7], [4, 3, 2, 3, 2])),
    "dilation": run(conv([2, 3, 7, 9], [4, 3, 2, 3], dilations=[2, 3])),
    "pointwise": run(conv([2, 3, 5, 7], [4, 3, 1, 1])),
    "open sizes": run(conv(["N", 3, "H", "W"], [4, 3, 2, 3]), X=[2, 3, 5, 7]),
    "nothing": run(conv([0, 3, 5, 7], [4, 3, 2, 3])),
}))
"""
    found = _run(project, code, version)
    assert isinstance(found, dict)
    assert len(found) == 11
    assert {name: value for name, value in found.items() if value != [["Conv"], []]} == {}


@pytest.mark.parametrize("version", RUNTIMES)
def test_what_cannot_be_taken_once_it_is_converted_is_left_to_the_cpu(
    project: Project, version: str
) -> None:
    code = """
def pool(outputs, opset=17):
    names = ["Y", "I"][:outputs]
    return models.model(
        [models.node("MaxPool", ["X"], names, name="p0", kernel_shape=[2, 3])],
        [models.value("X", [2, 3, 5, 7])],
        [onnx.helper.make_empty_tensor_value_info(name) for name in names], opset=opset)

def norm(opset):
    return models.model(
        [models.node("LpPool", ["X"], ["Y"], name="l0", kernel_shape=[2, 3])],
        [models.value("X", [2, 3, 5, 7])], [models.value("Y", [2, 3, 4, 5])], opset=opset)

print(json.dumps({
    "indices": run(pool(2)), "no indices": run(pool(1)),
    "no such version": run(norm(10)), "a version": run(norm(11)),
}))
"""
    assert _run(project, code, version) == {
        "indices": [[], ["MaxPool"]],
        "no indices": [["MaxPool"], []],
        "no such version": [[], ["LpPool"]],
        "a version": [["LpPool"], []],
    }


@pytest.mark.parametrize("version", RUNTIMES)
def test_a_kernel_that_refuses_groups_refuses_them_before_the_conversion(version: str) -> None:
    refusing = (
        f"{READ}\n  int64_t group = 1;\n"
        + """
  EP_RETURN_IF_ERROR(node.Get("group", &group));
  if (group != 1) return NotImplemented("groups");
"""
    )
    changed = _changed({"src/gen/kernels/conv.cc": (READ, refusing)})
    code = """
print(json.dumps({
    "plain": run(conv([2, 3, 5, 7], [4, 3, 2, 3])),
    "groups": run(conv([2, 3, 5, 7], [6, 1, 2, 3], group=3)),
    "rank 3": run(conv([2, 3, 7], [4, 3, 2])),
    "dilation": run(conv([2, 3, 7, 9], [4, 3, 2, 3], dilations=[2, 3])),
}))
"""
    assert _run(changed, code, version) == {
        "plain": [["Conv"], []],
        "groups": [[], ["Conv"]],
        "rank 3": [["Conv"], []],
        "dilation": [["Conv"], []],
    }


def test_without_the_first_look_there_would_be_no_session() -> None:
    """The claim asks the kernel of the converted node as well; ONNX Runtime would not forgive."""
    looks = "if (*domain == '\\0' && HasNhwcKernel(op)) {"
    hasty = _changed({"src/abi/ep.cc": (looks, "if (false) {")})
    code = """
model = models.model(
    [models.node("MaxPool", ["X"], ["Y", "I"], name="p0", kernel_shape=[2, 3])],
    [models.value("X", [2, 3, 5, 7])],
    [onnx.helper.make_empty_tensor_value_info(name) for name in "YI"])
try:
    run(model)
    print(json.dumps("a session"))
except Exception as error:
    print(json.dumps(str(error)))
"""
    assert "was not selected by that EP" in str(_run(hasty, code))


@pytest.mark.parametrize("version", RUNTIMES)
def test_models_that_the_cpu_shares(project: Project, version: str) -> None:
    code = """
def mixed():
    node = models.node
    return models.model(
        [
            node("Conv", ["X", "W"], ["a"], name="c0"),
            node("BatchNormalization", ["a", "s", "s", "s", "v"], ["b"], name="b0"),
            node("Relu", ["b"], ["c"], name="r0"),
            node("Sin", ["c"], ["d"], name="s0"),
            node("MaxPool", ["d"], ["e"], name="p0", kernel_shape=[2, 2], pads=[0, 0, 1, 1]),
            node("AveragePool", ["c"], ["f"], name="p1", kernel_shape=[1, 1]),
            node("Add", ["e", "f"], ["g"], name="a0"),
            node("Concat", ["g", "c"], ["h"], name="k0", axis=1),
            node("GlobalAveragePool", ["h"], ["Y"], name="g0"),
            node("Conv", ["h", "V"], ["Z"], name="c1", group=2),
        ],
        [models.value("X", [2, 3, 5, 7])],
        [onnx.helper.make_empty_tensor_value_info(name) for name in "YZ"],
        [weights("W", 4, 3, 2, 3), weights("V", 6, 4, 2, 1), weights("s", 4),
         models.constant("v", np.ones(4, np.float32))],
    )

def nested():
    branch = lambda name, nodes: onnx.helper.make_graph(
        nodes, name, [], [onnx.helper.make_empty_tensor_value_info(nodes[-1].output[0])])
    then = branch("then", [models.node("Conv", ["r", "W"], ["t"], name="c0")])
    other = branch("other", [models.node("Conv", ["r", "V"], ["o"], name="c1")])
    return models.model(
        [
            models.node("Relu", ["X"], ["r"], name="r0"),
            models.node("If", ["yes"], ["Y"], name="i0", then_branch=then, else_branch=other),
        ],
        [models.value("X", [2, 3, 5, 7])], [onnx.helper.make_empty_tensor_value_info("Y")],
        [weights("W", 4, 3, 2, 3), weights("V", 4, 3, 2, 3),
         models.constant("yes", np.array(True))],
    )

print(json.dumps([run(mixed(), NONE), run(mixed(), ALL), run(nested())]))
"""
    plain, optimized, nested = _run(project, code, version)  # type: ignore[misc]
    pools = ["AveragePool", "GlobalAveragePool", "MaxPool"]
    assert plain[0] == sorted(["BatchNormalization", "Conv", "Conv", *pools])
    assert {"Conv", "MaxPool"} <= set(optimized[0])
    assert "Sin" in plain[1]
    assert "Sin" in optimized[1]
    assert nested[0] == ["Conv", "Conv"]


@pytest.mark.parametrize("version", RUNTIMES)
def test_transposes_may_be_the_cpus(version: str) -> None:
    found = _run(built(BARE), "print(json.dumps(run(conv([2, 3, 5, 7], [4, 3, 2, 3]))))", version)
    assert found == [["Conv"], ["Transpose", "Transpose"]]


def _suite(
    project: Project, *tests: str, host: Path | None = None
) -> subprocess.CompletedProcess[str]:
    place = project.root / "tests/python"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, *(str(place / test) for test in tests)],
        cwd=project.root,
        env={**project.environment(host or runtime(SUPPORTED[-1])), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.lab
@pytest.mark.parametrize("text", [NHWC, BARE], ids=["transposing", "bare"])
@pytest.mark.parametrize("version", RUNTIMES)
def test_the_generated_tests_pass(text: str, version: str) -> None:
    result = _suite(built(text), "", host=runtime(version))
    assert result.returncode == 0, result.stdout[-4000:]


def test_the_generated_layout_tests_cover_every_version(project: Project) -> None:
    result = _suite(project, "test_layout.py")
    assert result.returncode == 0, result.stdout[-4000:]
    assert "skipped" not in result.stdout
    ops = project.manifest["layout"]["ops"]
    versions = [op for op in project.manifest["ops"] if op["op"] in ops]
    assert len(ops) == 9
    assert int(result.stdout.rsplit(" passed", 1)[0].rsplit(maxsplit=1)[-1]) > len(versions)


@pytest.mark.lab
@pytest.mark.parametrize(
    ("changes", "ops"),
    [
        (IGNORED, {"AveragePool", "Conv", "GlobalMaxPool", "InstanceNormalization", "LRN"}),
        (MISPLACED, {"BatchNormalization", "GlobalMaxPool", "MaxPool"}),
    ],
    ids=["shapes", "places"],
)
def test_kernels_that_ignore_the_layout_fail_the_generated_tests(
    changes: dict[str, tuple[str, str]], ops: set[str]
) -> None:
    result = _suite(_changed(changes), "test_layout.py")
    test = "test_the_node_is_converted_and_its_values_are_right["
    failed = {
        line.split(test, 1)[1].split("-", 1)[0]
        for line in result.stdout.splitlines()
        if line.startswith("FAILED") and test in line
    }
    assert failed >= ops
    assert changes is IGNORED or failed == ops


@pytest.mark.lab
def test_a_library_that_prefers_no_layout_fails_the_generated_tests() -> None:
    prefers = "*layout = OrtEpDataLayout_NHWC;"
    changed = _changed({"src/abi/ep.h": (prefers, "*layout = OrtEpDataLayout_NCHW;")})
    result = _suite(changed, "test_layout.py")
    assert result.returncode == 1
    assert "assert [] == ['Conv']" in result.stdout


def test_the_kernels_pass_without_onnx_runtime() -> None:
    assert_clean(run(instrumented(NHWC, "asan"), "kernels_test"))


@pytest.mark.lab
def test_it_is_validated() -> None:
    project = built(BARE)
    command = [sys.executable, "-m", "epforge", "validate", str(project.root), "--rung", "ops"]
    chosen = [f"--op={op}" for op in ("Conv", "MaxPool", "LpPool", "Relu")]
    result = subprocess.run(
        [*command, *chosen, "--runtime", SUPPORTED[-1], "--runtime", SUPPORTED[0]],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **project.environment()},
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_project_of_the_usual_layout_has_nothing_of_it() -> None:
    plain = expanded(NHWC.replace("layout: NHWC\n", ""))
    for file in plain.files:
        if file.path != "blueprint.yaml":
            assert b"nhwc" not in file.content.lower(), file.path
            assert b"channels_last" not in file.content, file.path
