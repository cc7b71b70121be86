"""A case: one call of an operator that the library must compute as the reference does."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Types that numpy holds by itself.
NUMPY: Mapping[str, Any] = {
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "bool": np.bool_,
    "string": np.object_,
}


def _with_small() -> Mapping[str, Any]:
    try:
        module = importlib.import_module("ml_dtypes")  # newer packages onnx bring it
    except ImportError:
        return NUMPY
    names = {name: getattr(module, spelled, None) for name, spelled in _SMALL.items()}
    return {**NUMPY, **{name: dtype for name, dtype in names.items() if dtype is not None}}


_SMALL = {
    "bfloat16": "bfloat16",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
    "float4e2m1": "float4_e2m1fn",
    "int4": "int4",
    "uint4": "uint4",
    "int2": "int2",
    "uint2": "uint2",
}
# Those and what another package adds. Of the rest only whether they are taken can be asked.
DTYPES: Mapping[str, Any] = _with_small()
_RANGES = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}

FLOATS = frozenset({"float16", "float32", "float64", "bfloat16"})
UNSIGNED = frozenset({"uint8", "uint16", "uint32", "uint64"})


@dataclass(frozen=True)
class Feed:
    """One input of a node.

    Args:
        array: its value; a stand-in of the right shape when numpy has no such type.
        type: element type, ONNX spelling.
        constant: part of the model instead of fed to it.
    """

    array: Array
    type: str
    constant: bool = False

    @property
    def runnable(self) -> bool:
        """Has numpy the type by itself?"""
        return self.type in NUMPY

    @property
    def value(self) -> Array:
        """The array in the input's own type, where there is such a one."""
        dtype = DTYPES.get(self.type, self.array.dtype)
        return self.array if self.array.dtype == dtype else self.array.astype(dtype)


@dataclass(frozen=True)
class Case:
    """One call of an operator.

    Args:
        label: what is special about it: shapes, attributes.
        inputs: by position; None is an optional input that is left out.
        attributes: of the node.
        outputs: how many outputs are asked for.
        basic: whoever declares the op must take it; others may be refused.
        defined: ONNX says which values come out; otherwise only their type and shape count.
    """

    label: str
    inputs: tuple[Feed | None, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int = 1
    basic: bool = True
    defined: bool = True


@dataclass(frozen=True)
class Ask:
    """Which cases are wanted.

    Args:
        since: schema version of the op.
        types: one element type per type constraint of the schema.
    """

    domain: str
    op: str
    since: int
    types: Mapping[str, str]

    def type(self, constraint: str = "T") -> str:
        """The element type of ``constraint``; the first one's if the schema has no such."""
        if constraint in self.types:
            return self.types[constraint]
        return next(iter(self.types.values()), "float32")

    def array(self, shape: tuple[int, ...], type_: str, low: float = -3, high: float = 3) -> Array:
        """Values of ``type_`` between ``low`` and ``high``, the same on every call and machine."""
        seed = zlib.crc32(repr((self.domain, self.op, self.since, shape, type_)).encode())
        random = np.random.default_rng(seed)
        dtype = DTYPES.get(type_, np.float32)
        if type_ == "bool":
            return np.asarray(random.random(shape) < 0.5)
        if type_ == "string":
            letters = np.array(["a", "b", "\u00fc", "", "epforge"], dtype=np.object_)
            return np.asarray(letters[random.integers(0, len(letters), shape)], dtype=np.object_)
        if type_ in _RANGES:
            least, most = _RANGES[type_]
            bounds = (min(max(int(edge), least), most) for edge in (np.ceil(low), np.floor(high)))
            first, last = bounds
            return np.asarray(random.integers(first, last + 1, shape)).astype(dtype)
        if type_ in FLOATS or type_ not in NUMPY:
            if type_ == "float8e8m0":  # has neither a sign nor zero
                low, high = max(low, 0.25), max(high, 1)
            return np.asarray(random.uniform(low, high, shape)).astype(dtype)
        bottom = max(low, 0) if type_ in UNSIGNED else low
        whole = random.integers(
            int(np.ceil(bottom)), int(np.floor(max(high, bottom + 1))) + 1, shape
        )
        return np.asarray(whole, dtype=dtype)

    def feed(
        self,
        shape: tuple[int, ...],
        constraint: str = "T",
        *,
        low: float = -3,
        high: float = 3,
        constant: bool = False,
    ) -> Feed:
        """An input whose type is that of ``constraint``."""
        type_ = self.type(constraint)
        return Feed(self.array(shape, type_, low, high), type_, constant)


Builder = Callable[[Ask], Iterator[Case]]


def ints(values: object, type_: str = "int64", constant: bool = True) -> Feed:
    """Whole numbers: a shape, axes, indices."""
    return Feed(np.asarray(values, dtype=NUMPY[type_]), type_, constant)


def both_ways(case: Case) -> Iterator[Case]:
    """The case with its constants as constants, and with them fed at run time."""
    yield case
    fed = tuple(replace(feed, constant=False) if feed else None for feed in case.inputs)
    yield replace(case, label=f"{case.label}, fed", inputs=fed)


def dims(shape: tuple[int, ...]) -> str:
    """(2,3)"""
    return f"({','.join(map(str, shape))})"
