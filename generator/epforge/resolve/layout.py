"""What a data layout means for the operators: which of them ONNX Runtime can convert to it."""

from __future__ import annotations

import dataclasses

from epforge.blueprint.diagnostic import listed
from epforge.blueprint.shape import OpShape
from epforge.ops import schemas
from epforge.resolve.findings import Findings
from epforge.resolve.model import KernelSource, Op, OpVersion

#: ONNX Runtime leaves models of older opsets to the CPU where another layout is preferred.
_LOWEST_OPSET = 7


def resolve_layout(
    layout: str, ops: tuple[Op, ...], shapes: tuple[OpShape, ...], found: Findings
) -> tuple[Op, ...]:
    """The operators of a project that prefers ``layout``.

    ONNX Runtime converts a node for its operator's sake, and fails if it knows no such version in
    the layout; and it leaves models of old opsets to the CPU. Those versions go.

    Args:
        layout: "NCHW" or "NHWC".
        ops: the operators.
        shapes: the entries of ``ops`` in the blueprint.
        found: where findings go.
    """
    if layout == "NCHW":
        return ops
    kept = tuple(_reached(_convertible(op)) for op in ops)
    if kept and not any(map(is_convertible, kept)):
        what = f"layout: no operator here has a kernel for {layout}: it changes nothing"
        found.warning(("layout",), "layout-unused", what)
    elif kept and not any((op.domain, op.op) == ("", "Transpose") for op in kept):
        what = f"layout: what feeds or reads a node in {layout} may be transposed on the CPU"
        found.warning(("layout",), "no-transpose", what, "add Transpose to ops")
    for op, before in zip(kept, ops, strict=True):
        lost = [version.schema.since for version in before.versions if version not in op.versions]
        for index, shape in enumerate(shapes):
            if lost and shape.op == op.label and shape.models is not None:
                what = f"models: {op.label} of since-version {listed(map(str, lost))} is not taken"
                why = f"ONNX Runtime cannot convert such models to {layout}"
                found.warning(("ops", index, "models"), "not-convertible", f"{what}: {why}")
    return tuple(op for op in kept if op.versions)


def is_convertible(op: Op) -> bool:
    """Is there a generated kernel of ``op`` for tensors whose channels come last?"""
    return op.kernel is KernelSource.GENERATED and bool(_versions(op))


def _convertible(op: Op) -> Op:
    return dataclasses.replace(op, versions=_versions(op)) if is_convertible(op) else op


def _reached(op: Op) -> Op:
    """Without the versions that only models of old opsets use."""
    schema = schemas.find(op.domain, op.op) if not op.domain else None
    if schema is None:
        return op
    newer = [version.since for version in schema.versions]
    ends = dict(zip(newer, (*newer[1:], _LOWEST_OPSET + 1), strict=True))
    reached = (v for v in op.versions if ends[v.schema.since] > _LOWEST_OPSET)
    return dataclasses.replace(op, versions=tuple(reached))


def _versions(op: Op) -> tuple[OpVersion, ...]:
    """The versions that ONNX Runtime has a version for in the layout."""
    known = op.row.channels_last if op.row is not None else ()
    return tuple(v for v in op.versions if known and v.schema.since >= known[0])
