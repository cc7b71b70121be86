"""Calls of operators that an expression computes, with results from Python's doubles.

A sample is for fixed element types. Its results hold for a kernel whatever it rounds on the way: an
element whose result hangs on the rounding is left out.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from epforge.ops.expression import Expression, Formal, evaluate
from epforge.ops.expression.model import Call, Default, Logical, Node, Number, Select, children
from epforge.ops.model import SMALL, DType, Sample, Value

_FLOATS = (DType.FLOAT32, DType.FLOAT64)
_MOST_BINDINGS = 12
_ORDINARY = (-2.5, -0.75, 0.0, 0.25, 1.5, 3.0)
_SPECIAL = (math.nan, math.inf, -math.inf, -0.0)
_WHOLE = (-3.0, -1.0, 0.0, 1.0, 2.0, 5.0)
_NATURAL = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0)
_POINTS = len(_ORDINARY)
#: Of inputs that broadcast: the first, and those behind it in turns.
_SHAPES = ((2, 3), (3,), (2, 1), (), (1, 3))
_EMPTY = ((0, 4), (4,), (1, 4), ())

_Shape = tuple[int, ...]
_Attributes = Mapping[str, int | float | bool]


@dataclass(frozen=True)
class Signature:
    """An operator: see `expression_row`."""

    inputs: tuple[Formal, ...]
    outputs: tuple[tuple[str, str], ...]
    types: Mapping[str, tuple[DType, ...]]
    attributes: tuple[tuple[str, str, object], ...]
    compute: Mapping[str, Expression]

    def bindings(self) -> list[Mapping[str, DType]]:
        """What the type variables stand for: every combination, or some with every type."""
        names = list(self.types)
        groups = [self.types[name] for name in names]
        if math.prod(map(len, groups)) <= _MOST_BINDINGS:
            return [dict(zip(names, each, strict=True)) for each in itertools.product(*groups)]
        longest = max(map(len, groups))
        return [
            {name: group[i % len(group)] for name, group in zip(names, groups, strict=True)}
            for i in range(longest)
        ]


class _UnsettledError(Exception):
    """The element types decide what comes out."""


def samples(signature: Signature) -> tuple[Sample, ...]:
    """Calls with ordinary values for every combination of types; for the first one also NaN and
    infinity, broadcasting, scalars, no elements, optional inputs left out and 1 to 3 variadic ones.
    """
    found: list[Sample] = []
    for index, binding in enumerate(signature.bindings()):
        maker = _Maker(signature, binding)
        found += maker.ordinary()
        if index == 0:
            found += maker.others()
    return tuple(found)


@dataclass(frozen=True)
class _Maker:
    """Makes the samples for one combination of types."""

    signature: Signature
    binding: Mapping[str, DType]

    def ordinary(self) -> Iterator[Sample]:
        """Values in one dimension, with the attributes' defaults and with other values."""
        attributes = self.signature.attributes
        defaults = self._attributes(defaults=True)
        for given in (defaults, self._attributes(defaults=False)) if attributes else (defaults,):
            yield from self._points(given, _ORDINARY)

    def others(self) -> Iterator[Sample]:
        """What depends on the types no more."""
        attributes = self._attributes(defaults=False)
        inputs = self.signature.inputs
        if not inputs:
            return
        if any(self._dtype(formal.type) in _FLOATS for formal in inputs):
            yield from self._points(attributes, _SPECIAL)
        optional = [formal.name for formal in inputs if formal.option == "optional"]
        left_out = [{name} for name in optional] + ([set(optional)] if len(optional) > 1 else [])
        for absent in left_out:
            yield from self._points(attributes, _ORDINARY, absent=absent)
        if inputs[-1].option == "variadic":
            for count in (1, 3):
                yield from self._points(attributes, _ORDINARY, count=count)
        for shapes in (_SHAPES, ((),), _EMPTY):
            yield from self._broadcast(attributes, shapes)

    def _points(
        self,
        attributes: Mapping[str, object],
        numbers: Sequence[float],
        *,
        absent: set[str] | None = None,
        count: int = 2,
    ) -> Iterator[Sample]:
        """All elements that can be relied on, in one tensor per input."""
        places = self._places(absent or set(), count)
        rows = []
        for i in range(_POINTS):
            row = [None if f is None else self._number(f, i, j, numbers) for j, f in places]
            results = self._results(row, attributes)
            if results is not None:
                rows.append((row, results))
        if not self.signature.inputs:
            rows = rows[:1]
        if not rows:
            return
        shape = (len(rows),) if self.signature.inputs else ()
        columns = [tuple(column) for column in zip(*(row for row, _ in rows), strict=True)]
        yield self._sample(
            [(column, shape) for column in columns],
            [(column, shape) for column in zip(*(results for _, results in rows), strict=True)],
            attributes,
        )

    def _broadcast(
        self, attributes: Mapping[str, object], shapes: Sequence[_Shape]
    ) -> Iterator[Sample]:
        """Inputs of different shapes; the same element everywhere if some cannot be relied on."""
        places = self._places(set(), 2)
        own = [
            shapes[min(j, 1 + (j - 1) % max(len(shapes) - 1, 1)) % len(shapes)] for j, _ in places
        ]
        out = shapes[0]
        for repeated in (False, True):
            for turn in range(_POINTS):
                tensors = [
                    tuple(
                        self._number(formal, turn if repeated else turn + i, j, _ORDINARY)
                        for i in range(math.prod(shape))
                    )
                    for (j, formal), shape in zip(places, own, strict=True)
                    if formal is not None
                ]
                columns: list[tuple[float | bool, ...]] = []
                for i in range(math.prod(out)):
                    row = [t[_at(i, out, s)] for t, s in zip(tensors, own, strict=True)]
                    results = self._results(row, attributes)
                    if results is None:
                        break
                    columns.append(results)
                else:
                    results_of = (
                        list(zip(*columns, strict=True))
                        if columns
                        else [() for _ in self.signature.outputs]
                    )
                    yield self._sample(
                        list(zip(tensors, own, strict=True)),
                        [(column, out) for column in results_of],
                        attributes,
                    )
                    return

    def _places(self, absent: set[str], count: int) -> list[tuple[int, Formal | None]]:
        """The inputs of a node by position: None for one left out, ``count`` of a variadic one."""
        formals: list[Formal | None] = []
        for formal in self.signature.inputs:
            times = count if formal.option == "variadic" else 1
            formals += [None if formal.name in absent else formal] * times
        return list(enumerate(formals))

    def _number(self, formal: Formal, i: int, j: int, numbers: Sequence[float]) -> float:
        """Element ``i`` of input ``j``: other neighbours for every input."""
        dtype = self._dtype(formal.type)
        if dtype is DType.BOOL:
            return float((i + 1) >> (j % 2) & 1)
        if dtype not in _FLOATS:
            pool: Sequence[float] = _NATURAL if dtype.text.startswith("u") else _WHOLE
        else:
            pool = numbers if j == 0 or i % 2 else _ORDINARY
        return pool[(i * (1 + 4 * (j % 2)) + j) % len(pool)]

    def _results(
        self, row: Sequence[float | None], attributes: Mapping[str, object]
    ) -> tuple[float | bool, ...] | None:
        """The element of every output; None where a kernel may get another one."""
        values: dict[str, float | tuple[float, ...] | None] = {}
        inputs = self.signature.inputs
        for position, formal in enumerate(inputs):
            values[formal.name] = row[position] if position < len(row) else None
            if formal.option == "variadic":
                values[formal.name] = tuple(v for v in row[position:] if v is not None)
        numbers = {
            name: _held(value)
            for name, kind, default in self.signature.attributes
            if isinstance(value := attributes.get(name, default), int | float)
        }
        found = []
        for output, type_ in self.signature.outputs:
            root = self.signature.compute[output].root
            try:
                rough = self._shadow(root, values, numbers)
            except _UnsettledError:
                return None
            exact = evaluate(root, values, numbers, self.binding)
            if not _agree(rough, exact, exactly=self._dtype(type_) not in _FLOATS):
                return None
            # One and the same NaN, so that rows that say the same are equal.
            found.append(math.nan if math.isnan(exact) else exact)
        return tuple(found)

    def _shadow(
        self,
        node: Node,
        values: Mapping[str, float | tuple[float, ...] | None],
        attributes: _Attributes,
    ) -> float | bool:
        """The value with every part rounded to its type.

        Raises:
            _UnsettledError: a part is beyond what its type holds.
        """

        def part(child: Node) -> float | bool:
            return self._shadow(child, values, attributes)

        match node:
            case Select(condition=condition, then=then, otherwise=otherwise):
                return part(then if part(condition) else otherwise)
            case Logical(op=op, left=left, right=right):
                first = bool(part(left))
                return first if first == (op == "or") else part(right)
            case Default(name=name, otherwise=otherwise) if values.get(name) is None:
                return part(otherwise)
            case Default():
                return self._fit(evaluate(node, values, attributes, self.binding), node.type)
        rounded = {id(child): Number(part(child), type=child.type) for child in children(node)}
        alone = _with(node, rounded)
        return self._fit(evaluate(alone, values, attributes, self.binding), node.type)

    def _fit(self, value: float | bool, type_: str) -> float | bool:
        dtype = self._dtype(type_)
        if dtype is DType.BOOL or dtype is DType.FLOAT64:
            return value
        if dtype in (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16, *SMALL):
            return _float32(value)
        bits = int(dtype.text.lstrip("uint"))
        signed = not dtype.text.startswith("u")
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
        # What is within a double's integers, so that both ways count alike.
        whole = math.isfinite(value) and value == int(value) and abs(value) < 2**53
        if not whole or not low <= value < high:
            raise _UnsettledError
        return value

    def _dtype(self, type_: str) -> DType:
        return self.binding[type_] if type_ in self.binding else DType.parse(type_)

    def _attributes(self, *, defaults: bool) -> Mapping[str, object]:
        """Attributes of a node: only those that it must have, or a value of every kind."""
        found: dict[str, object] = {}
        for i, (name, kind, default) in enumerate(self.signature.attributes):
            if default is None or (not defaults and kind in ("int", "float", "bool")):
                found[name] = _ATTRIBUTES[kind](i) if kind in _ATTRIBUTES else "a"
        return found

    def _sample(
        self,
        inputs: Sequence[tuple[tuple[float | None, ...], _Shape]],
        outputs: Sequence[tuple[tuple[float | bool, ...], _Shape]],
        attributes: Mapping[str, object],
    ) -> Sample:
        formals = self.signature.inputs
        given: list[Value | None] = []
        for index, (column, shape) in enumerate(inputs):
            formal = formals[min(index, len(formals) - 1)]
            data = tuple(number for number in column if number is not None)
            left_out = bool(column) and not data
            given.append(None if left_out else Value(data, shape, self._dtype(formal.type)))
        while given and given[-1] is None:
            given.pop()
        return Sample(
            inputs=tuple(given),
            outputs=tuple(
                Value(tuple(map(float, column)), shape, self._dtype(type_))
                for (column, shape), (_, type_) in zip(outputs, self.signature.outputs, strict=True)
            ),
            attributes=attributes,
        )


