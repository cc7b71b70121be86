"""Operators that move elements without looking at them, and those about shapes."""

from __future__ import annotations

from epforge.ops.families._common import ANY, CHECKS, ERRORS, FLOATS, HALVES, value
from epforge.ops.model import DType, FamilyRow, Sample, Value

_COPYING = ("copy.cc", "copy.h", "strides.cc", "strides.h")
_COPYING_ON_DEVICE = (
    "copy.cu",
    "copy.h",
    "device.h",
    "device_strides.cc",
    "device_strides.h",
    "launch.h",
    "strides.cc",
    "strides.h",
    "units.h",
)
_COPY = (*CHECKS, *_COPYING)
_COPY_ON_DEVICE = (*CHECKS, *_COPYING_ON_DEVICE)
#: ... of kernels whose device code finds out for itself where each element comes from.
_WALK = ("device.h", "device_strides.cc", "device_strides.h", "launch.h", "strides.cc", "strides.h")
_INT64 = (DType.INT64,)
_INDEX = (DType.INT32, DType.INT64)

#: The versions that only added element types.
_VIEWS = (21, 23, 24, 25)

_X = value([[1, 2, 3], [4, 5, 6]])
_SCALAR = value(7)
_EMPTY = value([], shape=(0, 3))


def _ints(*numbers: int) -> Value:
    return value(list(numbers), DType.INT64)


def _row(
    op: str,
    since: tuple[int, ...],
    samples: tuple[Sample, ...],
    *,
    family: str = "",
    header: str = "op",
    host: tuple[int, ...] = (),
    params: dict[str, object] | None = None,
    types: dict[str, tuple[DType, ...]] | None = None,
    support: tuple[str, ...] = _COPY,
    cuda_support: tuple[str, ...] = _COPY_ON_DEVICE,
    cuda_template: bool = False,
) -> FamilyRow:
    """A row of an operator whose template has its name, whatever the elements are."""
    on_device = {"cuda_support": cuda_support, "cuda_template": cuda_template}
    return FamilyRow(
        op=op,
        family=family or op.lower(),
        since=since,
        types={"T": ANY, **(types or {})},
        host_inputs=host,
        device=True,
        params={
            "header": header or family or op.lower(),
            "support": support,
            **on_device,
            **(params or {}),
        },
        samples=samples,
    )


