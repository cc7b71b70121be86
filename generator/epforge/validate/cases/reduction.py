"""Cases of reductions, of the arg-ops and of the softmax family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from epforge.validate.cases.model import FLOATS, Ask, Builder, Case, Feed, dims, ints

# What these make of nothing is not said, or differs between runtimes.
_VAGUE = {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceLogSum", "ReduceLogSumExp"}
_POSITIVE = {"ReduceLogSum", "ReduceProd"}


def _reduce(ask: Ask, axes_from: int) -> Iterator[Case]:
    low, high = (0.5, 2.0) if ask.op in _POSITIVE else (-3.0, 3.0)
    x = partial(ask.feed, low=low, high=high)
    wanted: tuple[tuple[tuple[int, ...], tuple[int, ...] | None, bool], ...] = (
        ((2, 3), (1,), True),
        ((2, 3), (0,), True),
        ((2, 3), None, True),
        ((2, 3, 4), (0, 2), True),
        ((2, 3, 4), (1,), True),
        ((4, 5, 257), (2,), True),
        ((0, 3), (1,), True),
        ((), None, True),
        ((2, 3, 4), (-1,), ask.since >= 11),
        ((2, 0, 3), (1,), False),  # over nothing: not every reduction has an answer
    )
    for shape, axes, basic in wanted:
        if max(shape, default=1) > 100 and _overflows(ask):
            continue
        for keep in (1, 0):
            attributes: dict[str, Any] = {"keepdims": keep}
            inputs: tuple[Feed, ...] = (x(shape),)
            if axes is not None and ask.since >= axes_from:
                inputs = (*inputs, ints(axes))
            elif axes is not None:
                attributes["axes"] = list(axes)
            over = "all" if axes is None else dims(axes)
            label = f"{dims(shape)} over {over}, keepdims={keep}"
            defined = basic or ask.op not in _VAGUE
            if axes is None or min(axes) >= 0 or ask.since >= 11:
                yield Case(label, inputs, attributes, basic=basic, defined=defined)
    if ask.since >= axes_from:
        yield Case("axes fed", (x((2, 3)), ints([1], constant=False)), basic=False)
        yield Case("no axes, nothing to do", (x((2, 3)),), {"noop_with_empty_axes": 1}, basic=False)


def _overflows(ask: Ask) -> bool:
    """Would hundreds of values, taken together, leave the type's range?"""
    small = ask.type() in ("int8", "uint8", "float16")
    return small or (ask.op == "ReduceProd" and ask.type() not in FLOATS)


def _arg(ask: Ask) -> Iterator[Case]:
    for shape, axis in (((2, 3), 0), ((2, 3), 1), ((2, 3, 4), 1), ((4,), 0), ((0, 3), 1)):
        for keep in (1, 0):
            ties = ask.feed(shape, low=0, high=2)
            whole = Feed(
                np.round(ties.array.astype(np.float64)).astype(ties.array.dtype), ties.type
            )
            yield Case(
                f"{dims(shape)} axis={axis}, keepdims={keep}",
                (whole,),
                {"axis": axis, "keepdims": keep},
            )
    x = ask.feed((2, 3))
    yield Case("defaults", (x,))
    if ask.since >= 11:
        yield Case("axis=-1", (x,), {"axis": -1})
    if ask.since >= 12:
        ties = Feed(np.zeros((2, 3), x.array.dtype), x.type)
        yield Case("last of equals", (ties,), {"axis": 1, "select_last_index": 1})


def _softmax(ask: Ask) -> Iterator[Case]:
    shapes: tuple[tuple[tuple[int, ...], int], ...] = (
        ((2, 3), 1), ((2, 3), 0), ((2, 3, 4), 1), ((2, 3, 4), 2), ((1, 5), 1), ((3, 1031), 1),
        ((0, 3), 1),
    )  # fmt: skip
    for shape, axis in shapes:
        yield Case(f"{dims(shape)} axis={axis}", (ask.feed(shape, low=-6, high=6),), {"axis": axis})
    yield Case("defaults", (ask.feed((2, 3, 4)),))
    if ask.since >= 11:
        yield Case("axis=-1", (ask.feed((2, 3, 4)),), {"axis": -1})
    if ask.op != "Hardmax":
        large = ask.feed((2, 3))
        factor = np.asarray(30, large.array.dtype)
        yield Case("large values", (Feed(large.array * factor, large.type),), {"axis": 1})


_REDUCE = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare")

TABLE: Mapping[str, Builder] = {
    **{f"Reduce{name}": partial(_reduce, axes_from=18) for name in _REDUCE},
    "ReduceSum": partial(_reduce, axes_from=13),
    "ArgMax": _arg,
    "ArgMin": _arg,
    "Hardmax": _softmax,
    "LogSoftmax": _softmax,
    "Softmax": _softmax,
}
