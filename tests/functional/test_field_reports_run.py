"""Public bug reports as tests, part two: options, claims and shapes, as applications meet them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from projects import Project, built
from runtimes import runtime

WITH_OPTIONS = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Relu, Add, Mul, Identity]
options:
  - {name: effort, type: int, range: [0, 3], default: 0, excludes: [auto], doc: Effort.}
  - {name: auto, type: bool, default: false, doc: Let it choose.}
  - {name: scale, type: float, range: [0.5, 2.0], default: 1.0, doc: A factor.}
  - {name: mode, type: enum, choices: [fast, exact], default: fast, doc: A mode.}
"""

NO_DEVICE = """\
epforge: 1
name: contoso-npu
vendor: Contoso
devices: [{name: npu, type: npu, match: {vendor_id: 0xB357}}]
ops: [Relu]
"""


@pytest.fixture(scope="module")
def configured() -> Project:
    return built(WITH_OPTIONS)


def ok(project: Project, code: str, **more: Path) -> None:
    result = project.python(code + "\nprint('ok')\n", **more)
    assert (result.returncode, result.stdout[-3:]) == (0, "ok\n"), result.stdout + result.stderr


REFUSED = '''
def refused(options=None, config=None):
    """The error's text; an error there must be."""
    try:
        models.session(models.mul(), device, options, config)
    except Exception as error:
        return str(error)
    raise AssertionError(f"accepted {options} {config}")
'''


def test_fr_20_a_suite_that_finds_no_device_fails_unless_told_otherwise() -> None:
    """A suite skipped itself when discovery broke, and nobody noticed."""
    project = built(NO_DEVICE)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "tests/python/test_ops.py",
        "-p",
        "no:cacheprovider",
    ]
    environment = project.environment()
    found = subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert "offers no device" in found.stdout
    environment["CONTOSO_NPU_ALLOW_NO_DEVICE"] = "1"
    told = subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout
    assert "skipped" in told.stdout


def test_fr_26_unknown_option_is_an_error(configured: Project) -> None:
    """Options under the wrong prefix were ignored in silence."""
    ok(
        configured,
        REFUSED
        + """
text = refused({"efort": "1"})
assert "efort" in text, text
for name in ("effort", "auto", "scale", "mode"):
    assert name in text, text
""",
    )


def test_fr_26_an_option_and_the_session_s_entry_are_the_same(configured: Project) -> None:
    ok(
        configured,
        REFUSED
        + """
key = "ep.contosonpuexecutionprovider.effort"
models.session(models.mul(), device, {"effort": "2"})
models.session(models.mul(), device, config={key: "2"})
assert refused({"effort": "7"}) == refused(config={key: "7"})
""",
    )


def test_fr_26_the_keys_of_others_are_ignored(configured: Project) -> None:
    ok(
        configured,
        """
models.session(models.mul(), device, config={"ep.otherexecutionprovider.effort": "abc"})
models.session(models.mul(), device, config={"some.other.key": "abc"})
""",
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("effort", "abc"),
        ("effort", "4"),
        ("effort", "-1"),
        ("effort", "99999999999999999999"),
        ("effort", "1.5"),
        ("effort", " 1"),
        ("auto", "maybe"),
        ("scale", "0.25"),
        ("scale", "nan"),
        ("scale", "1,5"),
        ("mode", "slow"),
    ],
)
def test_fr_26_a_bad_value_is_an_error_with_name_and_value(
    configured: Project, name: str, value: str
) -> None:
    ok(
        configured,
        REFUSED
        + f"""
text = refused({{{name!r}: {value!r}}})
assert {name!r} in text and {value!r} in text, text
""",
    )


def test_fr_26_options_that_exclude_each_other(configured: Project) -> None:
    ok(
        configured,
        REFUSED
        + """
text = refused({"effort": "1", "auto": "true"})
assert "effort" in text and "auto" in text, text
""",
    )


@pytest.mark.parametrize("version", ["1.26.0", "1.32.0"])
@pytest.mark.parametrize("project", ["minimal", "device_memory"])
def test_fr_27_a_missing_input_is_an_error(
    project: str, version: str, request: pytest.FixtureRequest
) -> None:
    """Plugin kernels crashed when an application left out an input of the graph. The session's own
    `run` checks the names in Python; below it nobody does."""
    ok(
        request.getfixturevalue(project),
        """
session = models.session(models.mul(), device)
a = np.ones((3, 2), np.float32)
try:
    session._sess.run(["C"], {"A": a}, None)
except Exception as error:
    assert "B" in str(error), error
else:
    raise AssertionError("no error")
assert session.run(None, {"A": a, "B": a})[0].tolist() == a.tolist()
""",
        runtime=runtime(version),
    )


SHAPES = [(), (0,), (2, 0, 3), (1,), (2, 3)]


