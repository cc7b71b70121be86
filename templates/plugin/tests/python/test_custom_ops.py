<%= banner %>
<% if library %>
"""The custom operators: on the execution provider, which brings them along, and from the library
that has them alone. `custom_reference.py` says in NumPy what they compute."""
<% else %>
"""The custom operators, which come with the execution provider. `custom_reference.py` says in NumPy
what they compute."""
<% endif %>

import itertools
import json
<% if library %>
import shutil
import subprocess
<% endif %>
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx
import onnxruntime
import pytest

<% if library %>
import <%= package %> as package
<% endif %>
from support import (
    NUMBERS,
    NoReferenceError,
    OneNode,
    Plugin,
    Trial,
    assert_same,
    expected,
    is_unwritten,
    trials,
)

_MANIFEST: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[2] / "src/gen/manifest.json").read_text(encoding="utf-8")
)
_OPS = [op for op in _MANIFEST["custom_ops"] if op["kernel"] != "elsewhere"]
# What the shapes of outputs are known of without anybody's function.
_ELEMENTWISE = [op for op in _OPS if op["kernel"] == "generated"]
_ORT = onnxruntime.capi.onnxruntime_pybind11_state
_OTHER: Mapping[str, Any] = {
    "int": 2,
    "float": 0.5,
    "string": "other",
    "bool": 1,
    "ints": [1, 2],
    "floats": [0.5, 2.0],
    "strings": ["a", "b"],
    "tensor": {"type_of": "float32", "values": [1.0]},
}


def _name(op: Mapping[str, Any]) -> str:
    return str(op["op"])


def _types(op: Mapping[str, Any]) -> dict[str, str]:
    """The first type of every variable."""
    return {variable: choices[0] for variable, choices in op["types"].items()}


def _trial(
    op: Mapping[str, Any],
    types: Mapping[str, str],
    shapes: tuple[tuple[int, ...], ...] = ((2, 3, 4),),
    *,
    absent: bool = False,
    tensors: int = 1,
    other: bool = False,
) -> Trial:
    """One call of an operator.

    Args:
        shapes: of the inputs; the last one is that of all others, too.
        absent: leave the optional inputs out.
        tensors: how many there are of a variadic input.
        other: give all attributes values that are not their defaults.
    """
    inputs: list[dict[str, Any] | None] = []
    for formal in op["inputs"]:
        for _ in range(tensors if formal["option"] == "variadic" else 1):
            shape = shapes[min(len(inputs), len(shapes) - 1)]
            left_out = absent and formal["option"] == "optional"
            inputs.append(None if left_out else {"type": formal["type"], "shape": list(shape)})
    attributes = {
        each["name"]: _varied(each) for each in op["attributes"] if other or each["required"]
    }
    case = {"domain": op["domain"], "op": op["op"], "inputs": inputs, "attributes": attributes}
    case["outputs"] = len(op["outputs"])
    return Trial(case, op["version"], types, op["kernel"] == "generated")


def _varied(attribute: Mapping[str, Any]) -> Any:
    value, default = _OTHER[attribute["type"]], attribute["default"]
    if attribute["type"] in ("int", "float") and default is not None:
        return default + 1
    return 1 - default if attribute["type"] == "bool" and default is not None else value


def _trials() -> Iterator[Any]:
    """Calls of every operator with every combination of types, and what the cases have."""
    for op in _OPS:
        options = {formal["option"] for formal in op["inputs"]}
        for chosen in itertools.product(*op["types"].values()):
            types = dict(zip(op["types"], chosen, strict=True))
            calls = {"plain": _trial(op, types), "empty": _trial(op, types, ((0, 4),))}
            calls["scalar"] = _trial(op, types, ((),))
            if len(op["inputs"]) > 1:
                calls["broadcast"] = _trial(op, types, ((2, 1, 4), (3, 1)))
            if "optional" in options:
                calls["absent"] = _trial(op, types, absent=True)
            if "variadic" in options:
                calls["three"] = _trial(op, types, ((2, 3), (3,), (2, 1)), tensors=3)
            if op["attributes"]:
                calls["attributes"] = _trial(op, types, other=True)
            for label, trial in calls.items():
                name = "-".join((op["op"], *chosen, label))
                yield pytest.param(trial, id=name)
    own = {(op["domain"], op["op"]) for op in _OPS}
    for trial in trials(_MANIFEST, stubs=True):
        if (trial.case["domain"], trial.case["op"]) in own:
            yield pytest.param(trial, id=f"case-{trial}")


