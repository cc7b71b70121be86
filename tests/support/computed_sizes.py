"""Models whose shapes depend on values that the same group computes, run on a device and compared.

A process under test imports it: `check(device)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from models import FLOAT, INT64, constant, model, node, session, value
from onnx import ModelProto, NodeProto, TensorProto

HALF = TensorProto.FLOAT16
_CONSTANTS = {
    "zero": np.int64(0),
    "one": np.int64(1),
    "ones": np.array([1], np.int64),
    "none": np.array([0], np.int64),
    "matrix": np.linspace(-1, 1, 40, dtype=np.float32).reshape(2, 20),
    "last": np.array([-1], np.int64),
    "end": np.array([9], np.int64),
    "half": np.float32(0.5),
    "values": np.array([0.25, 2], np.float32),
    "nothing": np.float32(0),
    "scales": np.array([1, 1, 2, 3], np.float32),
    "rows": np.array([1, 1, 6], np.int64),
    "images": np.array([1, 1], np.int64),
}


def _made(nodes: Sequence[NodeProto], result: int, x: Sequence[int], rank: int) -> ModelProto:
    used = {name for each in nodes for name in each.input}
    return model(
        nodes,
        [value("X", x)],
        [value("Y", [None] * rank, result)],
        [constant(name, content) for name, content in _CONSTANTS.items() if name in used],
        opset=18,
    )


def _cast(dtype: int) -> NodeProto:
    return node("Cast", ["X"], ["x"], to=dtype)


def of_type(dtype: int) -> Iterator[tuple[str, ModelProto]]:
    """Models that compute in one element type, by their names."""
    last = [node("Shape", ["x"], ["s"]), node("Slice", ["s", "last", "end"], ["k"])]
    yield "NonZero", _made([_cast(dtype), node("NonZero", ["x"], ["Y"])], INT64, (3, 4), 2)
    found = [
        *(_cast(dtype), node("NonZero", ["x"], ["z"]), node("Shape", ["z"], ["s"])),
        node("ConstantOfShape", ["s"], ["Y"]),
    ]
    yield "NonZero's shape", _made(found, FLOAT, (3, 4), 2)
    kept = [
        *(_cast(dtype), node("Cast", ["x"], ["c"], to=TensorProto.BOOL)),
        *(node("Reshape", ["c", "last"], ["m"]), node("Compress", ["x", "m"], ["Y"])),
    ]
    yield "Compress", _made(kept, dtype, (3, 4), 1)
    largest = [_cast(dtype), *last, node("TopK", ["x", "k"], ["v", "i"], axis=0)]
    largest.append(node("Cast", ["v"], ["Y"], to=FLOAT))
    yield "TopK", _made(largest, FLOAT, (5, 3), 2)
    distinct = [
        _cast(dtype),
        node("Unique", ["x"], ["u", "i"]),
        node("Cast", ["u"], ["Y"], to=FLOAT),
    ]
    yield "Unique", _made(distinct, FLOAT, (4, 5), 1)
    hot = [
        *(_cast(dtype), node("Size", ["x"], ["d"]), node("Cast", ["x"], ["i"], to=INT64)),
        *(node("Cast", ["values"], ["v"], to=dtype), node("OneHot", ["i", "d", "v"], ["Y"])),
    ]
    yield "OneHot", _made(hot, dtype, (2, 3), 3)
    resized = [_cast(dtype), *last, node("Concat", ["images", "k", "k"], ["n"], axis=0)]
    resized.append(node("Resize", ["x", "", "", "n"], ["Y"], mode="linear"))
    yield "Resize to sizes", _made(resized, dtype, (1, 1, 3, 6), 4)
    scaled = [_cast(dtype), node("ReduceSum", ["X"], ["t"], keepdims=0)]
    scaled += [node("Mul", ["t", "nothing"], ["z"]), node("Add", ["z", "scales"], ["f"])]
    scaled.append(node("Resize", ["x", "", "f"], ["Y"], mode="nearest"))
    yield "Resize by scales", _made(scaled, dtype, (1, 1, 3, 2), 4)
    part = [_cast(dtype), *last, node("Squeeze", ["k"], ["d"])]
    yield "Trilu", _made([*part, node("Trilu", ["x", "d"], ["Y"])], dtype, (4, 2), 2)
    weights = [_cast(dtype), node("Cast", ["matrix"], ["w"], to=dtype)]
    yield "MatMul", _made([*weights, node("MatMul", ["x", "w"], ["Y"])], dtype, (3, 2), 2)


def of_numbers() -> Iterator[tuple[str, ModelProto]]:
    """Models whose numbers are float32 and int64."""
    size = node("Size", ["X"], ["n"])
    yield "Range", _made([size, node("Range", ["zero", "n", "one"], ["Y"])], INT64, (3, 4), 1)
    ends = [node("Mul", ["half", "half"], ["q"]), node("ReduceSum", ["X"], ["t"], keepdims=0)]
    floats = [*ends, node("Range", ["q", "t", "half"], ["Y"])]
    yield "Range of floats", _made(floats, FLOAT, (2, 2), 1)
    summed = [node("Shape", ["X"], ["s"]), node("Slice", ["s", "none", "ones"], ["a"])]
    yield "CumSum", _made([*summed, node("CumSum", ["X", "a"], ["Y"])], FLOAT, (1, 4), 2)
    boxes = [
        *(node("Add", ["X", "X"], ["b"]), node("Size", ["X"], ["n"])),
        node("ReduceSum", ["b", "last"], ["t"], keepdims=0),
        node("Reshape", ["t", "rows"], ["s"]),
        node("NonMaxSuppression", ["b", "s", "n", "half"], ["Y"]),
    ]
    yield "NonMaxSuppression", _made(boxes, INT64, (1, 6, 4), 2)
    length = [size, node("Mul", ["n", "n"], ["l"])]
    yield "HannWindow", _made([*length, node("HannWindow", ["l"], ["Y"])], FLOAT, (2, 2), 1)
    longer = [size, node("Add", ["n", "one"], ["l"]), node("DFT", ["X", "l"], ["Y"], axis=1)]
    yield "DFT", _made(longer, FLOAT, (1, 6, 1), 3)
    frames = [node("Shape", ["X"], ["s"]), node("Size", ["s"], ["n"])]  # 3
    frames += [node("Add", ["n", "one"], ["l"]), node("STFT", ["X", "n", "", "l"], ["Y"])]
    yield "STFT", _made(frames, FLOAT, (1, 20, 1), 4)
    yield "Shape", _made([node("Shape", ["X"], ["Y"])], INT64, (2, 5), 1)
    yield "Size", _made([size, node("Add", ["n", "one"], ["Y"])], INT64, (2, 5), 0)


def check(device: Any, dtypes: Sequence[int] = (FLOAT, HALF)) -> None:
    """Runs every model on the device alone, and compares with the CPU: three times, with other
    values and so other sizes each time."""
    for label, made in (*of_numbers(), *(each for dtype in dtypes for each in of_type(dtype))):
        mine, cpu = session(made, device), session(made)
        for seed in range(3):
            shape = [each.dim_value for each in made.graph.input[0].type.tensor_type.shape.dim]
            x = np.random.default_rng(seed).integers(0, 4, shape).astype(np.float32)
            (got,), (wanted,) = (each.run(None, {"X": x}) for each in (mine, cpu))
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), label
            np.testing.assert_allclose(got, wanted, 1e-3, 1e-3, err_msg=label)


def check_drawing(device: Any) -> None:
    """Without a seed numbers differ from run to run, with one they do not; beside other nodes."""
    for seed in (None, 7.0):
        known = {} if seed is None else {"seed": seed}
        nodes = [
            node("RandomNormal", [], ["r"], shape=[64], **known),
            *(node("Add", ["r", "X"], ["a"]), node("Bernoulli", ["X"], ["b"], **known)),
            node("Concat", ["a", "b"], ["Y"], axis=0),
        ]
        made = session(model(nodes, [value("X", [64])], [value("Y", [128])], opset=18), device)
        x = np.full(64, 0.5, np.float32)
        first, second = (made.run(None, {"X": x})[0] for _ in range(2))
        assert np.array_equal(first, second) == (seed is not None)
        assert set(first[64:]) == {0.0, 1.0}
        assert abs(float(first[:64].mean()) - 0.5) < 0.6
