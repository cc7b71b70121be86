"""The tags of what a blueprint uses: every feature has one, and notes ask for no other."""

from __future__ import annotations

from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from epforge.blueprint import load, parse
from epforge.ort.notes import upgrade_notes
from epforge.resolve import resolve
from epforge.resolve.model import Blueprint, Runtime
from epforge.resolve.services import Features, Layout, Weightless
from epforge.resolve.uses import uses

BLUEPRINTS = sorted((Path(__file__).resolve().parents[3] / "blueprints").rglob("*.yaml"))
FULL = Path(__file__).with_name("resolve_full.yaml")
MINIMAL = "{epforge: 1, name: contoso-npu, vendor: Contoso, ops: [Relu]}"
EVERYTHING = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ort: {min: "1.25", target: "1.32"}
devices:
  - {name: npu, type: npu, match: {vendor_id: 0xB357}, virtual: allowed, software: allowed}
  - {name: gpu, type: gpu, ep: ContosoGpuExecutionProvider}
memory: {default: arena, host_accessible: plain, read_only: plain, streams: true}
ops: [Relu, {op: com.microsoft::GroupQueryAttention, kernel: yours}]
custom_ops:
  - op: com.contoso::Named
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    attributes: {names: {type: strings, default: [a]}}
options: [{name: effort, type: int, default: 0, dynamic: true}]
features: {profiler: true, external_memory: true, graphics_interop: true, graph_capture: true,
           resource_accounting: true, memory_capacity: true}
"""


def tags_of(text: str) -> frozenset[str]:
    return uses(resolve(parse(text)))


def minimal() -> Blueprint:
    return resolve(parse(MINIMAL))


def test_the_smallest_blueprint() -> None:
    assert {tag for tag in tags_of(MINIMAL) if not tag.startswith(("target:", "attributes:"))} == {
        *("paradigm:kernel-registry", "runtime:host", "layout:NCHW", "python:3.11", "registry"),
        *("device:cpu", "op:ai.onnx::Relu", "kernel:generated", "type:float32"),
    }


def test_everything_of_a_registry() -> None:
    assert tags_of(EVERYTHING) >= {
        *("virtual_device", "software_device", "several_devices", "several_eps", "device:npu"),
        *("memory:device", "memory:varied", "memory:arena", "memory:host_accessible"),
        *("memory:read_only", "streams", "options", "dynamic_options", "custom_ops"),
        *("profiler", "external_memory", "graphics_interop", "graph_capture"),
        *("resource_accounting", "memory_capacity", "attributes:strings", "kernel:yours"),
        *("op:com.microsoft::GroupQueryAttention", "op:com.contoso::Named"),
        *("custom_op_library", "custom_op_library:cpu"),
    }


def test_everything_of_a_compiler() -> None:
    tags = uses(resolve(load(FULL)))
    assert tags >= {
        *("paradigm:compiled", "compiles", "drop_constants", "also_kernels", "patterns"),
        *("ep_context", "ep_context:embed", "ep_context:external", "ep_context:share"),
        *("native", "torch", "overlays", "grad:stub"),
    }
    assert "weightless" not in tags


def others(value: object) -> list[Any]:
    """The values that ask for a service whose default is this one."""
    if isinstance(value, bool):
        return [not value]
    assert isinstance(value, StrEnum)
    return [other for other in type(value) if other is not value]


@pytest.mark.parametrize("feature", [field.name for field in fields(Features)])
def test_every_feature_yields_a_tag_of_its_own(feature: str) -> None:
    blueprint = minimal()
    for value in others(getattr(blueprint.features, feature)):
        asked = replace(blueprint, features=replace(blueprint.features, **{feature: value}))
        new = uses(asked) - uses(blueprint)
        assert any(feature in tag for tag in new)


# Names and texts; and defaults, which show in the operators and in the runtime.
SAY_NOTHING = {"edition", "names", "version", "vendor", "license", "text", "ort", "types", "cuda"}
DECIDE = [field.name for field in fields(Blueprint) if field.name not in SAY_NOTHING]


@pytest.mark.parametrize("name", DECIDE)
def test_every_part_of_a_blueprint_that_decides_code_has_tags(name: str) -> None:
    small = minimal()
    others: dict[str, Any] = {
        "layout": Layout.NHWC,
        "runtime": Runtime.CUDA,
        "python_min": (3, 12),
        "targets": ("linux-x64",),
        "runtime_libs": ("a.so",),
        "system_libs": ("b.so",),
        "distributions": ("", "-x"),
        "control_flow": resolve(parse(MINIMAL.replace("Relu", "If"))).control_flow,
    }
    other = others.get(name) or getattr(resolve(load(FULL)), name)
    assert uses(replace(small, **{name: other})) != uses(small)


def test_notes_ask_only_for_tags_that_blueprints_have() -> None:
    known: set[str] = set(tags_of(EVERYTHING))
    for path in (*BLUEPRINTS, FULL):
        known |= uses(resolve(load(path)))
    full = resolve(load(FULL))
    known |= uses(replace(full, features=replace(full.features, weightless=Weightless.ALL)))
    for note in upgrade_notes():
        for condition in note.when:
            for word in condition.split("|"):
                assert word.removeprefix("!") in known, f"{note.id}: {word}"