_RESHAPE = _row(
    "Reshape",
    (5, 13, 14, 19, *_VIEWS),
    (
        Sample((_X, _ints(3, 2)), (value([[1, 2], [3, 4], [5, 6]]),)),
        Sample((_X, _ints(0, 1, -1)), (value([[[1, 2, 3]], [[4, 5, 6]]]),)),
        Sample((_SCALAR, _ints(1, 1)), (value([[7]]),)),
        Sample((value([7]), value([], DType.INT64, (0,))), (_SCALAR,)),
        Sample(
            (_EMPTY, _ints(3, 0, 4)),
            (value([], shape=(3, 0, 4)),),
            {"allowzero": 1},
            (14, 19, *_VIEWS),
        ),
    ),
    host=(1,),
)
_FLATTEN = _row(
    "Flatten",
    (1, 9, 11, 13, *_VIEWS),
    (
        Sample((value([[[1, 2], [3, 4]]]),), (value([[1, 2, 3, 4]]),)),
        Sample((_X,), (value([[1], [2], [3], [4], [5], [6]]),), {"axis": 2}),
        Sample((_SCALAR,), (value([[7]]),), {"axis": 0}),
        Sample((_EMPTY,), (_EMPTY,)),
    ),
)
_SQUEEZE = _row(
    "Squeeze",
    (1, 11, 13, *_VIEWS),
    (
        Sample((value([[[1], [2]]]),), (value([1, 2]),)),
        Sample((value([[[1], [2]]]),), (value([[1], [2]]),), {"axes": (0,)}, (1, 11)),
        Sample((value([[[1], [2]]]), _ints(-1)), (value([[1, 2]]),), {}, (13, *_VIEWS)),
        Sample((value([7]),), (_SCALAR,)),
        Sample((value([], shape=(0, 1)),), (value([], shape=(0,)),)),
    ),
    family="squeeze",
    header="squeeze",
    host=(1,),
    params={"kind": "squeeze"},
)
_UNSQUEEZE = _row(
    "Unsqueeze",
    (1, 11, 13, *_VIEWS),
    (
        Sample((value([1, 2]),), (value([[[1], [2]]]),), {"axes": (0, 2)}, (1, 11)),
        Sample((value([1, 2]), _ints(-1, 0)), (value([[[1], [2]]]),), {}, (13, *_VIEWS)),
        Sample((_SCALAR, _ints(0)), (value([7]),), {}, (13, *_VIEWS)),
    ),
    family="squeeze",
    header="squeeze",
    host=(1,),
    params={"kind": "unsqueeze"},
)
_TRANSPOSE = _row(
    "Transpose",
    (1, 13, *_VIEWS),
    (
        Sample((_X,), (value([[1, 4], [2, 5], [3, 6]]),)),
        Sample((value([[[1, 2], [3, 4]]]),), (value([[[1, 2]], [[3, 4]]]),), {"perm": (1, 0, 2)}),
        Sample((_SCALAR,), (_SCALAR,)),
        Sample((_EMPTY,), (value([], shape=(3, 0)),)),
    ),
)
_CONCAT = _row(
    "Concat",
    (1, 4, 11, 13),
    (
        Sample((_X, value([[7], [8]])), (value([[1, 2, 3, 7], [4, 5, 6, 8]]),), {"axis": 1}),
        Sample((_X, _EMPTY, _X), (value([[1, 2, 3], [4, 5, 6]] * 2),), {"axis": 0}),
        Sample((_EMPTY,), (_EMPTY,), {"axis": 0}),
    ),
    header="concat",
)
_SPLIT_NEW = (13, 18)
_SPLIT = _row(
    "Split",
    (2, 11, 13, 18),
    (
        Sample(
            (_X,),
            (value([[1], [4]]), value([[2, 3], [5, 6]])),
            {"axis": 1, "split": (1, 2)},
            (2, 11),
        ),
        Sample(
            (_X, _ints(1, 0, 2)),
            (value([[1], [4]]), value([], shape=(2, 0)), value([[2, 3], [5, 6]])),
            {"axis": 1},
            _SPLIT_NEW,
        ),
        Sample((_X,), (value([[1, 2, 3]]), value([[4, 5, 6]])), {}, (2, 11, 13)),
        Sample((value([1, 2, 3]),), (value([1, 2]), value([3])), {"num_outputs": 2}, (18,)),
    ),
    header="split",
    host=(1,),
)
_SLICE_NEW = (10, 11, 13)
_SLICE = _row(
    "Slice",
    (1, *_SLICE_NEW),
    (
        Sample((_X,), (value([[2, 3]]),), {"starts": (0, 1), "ends": (1, 99)}, (1,)),
        Sample((_X, _ints(1), _ints(3), _ints(1)), (value([[2, 3], [5, 6]]),), {}, _SLICE_NEW),
        Sample(
            (_X, _ints(-1, 0), _ints(-99, 1), _ints(-1, 0), _ints(-2, 1)),
            (value([[3, 1]]),),
            {},
            _SLICE_NEW,
        ),
        Sample((_X, _ints(2), _ints(1)), (_EMPTY,), {}, _SLICE_NEW),
    ),
    header="slice",
    host=(1, 2, 3, 4),
    types={"Tind": _INDEX},
)
_GATHER = _row(
    "Gather",
    (1, 11, 13),
    (
        Sample((_X, value([1, -1, 0], "Tind")), (value([[4, 5, 6], [4, 5, 6], [1, 2, 3]]),)),
        Sample((_X, value([[2], [0]], "Tind")), (value([[[3], [1]], [[6], [4]]]),), {"axis": 1}),
        Sample((_X, value(1, "Tind")), (value([2, 5]),), {"axis": -1}),
        Sample((_X, value([], "Tind")), (_EMPTY,)),
    ),
    types={"Tind": _INDEX},
    support=CHECKS,
    cuda_support=(*CHECKS, "device.h", "indices.h", "launch.h", "units.h"),
    cuda_template=True,
)
_GATHER_ELEMENTS = _row(
    "GatherElements",
    (11, 13),
    (
        Sample((_X, value([[2, -1], [0, 0]], "Tind")), (value([[3, 3], [4, 4]]),), {"axis": 1}),
        Sample((_X, value([[1, 0, -1]], "Tind")), (value([[4, 2, 6]]),)),
        Sample((_X, value([], "Tind", (0, 3))), (_EMPTY,)),
    ),
    family="gather_elements",
    types={"Tind": _INDEX},
    support=CHECKS,
    cuda_support=(*CHECKS, *_WALK, "indices.h"),
    cuda_template=True,
)
_PAD_NEW = (11, 13, 18, 19, *_VIEWS)
_PAD_BOTH = _ints(0, 1, 0, 2)
_PAD = _row(
    "Pad",
    (2, *_PAD_NEW),
    (
        Sample((value([[1, 2]]),), (value([[0, 1, 2]]),), {"pads": (0, 1, 0, 0)}, (2,)),
        Sample((value([[1, 2]]), _PAD_BOTH), (value([[0, 1, 2, 0, 0]]),), {}, _PAD_NEW),
        Sample((_X, _ints(1, -1, 0, -1), value(7)), (value([[7], [2], [5]]),), {}, _PAD_NEW),
        Sample(
            (value([[1, 2, 3]]), _PAD_BOTH),
            (value([[2, 1, 2, 3, 2, 1]]),),
            {"mode": "reflect"},
            _PAD_NEW,
        ),
        Sample(
            (value([[1, 2, 3]]), _PAD_BOTH),
            (value([[1, 1, 2, 3, 3, 3]]),),
            {"mode": "edge"},
            _PAD_NEW,
        ),
        Sample((_EMPTY, _ints(1, 0, 0, 0)), (value([[0, 0, 0]]),), {}, _PAD_NEW),
    ),
    header="pad",
    host=(1, 3),
    types={"Tind": _INDEX},
    params={
        "half_support": ("halves.cc", "halves.h"),
        "cuda_half_support": ("halves.cc", "halves.h"),
    },
    support=(*CHECKS, "choice.cc", "choice.h"),
    cuda_support=(*CHECKS, *_WALK, "choice.cc", "choice.h"),
    cuda_template=True,
)
_EXPAND = _row(
    "Expand",
    (8, 13),
    (
        Sample((value([[1], [2]]), _ints(2, 1, 3)), (value([[[1] * 3, [2] * 3]] * 2),)),
        Sample((_X, _ints(1)), (_X,)),
        Sample((_SCALAR, _ints(2)), (value([7, 7]),)),
        Sample((value([1]), _ints(0, 1)), (value([], shape=(0, 1)),)),
    ),
    host=(1,),
)
_TILE = _row(
    "Tile",
    (6, 13),
    (
        Sample((value([[1, 2]]), _ints(2, 2)), (value([[1, 2, 1, 2], [1, 2, 1, 2]]),)),
        Sample((_SCALAR, value([], DType.INT64)), (_SCALAR,)),
        Sample((value([1, 2]), _ints(0)), (value([]),)),
    ),
    host=(1,),
    types={"T1": _INT64},
)
_SHAPE_SINCE = (1, 13, 15, 19, *_VIEWS)
_SHAPE = FamilyRow(
    op="Shape",
    family="shape",
    since=_SHAPE_SINCE,
    types={"T": ANY, "T1": _INT64},
    host_outputs=(0,),
    device=True,
    params={"support": CHECKS},
    samples=(
        Sample((_X,), (_ints(2, 3),)),
        Sample((_SCALAR,), (value([], DType.INT64),)),
        Sample((_EMPTY,), (_ints(0, 3),)),
        Sample((_X,), (_ints(3),), {"start": -1}, _SHAPE_SINCE[2:]),
        Sample((_X,), (_ints(2),), {"end": -1}, _SHAPE_SINCE[2:]),
    ),
)
_SIZE = FamilyRow(
    op="Size",
    family="size",
    since=(1, 13, 19, *_VIEWS),
    types={"T": ANY, "T1": _INT64},
    host_outputs=(0,),
    device=True,
    params={"header": "op"},
    samples=(
        Sample((_X,), (value(6, DType.INT64),)),
        Sample((_SCALAR,), (value(1, DType.INT64),)),
        Sample((_EMPTY,), (value(0, DType.INT64),)),
    ),
)
_CONSTANT_OF_SHAPE = FamilyRow(
    op="ConstantOfShape",
    family="constant_of_shape",
    since=(9, 20, *_VIEWS),
    types={"T1": _INT64, "T2": ANY},
    host_inputs=(0,),
    device=True,
    params={"main": "T2", "support": _COPY, "cuda_support": _COPY_ON_DEVICE},
    samples=(
        Sample((_ints(2, 2),), (value([[1, 1], [1, 1]], "T2"),), {"value": value([1], "T2")}),
        Sample((_ints(3),), (value([0, 0, 0], DType.FLOAT32),)),
        Sample((value([], DType.INT64),), (value(1, "T2"),), {"value": value([1], "T2")}),
        Sample((_ints(0, 2),), (value([], "T2", (0, 2)),), {"value": value([1], "T2")}),
    ),
)

