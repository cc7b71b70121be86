"""The native module of every kind of project: what it computes, and what its preview says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from native_modules import native_module
from projects import Project, built

pytestmark = pytest.mark.lab

SEPARATE = "\npython: {native: separate}\n"
NHWC = """\
epforge: 1
name: contoso-nhwc
vendor: Contoso
layout: NHWC
ops: [Conv, Relu, MaxPool]
"""
STUB = """\
epforge: 1
name: contoso-stub
vendor: Contoso
runtime: stub
devices: [{name: npu, type: npu, virtual: allowed}]
memory: {default: plain}
ops: [Relu, Reshape]
"""
KEPT = """\
epforge: 1
name: contoso-mixed
vendor: Contoso
paradigm: compiled
compile:
  max_group: 3
  also_kernels: [Cast, Neg]
  patterns: [{name: MulAdd, match: [Mul, Add]}]
ops: [Add, Cast, Mul, Neg, Relu]
"""
GRAPHS = """\
epforge: 1
name: contoso-graphs
vendor: Contoso
ops: [Add, If, Loop, RandomNormal, "com.microsoft::GroupQueryAttention"]
"""
SEVERAL = """\
epforge: 1
name: contoso-two
vendor: {name: Contoso, pci_id: 0xB357}
devices:
  - {name: little, type: npu, match: {vendor_id: 1}, virtual: allowed}
  - {name: large, type: gpu, match: {vendor_id: 2}, virtual: allowed, ep: ContosoLargeProvider}
ops: [Relu, Add]
"""


def text_of(repository: Path, name: str) -> str:
    return (repository / f"blueprints/{name}.yaml").read_text(encoding="utf-8") + SEPARATE


@pytest.mark.parametrize(
    "name", ["compiled", "custom-ops", "kernel-registry", "strict-gpu", "virtual", "virtual-memory"]
)
def test_its_own_tests_pass(repository: Path, name: str) -> None:
    text = text_of(repository, name)
    project = built(text)
    module = native_module(text)
    variable = f"{project.manifest['macro']}_LIBRARY"
    done = module.suite(**{variable: str(project.library)})
    assert done.returncode == 0, done.stdout[-6000:]
    assert f"set {variable}" not in done.stdout


@pytest.mark.parametrize(
    "text", [NHWC, SEVERAL, KEPT, GRAPHS], ids=["nhwc", "several", "kept", "graphs"]
)
def test_its_own_tests_pass_where_nothing_is_compared(text: str) -> None:
    done = native_module(text + SEPARATE).suite()
    assert done.returncode == 0, done.stdout[-6000:]


def test_a_device_that_is_not_written_says_so() -> None:
    done = native_module(STUB + SEPARATE).run("""
        print(native.devices()[0]["runtime"])
        try:
            native.ops.relu(np.ones(3, np.float32))
        except native.KernelError as error:
            print(type(error).__name__, error)
    """)
    assert "'opens': False" in done.stdout, done.stderr
    assert "NotSupportedError Relu-14: " in done.stdout


def groups_of(project: Project, model: str) -> list[list[str]]:
    """The nodes that ONNX Runtime gives to the execution provider, group by group."""
    done = project.python(f"""
        settings = ort.SessionOptions()
        settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        settings.add_provider_for_devices([device], {{}})
        session = ort.InferenceSession({model!r}, settings, enable_fallback=0)
        print(json.dumps(sorted(
            sorted(node.name for node in part.get_nodes())
            for part in session.get_provider_graph_assignment_info()
            if part.ep_name == {project.ep!r}
        )))
    """)
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


MODELS = """
    from onnx import TensorProto, helper
    import random

    def model(seed):
        pick = random.Random(seed)
        names, nodes = ["x"], []
        for index in range(24):
            op = pick.choice(["Relu", "Add", "Mul", "Neg", "Abs", "Cast"])
            count = 2 if op in ("Add", "Mul") else 1
            inputs = [pick.choice(names[-4:]) for _ in range(count)]
            more = {"to": 1} if op == "Cast" else {}
            nodes.append(helper.make_node(op, inputs, [f"v{index}"], name=f"n{index}", **more))
            names.append(f"v{index}")
        read = {name for node in nodes for name in node.input}
        ends = [name for name in names if name not in read]
        made = helper.make_model(helper.make_graph(
            nodes, "g", [helper.make_tensor_value_info("x", 1, [3])],
            [helper.make_tensor_value_info(name, 1, [3]) for name in ends],
        ), opset_imports=[helper.make_opsetid("", 17)])
        made.ir_version = 8
        return made.SerializeToString()

    told = []
    for seed in range(8):
        content = model(seed)
        open(f"{folder}/{seed}.onnx", "wb").write(content)
        groups, alone = {}, []
        for node in native.preview(content).taken:
            if node.group is None:
                alone.append([node.name])
            else:
                groups.setdefault(node.group, []).append(node.name)
        told.append(sorted([*map(sorted, groups.values()), *alone]))
    print(json.dumps(told))
