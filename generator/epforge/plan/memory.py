"""The memory of devices: the device's own, what the host reaches, what initializers have."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan import services
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, MemoryKind, Runtime

_DEFAULT_DEVICE_SINCE = 27  # OrtEp::GetDefaultMemoryDevice

# Beside each pair NAME.{h,cc} in src/abi: why it is there.
_ABI = {
    "allocator": "the device's memory for ORT",
    "data_transfer": "copies to, from and on the device",
    "memcpy_kernels": "the copies that ORT puts into a graph",
}
_STREAMS = {"sync_stream": "queues of the device's work for ORT"}
_MEMORIES = {"memories": "which memory each device has, and who allocates it"}
_SOURCE = {"source.h": "where allocators get memory"}
_ORDER = {
    "stream_order.h": "which work is done, or comes after other work",
    "stream_order.cc": "which work is done, or comes after other work",
}
_ARENA = {
    "arena.h": "hands out parts of large regions of memory",
    "arena.cc": "hands out parts of large regions of memory",
    "arena_options.h": "how an arena grows",
    "arena_options.cc": "how an arena grows",
    "nodes.h": "nodes of containers, made before they are needed",
}
_ARENA_ORDER = {"arena_streams.cc": "what an arena does about queues"}
_EXTERNAL = {
    "host_external.h": "memory and semaphores that others share with the simulated device",
    "host_external.cc": "memory and semaphores that others share with the simulated device",
}
_CUDA_EXTERNAL = {
    "cuda_external.h": "memory and semaphores of other APIs on a CUDA device",
    "cuda_external.cc": "memory and semaphores of other APIs on a CUDA device",
}
_CAPTURES = {
    "capture_memory.h": "the memory of captured graphs",
    "capture_memory.cc": "the memory of captured graphs",
}


# In src/device.
_RUNTIMES: Mapping[Runtime, Mapping[str, str]] = {
    Runtime.HOST: {"host_runtime.cc": "a device simulated on the host"},
    Runtime.STUB: {"stub_runtime.cc": "the device, yours to write"},
    Runtime.CUDA: {
        "cuda_runtime.cc": "a CUDA device",
        "cuda_libraries.h": "cuBLAS and cuDNN, where the machine has them",
        "cuda_libraries.cc": "cuBLAS and cuDNN, where the machine has them",
        "cuda_blas.h": "what is called of cuBLAS",
        "cuda_blas.cc": "what is called of cuBLAS",
        "cuda_dnn.h": "what is called of cuDNN",
        "cuda_dnn.cc": "what is called of cuDNN",
        "handle_pool.h": "handles of a library, one per stream and thread",
        "nvidia_library.h": "a library that need not be there",
        "nvidia_library.cc": "a library that need not be there",
    },
}
_CUDA_CAPTURES = {"cuda_captures.h": "streams that are captured"}
_QUEUES = {
    "host_queue.h": "queues with threads of their own, for the simulated device",
    "host_queue.cc": "queues with threads of their own, for the simulated device",
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
        "streams": memory.streams,
        "small_types": blueprint.has_small_types,
        "stub_runtime": blueprint.runtime is Runtime.STUB,
        "host_runtime": blueprint.runtime is Runtime.HOST,
        "cuda": blueprint.runtime is Runtime.CUDA,
    }


def abi_pairs(blueprint: Blueprint) -> Mapping[str, str]:
    """The pairs of files in `src/abi`, each with its reason."""
    memory = blueprint.memory
    if not memory.on_device:
        return {}
    return {
        **_ABI,
        **(_MEMORIES if memory.is_varied else {}),
        **(_STREAMS if memory.streams else {}),
    }


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The machinery that knows nothing of ONNX Runtime, and the device's runtime."""
    memory = blueprint.memory
    if not memory.on_device:
        return []
    reasons = {**(_SOURCE if memory.is_varied else {}), **(_ARENA if memory.has_arena else {})}
    reasons |= _ORDER if memory.streams else {}
    reasons |= _ARENA_ORDER if memory.streams and memory.has_arena else {}
    reasons |= _CAPTURES if blueprint.features.graph_capture else {}
    params = {
        **services.switches(blueprint),
        **switches(blueprint),
        "macro": blueprint.names.macro,
    }
    is_captured = blueprint.features.graph_capture
    runtime = {
        "runtime.h": "what the device can do: allocate, copy, run",
        **_RUNTIMES[blueprint.runtime],
        **(_QUEUES if memory.streams and blueprint.runtime is Runtime.HOST else {}),
        **(_CUDA_CAPTURES if is_captured and blueprint.runtime is Runtime.CUDA else {}),
        **_imports(blueprint),
    }
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


def _imports(blueprint: Blueprint) -> Mapping[str, str]:
    if not blueprint.features.external_memory:
        return {}
    return {Runtime.HOST: _EXTERNAL, Runtime.CUDA: _CUDA_EXTERNAL}.get(blueprint.runtime, {})


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
            "streams": memory.streams,
        }
    }