_KEPT = value([[1, 1, 1], [1, 1, 1]], DType.BOOL)
_DROPOUT = _row(
    "Dropout",
    (7, 10, 12, 13, 22),
    (
        Sample((_X,), (_X,), {"ratio": 0.4}, (7, 10)),
        Sample((_X,), (_X, value([[0, 0, 0], [0, 0, 0]])), since=(7,)),
        Sample((_X,), (_X, value([[0, 0, 0], [0, 0, 0]], "T1")), since=(10,)),
        Sample((_X,), (_X, _KEPT), {"seed": 3}, (12, 13, 22)),
        Sample((_X, value(0.4, "T1")), (_X,), since=(12, 13, 22)),
        Sample(
            (_X, value(0, "T1"), value(1, "T2")), (_X, _KEPT), since=(12, 13, 22), host_only=True
        ),
        Sample(
            (_X, value(0.4, "T1"), value(0, "T2")), (_X, _KEPT), since=(12, 13, 22), host_only=True
        ),
        Sample((_SCALAR,), (_SCALAR,)),
        Sample((_EMPTY,), (_EMPTY,)),
    ),
    header="dropout",
    types={
        "T": (*FLOATS, *HALVES),
        "T1": (*FLOATS, *HALVES, DType.BOOL),
        "T2": (DType.BOOL,),
    },
    host=(1, 2),
    support=(*ERRORS, *_COPYING, "device.h", "math.h", "random.cc", "random.h"),
    cuda_support=(*ERRORS, *_COPYING_ON_DEVICE),
    cuda_template=True,
    params={"half_support": ("halves.cc", "halves.h")},
)

ROWS = (
    _DROPOUT,
    _RESHAPE,
    _FLATTEN,
    _SQUEEZE,
    _UNSQUEEZE,
    _TRANSPOSE,
    _CONCAT,
    _SPLIT,
    _SLICE,
    _GATHER,
    _GATHER_ELEMENTS,
    _PAD,
    _EXPAND,
    _TILE,
    _SHAPE,
    _SIZE,
    _CONSTANT_OF_SHAPE,
)
