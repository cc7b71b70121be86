"""Compiling, features and PyTorch: checked and typed."""

from __future__ import annotations

import re

from epforge.blueprint.diagnostic import Fix, show
from epforge.blueprint.nodes import Path
from epforge.blueprint.shape import BlueprintShape, CompileShape
from epforge.names import Identifier, Name
from epforge.ops import schemas
from epforge.resolve.findings import Findings
from epforge.resolve.model import Paradigm
from epforge.resolve.opnames import OwnSchemas, find_schema
from epforge.resolve.reserved import ascii_words, why_not_member
from epforge.resolve.services import (
    Compile,
    CustomLibrary,
    Features,
    Pattern,
    Torch,
    Weightless,
)

#: The first API level with the callback that says which compiled models go without weights.
WEIGHTLESS_SINCE = 29

#: The first API level with the callbacks of each service.
SERVICES_SINCE = {
    "external_memory": 24,
    "profiler": 25,
    "graphics_interop": 25,
    "graph_capture": 26,
    "resource_accounting": 26,
    "memory_capacity": 32,
}
#: Services that are about the memory of the device.
_OF_MEMORY = ("resource_accounting", "memory_capacity")
#: Services that are about its streams, and what these would be for.
_OF_STREAMS = {
    "external_memory": "that could wait for semaphores and signal them",
    "graph_capture": "whose work could be captured",
    "graphics_interop": "that could be in one order with a graphics API",
}

#: The opsets of PyTorch's exporters: the older one grows no more, the newer one begins with 18.
#: Measured with PyTorch 2.13.
EXPORTERS = {"legacy": (7, 23), "dynamo": (18, schemas.ONNX_OPSET)}
#: Namespaces of ``torch.ops`` that are taken.
TORCH_NAMESPACES = frozenset(
    {"aten", "c10d", "debugprims", "higher_order", "mkldnn", "onnx", "onnxscript", "prepacked",
     "prim", "prims", "profiler", "quantized", "rngprims", "sparse", "torchvision"}
)  # fmt: skip

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


def resolve_compile(
    shape: CompileShape | None, paradigm: Paradigm, found: Findings, own: OwnSchemas
) -> Compile | None:
    """How nodes are compiled; None for a kernel registry, which compiles none.

    Args:
        own: the schemas of the custom operators.
    """
    compiling = paradigm is not Paradigm.KERNEL_REGISTRY
    if shape is None:
        return Compile() if compiling else None
    if not compiling and not found.source.incomplete("paradigm"):
        what = "compile: paradigm kernel-registry compiles nothing"
        hint, fix = _compiled(found)
        wanted = "paradigm: compiled or virtual"
        found.key_error(("compile",), "no-effect", what, wanted, hint, fix)
    kernels: list[tuple[str, str]] = []
    for index, text in enumerate(shape.also_kernels):
        path: Path = ("compile", "also_kernels", index)
        schema = find_schema(text, path, "also_kernels", found, own)
        if schema is not None and (schema.domain, schema.name) in kernels:
            what, out = f"also_kernels: {text} is listed twice", found.without(path)
            found.error(path, "listed-twice", what, "", "delete one of them", out)
        elif schema is not None:
            kernels.append((schema.domain, schema.name))
    patterns = _patterns(shape, found, own)
    return Compile(shape.drop_constants, shape.max_group, tuple(kernels), patterns)


def _compiled(found: Findings) -> tuple[str, Fix | None]:
    """What to do about what only compiling projects have: a paradigm that is written is meant."""
    if found.source.has("paradigm"):
        return "delete it, or write 'paradigm: compiled'", None
    return "add 'paradigm: compiled'", found.with_value(("paradigm",), "compiled")


def _patterns(shape: CompileShape, found: Findings, own: OwnSchemas) -> tuple[Pattern, ...]:
    seen: dict[str, int] = {}
    patterns: list[Pattern] = []
    for index, pattern in enumerate(shape.patterns):
        path: Path = ("compile", "patterns", index)
        name = pattern.name
        if not _IDENTIFIER.fullmatch(name) or why_not_member(name):
            proposal = ascii_words(name, "_", "Pattern")
            what = f"pattern name: {show(name)} is not a name"
            rule = "letters, digits and _, a letter first"
            found.error((*path, "name"), "bad-name", what, rule, f"write {proposal}", proposal)
            name = "pattern"
        words = Name.parse(name).snake
        if words in seen:
            line = found.line(("compile", "patterns", seen[words], "name"))
            what = f"two patterns are named {show(name)}; the first is on line {line}"
            chain_name = "".join(text.rpartition("::")[2] for text in pattern.match)[:60]
            is_free = Name.parse(chain_name).snake not in seen if chain_name.isalnum() else False
            fix = chain_name if is_free else None
            hint = f"write {fix}" if fix else ""
            found.error((*path, "name"), "name-collision", what, "", hint, fix)
        seen.setdefault(words, index)
        if len(pattern.match) < 2 and not found.source.incomplete("compile"):
            what = "match: a pattern has at least two operators"
            found.error((*path, "match"), "bad-pattern", what)
        chain = [
            find_schema(text, (*path, "match", step), "match", found, own)
            for step, text in enumerate(pattern.match)
        ]
        ops = tuple((schema.domain, schema.name) for schema in chain if schema is not None)
        patterns.append(Pattern(Identifier(name), ops))
    return tuple(patterns)


