"""Cases of ops with graphs of their own: what goes in and comes out, and the graphs in between.

The graphs use Identity and Add of the same opset. A provider need not take what is inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from epforge.validate.cases.model import Ask, Builder, Case, Feed


def _values(ask: Ask, shape: tuple[int, ...]) -> Feed:
    type_ = ask.type("V")
    return Feed(ask.array(shape, type_, 0, 1), type_)


def _flag(value: bool) -> Feed:
    return Feed(np.asarray(value), "bool")


def _number(type_: str) -> int:
    from epforge.validate.worker.session import onnx_type

    return onnx_type(type_)


def _graph(name: str, nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    from onnx import helper

    return helper.make_graph(list(nodes), name, list(inputs), list(outputs))


def _info(name: str, type_: str, shape: Sequence[int] | None) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(name, _number(type_), shape)


def _node(op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> Any:
    from onnx import helper

    return helper.make_node(op, list(inputs), list(outputs), **attributes)


def _branch(ask: Ask, name: str, shape: tuple[int, ...]) -> Any:
    """A graph without inputs that makes a constant."""
    from onnx import helper

    type_ = ask.type("V")
    flat = ask.array(shape, type_, 0, 1).ravel().tolist()
    flat = flat if name == "then" else flat[::-1]
    if type_ == "string":
        flat = [text.encode() for text in flat]
    tensor = helper.make_tensor("v", _number(type_), shape, flat)
    node = _node("Constant", [], [name], value=tensor)
    return _graph(name, [node], [], [_info(name, type_, shape)])


def _if(ask: Ask) -> Iterator[Case]:
    for value in (True, False):
        graphs = {
            "then_branch": _branch(ask, "then", (2, 3)),
            # Until version 11 both have the same shape.
            "else_branch": _branch(ask, "other", (4,) if ask.since >= 11 else (2, 3)),
        }
        yield Case(f"a branch of two: {value}".lower(), (_flag(value),), graphs)


def _body(ask: Ask, shape: tuple[int, ...], *, counts: bool) -> Any:
    """Hands on the state, and gives it out as the iteration's result."""
    type_ = ask.type("V")
    state, out = _info("state", type_, shape), _info("next", type_, shape)
    nodes = [_node("Identity", ["state"], ["next"]), _node("Identity", ["state"], ["each"])]
    each = _info("each", type_, shape)
    if not counts:
        return _graph("body", nodes, [state], [out, each])
    nodes.append(_node("Identity", ["on"], ["still"]))
    inputs = [_info("step", "int64", ()), _info("on", "bool", ()), state]
    return _graph("body", nodes, inputs, [_info("still", "bool", ()), out, each])


def _loop(ask: Ask) -> Iterator[Case]:
    for shape in ((2, 3), ()):
        body = {"body": _body(ask, shape, counts=True)}
        trips = Feed(np.asarray(3, dtype=np.int64), "int64")
        state = _values(ask, shape)
        yield Case(f"3 iterations of {shape}", (trips, _flag(True), state), body, outputs=2)
    none = Feed(np.asarray(0, dtype=np.int64), "int64")
    body = {"body": _body(ask, (2,), counts=True)}
    yield Case("no iteration", (none, _flag(True), _values(ask, (2,))), body, outputs=2)


def _scan_body(ask: Ask, shape: tuple[int, ...]) -> Any:
    """Hands on the state, and each slice."""
    type_ = ask.type("V")
    nodes = [_node("Identity", ["state"], ["next"]), _node("Identity", ["slice"], ["each"])]
    inputs = [_info("state", type_, (2,)), _info("slice", type_, shape)]
    return _graph("body", nodes, inputs, [_info("next", type_, (2,)), _info("each", type_, shape)])


def _batched_scan(ask: Ask) -> Iterator[Case]:
    """Version 8: the first axis is the batch, the second one is gone through."""
    attributes = {"body": _scan_body(ask, (4,)), "num_scan_inputs": 1}
    inputs = (None, _values(ask, (2, 2)), _values(ask, (2, 3, 4)))
    for back in (0, 1):
        yield Case(f"direction {back}", inputs, {**attributes, "directions": [back]}, outputs=2)


def _scan(ask: Ask) -> Iterator[Case]:
    if ask.since < 9:
        yield from _batched_scan(ask)
        return
    for axis, out, back in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 1)):
        rest = (4,) if axis == 0 else (3,)
        attributes = {
            "body": _scan_body(ask, rest),
            "num_scan_inputs": 1,
            "scan_input_axes": [axis],
            "scan_output_axes": [out],
            "scan_input_directions": [back],
        }
        inputs = (_values(ask, (2,)), _values(ask, (3, 4)))
        yield Case(f"axis {axis} to axis {out}, direction {back}", inputs, attributes, outputs=2)


TABLE: Mapping[str, Builder] = {"If": _if, "Loop": _loop, "Scan": _scan}
