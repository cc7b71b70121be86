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


def test_blocks_are_ops_for_float32_in_one_opset() -> None:
    found = choose([claim("Relu", 14), claim("Mul", 14), claim("Clip", 13)], 21)
    assert found == Blocks(17, ("Relu",), ("Mul",), True)
    assert choose([claim("Relu", 14, ("int8",))], 21) == Blocks(17)
    assert not choose([], 21).any


def test_the_opset_is_one_whose_versions_are_claimed() -> None:
    assert choose([claim("Relu", 13)], 21) == Blocks(13, ("Relu",))
    assert choose([claim("Mul", 7)], 21) == Blocks(17), "the oldest opset drawn with is 13"
    assert choose([claim("Mul", 14)], 16) == Blocks(16, (), ("Mul",))


def test_other_domains_are_no_blocks() -> None:
    assert not choose([{**claim("Relu", 1), "domain": "com.microsoft"}], 21).any


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize(
    "blocks",
    [BLOCKS, replace(BLOCKS, unary=()), replace(BLOCKS, opset=13)],
    ids=["all", "binary", "old"],
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
    results = session.run(None, drawn.feeds(3))
    assert all(np.isfinite(result).all() for result in results)


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
