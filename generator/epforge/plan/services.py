"""Optional services of the execution provider: each is there only where the blueprint asks."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint
from epforge.resolve.services import Layout

# Beside each pair NAME.{h,cc}: why it is there. Those in src/gen/profiling know nothing of ORT.
_PROFILER_ABI = {"profiler": "what kernels do, in ORT's profiles"}
_CAPTURE_ABI = {"graph_capture": "runs that are captured, and replayed"}
_GRAPHICS_ABI = {"graphics_queues": "queues of graphics APIs that streams are on"}
_IMPORTER_ABI = {"resource_importer": "memory and semaphores of other APIs"}
_CAPTURE_HEADERS = {"captured_calls": "what kernels tell of calls that may be captured"}
_PROFILING = {
    "event_sink": "where kernels tell what they do",
    "recording": "what kernels did, within the events of a profile",
}


def switches(blueprint: Blueprint) -> Mapping[str, object]:
    """What the templates ask: which services a project has."""
    features = blueprint.features
    return {
        "profiler": features.profiler,
        "external_memory": features.external_memory,
        "graphics_interop": features.graphics_interop,
        "graph_capture": features.graph_capture,
        "resource_accounting": features.resource_accounting,
        "memory_capacity": features.memory_capacity,
        "dynamic_options": has_dynamic_options(blueprint),
        "nhwc": blueprint.layout is Layout.NHWC,
    }


def has_dynamic_options(blueprint: Blueprint) -> bool:
    """Are there options that applications may change while a session lives?"""
    return any(option.dynamic for option in blueprint.provider_options)


def abi_pairs(blueprint: Blueprint) -> Mapping[str, str]:
    """The pairs of files in `src/abi`, each with its reason."""
    return {
        **(_PROFILER_ABI if blueprint.features.profiler else {}),
        **(_CAPTURE_ABI if blueprint.features.graph_capture else {}),
        **(_IMPORTER_ABI if blueprint.features.external_memory else {}),
        **(_GRAPHICS_ABI if blueprint.features.graphics_interop else {}),
    }


def abi_headers(blueprint: Blueprint) -> Mapping[str, str]:
    """The headers in `src/abi` that have no source, each with its reason."""
    return dict(_CAPTURE_HEADERS) if blueprint.features.graph_capture else {}


def kernel_sources(blueprint: Blueprint) -> tuple[str, ...]:
    """The sources that a library with kernels needs, even one without an execution provider."""
    if not blueprint.features.profiler:
        return ()
    return tuple(f"src/gen/profiling/{name}.cc" for name in _PROFILING)


def tests(blueprint: Blueprint) -> Mapping[str, str]:
    """The C++ tests, each with its reason."""
    reasons = {}
    if blueprint.features.profiler:
        reasons["profiling_test.cc"] = "what kernels do, within the events of a profile"
    if has_dynamic_options(blueprint):
        reasons["options_test.cc"] = "options that change while a session lives"
    return reasons


def files(blueprint: Blueprint, params: Mapping[str, object]) -> list[FileSpec]:
    """The files beside those in `src/abi`.

    Args:
        blueprint: the blueprint.
        params: what the templates of the shell are given.
    """
    if not blueprint.features.profiler:
        return []
    return [
        FileSpec(
            f"src/gen/profiling/{name}.{suffix}",
            f"plugin/src/gen/profiling/{name}.{suffix}",
            Owner.GENERATED,
            params,
            reason,
        )
        for name, reason in _PROFILING.items()
        for suffix in ("h", "cc")
    ]