@pytest.mark.parametrize("op", ["Relu", "Add", "Mul"])
def test_fr_35_no_type_and_no_shape_is_a_crash(minimal: Project, op: str) -> None:
    """Empty tensors and types that the device lacks ended the process."""
    ok(
        minimal,
        f"""
from onnx import TensorProto, helper
op, shapes = {op!r}, {SHAPES!r}
names = ["A"] if op == "Relu" else ["A", "B"]
for dtype in (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.BOOL):
    for shape in shapes:
        made = models.model(
            [models.node(op, names, ["C"])],
            [models.value(name, shape, dtype) for name in names],
            [models.value("C", shape, dtype)],
        )
        try:
            wanted = models.reference(made, models.feeds(made))
        except Exception as error:  # the CPU has no kernel for it, or the schema forbids it
            wanted = None
        if wanted is None:
            continue
        session = models.session(made, device, fallback=True)
        here = models.taken(session, {minimal.ep!r})
        assert here == ([op] if dtype == TensorProto.FLOAT else []), (dtype, here)
        got = session.run(None, models.feeds(made))
        assert got[0].shape == wanted[0].shape and got[0].dtype == wanted[0].dtype
        np.testing.assert_allclose(got[0], wanted[0], rtol=1e-6)
""",
    )


@pytest.mark.parametrize("dtype", ["DOUBLE", "BFLOAT16", "INT4"])
def test_fr_36_a_type_that_is_not_declared_is_not_taken(minimal: Project, dtype: str) -> None:
    """Models with a type that the device lacks crashed in the kernel."""
    ok(
        minimal,
        f"""
from onnx import TensorProto
made = models.mul(opset=21, dtype=TensorProto.{dtype})
try:
    models.session(made, device)
except Exception as error:
    text = str(error)
else:
    raise AssertionError("accepted")
try:
    session = models.session(made, device, fallback=True)
except Exception:
    pass  # no execution provider computes it, the CPU included
else:
    assert models.taken(session, {minimal.ep!r}) == []
""",
    )


def test_fr_36_strings_are_not_taken(configured: Project) -> None:
    ok(
        configured,
        f"""
session = models.session(models.string_identity(), device, fallback=True)
assert models.taken(session, {configured.ep!r}) == []
assert session.run(None, {{"A": np.array(["x", "y"], object)}})[0].tolist() == ["x", "y"]
""",
    )


def test_fr_36_the_refused_node_is_named(minimal: Project) -> None:
    result = minimal.python(
        """
        from onnx import TensorProto
        made = models.mul(dtype=TensorProto.DOUBLE)
        settings = ort.SessionOptions()
        settings.log_severity_level = 0
        settings.add_provider_for_devices([device], {})
        ort.InferenceSession(made.SerializeToString(), settings)
        """
    )
    assert result.returncode == 0, result.stderr
    said = [line for line in result.stderr.splitlines() if minimal.ep in line and "Mul" in line]
    assert said, result.stderr[-2000:]


@pytest.mark.parametrize("project", ["minimal", "device_memory"])
def test_fr_41_tensors_of_no_elements(project: str, request: pytest.FixtureRequest) -> None:
    """Zero elements meant a division by zero in launch arithmetic."""
    ok(
        request.getfixturevalue(project),
        """
for length in (0, 1, 3):
    models.check(models.dynamic(), device, length)
    models.check(models.chain(), device, length, fallback=True)
models.check(models.scalar(), device)
""",
    )


BAD = {
    "paradigm: turtles": "paradigm",
    "version: x": "version",
    "ops: [{op: Mul, models: -1}]": "models",
    "surprise: 1": "surprise",
    "name: 0755": "name",
    "vendor: [a]": "vendor",
}


@pytest.mark.parametrize("line", list(BAD))
def test_fr_79_a_bad_answer_is_refused_and_nothing_is_written(line: str, tmp_path: Path) -> None:
    """Answers skipped the checks, were recorded, and broke the templates later."""
    base = {"epforge": "1", "name": "contoso-npu", "vendor": "Contoso", "ops": "[Relu]"}
    key, _, content = line.partition(": ")
    base[key] = content
    blueprint = tmp_path / "bad.yaml"
    blueprint.write_text("".join(f"{k}: {v}\n" for k, v in base.items()), encoding="utf-8")
    number = list(base).index(key) + 1
    result = subprocess.run(
        [sys.executable, "-m", "epforge", "scaffold", str(blueprint), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert result.returncode == 2, result.stdout + result.stderr
    assert f"bad.yaml:{number}:" in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.yaml"]


def test_fr_79_in_json_too(tmp_path: Path) -> None:
    blueprint = tmp_path / "bad.yaml"
    blueprint.write_text(
        "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\nparadigm: turtles\n",
        encoding="utf-8",
    )
    result = subprocess.run(
        [sys.executable, "-m", "epforge", "check", "--json", str(blueprint)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "turtles" in json.dumps(json.loads(result.stdout))
