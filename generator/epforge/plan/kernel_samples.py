"""The calls of kernels that the generated C++ test makes: the families' samples, spelled in C++."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from epforge.names import Identifier, Safe
from epforge.ops.model import SMALL, DType, Parameter, Sample, Value
from epforge.plan import layout
from epforge.plan.kernel_view import enumerator, kernel_view
from epforge.resolve.model import Blueprint, Op, OpVersion, Runtime

_FLOATS = (DType.FLOAT32, DType.FLOAT64)
#: The digits of 16-bit floats, and the largest of them.
_HALVES = {DType.FLOAT16: (11, 65504.0), DType.BFLOAT16: (8, 3.3895313892515355e38)}
_UNSIGNED = (DType.UINT8, DType.UINT16, DType.UINT32, DType.UINT64)
_Types = tuple[tuple[str, tuple[DType, ...]], ...]
_BITS = {DType.INT8: 7, DType.UINT8: 8, DType.INT16: 15, DType.UINT16: 16}


@dataclass(frozen=True)
class TensorView:
    """A tensor of a call, in C++: the element type or a loop's variable, the shape, the data."""

    type: Safe
    shape: Safe
    data: Safe


@dataclass(frozen=True)
class LoopView:
    """A variable of the test and the element types that it goes through."""

    variable: Identifier
    types: tuple[Identifier, ...]


@dataclass(frozen=True)
class CallView:
    """One sample of an op: for some versions, for some combinations of types."""

    since: tuple[int, ...]
    loops: tuple[LoopView, ...]
    attributes: tuple[tuple[str, Safe], ...]
    tensors: tuple[tuple[str, TensorView], ...]
    inputs: tuple[TensorView | None, ...]
    outputs: tuple[TensorView, ...]


@dataclass(frozen=True)
class OpCallsView:
    """All samples of an op."""

    domain: str
    op: str
    name: Identifier
    calls: tuple[CallView, ...]


def calls(blueprint: Blueprint) -> tuple[OpCallsView, ...]:
    """Per op that has samples, the calls for the versions and types that the project registers."""
    views = []
    for op in (*blueprint.ops, *layout.converted(blueprint)):
        samples = op.row.samples if op.row else ()
        on_device = blueprint.runtime is Runtime.CUDA
        found = [
            call
            for sample in samples
            if not (on_device and sample.host_only)
            for call in _calls(op, sample)
        ]
        if found:
            views.append(OpCallsView(op.domain, op.op, kernel_view(op).op, tuple(found)))
    return tuple(views)


def _calls(op: Op, sample: Sample) -> list[CallView]:
    """The sample once for each set of versions that agree on the types it can have."""
    able: dict[_Types, _Types] = {}  # versions mostly agree on what they allow
    groups: dict[_Types, list[int]] = {}
    for version in op.versions:
        if applies(sample, version):
            allowed = tuple(version.types.items())
            if allowed not in able:
                able[allowed] = tuple(types_of(sample, version.types).items())
            if all(types for _, types in able[allowed]):
                groups.setdefault(able[allowed], []).append(version.schema.since)
    return [_call(sample, tuple(since), dict(types)) for types, since in groups.items()]


def applies(sample: Sample, version: OpVersion) -> bool:
    """Is the sample legal for that version, with the element types that it fixes itself?"""
    schema = version.schema
    fits = len(sample.inputs) <= schema.max_inputs and len(sample.outputs) <= schema.max_outputs
    if not fits or (sample.since and schema.since not in sample.since):
        return False
    tensors = (*zip(sample.inputs, _stretched(schema.inputs, len(sample.inputs)), strict=True),)
    tensors += (*zip(sample.outputs, _stretched(schema.outputs, len(sample.outputs)), strict=True),)
    return all(
        value is None
        or isinstance(value.type, str)
        or parameter.type_str not in version.types  # the schema has the type fixed, too
        or value.type in version.types[parameter.type_str]
        for value, parameter in tensors
    )


def _stretched(parameters: tuple[Parameter, ...], count: int) -> tuple[Parameter, ...]:
    """``count`` parameters; the last is variadic if there are fewer."""
    return tuple(parameters[min(i, len(parameters) - 1)] for i in range(count))


