"""Custom ops in manifests, and the cases that are made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from toys import manifest

from epforge.errors import UsageError
from epforge.validate.cases.custom import from_manifest, undeclared
from epforge.validate.cases.model import Ask, Case, Feed
from epforge.validate.manifest import CustomOpClaim, Manifest, load
from epforge.validate.worker import session

OP: dict[str, Any] = {
    "domain": "com.acme",
    "op": "Gate",
    "version": 3,
    "inputs": [
        {"name": "x", "type": "T", "option": "single"},
        {"name": "b", "type": "T", "option": "optional"},
        {"name": "n", "type": "int64", "option": "single"},
        {"name": "xs", "type": "U", "option": "variadic"},
    ],
    "outputs": [{"name": "y", "type": "T"}, {"name": "z", "type": "bool"}],
    "types": {"T": ["float32", "int8"], "U": ["float64"]},
    "attributes": [
        {"name": "to", "type": "float", "default": 1.0, "required": False},
        {"name": "value", "type": "tensor", "default": None, "required": True},
        {"name": "hard", "type": "bool", "default": True, "required": False},
        {"name": "mode", "type": "string", "default": "fast", "required": False},
        {"name": "axes", "type": "ints", "default": None, "required": True},
    ],
    "kernel": "generated",
    "compute": {"y": "x", "z": "x > 0"},
}
ASK = Ask("com.acme", "Gate", 3, {"T": "int8", "U": "float64"})


def claimed(tmp_path: Path, **changes: Any) -> Manifest:
    given = {"custom_ops": [{**OP, **changes}], "custom_op_library": "acme_custom_ops"}
    return load(manifest(tmp_path / "m.json", **given))


def schema(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    found = claimed(tmp_path, **changes).custom_op("com.acme", "Gate")
    assert found is not None
    return found.job()


def made(tmp_path: Path, **changes: Any) -> dict[str, Case]:
    cases = list(from_manifest(ASK, schema(tmp_path, **changes)))
    labels = {case.label: case for case in cases}
    assert len(labels) == len(cases), "labels tell cases apart"
    return labels


def types(case: Case) -> list[str | None]:
    return [feed and feed.type for feed in case.inputs]


def test_what_a_manifest_says_of_them(tmp_path: Path) -> None:
    found = claimed(tmp_path)
    (op,) = found.custom_ops
    assert isinstance(op, CustomOpClaim)
    assert (op.name, op.version, op.kernel) == ("com.acme::Gate", 3, "generated")
    assert [each.option for each in op.inputs] == ["single", "optional", "single", "variadic"]
    assert found.custom_op("com.acme", "Other") is None
    assert found.custom_op_library == "acme_custom_ops"


def test_manifests_without_them_stay_readable(tmp_path: Path) -> None:
    found = load(manifest(tmp_path / "m.json"))
    assert (found.custom_ops, found.custom_op_library) == ((), "")
    assert found.custom_ops_beside(tmp_path / "libx.so") is None
    none = load(manifest(tmp_path / "n.json", custom_ops=[], custom_op_library=None))
    assert (none.custom_ops, none.custom_op_library) == ((), "")


def test_their_library_is_the_one_beside_the_plugin(tmp_path: Path) -> None:
    found = claimed(tmp_path)
    plugin = tmp_path / "libplugin.so"
    assert found.custom_ops_beside(plugin) is None
    (tmp_path / "libacme_custom_ops.so").touch()
    assert found.custom_ops_beside(plugin) == tmp_path / "libacme_custom_ops.so"
    (tmp_path / "acme_custom_ops.dll").touch()
    assert found.custom_ops_beside(tmp_path / "plugin.dll") == tmp_path / "acme_custom_ops.dll"


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": 3},
        {"inputs": [3]},
        {"types": []},
        {"version": "x"},
        {"attributes": 1},
        {"attributes": ["a"]},
    ],
)
def test_malformed_ones_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="malformed"):
        claimed(tmp_path, **change)


@pytest.mark.parametrize("key", ["domain", "op", "version", "inputs", "outputs", "types"])
def test_a_missing_key_is_named(key: str, tmp_path: Path) -> None:
    given = {name: value for name, value in OP.items() if name != key}
    with pytest.raises(UsageError, match=f"lacks the key '{key}'"):
        load(manifest(tmp_path / "m.json", custom_ops=[given]))


def test_inputs_are_of_the_types_that_are_asked_for(tmp_path: Path) -> None:
    cases = made(tmp_path)
    assert types(cases["(2,3)"]) == ["int8", "int8", "int64", "float64"]
    assert types(cases["optional inputs absent"]) == ["int8", None, "int64", "float64"]
    assert types(cases["3 tensors"]) == ["int8", "int8", "int64", *["float64"] * 3]
    assert all(case.outputs == 2 for case in cases.values())


def test_shapes_broadcast_and_may_be_empty(tmp_path: Path) -> None:
    shapes = [
        [feed.array.shape for feed in case.inputs if feed] for case in made(tmp_path).values()
    ]
    assert any(0 in shape for each in shapes for shape in each)
    assert any(() in each for each in shapes)
    assert any(len(set(each)) > 1 for each in shapes)


def test_attributes_are_at_their_defaults_and_elsewhere(tmp_path: Path) -> None:
    cases = made(tmp_path)
    plain = cases["(2,3)"].attributes
    assert set(plain) == {"value", "axes"}  # what nodes must have
    assert cases["to=2.0"].attributes["to"] == 2.0
    assert cases["hard=0"].attributes["hard"] == 0
    assert cases["mode=other"].attributes["mode"] == "other"


def test_of_a_kernel_that_somebody_wrote_only_the_first_case_must_be_taken(tmp_path: Path) -> None:
    cases = list(made(tmp_path, kernel="yours").values())
    assert [case.basic for case in cases] == [True, *[False] * (len(cases) - 1)]
    assert all(case.basic for case in made(tmp_path).values())


def test_every_case_is_a_valid_node(tmp_path: Path) -> None:
    """Attributes of any name and kind, such as ``to`` and ``value``, which mean more in ONNX."""
    for case in made(tmp_path).values():
        (node,) = session.build(ASK, case, 3).proto.graph.node
        assert (node.domain, node.op_type) == ("com.acme", "Gate")
        found = {each.name: each for each in node.attribute}
        assert found["value"].t.data_type == 1
        assert list(found["axes"].ints) == [1, 2]
        if "to" in found:
            assert found["to"].f == 2.0


def test_a_required_attribute_has_a_value_of_its_kind(tmp_path: Path) -> None:
    kinds = ("int", "float", "string", "bool", "ints", "floats", "strings")
    attributes = [{"name": kind, "type": kind, "default": None} for kind in kinds]
    for case in made(tmp_path, attributes=attributes).values():
        (node,) = session.build(ASK, case, 3).proto.graph.node
        assert {each.name for each in node.attribute} == set(kinds)


def test_types_to_leave_alone_are_those_of_variables_with_a_choice(tmp_path: Path) -> None:
    found = list(undeclared(schema(tmp_path)))
    assert ("T", "float64") in found
    assert all(variable == "T" for variable, _ in found)
    assert not {"float32", "int8"} & {type_ for _, type_ in found}
    assert all(Feed(ASK.array((1,), type_), type_).runnable for _, type_ in found)
