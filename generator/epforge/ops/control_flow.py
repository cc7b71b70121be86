"""Operators with graphs of their own, whose kernels ONNX Runtime makes for an execution provider.

A kernel of ours could not run a graph; one that ONNX Runtime makes can, and leaves the tensors on
the device. What it asks for in return are the copies named in `CONTROL_FLOW`.
Source: ``onnxruntime_ep_c_api.h`` (``CreateIfKernel``, ``CreateLoopKernel``, ``CreateScanKernel``).
"""

from __future__ import annotations

from collections.abc import Mapping

from epforge.ops.model import DType, FamilyRow

FAMILY = "control_flow"

#: Values that go in and out of the graphs: of whole bytes, since they are joined as bytes.
_VALUES = tuple(d for d in DType if d.onnx <= DType.BFLOAT16.onnx and d is not DType.STRING)

_SINCE = (11, 13, 16, 19, 21, 23, 24, 25)

#: By operator: the versions that ONNX Runtime makes kernels for, types, inputs on the host.
CONTROL_FLOW: Mapping[str, FamilyRow] = {
    row.op: row
    for row in (
        FamilyRow(
            op="If",
            family=FAMILY,
            since=(1, *_SINCE),
            types={"B": (DType.BOOL,), "V": _VALUES},
            host_inputs=(0,),
        ),
        FamilyRow(
            op="Loop",
            family=FAMILY,
            since=(1, *_SINCE),
            types={"I": (DType.INT64,), "B": (DType.BOOL,), "V": _VALUES},
            host_inputs=(0, 1),
        ),
        FamilyRow(
            op="Scan",
            family=FAMILY,
            since=(9, *_SINCE),  # of version 8 ONNX Runtime makes none
            types={"V": _VALUES},
        ),
    )
}


def is_control_flow(row: FamilyRow | None) -> bool:
    """Is it one of `CONTROL_FLOW`?"""
    return row is not None and row.family == FAMILY


def row(domain: str, op: str) -> FamilyRow | None:
    """What there is to know of such an operator; None for any other."""
    return None if domain else CONTROL_FLOW.get(op)