def types_of(
    sample: Sample, types: Mapping[str, tuple[DType, ...]]
) -> dict[str, tuple[DType, ...]]:
    """Per constraint of the sample, those of ``types`` that hold its values.

    16-bit floats have to hold what goes in exactly; what comes out is rounded.
    """
    given = [v for v in (*sample.inputs, *sample.attributes.values()) if isinstance(v, Value)]
    values = [*given, *sample.outputs]
    names = sorted({v.type for v in values if isinstance(v.type, str)})
    found = {name: _able(types.get(name, ()), name, values) for name in names}
    return {
        name: tuple(d for d in group if d not in _HALVES or _holds_exactly(d, name, given))
        for name, group in found.items()
    }


def _able(types: tuple[DType, ...], name: str, values: list[Value]) -> tuple[DType, ...]:
    """Of small types the harness makes no tensors, not even such as have no elements."""
    able = (d for d in types if d not in SMALL)
    return tuple(d for d in able if all(_holds(d, v) for v in values if v.type == name))


def _holds_exactly(dtype: DType, name: str, values: list[Value]) -> bool:
    digits, _ = _HALVES[dtype]
    numbers = (n for v in values if v.type == name for n in v.data if math.isfinite(n))
    return all((math.frexp(n)[0] * 2.0**digits).is_integer() for n in numbers)


def _holds(dtype: DType, value: Value) -> bool:
    return all(_holds_number(dtype, number) for number in value.data)


def _holds_number(dtype: DType, number: float) -> bool:
    if dtype in _FLOATS:
        return True
    if dtype in _HALVES:
        return not math.isfinite(number) or abs(number) <= _HALVES[dtype][1]
    if not math.isfinite(number) or number != int(number):
        return False
    if dtype is DType.BOOL:
        return number in (0, 1)
    limit: int = 2 ** _BITS.get(dtype, 31)
    return (0 if dtype in _UNSIGNED else -limit) <= number < limit


def _call(
    sample: Sample, since: tuple[int, ...], types: Mapping[str, tuple[DType, ...]]
) -> CallView:
    attributes = []
    tensors = []
    for name, value in sample.attributes.items():
        if isinstance(value, Value):
            tensors.append((name, _tensor(value, types)))
        else:
            attributes.append((name, Safe(_attribute(value, types))))
    return CallView(
        since=since,
        loops=tuple(
            LoopView(_variable(name), tuple(map(enumerator, options)))
            for name, options in types.items()
            if len(options) > 1
        ),
        attributes=tuple(attributes),
        tensors=tuple(tensors),
        inputs=tuple(None if v is None else _tensor(v, types) for v in sample.inputs),
        outputs=tuple(_tensor(v, types) for v in sample.outputs),
    )


def _variable(constraint: str) -> Identifier:
    return Identifier(f"type_{constraint.lower()}")


def _type(type: DType | str, types: Mapping[str, tuple[DType, ...]]) -> Safe:
    """The variable of a loop, or the enumerator where there is but one."""
    options = (type,) if isinstance(type, DType) else types[type]
    if len(options) == 1:
        return Safe(f"DType::{enumerator(options[0])}")
    return Safe(_variable(str(type)))


def _tensor(value: Value, types: Mapping[str, tuple[DType, ...]]) -> TensorView:
    return TensorView(
        _type(value.type, types),
        Safe(f"{{{', '.join(map(str, value.shape))}}}"),
        Safe(f"{{{', '.join(map(_number, value.data))}}}"),
    )


def _number(number: float) -> str:
    if math.isnan(number):
        return "kNaN"
    if math.isinf(number):
        return "kInfinity" if number > 0 else "-kInfinity"
    if number == int(number) and abs(number) < 2**31:
        return "-0.0" if number == 0 and math.copysign(1, number) < 0 else str(int(number))
    return repr(number)


def _attribute(value: object, types: Mapping[str, tuple[DType, ...]]) -> str:
    """``value`` as an argument of the harness."""
    if isinstance(value, DType):
        return f"DType::{enumerator(value)}"
    if isinstance(value, str) and value.startswith("type of "):
        return _type(value.removeprefix("type of "), types)
    if isinstance(value, str):
        return f'std::string("{value}")'
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        quoted = (f'"{item}"' for item in value)
        return f"std::vector<std::string>{{{', '.join(quoted)}}}"
    if isinstance(value, tuple):
        kind = "float" if any(isinstance(item, float) for item in value) else "int64_t"
        return f"std::vector<{kind}>{{{', '.join(map(str, value))}}}"
    if isinstance(value, float):
        return f"{value!r}f"
    assert isinstance(value, int)
    return f"int64_t{{{int(value)}}}"
