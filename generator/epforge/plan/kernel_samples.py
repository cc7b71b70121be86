"""The calls of kernels that the generated C++ test makes: the families' samples, spelled in C++."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from epforge.names import Identifier, Safe
from epforge.ops.model import DType, Sample, Value
from epforge.plan.kernel_view import enumerator, kernel_view, type_view
from epforge.resolve.model import Blueprint, Op, OpVersion

_FLOATS = (DType.FLOAT32, DType.FLOAT64)
_UNSIGNED = (DType.UINT8, DType.UINT16, DType.UINT32, DType.UINT64)
_BITS = {DType.INT8: 7, DType.UINT8: 8, DType.INT16: 15, DType.UINT16: 16}


@dataclass(frozen=True)
class TensorView:
    """A tensor of a call. ``cpp`` is its element type; all is ready to be printed."""

    cpp: Safe
    shape: Safe
    data: Safe


@dataclass(frozen=True)
class CallView:
    """One call: the lines that set attributes, inputs (None: absent) and expected outputs."""

    since: int
    attributes: tuple[tuple[str, Safe], ...]
    tensors: tuple[tuple[str, TensorView], ...]
    inputs: tuple[TensorView | None, ...]
    outputs: tuple[TensorView, ...]


@dataclass(frozen=True)
class OpCallsView:
    """All calls of an op."""

    domain: str
    op: str
    name: Identifier
    calls: tuple[CallView, ...]


def calls(blueprint: Blueprint) -> tuple[OpCallsView, ...]:
    """Per op that has samples, the calls for the versions and types that the project registers."""
    views = []
    for op in blueprint.ops:
        found = [call for version in op.versions for call in _version(op, version)]
        if found:
            views.append(OpCallsView(op.domain, op.op, kernel_view(op).op, tuple(found)))
    return tuple(views)


def _version(op: Op, version: OpVersion) -> list[CallView]:
    found: list[CallView] = []
    for sample in op.row.samples if op.row else ():
        since = version.schema.since
        if sample.since and since not in sample.since:
            continue
        if len(sample.inputs) > version.schema.max_inputs:
            continue
        for chosen in _choices(sample, version.types):
            found.append(_call(sample, since, chosen))
    return found


def _choices(sample: Sample, types: Mapping[str, tuple[DType, ...]]) -> list[Mapping[str, DType]]:
    """Every way to give the sample's constraints an element type that holds its values."""
    values = [v for v in (*sample.inputs, *sample.outputs) if v is not None]
    names = sorted({v.type for v in values if isinstance(v.type, str)})
    options = [
        [d for d in types.get(name, ()) if all(_holds(d, v) for v in values if v.type == name)]
        for name in names
    ]
    return [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*options)]


def _holds(dtype: DType, value: Value) -> bool:
    return all(_holds_number(dtype, number) for number in value.data)


def _holds_number(dtype: DType, number: float) -> bool:
    if dtype in _FLOATS:
        return True
    if not math.isfinite(number) or number != int(number):
        return False
    if dtype is DType.BOOL:
        return number in (0, 1)
    low = 0 if dtype in _UNSIGNED else -(2 ** _BITS.get(dtype, 31))
    return low <= number < 2 ** _BITS.get(dtype, 31)


def _call(sample: Sample, since: int, chosen: Mapping[str, DType]) -> CallView:
    attributes = []
    tensors = []
    for name, value in sample.attributes.items():
        if isinstance(value, Value):
            tensors.append((name, _tensor(value, chosen)))
        else:
            attributes.append((name, Safe(_attribute(value, chosen))))
    return CallView(
        since=since,
        attributes=tuple(attributes),
        tensors=tuple(tensors),
        inputs=tuple(v and _tensor(v, chosen) for v in sample.inputs),
        outputs=tuple(_tensor(v, chosen) for v in sample.outputs),
    )


def _tensor(value: Value, chosen: Mapping[str, DType]) -> TensorView:
    dtype = value.type if isinstance(value.type, DType) else chosen[value.type]
    data = ", ".join(_number(number, dtype) for number in value.data)
    return TensorView(
        type_view(dtype).cpp,
        Safe(f"{{{', '.join(map(str, value.shape))}}}"),
        Safe(f"{{{data}}}"),
    )


def _number(number: float, dtype: DType) -> str:
    if dtype is DType.BOOL:
        return "true" if number else "false"
    if dtype not in _FLOATS:
        return str(int(number))
    if math.isnan(number):
        return "kNaN"
    if math.isinf(number):
        return "kInfinity" if number > 0 else "-kInfinity"
    if number == int(number) and abs(number) < 2**31:
        return f"{int(number)}" if number or math.copysign(1, number) > 0 else "-0.0f"
    return f"{number!r}f" if dtype is DType.FLOAT32 else repr(number)


def _attribute(value: object, chosen: Mapping[str, DType]) -> str:
    """``value`` as an argument of the harness."""
    if isinstance(value, DType):
        return f"DType::{enumerator(value)}"
    if isinstance(value, str) and value.startswith("type of "):
        return f"DType::{enumerator(chosen[value.removeprefix('type of ')])}"
    if isinstance(value, str):
        return f'std::string("{value}")'
    if isinstance(value, tuple):
        kind = "float" if any(isinstance(item, float) for item in value) else "int64_t"
        return f"std::vector<{kind}>{{{', '.join(map(str, value))}}}"
    if isinstance(value, float):
        return f"{value!r}f"
    assert isinstance(value, int)
    return f"int64_t{{{int(value)}}}"
