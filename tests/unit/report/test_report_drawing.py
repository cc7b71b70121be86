"""Pictures of models: boxes do not overlap, lines join what they should, nothing is endless."""

from __future__ import annotations

import itertools

import pytest
from reports import CPU, EP, PICTURE

from epforge.report.page.drawing import Box, Drawing, draw
from epforge.report.shape import Node


def node(name: str, *inputs: str, ep: str = EP, group: int = 0, within: str = "") -> Node:
    return Node(
        name=name, op=f"Op{name}", ep=ep, group=group, inputs=list(inputs), outputs=[f"v{name}"],
        within=within,
    )  # fmt: skip


def apart(one: Box, other: Box) -> bool:
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


def inside(one: Box, other: Box) -> bool:
    """Is the first box in the second?"""
    return (
        other.x <= one.x
        and other.y <= one.y
        and one.x + one.width <= other.x + other.width
        and one.y + one.height <= other.y + other.height
    )


def named(drawing: Drawing) -> dict[str, Box]:
    return {box.title: box for box in drawing.boxes}


def test_what_reads_is_below_what_makes() -> None:
    drawing = draw([node("c", "va", "vb"), node("a", "X"), node("b", "va")], EP)
    boxes = named(drawing)
    assert boxes["Opa"].y < boxes["Opb"].y < boxes["Opc"].y
    assert len(drawing.lines) == 3
    for one, other in itertools.combinations(drawing.boxes, 2):
        assert apart(one, other)


def test_a_line_goes_around_the_boxes_between_its_ends() -> None:
    drawing = draw([node("a", "X"), node("b", "va"), node("c", "va", "vb")], EP)
    boxes = named(drawing)
    middle = boxes["Opb"]
    (around,) = (line for line in drawing.lines if len(line) == 4)
    for x, y in around[1:3]:
        assert not (middle.x < x < middle.x + middle.width and middle.y < y < middle.y + 42)


def test_who_took_a_node_is_said_in_words() -> None:
    nodes = [node("a"), node("b", ep=CPU, group=2), node("c", ep="", group=-1)]
    boxes = named(draw(nodes, EP))
    assert (boxes["Opa"].kind, boxes["Opa"].words) == ("ours", "Toy, part 1")
    assert (boxes["Opb"].kind, boxes["Opb"].words) == ("others", "CPU, part 3")
    assert (boxes["Opc"].kind, boxes["Opc"].words) == ("unknown", "not reported")


def test_a_subgraph_is_inside_its_node() -> None:
    nodes = [Node.model_validate({**vars(each), "inputs": list(each.inputs),
             "outputs": list(each.outputs)}) for each in PICTURE.nodes]  # fmt: skip
    drawing = draw(nodes, EP)
    boxes = named(drawing)
    assert inside(boxes["Relu"], boxes["Loop"])
    assert inside(boxes["Odd"], boxes["Loop"])
    assert apart(boxes["Relu"], boxes["Odd"])
    whole = Box(0, 0, drawing.width, drawing.height, "", "", "", "")
    assert all(inside(box, whole) for box in drawing.boxes)


@pytest.mark.parametrize(
    "nodes",
    [
        [],
        [node("a", "vb"), node("b", "va")],
        [node("a", "va")],
        [node("a", within="a")],
        [node("a", within="b"), node("b", within="a")],
        [node("", within=""), node("", within="")],
        [node("n"), *[node("n", within="n") for _ in range(6)], node("n"), node("n")],
        [node(str(i), *[f"v{j}" for j in range(i)]) for i in range(120)],
        [node(str(i), within=str(i - 1) if i else "") for i in range(300)],
    ],
    ids=["none", "circle", "self", "in itself", "in each other", "nameless", "same", "all", "deep"],
)
def test_whatever_the_names_say_there_is_a_picture(nodes: list[Node]) -> None:
    drawing = draw(nodes, EP)
    assert len(drawing.boxes) <= len(nodes)
    assert drawing.width >= 0
    assert "nan" not in drawing.path
    assert len(drawing.path) < 200_000


def test_long_names_are_cut_and_kept_for_who_points_at_them() -> None:
    long = node("a").model_copy(update={"op": "com.contoso.some.domain::Operator"})
    (box,) = draw([long], EP).boxes
    assert len(box.title) == 18
    assert "com.contoso.some.domain::Operator" in box.whole
