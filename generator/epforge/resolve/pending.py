"""What the language has and the generators do not have yet.

Every such key is read, typed and resolved like the others; it is never ignored. What depends on
an operator's schema (types, versions, families) is noted where operators are resolved.
"""

from __future__ import annotations

from epforge.blueprint.source import BlueprintSource
from epforge.ops.model import SMALL, DType
from epforge.resolve.findings import Findings
from epforge.resolve.optypes import HALVES


def note_unsupported(source: BlueprintSource, own_provider: str, found: Findings) -> None:
    """Add a note for everything in the blueprint that nothing can be generated from yet."""
    shape = source.shape
    if shape.runtime == "cuda":
        if shape.paradigm != "kernel-registry":
            found.later(("paradigm",), f"paradigm {shape.paradigm} with runtime cuda")
        if shape.custom_ops:
            found.later(("custom_ops",), "custom operators with runtime cuda")
        if shape.python.native != "none":
            found.later(("python", "native"), "kernels for numpy with runtime cuda")
        for index, text in enumerate(shape.types):
            if DType.parse(text) in (*HALVES, *SMALL):
                found.later(("types", index), f"{text} in kernels with runtime cuda")
    if shape.features.graph_capture and shape.paradigm != "kernel-registry":
        found.later(("features", "graph_capture"), f"graph capture with paradigm {shape.paradigm}")
    if shape.layout != "NCHW" and shape.paradigm != "kernel-registry":
        found.later(("layout",), f"layout {shape.layout} with paradigm {shape.paradigm}")
    if shape.layout != "NCHW" and shape.runtime == "cuda":
        found.later(("layout",), f"layout {shape.layout} with runtime cuda")
    _note_several(source, own_provider, found)


def _note_several(source: BlueprintSource, own_provider: str, found: Findings) -> None:
    shape = source.shape
    context = shape.features.ep_context
    wanted = {
        "compiled models": context.embed or context.external or context.share,
        "options that change while a session lives": any(each.dynamic for each in shape.options),
    }
    for index, device in enumerate(shape.devices or ()):
        if device.ep is None or device.ep == own_provider:
            continue
        for what, is_wanted in wanted.items():
            if is_wanted:
                path = ("devices", index, "ep")
                found.later(path, f"{what} of several execution providers in one library")
