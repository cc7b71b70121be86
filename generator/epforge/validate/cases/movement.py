"""Cases of ops that move, pick or describe data: shapes, slices, indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from epforge.validate.cases.model import NUMPY, Ask, Builder, Case, Feed, both_ways, dims, ints

_Shape = tuple[int, ...]


def _reshape(ask: Ask) -> Iterator[Case]:
    wanted: tuple[tuple[_Shape, list[int]], ...] = (
        ((2, 3), [3, 2]), ((2, 3, 4), [-1, 4]), ((2, 3, 4), [0, 12]), ((2, 3, 4), [0, -1]),
        ((), [1]), ((1,), []), ((2, 0, 3), [0, 0, 3]), ((0,), [0]), ((4,), [1, 2, 2]),
    )  # fmt: skip
    for shape, to in wanted:
        if ask.since < 5:
            yield Case(f"{dims(shape)} to {to}", (ask.feed(shape),), {"shape": to})
        else:
            yield from both_ways(Case(f"{dims(shape)} to {to}", (ask.feed(shape), ints(to))))
    if ask.since >= 14:
        inputs = (ask.feed((2, 0, 3)), ints([3, 0]))
        yield from both_ways(Case("allowzero", inputs, {"allowzero": 1}))


def _flatten(ask: Ask) -> Iterator[Case]:
    for shape in ((2, 3, 4), (2, 3), (2, 0, 3)):
        for axis in range(len(shape) + 1):
            yield Case(f"{dims(shape)} axis={axis}", (ask.feed(shape),), {"axis": axis})
    yield Case("defaults", (ask.feed((2, 3, 4)),))
    yield Case("scalar", (ask.feed(()),), {"axis": 0})
    if ask.since >= 11:
        yield Case("axis=-1", (ask.feed((2, 3, 4)),), {"axis": -1})


def _axes(ask: Ask, shape: _Shape, axes: list[int]) -> Iterator[Case]:
    label = f"{dims(shape)} axes={axes}"
    if ask.since >= 13:
        yield from both_ways(Case(label, (ask.feed(shape), ints(axes))))
    elif min(axes) >= 0 or ask.since >= 11:
        yield Case(label, (ask.feed(shape),), {"axes": axes})


def _squeeze(ask: Ask) -> Iterator[Case]:
    yield from _axes(ask, (1, 3, 1), [0])
    yield from _axes(ask, (1, 3, 1), [0, 2])
    yield from _axes(ask, (1, 3, 1), [-1])
    yield from _axes(ask, (1,), [0])
    yield from _axes(ask, (1, 0, 1), [2])
    yield Case("all axes of size 1", (ask.feed((1, 3, 1)),))


def _unsqueeze(ask: Ask) -> Iterator[Case]:
    yield from _axes(ask, (2, 3), [0])
    yield from _axes(ask, (2, 3), [1, 3])
    yield from _axes(ask, (2, 3), [-1])
    yield from _axes(ask, (), [0])
    yield from _axes(ask, (0, 3), [1])


def _transpose(ask: Ask) -> Iterator[Case]:
    yield Case("defaults", (ask.feed((2, 3)),))
    for shape, perm in (
        ((2, 3, 4), [0, 2, 1]), ((2, 3, 4), [2, 0, 1]), ((2, 3, 4, 5), [0, 2, 3, 1]),
        ((2, 0, 3), [2, 1, 0]), ((1,), [0]), ((33, 65), [1, 0]),
    ):  # fmt: skip
        yield Case(f"{dims(shape)} perm={perm}", (ask.feed(shape),), {"perm": perm})
    yield Case("scalar", (ask.feed(()),))


def _concat(ask: Ask) -> Iterator[Case]:
    lists: tuple[tuple[tuple[_Shape, ...], int], ...] = (
        (((2, 3), (2, 3)), 0), (((2, 3), (2, 1)), 1), (((2, 3, 4), (2, 1, 4), (2, 5, 4)), 1),
        (((2, 3),), 0), (((0, 3), (2, 3)), 0), (((2, 0), (2, 0)), 1), (((3,), (4,)), 0),
    )  # fmt: skip
    for shapes, axis in lists:
        label = f"{' and '.join(map(dims, shapes))} axis={axis}"
        yield Case(label, tuple(map(ask.feed, shapes)), {"axis": axis})
    if ask.since >= 11:
        yield Case("axis=-1", (ask.feed((2, 3)), ask.feed((2, 1))), {"axis": -1})


def _slice(ask: Ask) -> Iterator[Case]:
    index = ask.types.get("Tind", "int64")
    wanted: tuple[tuple[_Shape, list[int], list[int], list[int], list[int] | None], ...] = (
        ((4, 5), [1], [3], [0], None),
        ((4, 5), [0, 1], [2, 4], [0, 1], None),
        ((4, 5), [0], [1000], [1], None),
        ((4, 5), [-3], [-1], [1], None),
        ((4, 5), [2], [2], [0], None),
        ((2, 0, 3), [0], [1], [0], None),
        ((4, 5), [0, 0], [4, 5], [0, 1], [2, 3]),
        ((4, 5), [-1], [-1000], [1], [-2]),
        ((4, 5), [1], [4], [-1], [1]),
    )
    for shape, starts, ends, axes, steps in wanted:
        label = f"{dims(shape)} {starts}:{ends}" + (f":{steps}" if steps else "") + f" axes={axes}"
        if ask.since < 10:
            if steps is None and min(axes) >= 0:
                yield Case(
                    label, (ask.feed(shape),), {"starts": starts, "ends": ends, "axes": axes}
                )
            continue
        if min(axes) < 0 and ask.since < 11:
            continue
        picks = [starts, ends, axes, *([steps] if steps else [])]
        inputs = (ask.feed(shape), *(ints(pick, index) for pick in picks))
        yield from both_ways(Case(label, inputs))
    if ask.since >= 10:
        gap = (
            ask.feed((4, 5)),
            ints([0, 1], index),
            ints([3, 5], index),
            None,
            ints([1, 2], index),
        )
        yield Case("axes left out, steps given", gap)


def _split(ask: Ask) -> Iterator[Case]:
    x = ask.feed((6, 4))
    if ask.since >= 18:
        yield Case("2 equal parts", (x,), {"num_outputs": 2}, outputs=2)
        yield Case("4 parts of 6", (x,), {"num_outputs": 4}, outputs=4, basic=False)
    else:
        yield Case("3 equal parts", (x,), outputs=3)
    for shape, parts, axis in (((6, 4), [2, 4], 0), ((6, 4), [1, 2, 1], 1), ((2, 0), [1, 1], 0)):
        label = f"{dims(shape)} in {parts} axis={axis}"
        if ask.since >= 13:
            case = Case(label, (ask.feed(shape), ints(parts)), {"axis": axis}, len(parts))
            yield from both_ways(case)
        else:
            yield Case(label, (ask.feed(shape),), {"axis": axis, "split": parts}, len(parts))


def _gather(ask: Ask) -> Iterator[Case]:
    index = ask.types.get("Tind", "int64")
    wanted: tuple[tuple[_Shape, Any, int], ...] = (
        ((3, 4), [0, 2], 0), ((3, 4), [[0, 3], [1, 1]], 1), ((3, 4), 1, 0), ((3, 4), [], 0),
        ((2, 3, 4), [2, 0], 1), ((5,), [4], 0), ((0, 3), [2, 0], 1),
    )  # fmt: skip
    for shape, indices, axis in wanted:
        inputs = (ask.feed(shape), ints(indices, index))
        yield from both_ways(Case(f"{dims(shape)} {indices} axis={axis}", inputs, {"axis": axis}))
    if ask.since >= 11:
        yield Case("from the end", (ask.feed((3, 4)), ints([-1, -3], index)), {"axis": -1})


def _gather_elements(ask: Ask) -> Iterator[Case]:
    index = ask.types.get("Tind", "int64")
    for shape, axis in (((3, 4), 0), ((3, 4), 1), ((0, 4), 1)):
        indices = ints(ask.array(shape, "int64", 0, 2), index, constant=False)
        yield Case(f"{dims(shape)} axis={axis}", (ask.feed(shape), indices), {"axis": axis})


def _expand(ask: Ask) -> Iterator[Case]:
    wanted: tuple[tuple[_Shape, list[int]], ...] = (
        ((3, 1), [2, 3, 4]), ((3, 1), [1, 1]), ((), [2, 3]), ((1,), [0]), ((2, 0, 3), [1]),
        ((3,), [2, 1]),
    )  # fmt: skip
    for shape, to in wanted:
        yield from both_ways(Case(f"{dims(shape)} to {to}", (ask.feed(shape), ints(to))))


def _tile(ask: Ask) -> Iterator[Case]:
    for shape, repeats in (((2, 3), [2, 2]), ((2, 3), [1, 3]), ((3,), [0]), ((2, 0), [2, 2])):
        yield from both_ways(Case(f"{dims(shape)} by {repeats}", (ask.feed(shape), ints(repeats))))


def _shape(ask: Ask) -> Iterator[Case]:
    for shape in ((2, 3), (), (0,), (2, 0, 3), (1,)):
        yield Case(dims(shape), (ask.feed(shape),))
    if ask.op == "Shape" and ask.since >= 15:
        for part in ({"start": 1}, {"end": 2}, {"start": -2, "end": -1}, {"start": 2, "end": 1}):
            yield Case(f"part {part}", (ask.feed((2, 3, 4)),), part)


def _constant_of_shape(ask: Ask) -> Iterator[Case]:
    value = np.asarray([1], dtype=NUMPY.get(ask.type("T2"), np.float32))
    attributes: dict[str, Any] = {"value": (value, ask.type("T2"))}
    for to in ([2, 3], [4], [], [0], [2, 0, 3]):
        feed = Feed(np.asarray(to, np.int64), "int64")
        yield Case(f"of {to}", (feed,), attributes)
    if ask.type("T2") == "float32":
        yield Case("default value", (Feed(np.asarray([2, 2], np.int64), "int64"),))


def _pad(ask: Ask) -> Iterator[Case]:
    x = ask.feed((3, 4))
    for mode in ("constant", "edge", "reflect"):
        if ask.since >= 11:
            case = Case(
                f"mode={mode}", (x, ints([1, 0, 0, 2])), {"mode": mode}, basic=mode == "constant"
            )
            yield from both_ways(case)
        else:
            yield Case(
                f"mode={mode}", (x,), {"mode": mode, "pads": [1, 0, 0, 2]}, basic=mode == "constant"
            )
    if ask.since >= 11:
        yield Case("value", (x, ints([1, 0, 0, 2]), ask.feed((), constant=True)))
        yield Case("negative", (x, ints([-1, 0, 0, 1])), basic=False)
        yield Case("empty", (ask.feed((0, 4)), ints([1, 0, 0, 0])))


TABLE: Mapping[str, Builder] = {
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "Expand": _expand,
    "Flatten": _flatten,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "Pad": _pad,
    "Reshape": _reshape,
    "Shape": _shape,
    "Size": _shape,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