"""


@pytest.mark.parametrize("text", [KEPT, KEPT.replace("max_group: 3", "max_group: 0")])
def test_groups_are_those_of_onnx_runtime(text: str, tmp_path: Path) -> None:
    done = native_module(text + SEPARATE).run(f"folder = {str(tmp_path)!r}\n" + _dedented(MODELS))
    assert done.returncode == 0, done.stderr
    project = built(text + SEPARATE)
    told = json.loads(done.stdout)
    assert any(len(group) > 1 for groups in told for group in groups)
    for seed, groups in enumerate(told):
        assert sorted(groups) == groups_of(project, str(tmp_path / f"{seed}.onnx")), seed


def _dedented(text: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in text.splitlines())


def test_nodes_within_other_nodes_and_functions_are_judged(repository: Path) -> None:
    done = native_module(text_of(repository, "compiled")).run("""
        import onnx
        model = onnx.parser.parse_model('''
            <ir_version: 8, opset_import: ["" : 17, "mine" : 1]>
            g (float[3] x, bool c) => (float[3] y) {
                a = Relu (x)
                y = If (c) <
                    then_branch = t () => (float[3] p) { p = Add (a, a) },
                    else_branch = e () => (float[3] q) { q = mine.Twice (a) }
                >
            }
            <domain: "mine", opset_import: ["" : 17]>
            Twice (v) => (w) { w = Mul (v, v) }
        ''')
        for each in native.preview(model).nodes:
            print(each.op, len(each.graph), each.taken, each.reason)
    """)
    assert done.stdout.splitlines() == [
        "Relu 0 True ",
        "Mul 1 True ",
        "Add 1 True ",
        "If 0 False there is no kernel for it",
    ] or done.stdout.splitlines() == [
        "Relu 0 True ",
        "Add 1 True ",
        "Mul 1 True ",
        "If 0 False there is no kernel for it",
    ], done.stdout + done.stderr


def test_the_test_variant_counts(repository: Path) -> None:
    text = text_of(repository, "strict-gpu")
    code = """
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        print((native.ops.add(x, x) == 2 * x).all())
        print((native.ops.reshape(x, np.array([4, 3])) == x.reshape(4, 3)).all())
        found = native.counters()
        print(found["launches"], found["copies_to_device"], found["copies_to_host"],
              found["bytes_in_use"])
    """
    setting = "cmake.define.NATIVE_TEST_VARIANT=ON"
    done = native_module(text, settings=[setting]).run(code)
    assert done.stdout.split() == ["True", "True", "2", "3", "2", "0"], done.stderr
    done = native_module(text).run("native.counters()")
    assert "NotSupportedError: only the test variant" in done.stderr
    assert setting in done.stderr


def test_its_python_is_typed_and_tidy(repository: Path) -> None:
    names = ["compiled", "custom-ops", "kernel-registry", "strict-gpu"]
    for module in (native_module(text_of(repository, name)) for name in names):
        for command in (
            ["mypy", "--cache-dir=/dev/null"],
            ["ruff", "check", "--no-cache", "."],
            ["ruff", "format", "--no-cache", "--check", "."],
        ):
            done = subprocess.run(
                [sys.executable, "-m", *command],
                cwd=module.root / "native",
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout
