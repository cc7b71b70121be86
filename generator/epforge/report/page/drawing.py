"""Draws a model that was divided: boxes in layers, top to bottom, and lines between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from epforge.report.shape import Node

_WIDTH, _HEIGHT = 148.0, 42.0  # of a box
_LANE = 14.0  # what a line takes that passes a layer
_GAP_X, _GAP_Y = 14.0, 26.0
_PAD, _HEAD = 10.0, 42.0  # around the boxes inside a box, and above them for its own words
_DEEPEST = 6  # graphs inside graphs; what is deeper is left out
_MOST_LANES = 2000
_LONGEST = 18  # letters of an operator in a box,
_OWNER = 12  # and of the provider that took it

Line = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Box:
    """A node as it is drawn.

    Args:
        kind: "ours", "others" or "unknown".
        title: the operator's name, as far as it fits.
        words: who took the node, and in which part.
        whole: everything about it, for whoever points at the box.
    """

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str
    words: str
    whole: str


@dataclass(frozen=True)
class Drawing:
    """A picture, from (0, 0) to its size.

    Args:
        lines: their corners.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]

    @property
    def path(self) -> str:
        """All lines in the language of SVG."""
        return "".join("M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in line) for line in self.lines)

    def moved(self, x: float, y: float) -> Drawing:
        """The same at another place."""
        boxes = tuple(replace(box, x=box.x + x, y=box.y + y) for box in self.boxes)
        lines = tuple(tuple((a + x, b + y) for a, b in line) for line in self.lines)
        return replace(self, boxes=boxes, lines=lines)


def draw(nodes: Sequence[Node], ep: str) -> Drawing:
    """The picture of a model.

    Args:
        ep: name of the execution provider that is validated.
    """
    inside: dict[str, list[Node]] = {}
    for node in nodes:
        inside.setdefault(node.within, []).append(node)
    return _graph(inside.get("", ()), inside, dict(inside), ep, 0)


def short(ep: str) -> str:
    """The name of an execution provider without the words that all have."""
    return ep.removesuffix("ExecutionProvider") or ep


def _graph(
    nodes: Sequence[Node],
    inside: Mapping[str, Sequence[Node]],
    left: dict[str, list[Node]],
    ep: str,
    depth: int,
) -> Drawing:
    """The picture of one graph.

    Args:
        inside: the nodes of the graphs inside nodes, by the outer node's name.
        left: those that are not drawn yet. Each is drawn once, whatever the names say.
    """
    if not nodes:
        return Drawing(0, 0, (), ())
    inner = [
        _graph(left.pop(node.name, []), inside, left, ep, depth + 1)
        if node.name and depth < _DEEPEST
        else Drawing(0, 0, (), ())
        for node in nodes
    ]
    sizes = [_size(drawing) for drawing in inner]
    edges = _edges(nodes, inside)
    layers = _layers(len(nodes), edges)
    rows, chains = _with_lanes(layers, edges)
    places, width, height = _places(rows, sizes, chains)
    deep = {item: max(_tall(each, sizes) for each in row) for row in rows for item in row}
    boxes: list[Box] = []
    lines = [_line(chain, places, sizes, deep) for chain in chains]
    for index, node in enumerate(nodes):
        x, y = places[index]
        part = inner[index].moved(x + _PAD, y + _HEAD)
        boxes += [_box(node, x, y, sizes[index], ep), *part.boxes]
        lines += part.lines
    return Drawing(width, height, tuple(boxes), tuple(lines))


def _tall(item: int, sizes: Sequence[tuple[float, float]]) -> float:
    return sizes[item][1] if item < len(sizes) else 0.0


def _size(inner: Drawing) -> tuple[float, float]:
    if not inner.boxes:
        return _WIDTH, _HEIGHT
    return max(_WIDTH, inner.width + 2 * _PAD), inner.height + _HEAD + _PAD


def _box(node: Node, x: float, y: float, size: tuple[float, float], ep: str) -> Box:
    if not node.ep:
        kind, words = "unknown", "not reported"
    else:
        part = f", part {node.group + 1}" if node.group >= 0 else ""
        kind, words = "ours" if node.ep == ep else "others", f"{_cut(short(node.ep), _OWNER)}{part}"
    whole = f"{node.op} {node.name}: {node.ep or 'who took it is not reported'}"
    return Box(x, y, *size, kind, _cut(node.op), words, whole)


def _cut(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _edges(nodes: Sequence[Node], inside: Mapping[str, Sequence[Node]]) -> list[tuple[int, int]]:
    """Pairs of nodes of one graph of which the second reads what the first makes."""
    makers = {name: index for index, node in enumerate(nodes) for name in node.outputs}
    found: dict[tuple[int, int], None] = {}
    for index, node in enumerate(nodes):
        for name in _read(node, inside):
            maker = makers.get(name, index)
            if maker != index:
                found[maker, index] = None
    return list(found)


def _read(node: Node, inside: Mapping[str, Sequence[Node]]) -> Iterable[str]:
    """Names that a node reads, or the graphs inside it."""
    todo, seen = [node], set()
    while todo:
        one = todo.pop()
        yield from one.inputs
        if one.name and one.name not in seen:
            seen.add(one.name)
            todo += inside.get(one.name, ())


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of each node: behind all that it reads from. Nodes in a circle are in the first."""
    after: dict[int, list[int]] = {}
    waiting = [0] * count
    for one, other in edges:
        after.setdefault(one, []).append(other)
        waiting[other] += 1
    layer = [0] * count
    ready = [index for index in range(count) if not waiting[index]]
    while ready:
        one = ready.pop()
        for other in after.get(one, ()):
            layer[other] = max(layer[other], layer[one] + 1)
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return [0 if waiting[index] else layer[index] for index in range(count)]


def _with_lanes(
    layers: Sequence[int], edges: Sequence[tuple[int, int]]
) -> tuple[list[list[int]], list[list[int]]]:
    """Rows of nodes and lanes, and the nodes and lanes that each edge passes. A lane is a place for
    a line in a layer that has neither of its ends; its number follows those of the nodes."""
    rows: list[list[int]] = [[] for _ in range(max(layers) + 1)]
    for index, layer in enumerate(layers):
        rows[layer].append(index)
    lane = len(layers)
    chains = []
    for one, other in edges:
        chain = [one]
        for between in range(layers[one] + 1, layers[other]):
            if lane - len(layers) < _MOST_LANES:
                rows[between].append(lane)
                chain.append(lane)
                lane += 1
        chains.append([*chain, other])
    return rows, chains


def _places(
    rows: Sequence[Sequence[int]],
    sizes: Sequence[tuple[float, float]],
    chains: Sequence[Sequence[int]],
) -> tuple[dict[int, tuple[float, float]], float, float]:
    """Upper left corners, and the size of it all."""

    def wide(item: int) -> float:
        return sizes[item][0] if item < len(sizes) else _LANE

    above: dict[int, list[int]] = {}
    for chain in chains:
        for one, other in pairwise(chain):
            above.setdefault(other, []).append(one)
    total = max(sum(map(wide, row)) + _GAP_X * (len(row) - 1) for row in rows)
    places: dict[int, tuple[float, float]] = {}
    middle: dict[int, float] = {}
    y = 0.0
    for row in rows:
        wanted = {
            item: [middle[each] for each in above.get(item, ()) if each in middle] for item in row
        }
        ordered = sorted(row, key=lambda i: sum(wanted[i]) / len(wanted[i]) if wanted[i] else 0.0)
        x = (total - sum(map(wide, row)) - _GAP_X * (len(row) - 1)) / 2
        for item in ordered:
            places[item] = (x, y)
            middle[item] = x + wide(item) / 2
            x += wide(item) + _GAP_X
        y += max(_tall(item, sizes) for item in row) + _GAP_Y
    return places, total, y - _GAP_Y


def _line(
    chain: Sequence[int],
    places: Mapping[int, tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    deep: Mapping[int, float],
) -> Line:
    """The corners of an edge.

    Args:
        deep: the height of the layer that a lane passes.
    """
    x, y = places[chain[0]]
    points = [(x + sizes[chain[0]][0] / 2, y + sizes[chain[0]][1])]
    for lane in chain[1:-1]:
        x, y = places[lane]
        points += [(x + _LANE / 2, y), (x + _LANE / 2, y + deep[lane])]
    x, y = places[chain[-1]]
    return (*points, (x + sizes[chain[-1]][0] / 2, y))
