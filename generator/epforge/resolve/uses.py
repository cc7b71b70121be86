"""What a blueprint uses, as tags: what notes about an upgrade are chosen by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from enum import StrEnum

from epforge.resolve.model import Blueprint, MemoryKind, Op, VirtualPolicy
from epforge.resolve.services import CustomOp, Layout

# The parts of Features that are one service.
_CONTEXTS = ("embed", "external", "share")


def uses(blueprint: Blueprint) -> frozenset[str]:
    """The tags of a blueprint.

    A tag is a word (``streams``), or a kind and a word (``paradigm:compiled``, ``memory:arena``,
    ``op:ai.onnx::Relu``). What a blueprint does not use has no tag.

    Args:
        blueprint: a resolved blueprint.
    """
    return frozenset(
        (
            *_project(blueprint),
            *_devices(blueprint),
            *_memory(blueprint),
            *_features(blueprint),
            *_compiling(blueprint),
            *(tag for op in blueprint.claimed for tag in _op(op)),
            *(tag for op in blueprint.custom_ops for tag in _custom_op(op)),
        )
    )


def _project(blueprint: Blueprint) -> Iterator[str]:
    yield f"paradigm:{blueprint.paradigm}"
    yield f"runtime:{blueprint.runtime}"
    yield f"layout:{blueprint.layout}"
    yield f"python:{'.'.join(map(str, blueprint.python_min))}"
    yield from (f"target:{target}" for target in blueprint.targets)
    found = {
        "registry": blueprint.has_registry,
        "nhwc": blueprint.layout is Layout.NHWC,
        "options": bool(blueprint.options),
        "dynamic_options": any(option.dynamic for option in blueprint.provider_options),
        "custom_ops": bool(blueprint.custom_ops),
        "runtime_libs": bool(blueprint.runtime_libs),
        "system_libs": bool(blueprint.system_libs),
        "native": blueprint.native.value != "none",
        "several_distributions": len(blueprint.distributions) > 1,
        "torch": blueprint.torch is not None,
        "overlays": bool(blueprint.overlays),
    }
    yield from (tag for tag, there in found.items() if there)


def _devices(blueprint: Blueprint) -> Iterator[str]:
    devices = blueprint.devices
    yield from (f"device:{device.type}" for device in devices)
    found = {
        "virtual_device": any(device.virtual is VirtualPolicy.ALLOWED for device in devices),
        "software_device": any(device.software for device in devices),
        "device_metadata": any(device.metadata for device in devices),
        "several_devices": len(devices) > 1,
        "several_eps": len(blueprint.providers) > 1,
    }
    yield from (tag for tag, there in found.items() if there)


def _memory(blueprint: Blueprint) -> Iterator[str]:
    memory = blueprint.memory
    found = {
        "memory:device": memory.on_device,
        "memory:varied": memory.is_varied,
        "memory:arena": memory.has_arena,
        "memory:host_accessible": memory.host_accessible is not MemoryKind.NONE,
        "memory:read_only": memory.read_only is not MemoryKind.NONE,
        "streams": memory.streams,
    }
    yield from (tag for tag, there in found.items() if there)


def _features(blueprint: Blueprint) -> Iterator[str]:
    """A service's own name, and ``name:value`` where it has one."""
    if blueprint.has_contexts:
        yield "ep_context"
    for feature in fields(blueprint.features):
        value = getattr(blueprint.features, feature.name)
        name = f"ep_context:{feature.name}" if feature.name in _CONTEXTS else feature.name
        if isinstance(value, StrEnum) and value.value != "none":
            yield from (name, f"{name}:{value}")
        elif value is True:
            yield name


def _compiling(blueprint: Blueprint) -> Iterator[str]:
    compiling = blueprint.compile
    if compiling is None:
        return
    yield "compiles"
    found = {
        "drop_constants": compiling.drop_constants,
        "max_group": compiling.max_group > 0,
        "also_kernels": bool(compiling.also_kernels),
        "patterns": bool(compiling.patterns),
    }
    yield from (tag for tag, there in found.items() if there)


def _op(op: Op) -> Iterator[str]:
    yield f"op:{op.domain or 'ai.onnx'}::{op.op}"
    yield f"kernel:{op.kernel}"
    yield from (f"attributes:{attribute.kind}" for attribute in op.attributes)
    types = (types for version in op.versions for types in version.types.values())
    yield from (f"type:{dtype.text}" for row in types for dtype in row)


def _custom_op(op: CustomOp) -> Iterator[str]:
    yield f"op:{op.label}"
    yield f"custom_kernel:{op.kernel}"
    yield f"grad:{op.grad}"
    yield from (f"attributes:{attribute.type}" for attribute in op.attributes)
    yield from (f"type:{dtype.text}" for row in op.types.values() for dtype in row)
