"""A random graph: its nodes, the values between them, and the model that is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epforge.validate.cases.model import Array, Ask

# The graph as it is, or inside a node that has graphs: a branch of If, the body of a Loop.
PLAIN, IF, LOOP = "plain", "if", "loop"
_TRIPS = 2
_MICROSOFT = "com.microsoft"


@dataclass(frozen=True)
class Step:
    """A node of a graph.

    Args:
        ask: which operator, and which types it is used with.
        node: a NodeProto whose inputs and outputs have the graph's names; "" is left out.
        alone: a ModelProto of that node alone, with inputs i0, i1, ... and outputs o0, o1, ...
        fed: by the names of the inputs of ``alone``, the graph's names.
        made: by the names of its outputs, the graph's names.
        sure: whoever claims it must take it.
    """

    ask: Ask
    node: Any
    alone: Any
    fed: Mapping[str, str]
    made: Mapping[str, str]
    sure: bool

    @property
    def name(self) -> str:
        return f"{self.ask.domain}::{self.ask.op}" if self.ask.domain else self.ask.op


@dataclass(frozen=True)
class Input:
    """An input of a graph.

    Args:
        dims: as the model declares it: sizes, names of open dimensions; None for no shape at all.
    """

    array: Array
    dims: tuple[int | str | None, ...] | None


@dataclass(frozen=True)
class Graph:
    """A graph that the CPU provider computes.

    Args:
        steps: in an order in which they can be computed.
        constants: by name, those of the model; a step's own ones are among them.
        outputs: names of values.
        form: PLAIN, IF or LOOP.
        level: of optimisation: 0 is none, 99 all.
        through: constants that are nodes, not initializers.
    """

    opset: int
    steps: tuple[Step, ...]
    inputs: Mapping[str, Input]
    constants: Mapping[str, Array]
    outputs: tuple[str, ...]
    form: str = PLAIN
    level: int = 0
    through: frozenset[str] = frozenset()

    @property
    def feeds(self) -> dict[str, Array]:
        return {name: each.array for name, each in self.inputs.items()}

    @property
    def values(self) -> tuple[str, ...]:
        """Names of everything that nodes make."""
        return tuple(name for step in self.steps for name in step.made.values())

    def pruned(self, outputs: Sequence[str]) -> Graph:
        """What of the graph is needed for some of its values."""
        wanted, kept = set(outputs), []
        for step in reversed(self.steps):
            if wanted.intersection(step.made.values()):
                kept.append(step)
                wanted.update(name for name in step.node.input if name)
        return replace(
            self,
            steps=tuple(reversed(kept)),
            inputs={name: each for name, each in self.inputs.items() if name in wanted},
            constants={name: each for name, each in self.constants.items() if name in wanted},
            outputs=tuple(outputs),
        )

    def describe(self) -> str:
        """ "Add, Relu in a Loop"."""
        names = ", ".join(step.name for step in self.steps)
        where = {PLAIN: "", IF: " in an If", LOOP: " in a Loop"}[self.form]
        level = ", optimised" if self.level else ""
        return f"{names}{where}{level}"

    def model(self) -> Any:
        """The ModelProto."""
        from onnx import helper

        imports = [helper.make_opsetid("", self.opset)]
        if any(step.ask.domain == _MICROSOFT for step in self.steps):
            imports.append(helper.make_opsetid(_MICROSOFT, 1))
        ir_version = max(helper.find_min_ir_version_for(imports[:1], True), 8)
        return helper.make_model(self._graph(), opset_imports=imports, ir_version=ir_version)

    def _graph(self) -> Any:
        from onnx import helper

        inputs = [
            helper.make_tensor_value_info(name, _number(each.array), each.dims)
            for name, each in self.inputs.items()
        ]
        initializers = [
            _tensor(name, array)
            for name, array in self.constants.items()
            if name not in self.through
        ]
        nodes, outputs = self._nodes()
        if self.form == PLAIN:
            results = [_info(name) for name in outputs]
            return helper.make_graph(nodes, "fuzzed", inputs, results, initializers)
        wrapped, results = self._wrapped(nodes, initializers)
        return helper.make_graph(wrapped, "fuzzed", inputs, results, initializers)

    def _nodes(self) -> tuple[list[Any], tuple[str, ...]]:
        from onnx import helper

        nodes = [
            helper.make_node(
                "Constant",
                [],
                [name],
                name=f"c_{name}",
                value=_tensor("value", self.constants[name]),
            )
            for name in sorted(self.through & self.constants.keys())
        ]
        return nodes + [step.node for step in self.steps], self.outputs

    def _wrapped(self, nodes: list[Any], initializers: list[Any]) -> tuple[list[Any], list[Any]]:
        """The nodes inside of one node; they use the values around it."""
        from onnx import TensorProto, helper

        results = [f"r_{name}" for name in self.outputs]
        inner = [_info(name) for name in self.outputs]
        truth = helper.make_tensor("truth", TensorProto.BOOL, [], [True])
        initializers.append(truth)
        if self.form == IF:
            body = helper.make_graph(nodes, "branch", [], inner)
            twin = helper.make_graph(
                _renamed(nodes), "other", [], [_info(f"{n}_") for n in self.outputs]
            )
            outer = helper.make_node(
                "If", ["truth"], results, name="wrap", then_branch=body, else_branch=twin
            )
        else:
            trips = helper.make_tensor("trips", TensorProto.INT64, [], [_TRIPS])
            initializers.append(trips)
            count = helper.make_tensor_value_info("l_i", TensorProto.INT64, [])
            going = helper.make_tensor_value_info("l_c", TensorProto.BOOL, [])
            on = helper.make_node("Identity", ["l_c"], ["l_on"], name="l_go_on")
            cond = helper.make_tensor_value_info("l_on", TensorProto.BOOL, [])
            body = helper.make_graph([*nodes, on], "body", [count, going], [cond, *inner])
            outer = helper.make_node("Loop", ["trips", "truth"], results, name="wrap", body=body)
        return [outer], [_info(name) for name in results]


def _renamed(nodes: Sequence[Any]) -> list[Any]:
    """The same nodes with other names for what they make."""
    made = {name for node in nodes for name in node.output if name}
    twins = []
    for node in nodes:
        twin = type(node)()
        twin.CopyFrom(node)
        twin.name = f"{node.name}_"
        for names in (twin.input, twin.output):
            for index, name in enumerate(names):
                if name in made:
                    names[index] = f"{name}_"
        twins.append(twin)
    return twins


def _info(name: str) -> Any:
    from onnx import ValueInfoProto

    return ValueInfoProto(name=name)


def _number(array: Array) -> int:
    from onnx import helper

    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def _tensor(name: str, array: Array) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
