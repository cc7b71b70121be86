"""Operators with graphs of their own (If, Loop, Scan): kernels of ONNX Runtime's, our helpers."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.names import Identifier
from epforge.plan.kernel_table import has_masks, table_view
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint

#: What copies within tensors, in ``src/gen/kernels/support``; Scan needs it for other axes.
SUPPORT = (
    "copy.cc",
    "copy.h",
    "errors.cc",
    "errors.h",
    "strides.cc",
    "strides.h",
    "text.cc",
    "text.h",
)


def switches(blueprint: Blueprint) -> Mapping[str, object]:
    """Which of these operators there are, for the shell's templates."""
    ops = {op.op for op in blueprint.control_flow}
    return {"control_flow": bool(ops), "loops": "Loop" in ops, "scans": "Scan" in ops}


def files(blueprint: Blueprint, params: Mapping[str, object]) -> list[FileSpec]:
    """The files of these operators; none without them."""
    if not blueprint.control_flow:
        return []
    own = {
        **params,
        "table": table_view(blueprint, blueprint.control_flow),
        "masks": has_masks(blueprint),
        "makers": [Identifier(op.op) for op in blueprint.control_flow],
    }
    reason = "operators whose nodes have graphs: ONNX Runtime's kernels for them"
    return [
        FileSpec(f"src/abi/{name}", f"plugin/src/abi/{name}", Owner.GENERATED, own, reason)
        for name in ("control_flow.cc", "control_flow.h")
    ]
