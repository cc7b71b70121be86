"""What graphs are built of, and that every drawing is a model that the CPU computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import onnx
import onnxruntime
import pytest

from epforge.validate.worker import sketch
from epforge.validate.worker.blocks import FOREIGN, Blocks, Foreign, choose
from epforge.validate.worker.case import NotCheckedError
from epforge.validate.worker.graphs import chosen
from epforge.validate.worker.sketch import Sketch

BLOCKS = Blocks(17, ("Relu", "Neg"), ("Mul", "Add"), True, Foreign("Sin"))
DRAWINGS = {
    **sketch.PARTITIONS,
    "long chain": sketch.long_chain,
    "scalar": sketch.scalar,
    "absent": sketch.absent,
    "loops": sketch.loops,
    "branch": sketch.branch,
}


def claim(op: str, since: int, types: tuple[str, ...] = ("float32",)) -> dict[str, object]:
    return {"domain": "", "op": op, "since": since, "types": {"T": types}}


#: Blocks of other element types, as the CPU has them.
TYPED = {
    "float64": replace(BLOCKS, dtype="float64"),
    "float16": replace(BLOCKS, dtype="float16"),
    "int32": replace(BLOCKS, dtype="int32", foreign=Foreign("Sign")),
    "int64": replace(BLOCKS, dtype="int64", unary=("Neg", "Abs"), foreign=Foreign("Sign")),
    "int8": Blocks(17, ("Relu", "Neg"), ("Max", "Min"), True, Foreign("Sign"), "int8"),
    "uint8": Blocks(17, (), ("Max", "Min"), True, Foreign("Sign"), "uint8"),
}


def test_blocks_are_ops_for_float32_in_one_opset() -> None:
    found = choose([claim("Relu", 14), claim("Mul", 14), claim("Clip", 13)], 21)
    assert found == Blocks(17, ("Relu",), ("Mul",), True)
    assert choose([claim("Relu", 14, ("int16",))], 21) == Blocks(17)
    assert not choose([], 21).any


def test_a_library_without_float32_has_blocks_of_another_type() -> None:
    both = ("float32", "float64")
    assert choose([claim("Relu", 14, both), claim("Mul", 14, both[1:])], 21).dtype == "float32"
    found = choose([claim(op, 14, ("int64", "float64")) for op in ("Relu", "Add")], 21)
    assert found == Blocks(17, ("Relu",), ("Add",), dtype="float64")
    small = [claim("Relu", 14, ("int8",)), claim("Add", 14, ("int8",)), claim("Max", 13, ("int8",))]
    assert choose(small, 21) == Blocks(17, ("Relu",), ("Max",), dtype="int8"), "sums overflow"


def test_what_the_cpu_does_not_compute_in_a_type_is_no_block() -> None:
    found = chosen([claim(op, 13, ("float64",)) for op in ("Erf", "Tanh")])
    assert (found.dtype, found.unary) == ("float64", ("Tanh",))
    assert chosen([claim("Erf", 13)]).unary == ("Erf",)
    assert chosen([claim("Clip", 13, ("float64",)), claim("Add", 14, ("float64",))]).clip


def test_the_opset_is_one_whose_versions_are_claimed() -> None:
    assert choose([claim("Relu", 13)], 21) == Blocks(13, ("Relu",))
    assert choose([claim("Mul", 7)], 21) == Blocks(17), "the oldest opset drawn with is 13"
    assert choose([claim("Mul", 14)], 16) == Blocks(16, (), ("Mul",))


def test_other_domains_are_no_blocks() -> None:
    assert not choose([{**claim("Relu", 1), "domain": "com.microsoft"}], 21).any


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize(
    "blocks",
    [BLOCKS, replace(BLOCKS, unary=()), replace(BLOCKS, opset=13), *TYPED.values()],
    ids=["all", "binary", "old", *TYPED],
)
def test_every_drawing_is_valid_and_runs(name: str, blocks: Blocks) -> None:
    drawn = Sketch(blocks)
    DRAWINGS[name](drawn)
    model = drawn.model()
    onnx.checker.check_model(model, full_check=True)
    nodes = [node.name for node in model.graph.node if node.name]  # one drawing has none
    assert len(set(nodes)) == len(nodes)
    assert drawn.declared
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    feeds = drawn.feeds(3)
    assert {feed.dtype for feed in feeds.values()} == {np.dtype(blocks.dtype)}
    results = session.run(None, feeds)
    assert all(np.isfinite(result).all() for result in results)
    assert all(result.dtype == blocks.dtype for result in results)


@pytest.mark.parametrize("foreign", FOREIGN, ids=lambda f: f.op)
@pytest.mark.parametrize("length", [0, 3])
def test_a_foreign_node_keeps_the_shape(foreign: Foreign, length: int) -> None:
    drawn = Sketch(replace(BLOCKS, foreign=foreign))
    drawn.output(drawn.foreign(drawn.input()))
    session = onnxruntime.InferenceSession(drawn.model().SerializeToString())
    assert session.run(None, drawn.feeds(length))[0].shape == (length, sketch.WIDTH)
    assert not drawn.declared


@pytest.mark.parametrize(
    ("blocks", "drawing", "says"),
    [
        (replace(BLOCKS, binary=()), sketch.diamond, "no float32 op of two inputs"),
        (replace(BLOCKS, foreign=None), sketch.parts, "no op was found that the library leaves"),
        (replace(BLOCKS, clip=False), sketch.absent, "does not take Clip"),
    ],
)
def test_what_cannot_be_drawn_says_why(
    blocks: Blocks, drawing: Callable[[Sketch], None], says: str
) -> None:
    with pytest.raises(NotCheckedError, match=says):
        drawing(Sketch(blocks))


def test_all_bodies_have_one_name() -> None:
    for drawing in (sketch.loops, sketch.branch):
        drawn = Sketch(BLOCKS)
        drawing(drawn)
        assert set(bodies(drawn.model().graph)) == {"body"}


def bodies(graph: onnx.GraphProto) -> list[str]:
    found = []
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found += [attribute.g.name, *bodies(attribute.g)]
    return found
