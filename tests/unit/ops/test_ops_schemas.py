"""The snapshot of schemas: what it says, and that it says what the packages say."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

from epforge.ops import make_schemas, schemas


@pytest.mark.parametrize("name", schemas.SNAPSHOTS)
def test_snapshot_is_what_the_packages_publish(name: str) -> None:
    package, pinned = schemas.source(name)
    if version(package) == pinned:
        text = schemas.data_path(name).read_text(encoding="utf-8")
        assert text == make_schemas.dump(make_schemas.take(name))
        return
    # Another release: a version of an operator, once out, does not change.
    taken = make_schemas.take(name)
    domain = schemas.SNAPSHOTS[name]
    for op in set(schemas.names(domain)) & set(taken["ops"]):
        published = {entry[0]: entry[3] for entry in taken["ops"][op]}
        held = schemas.find(domain, op)
        assert held is not None
        for v in held.versions:
            arity = [v.min_inputs, v.max_inputs, v.min_outputs, v.max_outputs]
            assert published.get(v.since, arity) == arity, (op, v.since)


def test_opset_is_that_of_the_data() -> None:
    newest = max(v.since for op in schemas.names("") for v in _versions("", op))
    assert newest <= schemas.ONNX_OPSET
    assert f'"opset": {schemas.ONNX_OPSET}' in schemas.data_path("onnx.json").read_text(
        encoding="utf-8"
    )


def test_clip_in_all_its_versions() -> None:
    by_since = {v.since: v for v in _versions("", "Clip")}
    assert list(by_since) == [1, 6, 11, 12, 13]
    assert [(a.name, a.kind) for a in by_since[6].attributes] == [
        ("max", "float"),
        ("min", "float"),
    ]
    assert by_since[6].attributes[0].default == 3.4028235e38
    assert not by_since[11].attributes
    assert [(p.name, p.type_str, p.option) for p in by_since[13].inputs] == [
        ("input", "T", "single"),
        ("min", "T", "optional"),
        ("max", "T", "optional"),
    ]
    assert (by_since[13].min_inputs, by_since[13].max_inputs) == (1, 3)
    assert "tensor(int64)" in by_since[12].constraints["T"]
    assert "tensor(int64)" not in by_since[11].constraints["T"]


def test_defaults_are_the_shortest_that_round_to_the_same_float() -> None:
    assert _versions("", "LeakyRelu")[-1].attributes[0].default == 0.01
    assert _versions("", "Selu")[-1].attributes[0].default == 1.6732632


def test_required_deprecated_and_variadic_are_told() -> None:
    to = next(a for a in _versions("", "Cast")[-1].attributes if a.name == "to")
    assert to.required
    assert to.default is None
    assert _versions("", "Upsample")[-1].deprecated
    assert _versions("", "Concat")[-1].inputs[0].option == "variadic"


def test_microsoft_domain() -> None:
    assert len(schemas.names("com.microsoft")) > 100
    assert [p.name for p in _versions("com.microsoft", "BiasGelu")[0].inputs] == ["A", "B"]


def test_what_onnxruntime_adds_to_the_domain_of_onnx() -> None:
    (added,) = _versions("", "SimplifiedLayerNormalization")
    assert [p.name for p in added.outputs] == ["Y", "inv_std_var"]
    assert "SimplifiedLayerNormalization" in schemas.names("")
    assert [v.since for v in _versions("", "LayerNormalization")] == [17]  # onnxruntime has a 1


def test_what_is_unknown_is_none() -> None:
    assert schemas.find("", "Rellu") is None
    assert schemas.find("com.nobody", "Relu") is None
    assert schemas.names("com.nobody") == ()


def test_looking_up_imports_neither_onnx_nor_onnxruntime() -> None:
    code = (
        "import sys; from epforge.ops import families, schemas;"
        "schemas.find('', 'Relu'); families.rows();"
        "print(sorted({'onnx', 'onnxruntime', 'numpy', 'lief'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def _versions(domain: str, op: str):  # type: ignore[no-untyped-def]
    schema = schemas.find(domain, op)
    assert schema is not None
    return schema.versions