def _outcome(trial: Trial, session: onnxruntime.InferenceSession, one: OneNode) -> list[Any]:
    """What a session computes. A shape that a stub's author refuses is no failure."""
    try:
        return list(session.run(None, one.feeds))
    except _ORT.InvalidArgument:
        if trial.ready:
            raise
        pytest.skip("inputs of these shapes do not fit it: write a test of its own beside this one")


def _skip_stub(trial: Trial, plugin: Plugin, one: OneNode) -> None:
    if not trial.ready and not plugin.takes(one.model):
        pytest.skip("its kernel is a stub: see kReady in src/kernels/")


@pytest.mark.parametrize("trial", list(_trials()))
def test_on_the_execution_provider(plugin: Plugin, trial: Trial) -> None:
    one = trial.build()
    _skip_stub(trial, plugin, one)
    session = plugin.session(one.model)
    assert plugin.taken(session) == [one.op]
    mine = _outcome(trial, session, one)
    try:
        assert_same(mine, expected(one))
    except NoReferenceError:
<% if library %>
        assert_same(mine, _alone(one.model).run(None, one.feeds))
<% else %>
        pytest.skip("it has no expression: write a test of its own beside this one")
<% endif %>


<% if library %>
def _alone(model: bytes) -> onnxruntime.InferenceSession:
    """A session on the CPU with the library of the custom operators."""
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.register_custom_ops_library(package.get_custom_ops_library_path())
    return onnxruntime.InferenceSession(model, settings, ["CPUExecutionProvider"])


@pytest.mark.parametrize("trial", list(_trials()))
def test_from_the_library_on_the_cpu(library: Path, trial: Trial) -> None:
    one = trial.build()
    try:
        session = _alone(one.model)
    except Exception as error:
        if trial.ready or not is_unwritten(error):
            raise
        pytest.skip("its kernel is a stub: see kReady in src/kernels/")
    mine = _outcome(trial, session, one)
    try:
        assert_same(mine, expected(one))
    except NoReferenceError:
        pytest.skip("it has no expression: write a test of its own beside this one")


<% endif %>
@pytest.mark.parametrize("op", _OPS, ids=_name)
def test_the_operators_come_with_the_execution_provider_alone(
    plugin: Plugin, op: Mapping[str, Any]
) -> None:
    one = _trial(op, _types(op)).build()
    with pytest.raises(_ORT.Fail, match=rf"{op['op']}.* is not a registered function/op"):
        onnxruntime.InferenceSession(one.model, providers=["CPUExecutionProvider"])
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.add_provider_for_devices([plugin.device], {})
    try:
        onnxruntime.InferenceSession(one.model, settings)
    except Exception as error:  # a stub: it is known, and nobody computes it
        if not is_unwritten(error):
            raise
        assert op["op"] in str(error)


@pytest.mark.filterwarnings("ignore:Specified 'providers'")
@pytest.mark.parametrize("op", _ELEMENTWISE, ids=_name)
def test_with_them_come_kernels_for_the_cpu(plugin: Plugin, op: Mapping[str, Any]) -> None:
    """The session is not on the device that brought them along."""
    for chosen in itertools.product(*op["types"].values()):
        one = _trial(op, dict(zip(op["types"], chosen, strict=True))).build()
        settings = onnxruntime.SessionOptions()
        settings.add_provider_for_devices([plugin.device], {})
        session = onnxruntime.InferenceSession(one.model, settings, ["CPUExecutionProvider"])
        assert session.get_providers() == ["CPUExecutionProvider"]
        assert_same(session.run(None, one.feeds), expected(one))


