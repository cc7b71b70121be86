"""Draws graphs out of blocks: small models that are awkward to divide."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from epforge.validate.cases.model import Array
from epforge.validate.worker.blocks import Blocks
from epforge.validate.worker.case import NotCheckedError

Shape = Sequence[int | str] | None
WIDTH = 4  # of the last dimension; the first is open
_IR_VERSION = 8


class Sketch:
    """A graph being drawn. A value is its name.

    Args:
        blocks: what to draw with. Whoever asks for a node that it lacks gets a NotCheckedError.
        outer: the sketch into whose node this one goes as a subgraph.
    """

    def __init__(self, blocks: Blocks, outer: Sketch | None = None) -> None:
        self.blocks = blocks
        self.declared: set[str] = outer.declared if outer else set()  # names of nodes to be taken
        self.name: str | None = None  # of all nodes to be taken; of its own each by default
        self._count: Iterator[int] = outer._count if outer else itertools.count()
        self._nodes: list[NodeProto] = []
        self._inputs: list[ValueInfoProto] = []
        self._outputs: list[ValueInfoProto] = []
        self._constants: list[TensorProto] = []

    def input(self, name: str = "X", shape: Shape = ("N", WIDTH), type_: int | None = None) -> str:
        """An input, of the blocks' element type by default."""
        self._inputs.append(helper.make_tensor_value_info(name, type_ or self._type, shape))
        return name

    def output(self, value: str, shape: Shape = ("N", WIDTH), type_: int | None = None) -> None:
        """An output, of the blocks' element type by default."""
        self._outputs.append(helper.make_tensor_value_info(value, type_ or self._type, shape))

    @property
    def _type(self) -> int:
        return int(helper.np_dtype_to_tensor_dtype(np.dtype(self.blocks.dtype)))

    def constant(self, value: Any, name: str = "") -> str:
        """A constant; fractions are of the blocks' element type, rounded up where that has none."""
        array = np.asarray(value)
        if array.dtype.kind == "f":
            whole = np.dtype(self.blocks.dtype).kind in "iu"
            array = (np.ceil(array) if whole else array).astype(self.blocks.dtype)
        self._constants.append(numpy_helper.from_array(array, name or f"k{next(self._count)}"))
        return str(self._constants[-1].name)

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        """Any node of one output."""
        number = next(self._count)
        made = helper.make_node(op, inputs, [f"v{number}"], name=f"n{number}", **attributes)
        self._nodes.append(made)
        return f"v{number}"

    def taken(self, op: str, *inputs: str) -> str:
        """A node that the library claims to take."""
        value = self.node(op, *inputs)
        if self.name is not None:
            self._nodes[-1].name = self.name
        self.declared.add(str(self._nodes[-1].name))
        return value

    def unary(self, x: str) -> str:
        if not self.blocks.unary:
            return self.binary(x, x)
        return self.taken(self._next(self.blocks.unary), x)

    def binary(self, x: str, y: str) -> str:
        if not self.blocks.binary:
            raise NotCheckedError(f"the library takes no {self.blocks.dtype} op of two inputs")
        return self.taken(self._next(self.blocks.binary), x, y)

    def mix(self, x: str, constant: Any) -> str:
        """A node with a constant, where the library takes one."""
        if not self.blocks.binary:
            return self.unary(x)
        return self.binary(x, self.constant(constant))

    def foreign(self, x: str) -> str:
        """A node that the library leaves to the CPU."""
        wanted = self.blocks.foreign
        if wanted is None:
            raise NotCheckedError("no op was found that the library leaves to the CPU")
        more = [self.constant(np.int64(value)) for _, value in wanted.constants]
        return self.node(wanted.op, x, *more, **wanted.attributes)

    def body(self) -> Sketch:
        """A subgraph; values of this graph can be used in it."""
        return Sketch(self.blocks, self)

    def graph(self, name: str = "g") -> GraphProto:
        return helper.make_graph(self._nodes, name, self._inputs, self._outputs, self._constants)

    def model(self) -> ModelProto:
        imports = [helper.make_opsetid("", self.blocks.opset)]
        ir_version = max(_IR_VERSION, helper.find_min_ir_version_for(imports, True))
        return helper.make_model(self.graph(), opset_imports=imports, ir_version=ir_version)

    def feeds(self, length: int = 2, seed: int = 0) -> dict[str, Array]:
        """Values for the inputs; ``length`` stands in for the open dimension."""
        return {value.name: _values(value, length, seed) for value in self._inputs}

    def _next(self, ops: Sequence[str]) -> str:
        return ops[len(self._nodes) % len(ops)]


