"""Calls of kernels that may crash: written down first, then made by a program of their own.

`spoilt` makes them from the samples of the kernel families: legal calls, and legal calls with
something wrong about their shapes, their attributes, or the numbers in their tensors.
"""

from __future__ import annotations

import dataclasses
import math
import random
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from epforge.ops.model import DType, Sample, Value
from epforge.plan.kernel_samples import applies, types_of
from epforge.resolve.model import Op, OpVersion

Scalar: TypeAlias = "int | float | str"
Attribute: TypeAlias = "Scalar | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | Tensor"

#: Codes of what a kernel may answer to nonsense; a caller that ran out of memory counts as well.
_OK, _INVALID, _NOT_IMPLEMENTED, _TOO_LARGE = 0, 1, 2, 102
_HARMLESS = (_OK, _INVALID, _NOT_IMPLEMENTED, _TOO_LARGE)
_LONG = (-(2**63), -(2**31), -7, -2, -1, 0, 1, 2, 3, 5, 2**24, 2**31 - 1, 2**40, 2**63 - 1)
_REAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-38, 0.5, 1.0, -1.0, 2.5, 1e10, 3e38)
_TEXT = ("", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", "edge", "wrap", "reflect", "LEFT", "no")
#: Dimensions of a tensor without elements, beside the 0.
_VAST = (1, 3, 2**31, 2**40, 2**62, 2**63 - 1)


@dataclass(frozen=True)
class Tensor:
    """The number of its element type, its shape, its bytes."""

    type: int
    shape: tuple[int, ...]
    data: bytes

    @property
    def words(self) -> str:
        """As `kernel_calls.cc` reads it."""
        return f"{self.type} {_counted(self.shape)} {self.data.hex() or '-'}"


@dataclass(frozen=True)
class Call:
    """One call. An absent input is None; outputs are given by the numbers of their types."""

    domain: str
    op: str
    since: int
    attributes: Mapping[str, Attribute]
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[int, ...]

    @property
    def words(self) -> str:
        """As `kernel_calls.cc` reads it."""
        return "\n".join(
            [
                f"new {self.domain or '-'} {self.op} {self.since}",
                *(_attribute(name, value) for name, value in self.attributes.items()),
                *(f"input {t.words if t else '0 0 -'}" for t in self.inputs),
                *(f"output {number}" for number in self.outputs),
                "run\n",
            ]
        )


def _counted(values: tuple[Any, ...]) -> str:
    return " ".join(map(str, (len(values), *values)))


def _attribute(name: str, value: Attribute) -> str:
    if isinstance(value, Tensor):
        return f"tensor {name} {value.words}"
    if isinstance(value, str):
        return f"text {name} {value.encode().hex() or '-'}"
    if isinstance(value, tuple) and any(isinstance(item, str) for item in value):
        text = "".join(f"\n{item}" for item in value)
        return f"texts {name} {text.encode().hex()}"
    if isinstance(value, tuple):
        floats = any(isinstance(item, float) for item in value)
        return f"{'floats' if floats else 'ints'} {name} {_counted(value)}"
    return f"float {name} {value}" if isinstance(value, float) else f"int {name} {int(value)}"


def spoilt(op: Op, each: int, chance: random.Random) -> Iterator[Call]:
    """For every version and sample of ``op`` a legal call and ``each`` spoilt ones."""
    assert op.row is not None
    for version in op.versions:
        for sample in filter(lambda s: applies(s, version), op.row.samples):
            options = types_of(sample, version.types)
            if not all(options.values()):
                continue
            for number in range(each + 1):
                types = {name: chance.choice(able) for name, able in options.items()}
                call = _legal(op, version, sample, types)
                for _ in range(chance.choice((1, 2)) if number else 0):
                    call = _spoil(call, version, chance)
                yield call


def _legal(op: Op, version: OpVersion, sample: Sample, types: Mapping[str, DType]) -> Call:
    def tensor(value: Value) -> Tensor:
        dtype = value.type if isinstance(value.type, DType) else types[value.type]
        array = np.array(value.data).astype(dtype.text).reshape(value.shape)
        return Tensor(dtype.onnx, value.shape, array.tobytes())

    def attribute(value: object) -> Attribute:
        if isinstance(value, Value):
            return tensor(value)
        if isinstance(value, DType):
            return value.onnx
        if isinstance(value, str) and value.startswith("type of "):
            return types[value.removeprefix("type of ")].onnx
        assert isinstance(value, int | float | str | tuple)
        return value

    return Call(
        op.domain,
        op.op,
        version.schema.since,
        {name: attribute(value) for name, value in sample.attributes.items()},
        tuple(None if value is None else tensor(value) for value in sample.inputs),
        tuple(tensor(value).type for value in sample.outputs),
    )


def _spoil(call: Call, version: OpVersion, chance: random.Random) -> Call:
    """``call`` with one thing changed, which need not make it wrong."""
    attributes = {a.name: a.kind for a in version.schema.attributes}
    present = [i for i, tensor in enumerate(call.inputs) if tensor is not None]
    what = chance.choice(["attribute"] * bool(attributes) + ["data", "shape", "empty", "inputs"])
    if what == "attribute":
        name = chance.choice(list(attributes))
        value = _value(attributes[name], call.attributes.get(name), chance)
        return (
            call
            if value is None
            else dataclasses.replace(call, attributes={**call.attributes, name: value})
        )
    if what == "inputs":
        return _other_inputs(call, version, chance)
    if not present:
        return call
    index = chance.choice(present)
    old = call.inputs[index]
    assert old is not None
    changed = {"data": _other_data, "shape": _other_shape, "empty": _vast}[what](old, chance)
    inputs = (*call.inputs[:index], changed, *call.inputs[index + 1 :])
    return dataclasses.replace(call, inputs=inputs)


def _value(kind: str, old: Attribute | None, chance: random.Random) -> Attribute | None:
    if kind == "int":
        return chance.choice(_LONG)
    if kind == "float":
        return chance.choice(_REAL)
    if kind == "string":
        return chance.choice(_TEXT)
    if kind == "tensor":
        shape = chance.choice(((), (1,), (2,), (0,), (2**40, 2**40, 0)))
        number = chance.choice((0, 1, 7, 8, 9, 10, 16, 17, 22, 99, -1))
        return Tensor(number, shape, bytes(chance.choice((0, 1, 4, 8))))
    if kind in ("ints", "floats", "strings"):
        pool: tuple[Any, ...] = {"ints": _LONG, "floats": _REAL, "strings": _TEXT}[kind]
        plain: Any = "Relu" if kind == "strings" else 1
        items = list(old) if isinstance(old, tuple) else [plain] * chance.randrange(5)
        if items and chance.random() < 0.7:
            items[chance.randrange(len(items))] = chance.choice(pool)
        else:
            items = items[:-1] if chance.random() < 0.5 else [*items, chance.choice(pool)]
        return tuple(items)
    return None


def _other_inputs(call: Call, version: OpVersion, chance: random.Random) -> Call:
    """With an optional input taken away, or the last one once more where the schema has room."""
    optional = [
        i
        for i, parameter in enumerate(version.schema.inputs)
        if parameter.option == "optional" and i < len(call.inputs)
    ]
    inputs = list(call.inputs)
    if optional and chance.random() < 0.6:
        inputs[chance.choice(optional)] = None
    elif inputs and len(inputs) < version.schema.max_inputs:
        inputs.append(inputs[-1])
    return dataclasses.replace(call, inputs=tuple(inputs))


def _dtype(number: int) -> np.dtype[Any]:
    return np.dtype(next(d.text for d in DType if d.onnx == number))


def _other_data(tensor: Tensor, chance: random.Random) -> Tensor:
    dtype = _dtype(tensor.type)
    array = np.frombuffer(tensor.data, dtype).copy()
    for index in range(array.size):
        if chance.random() < 0.5:
            array[index] = _number(dtype, chance)
    return dataclasses.replace(tensor, data=array.tobytes())


def _number(dtype: np.dtype[Any], chance: random.Random) -> Any:
    if dtype.kind == "f":
        return chance.choice((*_REAL, -129.0, 256.0, 3e9, -3e9, 1e19))
    if dtype.kind == "b":
        return chance.random() < 0.5
    limits = np.iinfo(dtype)
    return chance.choice(
        [n for n in (*_LONG, limits.min, limits.max) if limits.min <= n <= limits.max]
    )


def _other_shape(tensor: Tensor, chance: random.Random) -> Tensor:
    shape = [min(dim, 4) for dim in tensor.shape]
    change = chance.randrange(4)
    if change == 0 and shape:
        shape[chance.randrange(len(shape))] = chance.choice((0, 1, 2, 3, 4))
    elif change == 1 and shape:
        shape.pop(chance.randrange(len(shape)))
    elif change == 2:
        shape.insert(chance.randrange(len(shape) + 1), chance.choice((0, 1, 2)))
    else:
        shape = [chance.choice((0, 1, 2, 3)) for _ in range(chance.choice((0, 1, 2, 3, 4, 6, 9)))]
    return _filled(tensor, tuple(shape))


def _vast(tensor: Tensor, chance: random.Random) -> Tensor:
    """Without elements, but with dimensions whose product no integer holds."""
    shape = [chance.choice(_VAST) for _ in range(max(len(tensor.shape), 1))]
    shape[chance.randrange(len(shape))] = 0
    return _filled(tensor, tuple(shape))


def _filled(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    size = 0 if 0 in shape else math.prod(shape) * _dtype(tensor.type).itemsize
    repeats = size // len(tensor.data) + 1 if tensor.data else 0
    data = (tensor.data * repeats)[:size] if repeats else bytes(size)
    return Tensor(tensor.type, shape, data)


def make_calls(program: Path, calls: list[Call]) -> Counter[tuple[str, bool]]:
    """Makes the calls with a program from ``kernel_calls.cc``.

    Returns:
        How many of each op were computed, and how many refused.

    Raises:
        AssertionError: one crashed, did something else, or was refused without a reason.
    """
    words = "".join(call.words for call in calls)
    done = subprocess.run([str(program)], input=words, capture_output=True, text=True, timeout=900)
    lines = done.stdout.splitlines()
    if len(lines) < len(calls):
        pytest.fail(f"{calls[len(lines)].words}{done.stderr[:3000]}")
    assert done.returncode == 0, done.stderr[:3000]
    found: Counter[tuple[str, bool]] = Counter()
    for call, line in zip(calls, lines, strict=True):
        code, _, message = line.partition(" ")
        assert int(code) in _HARMLESS, f"{call.words}{line}"
        assert (message == "") == (int(code) == _OK), f"{call.words}{line}"
        found[call.op, int(code) == _OK] += 1
    return found
