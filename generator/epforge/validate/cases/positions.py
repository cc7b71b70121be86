"""Cases of ops about positions: where elements go, which they are, running sums and ranges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from epforge.validate.cases.model import NUMPY, Ask, Builder, Case, Feed, both_ways, dims, ints

_Shape = tuple[int, ...]


def _of(ask: Ask, values: object, constraint: str = "T", *, constant: bool = False) -> Feed:
    """An input with these values."""
    type_ = ask.type(constraint)
    return Feed(np.asarray(values).astype(NUMPY.get(type_, np.float32)), type_, constant)


def _reductions(ask: Ask) -> Iterator[str]:
    if ask.since >= 16:
        yield from ("add", "mul")
    if ask.since >= 18 and ask.type() != "bool":
        yield from ("max", "min")


def _gather_nd(ask: Ask) -> Iterator[Case]:
    wanted: tuple[tuple[str, _Shape, Any], ...] = (
        ("elements", (3, 4), [[0, 1], [2, 3]]),
        ("rows", (3, 4), [[2], [0]]),
        ("from the end", (3, 4), [[-1, -4], [0, -1]]),
        ("one row", (3, 4), [1]),
        ("planes", (2, 3, 4), [[[1], [0]], [[0], [0]]]),
    )
    for label, shape, indices in wanted:
        yield from both_ways(Case(label, (ask.feed(shape), ints(indices))))
    none = Feed(np.zeros((0, 1), np.int64), "int64")
    yield Case("nothing", (ask.feed((3, 4)), none))
    if ask.since >= 12:
        batched = (ask.feed((2, 3, 4)), ints([[1], [2]]))
        yield Case("batch_dims=1", batched, {"batch_dims": 1})
        batched = (ask.feed((2, 3, 4)), ints([[[0], [1], [2]], [[3], [2], [1]]], constant=False))
        yield Case("batch_dims=2", batched, {"batch_dims": 2})


def _scatter_elements(ask: Ask) -> Iterator[Case]:
    index = ask.types.get("Tind", "int64")
    for axis in (0, 1):
        indices = ints([[1, 0, 2], [0, 2, 1]], index)
        inputs = (ask.feed((3, 3)), indices, ask.feed((2, 3), low=-1))
        yield from both_ways(Case(f"axis={axis}", inputs, {"axis": axis}))
    line, twice = ask.feed((5,)), ints([1, 3, 1], index, constant=False)
    updates = ask.feed((3,), low=-1)
    yield Case("nothing", (line, Feed(np.zeros(0, NUMPY[index]), index), ask.feed((0,))))
    if ask.op != "Scatter":
        ends = ints([[-1, 0], [-3, -2]], index)
        yield Case("from the end", (ask.feed((2, 3)), ends, ask.feed((2, 2))), {"axis": -1})
        yield Case("one place twice", (line, twice, updates))
    for reduction in _reductions(ask):
        yield Case(f"reduction={reduction}", (line, twice, updates), {"reduction": reduction})


def _scatter_nd(ask: Ask) -> Iterator[Case]:
    x = ask.feed((3, 4))
    rows = ints([[2], [0]], constant=False)
    yield Case("rows", (x, rows, ask.feed((2, 4), low=-1)))
    yield Case("elements", (x, ints([[0, 1], [2, -1]]), ask.feed((2,), low=-1)))
    yield Case("planes", (ask.feed((2, 3, 4)), ints([[[1, 2]], [[0, 0]]]), ask.feed((2, 1, 4))))
    yield Case("nothing", (x, Feed(np.zeros((0, 1), np.int64), "int64"), ask.feed((0, 4))))
    twice, updates = ints([[1], [1], [0]], constant=False), ask.feed((3, 4), low=-1)
    yield Case("one row twice", (x, twice, updates))
    for reduction in _reductions(ask):
        yield Case(f"reduction={reduction}", (x, twice, updates), {"reduction": reduction})


def _tensor_scatter(ask: Ask) -> Iterator[Case]:
    cache = ask.feed((2, 4, 3))
    update = ask.feed((2, 2, 3), low=-1)
    yield Case("from the front", (cache, update))
    yield from both_ways(Case("in the middle", (cache, update, ints([2, 1]))))
    yield Case("circular", (cache, update, ints([3, 6])), {"mode": "circular"})
    heads = (ask.feed((2, 3, 4, 2)), ask.feed((2, 3, 1, 2), low=-1), ints([3, 0]))
    yield Case("several heads", heads)
    yield Case("axis=1", (cache, ask.feed((2, 1, 3), low=-1), ints([3, 0])), {"axis": 1})


def _compress(ask: Ask) -> Iterator[Case]:
    wanted: tuple[tuple[_Shape, list[bool], int | None], ...] = (
        ((2, 3), [False, True, True], None), ((3, 2), [False, True], 0),
        ((2, 3, 4), [True, False, True], 1), ((2, 3), [False, False], 0),
    )  # fmt: skip
    for shape, condition, axis in wanted:
        inputs = (ask.feed(shape), ints(condition, "bool"))
        attributes = {} if axis is None else {"axis": axis}
        yield from both_ways(Case(f"{dims(shape)} axis={axis}", inputs, attributes))
    if ask.since >= 11:
        inputs = (ask.feed((2, 3)), ints([True, False, True], "bool"))
        yield Case("axis=-1", inputs, {"axis": -1})


def _non_zero(ask: Ask) -> Iterator[Case]:
    for shape in ((3, 4), (5,), (0, 3)):
        yield Case(dims(shape), (ask.feed(shape, low=0, high=1),))
    yield Case("(2,3,2), some are zero", (_of(ask, [[[0, 1], [0, 0], [1, 1]]] * 2),))


def _unique(ask: Ask) -> Iterator[Case]:
    mixed = _of(ask, [1, 0, 0, 1, 1, 0])
    yield Case("sorted", (mixed,), outputs=4)
    yield Case("in their order", (mixed,), {"sorted": 0}, outputs=4)
    yield Case("values alone", (mixed,))
    rows = _of(ask, [[1, 0], [0, 1], [1, 0]])
    yield Case("rows", (rows,), {"axis": 0}, outputs=4)
    # For other types ONNX Runtime has no kernel, and onnx's reference returns rows.
    if ask.type() in {"float16", "float32", "float64", "int8", "int64", "string"}:
        yield Case("columns, in their order", (rows,), {"axis": -1, "sorted": 0}, outputs=4)


def _top_k(ask: Ask) -> Iterator[Case]:
    distinct = np.random.default_rng(7).permutation(12).reshape(3, 4)
    x = _of(ask, distinct)
    for k, axis in ((2, 1), (1, 0), (4, 1)):
        label = f"k={k} axis={axis}"
        if ask.since >= 10:
            yield from both_ways(Case(label, (x, ints([k])), {"axis": axis}, 2))
        else:
            yield Case(label, (x,), {"axis": axis, "k": k}, 2)
    if ask.since >= 11:
        yield Case("smallest", (x, ints([2])), {"largest": 0}, 2)
    if ask.since >= 10:
        yield Case("no rows", (ask.feed((0, 4)), ints([2])), {}, 2)


def _one_hot(ask: Ask) -> Iterator[Case]:
    depth, values = _of(ask, 3, "T2", constant=True), _of(ask, [0, 1], "T3", constant=True)
    yield Case("depth 3", (_of(ask, [0, 2, 1], "T1"), depth, values))
    yield Case("axis=0", (_of(ask, [[0, 2], [1, 1]], "T1"), depth, values), {"axis": 0})
    yield Case("axis=1", (_of(ask, [[0, 2], [1, 1]], "T1"), depth, values), {"axis": 1})
    off = _of(ask, [1, 0], "T3")
    yield Case("fed", (_of(ask, [0, 2, 1], "T1"), _of(ask, [3], "T2"), off))


def _cumulative(ask: Ask) -> Iterator[Case]:
    index = ask.types.get("T2", "int64")
    for axis in (0, 1, -1):
        yield from both_ways(Case(f"axis={axis}", (ask.feed((3, 4)), ints(axis, index))))
    x, axis0 = ask.feed((3, 4)), ints(0, index)
    yield Case("exclusive", (x, axis0), {"exclusive": 1})
    yield Case("reverse", (x, axis0), {"reverse": 1})
    yield Case("exclusive, reverse", (x, axis0), {"exclusive": 1, "reverse": 1})
    yield Case("no rows", (ask.feed((0, 4)), axis0))


def _range(ask: Ask) -> Iterator[Case]:
    for start, limit, delta in ((0, 5, 1), (1, 10, 3), (5, 0, -2), (3, 3, 1)):
        feeds = tuple(_of(ask, value) for value in (start, limit, delta))
        yield Case(f"{start}..{limit} by {delta}", feeds)


def _trilu(ask: Ask) -> Iterator[Case]:
    for upper in (0, 1):
        yield Case(f"upper={upper}", (ask.feed((3, 4)),), {"upper": upper})
        for k in (-1, 2):
            case = Case(f"upper={upper} k={k}", (ask.feed((4, 3)), ints(k)), {"upper": upper})
            yield from both_ways(case)
    yield Case("k=1", (ask.feed((2, 3, 3)), ints(1)))
    yield Case("no rows", (ask.feed((0, 3)),))


def _reverse_sequence(ask: Ask) -> Iterator[Case]:
    yield Case("time first", (ask.feed((4, 3)), ints([4, 1, 3])))
    batch_first = {"batch_axis": 0, "time_axis": 1}
    yield Case("batch first", (ask.feed((3, 4, 2)), ints([0, 4, 2], constant=False)), batch_first)


def _eye_like(ask: Ask) -> Iterator[Case]:
    dtype = ask.type("T2")
    for shape, k in (((3, 3), 0), ((2, 4), 1), ((4, 2), -1), ((2, 2), 5)):
        yield Case(f"{dims(shape)} k={k}", (ask.feed(shape, "T1"),), {"k": k, "dtype": dtype})


TABLE: Mapping[str, Builder] = {
    "Compress": _compress,
    "CumProd": _cumulative,
    "CumSum": _cumulative,
    "EyeLike": _eye_like,
    "GatherND": _gather_nd,
    "NonZero": _non_zero,
    "OneHot": _one_hot,
    "Range": _range,
    "ReverseSequence": _reverse_sequence,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
    "TopK": _top_k,
    "Trilu": _trilu,
    "Unique": _unique,
}
