"""What the language has and the generators do not have yet.

Every such key is read, typed and resolved like the others; it is never ignored. What depends on
an operator's schema (types, versions, families) is noted where operators are resolved.
"""

from __future__ import annotations

from epforge.blueprint.shape import TARGETS
from epforge.blueprint.source import BlueprintSource
from epforge.resolve.findings import Findings


def note_unsupported(source: BlueprintSource, found: Findings) -> None:
    """Add a note for everything in the blueprint that nothing can be generated from yet."""
    shape = source.shape
    if shape.runtime == "cuda":
        found.later(("runtime",), f"runtime {shape.runtime}")
    if shape.memory.streams:
        found.later(("memory", "streams"), "streams")
    for index, text in enumerate(shape.types):
        if text in ("float16", "bfloat16"):
            found.later(("types", index), f"{text} in generated kernels")
    if shape.layout != "NCHW":
        found.later(("layout",), f"layout {shape.layout}")
    if shape.features.profiler:
        found.later(("features", "profiler"), "a profiler")
    if shape.runtime_libs:
        found.later(("runtime_libs",), "shipping vendor libraries")
    if shape.system_libs:
        found.later(("system_libs",), "leaving system libraries out of packages")
    if shape.python.native != "none":
        found.later(("python", "native"), "kernels for numpy")
    if [distribution.suffix for distribution in shape.python.distributions] not in ([], [""]):
        found.later(("python", "distributions"), "several Python distributions")
    if set(shape.targets) != set(TARGETS):
        found.later(("targets",), "leaving platforms out")
    if shape.overlays:
        found.later(("overlays",), "overlays")