def _open(op: Mapping[str, Any], *shapes: tuple[int | str, ...]) -> bytes:
    """A model whose inputs have these shapes, open dimensions as texts."""
    sizes = tuple(tuple(d if isinstance(d, int) else 2 for d in shape) for shape in shapes)
    model = onnx.load_from_string(_trial(op, _types(op), sizes).build().model)
    for index, value in enumerate(model.graph.input):
        shape = shapes[min(index, len(shapes) - 1)]
        for dim, wanted in zip(value.type.tensor_type.shape.dim, shape, strict=True):
            if isinstance(wanted, str):
                dim.dim_param = wanted
    return bytes(model.SerializeToString())


def _sessions(plugin: Plugin, model: bytes) -> Iterator[onnxruntime.InferenceSession]:
    yield plugin.session(model)
<% if library %>
    yield _alone(model)
<% endif %>


@pytest.mark.parametrize("op", _ELEMENTWISE, ids=_name)
def test_shapes_are_inferred_and_symbols_stay(plugin: Plugin, op: Mapping[str, Any]) -> None:
    shape = ["N", 3, "M"] if op["inputs"] else []
    for session in _sessions(plugin, _open(op, ("N", 3, "M"))):
        assert all(each.shape == shape for each in session.get_outputs())
    if len(op["inputs"]) < 2:
        return
    for session in _sessions(plugin, _open(op, ("N", 1, 4), (3, 1))):
        assert all(each.shape == ["N", 3, 4] for each in session.get_outputs())


@pytest.mark.parametrize("op", _ELEMENTWISE, ids=_name)
def test_a_type_that_is_not_declared_is_refused_by_name(
    plugin: Plugin, op: Mapping[str, Any]
) -> None:
    for variable, choices in op["types"].items():
        if len(choices) == 1:
            continue  # the schema has that type, and the runtime refuses others by itself
        wrong = next(name for name in ("int8", "uint16", "float64") if name not in choices)
        _refused(plugin, _trial(op, {**_types(op), variable: wrong}).build().model, op["op"])


@pytest.mark.parametrize("op", _ELEMENTWISE, ids=_name)
def test_mixed_types_of_one_variable_are_refused_by_name(
    plugin: Plugin, op: Mapping[str, Any]
) -> None:
    for variable, choices in op["types"].items():
        count = sum(formal["type"] == variable for formal in op["inputs"])
        if count < 2 or len(choices) < 2:
            continue
        model = onnx.load_from_string(_trial(op, _types(op)).build().model)
        index = [formal["type"] for formal in op["inputs"]].index(variable)
        model.graph.input[index].type.tensor_type.elem_type = NUMBERS[choices[1]]
        _refused(plugin, model.SerializeToString(), op["op"])


def _refused(plugin: Plugin, model: bytes, op: str) -> None:
    with pytest.raises(Exception, match=op):
        plugin.session(model, config={"session.disable_cpu_ep_fallback": "0"})
<% if library %>
    with pytest.raises(Exception, match=op):
        _alone(model)
<% endif %>
<% if library %>


def test_two_sessions_of_the_library_at_once(library: Path) -> None:
    for op in _ELEMENTWISE[:1]:
        one = _trial(op, _types(op)).build()
        first, second = _alone(one.model), _alone(one.model)
        assert_same(first.run(None, one.feeds), second.run(None, one.feeds))


def test_the_library_exports_one_function(library: Path) -> None:
    path = Path(package.get_custom_ops_library_path())
    nm = shutil.which("nm")
    if nm is None or path.read_bytes()[:4] != b"\x7fELF":
        pytest.skip("reads ELF files, with nm")
    command = [nm, "-D", "--defined-only", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1].split("@")[0] for line in text.splitlines()}
    sanitizer = {name for name in names if "asan" in name or "tsan" in name or "ubsan" in name}
    assert names - sanitizer == {"RegisterCustomOps"}


def test_a_wrong_path_of_the_library_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(<%= custom_library_variable | py_string %>, str(tmp_path / "nothing.so"))
    with pytest.raises(FileNotFoundError, match=r"<%= custom_library_variable %>.*nothing\.so"):
        package.get_custom_ops_library_path()
<% endif %>
