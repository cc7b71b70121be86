"""What the tests of the PyTorch package call each operator with, and what must come out.

The numbers come from the expressions alone, in doubles; PyTorch has no part in them. So they tell
when what is printed for it means something else.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import random
from collections.abc import Iterator, Mapping
from typing import Any

from epforge.ops.expression import differentiate, evaluate
from epforge.ops.expression.model import Cast, Node
from epforge.ops.model import DType
from epforge.plan.expression_torch import walk
from epforge.plan.torch_call import FLOATS, Call, dtypes, is_float
from epforge.plan.torch_gradient import scope_of
from epforge.plan.torch_names import parameter
from epforge.resolve.services import CustomAttribute, CustomParameter, Grad

_SIZE = 12  # elements of each input
_SIXTEENTH = 16  # inputs are multiples of 1/16: every floating-point type has them
_RANGES = ((-2.0, 2.0), (0.125, 2.0), (-0.875, 0.875), (0.125, 0.875), (1.0, 3.0))
_UNSIGNED = (1.0, 3.0)
_SAMPLES: Mapping[str, Any] = {
    "int": 1, "float": 0.5, "bool": True, "string": "text", "ints": [1, 2], "floats": [0.5, 1.5],
    "strings": ["first", "second"], "tensor": [1.0, 1.0],
}  # fmt: skip

Values = dict[str, Any]


def case(call_: Call) -> dict[str, Any]:
    """The case of an operator, as JSON has it.

    Keys: ``function``; ``attributes``, for all of them; ``low`` and ``high``, where inputs are
    harmless; ``double``: its gradient can be checked in float64; ``samples``: each with types,
    inputs (None for one left out, a list of lists for a variadic one) and outputs.
    """
    attributes = {parameter(a.name): _sample(a) for a in call_.op.attributes}
    low, high = _range(call_)
    return {
        "function": call_.function,
        "attributes": attributes,
        "low": low,
        "high": high,
        "double": _in_doubles(call_),
        "samples": list(_samples(call_, low, high)),
    }


def _sample(attribute: CustomAttribute) -> Any:
    value = attribute.default
    if value is None:
        return _SAMPLES[attribute.type]
    return list(value) if isinstance(value, tuple) else value


def _numbers(call_: Call) -> dict[str, Any]:
    """The attributes for the expressions: floats as ONNX keeps them."""
    found = {}
    for a in call_.op.attributes:
        value = _sample(a)
        found[str(a.name)] = ctypes.c_float(value).value if a.type == "float" else value
    return found


def _in_doubles(call_: Call) -> bool:
    """Is everything as exact as float64 when the inputs are of it?"""
    narrow = {dtype.text for dtype in FLOATS - {DType.FLOAT64}}
    roots = [each.root for each in (call_.op.compute or {}).values()]
    return not any(
        isinstance(node, Cast) and node.type in narrow for root in roots for node in walk(root)
    )


def _range(call_: Call) -> tuple[float, float]:
    """The widest range of inputs with finite outputs and gradients."""
    nodes = [each.root for each in (call_.op.compute or {}).values()]
    if call_.op.grad is Grad.AUTO:
        nodes += list(_derivatives(call_))
    types = _types(call_, 0)
    for low, high in _RANGES:
        chance = random.Random(f"{call_.op.label} range")
        rows = [_row(call_, types, low, high, chance, present=True) for _ in range(4 * _SIZE)]
        if all(_finite(node, row, call_, types) for row in rows for node in nodes):
            return low, high
    return _RANGES[0]


def _derivatives(call_: Call) -> Iterator[Node]:
    op = call_.op
    for input_, output in itertools.product(op.inputs, op.outputs):
        if is_float(op, input_.type) and is_float(op, output.type):
            assert op.compute is not None
            yield differentiate(op.compute[output.name].root, input_.name, scope_of(call_))


def _finite(node: Node, row: Values, call_: Call, types: Mapping[str, DType]) -> bool:
    return math.isfinite(evaluate(node, row, _numbers(call_), types))


def _types(call_: Call, index: int) -> dict[str, DType]:
    """Element types of a sample: the ``index``-th of each type variable."""
    found = {}
    for p in (*call_.op.inputs, *call_.op.outputs):
        known = dtypes(call_.op, p.type)
        found[p.type] = known[index % len(known)]
    return found


def _samples(call_: Call, low: float, high: float) -> Iterator[dict[str, Any]]:
    op = call_.op
    if op.compute is None:
        return
    count = max(len(dtypes(op, p.type)) for p in (*op.inputs, *op.outputs))
    ways: tuple[bool, ...] = (True, False)
    if len({p.option == "optional" for p in op.inputs}) == 1:
        ways = ways[:1]  # there are none, or there must be one of them
    chance = random.Random(op.label)
    for index, present in itertools.product(range(count), ways):
        types = _types(call_, index)
        if any(dtype.text.startswith("uint") for dtype in types.values()):
            low, high = _UNSIGNED
        rows: list[Values] = []
        outputs: list[list[Any]] = []
        for _ in range(_SIZE):
            row = _row(call_, types, low, high, chance, present)
            results = [
                evaluate(op.compute[output.name].root, row, _numbers(call_), types)
                for output in op.outputs
            ]
            if all(math.isfinite(result) for result in results):
                rows.append(row)
                outputs.append(results)
        if rows:
            yield {
                "types": {name: dtype.text for name, dtype in types.items()},
                "inputs": [_column(p, rows) for p in op.inputs],
                "outputs": [list(column) for column in zip(*outputs, strict=True)],
            }


def _column(p: CustomParameter, rows: list[Values]) -> Any:
    values = [row[p.name] for row in rows]
    if values[0] is None:
        return None
    return (
        [list(column) for column in zip(*values, strict=True)] if p.option == "variadic" else values
    )


def _row(
    call_: Call,
    types: Mapping[str, DType],
    low: float,
    high: float,
    chance: random.Random,
    present: bool,
) -> Values:
    """An element of every input."""

    def element(type_: str) -> float | bool:
        dtype = types[type_]
        if dtype is DType.BOOL:
            return chance.random() < 0.5
        if dtype in FLOATS:
            return chance.randint(int(low * _SIXTEENTH), int(high * _SIXTEENTH)) / _SIXTEENTH
        return float(chance.randint(math.ceil(low), math.floor(high)))

    row: Values = {}
    for p in call_.op.inputs:
        if p.option == "variadic":
            row[p.name] = (element(p.type), element(p.type))
        else:
            row[p.name] = element(p.type) if present or p.option == "single" else None
    return row