def _values(of: ValueInfoProto, length: int, seed: int) -> Array:
    tensor = of.type.tensor_type
    shape = [d.dim_value if d.HasField("dim_value") else length for d in tensor.shape.dim]
    random = np.random.default_rng([seed, length, *of.name.encode()])
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if dtype.kind in "iu":
        return random.integers(-2 if dtype.kind == "i" else 0, 3, shape, dtype)
    return np.asarray(random.uniform(-2, 2, shape), dtype=dtype)


def row(seed: int) -> Array:
    """A constant that no other seed has."""
    return np.asarray(np.random.default_rng(seed).uniform(0.5, 1.5, WIDTH), dtype=np.float32)


# ---- graphs that an execution provider has to divide ----


def chain(s: Sketch) -> None:
    """Everything is the library's."""
    s.output(s.mix(s.unary(s.mix(s.input(), row(1))), row(2)))


def long_chain(s: Sketch) -> None:
    """A chain of many nodes."""
    x = s.input()
    for index in range(24):
        x = s.mix(x, row(100 + index))
    s.output(x)


def parts(s: Sketch) -> None:
    """Two groups, one behind the other."""
    s.output(s.unary(s.mix(s.foreign(s.unary(s.mix(s.input(), row(1)))), row(2))))


def diamond(s: Sketch) -> None:
    """A path leads out of the library's nodes and back."""
    x = s.input()
    p = s.mix(x, row(1))
    s.output(s.binary(p, s.foreign(p)))


def fan_out(s: Sketch) -> None:
    """One value with several readers that is an output, too."""
    x = s.input()
    p = s.mix(x, row(1))
    s.output(s.unary(p))
    s.output(s.mix(p, row(2)))
    s.output(p)


def fan_out_to_cpu(s: Sketch) -> None:
    """One value that is read inside the group and outside it."""
    p = s.mix(s.input(), row(1))
    q = s.unary(p)
    s.output(s.foreign(p))
    s.output(s.mix(q, row(2)))


def branches(s: Sketch) -> None:
    """Two branches of three nodes, in turns, with a node of the CPU's in between."""
    x, y = s.input("X"), s.input("Y")
    for index in range(3):
        x = s.mix(x, row(index))
        if index == 1:
            s.output(s.foreign(x))
        y = s.unary(y)
    s.output(x)
    s.output(y)


def nameless(s: Sketch) -> None:
    """Two groups whose nodes have no names."""
    s.name = ""
    parts(s)


PARTITIONS: Mapping[str, Callable[[Sketch], None]] = {
    "chain": chain,
    "chain in two parts": parts,
    "diamond": diamond,
    "fan-out": fan_out,
    "fan-out to the CPU": fan_out_to_cpu,
    "parallel branches": branches,
    "nodes without names": nameless,
}


def scalar(s: Sketch) -> None:
    """A chain of tensors without dimensions."""
    s.output(s.mix(s.unary(s.mix(s.input(shape=[]), 1.5)), 0.75), shape=[])


def overridable(s: Sketch) -> None:
    """A constant that is an input as well: whoever runs the model may give another value."""
    x, w = s.input(), s.constant(row(1), "W")
    s.output(s.unary(s.binary(x, w)))
    s.input(w, [WIDTH])


def absent(s: Sketch) -> None:
    """An optional input is left out before one that is there."""
    if not s.blocks.clip:
        raise NotCheckedError("the library does not take Clip")
    s.output(s.taken("Clip", s.mix(s.input(), row(1)), "", s.constant(np.float32(0.5))))


# ---- subgraphs; all bodies have one name ----


def loops(s: Sketch) -> None:
    """A loop in a loop; the inner one's body uses a constant from two levels up."""
    x, w = s.input(), s.constant(row(1))

    def inner(body: Sketch, value: str) -> str:
        return body.binary(value, w)

    def outer(body: Sketch, value: str) -> str:
        return _loop(body, 2, body.unary(value), inner)

    s.output(_loop(s, 3, x, outer))


def branch(s: Sketch) -> None:
    """A condition whose branches use values of the graph around it; the nodes in them have one
    name."""
    x = s.input()
    p = s.unary(x)
    for truth in (True, False):
        bodies = {}
        for key in ("then_branch", "else_branch"):
            body = s.body()
            body.name = "inner"
            body.output(body.binary(p, x) if key == "then_branch" else body.unary(p))
            bodies[key] = body.graph("body")
        s.output(s.node("If", s.constant(np.bool_(truth)), **bodies))


def _loop(s: Sketch, times: int, x: str, step: Callable[[Sketch, str], str]) -> str:
    body = s.body()
    number = next(body._count)
    body.input(f"i{number}", [], TensorProto.INT64)
    go_on = body.input(f"c{number}", [], TensorProto.BOOL)
    value = step(body, body.input(f"x{number}", None))
    body.output(body.node("Identity", go_on), [], TensorProto.BOOL)
    body.output(value, None)
    trips = s.constant(np.int64(times))
    return s.node("Loop", trips, s.constant(np.bool_(True)), x, body=body.graph("body"))
