"""The test variant of a library on the simulated device: its hooks, and the device's own tests."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, Runtime

_REASONS = {
    "cmake/gen/test_variant.cmake": "builds the library with hooks for tests",
    "exports/plugin_test.def": "the test variant's functions, for Windows",
    "exports/plugin_test.lds": "the test variant's functions, for Linux",
    "exports/plugin_test.exp": "the test variant's functions, for macOS",
    "tests/cpp/device_test.cc": "what src/device/runtime.h promises",
    "tests/cpp/device_errors_test.cc": "what of that holds when something goes wrong",
    "tests/cpp/device_harness.h": "queues that are held where a test wants them",
    "tests/cpp/hooks_test.cc": "the hooks of the test variant",
    "tests/cpp/test_hooks.h": "holds, delays, counts and fails what the device does",
    "tests/cpp/test_hooks.cc": "holds, delays, counts and fails what the device does",
}
_EXTERNAL = {"tests/cpp/external_test.cc": "what of that is about memory and queues of other APIs"}
_CAPTURE = {"tests/cpp/capture_test.cc": "what of that is captured and replayed"}


def switches(blueprint: Blueprint) -> Mapping[str, object]:
    """What the templates ask: is there a simulated device with queues?"""
    simulated = blueprint.memory.streams and blueprint.runtime is Runtime.HOST
    return {"simulated_queues": simulated}


def files(blueprint: Blueprint, params: Mapping[str, object]) -> list[FileSpec]:
    """Everything about the test variant; nothing where there are no simulated queues.

    Args:
        blueprint: the blueprint.
        params: what the templates of the shell are given.
    """
    if not switches(blueprint)["simulated_queues"]:
        return []
    names = blueprint.names
    reasons = {**_REASONS, **(_CAPTURE if blueprint.features.graph_capture else {})}
    reasons |= _EXTERNAL if blueprint.features.external_memory else {}
    params = {**params, "library": names.library, "macro": names.macro}
    return [
        FileSpec(path, f"plugin/{path}", Owner.GENERATED, params, reason)
        for path, reason in reasons.items()
    ]
