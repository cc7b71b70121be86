"""The memory of devices: the device's own, what the host reaches, what initializers have."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, MemoryKind, Runtime

_DEFAULT_DEVICE_SINCE = 27  # OrtEp::GetDefaultMemoryDevice

# Beside each pair NAME.{h,cc} in src/abi: why it is there.
_ABI = {
    "allocator": "the device's memory for ORT",
    "data_transfer": "copies to, from and on the device",
    "memcpy_kernels": "the copies that ORT puts into a graph",
}
_MEMORIES = {"memories": "which memory each device has, and who allocates it"}
_SOURCE = {"source.h": "where allocators get memory"}
_ARENA = {
    "arena.h": "hands out parts of large regions of memory",
    "arena.cc": "hands out parts of large regions of memory",
    "arena_options.h": "how an arena grows",
    "arena_options.cc": "how an arena grows",
}


def switches(blueprint: Blueprint) -> Mapping[str, object]:
    """What the templates ask: which memory the devices have."""
    memory = blueprint.memory
    return {
        "device_memory": memory.on_device,
        "memories": memory.is_varied,
        "arena": memory.has_arena,
        "default_arena": memory.default is MemoryKind.ARENA,
        "host_accessible": memory.host_accessible is not MemoryKind.NONE,
        "host_arena": memory.host_accessible is MemoryKind.ARENA,
        "read_only": memory.read_only is not MemoryKind.NONE,
        "read_only_arena": memory.read_only is MemoryKind.ARENA,
        "default_memory": memory.is_varied and blueprint.ort.target >= _DEFAULT_DEVICE_SINCE,
        "stub_runtime": blueprint.runtime is Runtime.STUB,
    }


def abi_pairs(blueprint: Blueprint) -> Mapping[str, str]:
    """The pairs of files in `src/abi`, each with its reason."""
    memory = blueprint.memory
    if not memory.on_device:
        return {}
    return {**_ABI, **(_MEMORIES if memory.is_varied else {})}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The machinery that knows nothing of ONNX Runtime, and the device's runtime."""
    memory = blueprint.memory
    if not memory.on_device:
        return []
    reasons = {**(_SOURCE if memory.is_varied else {}), **(_ARENA if memory.has_arena else {})}
    params = switches(blueprint)
    runtime = {
        "runtime.h": "the device's memory: allocate, copy",
        "host_runtime.cc": "a device simulated on the host",
    }
    if blueprint.runtime is Runtime.STUB:
        del runtime["host_runtime.cc"]
        runtime["stub_runtime.cc"] = "the device, yours to write"
    return [
        *(
            FileSpec(f"src/device/{name}", f"plugin/src/device/{name}", Owner.YOURS, params, reason)
            for name, reason in runtime.items()
        ),
        *(
            FileSpec(path, f"plugin/{path}", Owner.GENERATED, params, reason)
            for path, reason in ((f"src/gen/memory/{name}", why) for name, why in reasons.items())
        ),
    ]


def claims(blueprint: Blueprint) -> Mapping[str, object]:
    """What the manifest says of the device's memory; nothing where there is none."""
    memory = blueprint.memory
    if not memory.on_device:
        return {}
    return {
        "memory": {
            "default": memory.default.value,
            "host_accessible": memory.host_accessible.value,
            "read_only": memory.read_only.value,
        }
    }
