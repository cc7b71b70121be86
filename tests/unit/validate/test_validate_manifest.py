"""Manifests: read, or refused with the place and the key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from toys import manifest

from epforge.errors import UsageError
from epforge.validate import validate
from epforge.validate.manifest import EpContext, beside, load, version_tuple


def test_what_a_library_claims(tmp_path: Path) -> None:
    path = manifest(tmp_path / "m.json", ort={"min": "1.24.4", "target": 27})
    claims = load(path)
    assert claims.ep == "ToyExecutionProvider"
    assert claims.minimum == (1, 24, 4)
    assert {claim.name for claim in claims.ops} == {"Relu", "Add", "Mul"}
    assert claims.ops[0].types == {"T": ("float32",)}


def test_names_of_other_domains_show_the_domain(tmp_path: Path) -> None:
    ops = [{"domain": "com.microsoft", "op": "Gelu", "since": 1, "types": {"T": ["float32"]}}]
    claim = load(manifest(tmp_path / "m.json", ops=ops)).ops[0]
    assert claim.name == "com.microsoft::Gelu"
    assert claim.ready


@pytest.mark.parametrize("key", ["ep", "vendor", "version", "ort", "ops"])
def test_a_missing_key_is_named(key: str, tmp_path: Path) -> None:
    path = manifest(tmp_path / "m.json")
    content = json.loads(path.read_text())
    del content[key]
    path.write_text(json.dumps(content))
    with pytest.raises(UsageError, match=f"lacks the key '{key}'"):
        load(path)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"format": 2}', '{"format": "1"}', "\x00"],
)
def test_what_is_no_manifest_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"m\.json"):
        load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"ops": 3},
        {"ops": [3]},
        {"ops": [{"domain": "", "op": "Relu", "since": "x", "types": {}}]},
        {"ops": [{"domain": "", "op": "Relu", "since": 1, "types": []}]},
        {"ep_context": True},
        {"ep_context": {"embed": "yes"}},
        {"ort": {"min": "new"}},
        {"ort": 3},
    ],
)
def test_malformed_values_are_refused(change: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="malformed"):
        load(manifest(tmp_path / "m.json", **change))


def test_compiled_models_are_claimed_one_by_one(tmp_path: Path) -> None:
    old = load(manifest(tmp_path / "old.json"))
    assert old.paradigm == "kernel-registry"
    assert not old.ep_context.any
    some = {"embed": False, "external": True}
    new = load(manifest(tmp_path / "new.json", paradigm="compiled", ep_context=some))
    assert new.paradigm == "compiled"
    assert new.ep_context == EpContext(external=True)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1.32.0", (1, 32, 0)), ("1.9.0", (1, 9, 0)), ("1.30.0.dev20260901", (1, 30, 0)), ("2", (2,))],
)
def test_versions_order_by_number(text: str, numbers: tuple[int, ...]) -> None:
    assert version_tuple(text) == numbers
    assert version_tuple("1.9.0") < version_tuple("1.24.0") < version_tuple("2.0.0")


@pytest.mark.parametrize("text", ["", "abc", "v1.2"])
def test_odd_versions_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a version"):
        version_tuple(text)


def test_a_library_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        validate(tmp_path / "libnone.so")
    assert beside(tmp_path / "liba.so").name == "liba.so.manifest.json"