def resolve_features(blueprint: BlueprintShape, target: int, found: Findings) -> Features:
    """The optional services."""
    shape = blueprint.features
    paradigm = Paradigm(blueprint.paradigm)
    context = shape.ep_context
    any_context = context.embed or context.external or context.share
    place: Path = ("features", "ep_context")
    if (
        any_context
        and paradigm is Paradigm.KERNEL_REGISTRY
        and not found.source.incomplete("paradigm")
    ):
        what = "ep_context: paradigm kernel-registry compiles nothing"
        hint, fix = _compiled(found)
        found.key_error(place, "no-effect", what, "paradigm: compiled or virtual", hint, fix)
    if shape.weightless != "none":
        place = ("features", "weightless")
        if target < WEIGHTLESS_SINCE:
            what = f"weightless: the API of ONNX Runtime 1.{target} does not have it"
            hint = f'write "1.{WEIGHTLESS_SINCE}" for ort.target'
            wanted = f"ort.target 1.{WEIGHTLESS_SINCE} or newer"
            found.error(place, "too-new", what, wanted, hint, _target(WEIGHTLESS_SINCE, found))
        if not any_context:
            what = "weightless: it says what compiled models hold, and none are made"
            hint = "set features.ep_context, or delete it"
            found.error(place, "no-effect", what, "", hint)
    for key, since in SERVICES_SINCE.items():
        if getattr(shape, key):
            _check_service(key, since, blueprint, target, found)
    return Features(
        embed=context.embed,
        external=context.external or context.share,
        share=context.share,
        weightless=Weightless(shape.weightless),
        custom_op_library=_custom_op_library(blueprint, found),
        profiler=shape.profiler,
        external_memory=shape.external_memory,
        graphics_interop=shape.graphics_interop,
        graph_capture=shape.graph_capture,
        resource_accounting=shape.resource_accounting,
        memory_capacity=shape.memory_capacity,
    )


def _check_service(
    key: str, since: int, blueprint: BlueprintShape, target: int, found: Findings
) -> None:
    place: Path = ("features", key)
    if target < since:
        what = f"{key}: the API of ONNX Runtime 1.{target} does not have it"
        hint, wanted = f'write "1.{since}" for ort.target', f"ort.target 1.{since} or newer"
        found.error(place, "too-new", what, wanted, hint, _target(since, found))
    no_memory = blueprint.memory.default == "none" and not found.source.incomplete("memory")
    if key in _OF_MEMORY and no_memory:
        what = f"{key}: the device has no memory of its own"
        hint = "add 'memory: {default: plain}', or delete it"
        found.error(place, "no-effect", what, "memory.default plain or arena", hint)
    no_streams = not blueprint.memory.streams and not found.source.incomplete("memory")
    if key in _OF_STREAMS and no_streams:
        what = f"{key}: the device has no streams, {_OF_STREAMS[key]}"
        hint, fix = "add 'memory: {default: plain, streams: true}', or delete it", None
        written = found.source.has("memory", "streams")
        if blueprint.memory.default != "none" and not written:
            hint = "add 'streams: true' to memory"
            fix = found.with_value(("memory", "streams"), "true")
        found.error(place, "no-effect", what, "memory.streams: true", hint, fix)


def _target(level: int, found: Findings) -> Fix | None:
    """The change that lets a project use a newer API where the runtime has it."""
    return found.with_value(("ort", "target"), f'"1.{level}"')


def _custom_op_library(blueprint: BlueprintShape, found: Findings) -> CustomLibrary:
    asked = blueprint.features.custom_op_library
    if blueprint.custom_ops:
        return CustomLibrary(asked or "cpu")
    if asked not in (None, "none") and not found.source.incomplete("custom_ops"):
        what = "custom_op_library: there are no custom operators"
        place: Path = ("features", "custom_op_library")
        found.error(place, "no-effect", what, "none", "delete it, or add custom_ops")
    return CustomLibrary.NONE


def resolve_torch(
    blueprint: BlueprintShape, namespace: Identifier, found: Findings
) -> Torch | None:
    """The opsets of the PyTorch exporters."""
    shape = blueprint.torch
    if shape is None:
        return None
    if not blueprint.custom_ops and not found.source.incomplete("custom_ops"):
        what = "torch: there are no custom operators for PyTorch"
        found.key_error(("torch",), "no-effect", what, "", "delete it, or add custom_ops")
    if namespace in TORCH_NAMESPACES:
        what = f"torch: {namespace} is a namespace of PyTorch's own operators"
        found.error(("name",), "reserved-name", what, "another name")
    for key, opset in (("legacy", shape.legacy), ("dynamo", shape.dynamo)):
        low, high = EXPORTERS[key]
        if opset is not None and not low <= opset <= high:
            what = f"torch.{key}: the exporter has no opset {opset}"
            found.error(("torch", key), "unknown-opset", what, f"{low} to {high}")
    return Torch(shape.legacy, shape.dynamo)