#: By kind, a value for the attribute of a number: one after another, so that bounds are in order.
_ATTRIBUTES: Mapping[str, Callable[[int], object]] = {
    "int": lambda i: 1 + i,
    "float": lambda i: 0.25 + 0.5 * i,
    "bool": lambda i: i % 2 == 0,
    "ints": lambda _: (1, 2),
    "floats": lambda _: (0.5, 1.5),
    "strings": lambda _: ("a", "b"),
    "tensor": lambda _: Value((1.0,), (1,), DType.FLOAT32),
}


def _with(node: Node, parts: Mapping[int, Node]) -> Node:
    """The node with other parts, by the `id` of those they stand for."""
    changed: dict[str, Any] = {}
    for name, value in vars(node).items():
        if isinstance(value, Node):
            changed[name] = parts[id(value)]
        elif isinstance(node, Call) and name == "arguments":
            changed[name] = tuple(parts[id(argument)] for argument in node.arguments)
    return replace(node, **changed)


def _at(index: int, out: _Shape, shape: _Shape) -> int:
    """Where the element of a tensor is that serves element ``index`` of the output."""
    offset, stride = 0, 1
    for axis in range(1, len(out) + 1):
        position = index % out[-axis]
        index //= out[-axis]
        if axis <= len(shape) and shape[-axis] != 1:
            offset += position * stride
            stride *= shape[-axis]
    return offset


def _agree(rough: float | bool, exact: float | bool, *, exactly: bool) -> bool:
    if exactly or not math.isfinite(exact):
        return rough == exact or (math.isnan(rough) and math.isnan(exact))
    return abs(rough - exact) <= 2e-6 * (1 + abs(exact))


def _held(value: int | float | bool) -> int | float | bool:
    """The value that the attribute of a node holds: its floats are of 32 bits."""
    return _float32(value) if isinstance(value, float) else value


def _float32(value: float) -> float:
    if not math.isfinite(value):
        return value
    try:
        (held,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(held)
