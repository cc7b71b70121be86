"""Models with the operators of `blueprints/custom-ops.yaml`, and what they compute.

Needs numpy, onnx and onnxruntime only: processes under test import it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import models
import numpy as np
import onnxruntime
from onnx import ModelProto, helper

DOMAIN = "com.contoso"
Formal = tuple[models.Shape, type[np.generic]]


def call(
    op: str,
    *inputs: Formal | None,
    domain: str = DOMAIN,
    version: int = 1,
    outputs: int = 1,
    **attributes: Any,
) -> ModelProto:
    """One node.

    Args:
        inputs: (shape, type) of each, None for one that is left out.
    """
    names = ["" if each is None else f"x{index}" for index, each in enumerate(inputs)]
    made = [f"y{index}" for index in range(outputs)]
    node = helper.make_node(op, names, made, name="own", domain=domain, **attributes)
    given = [
        models.value(name, each[0], helper.np_dtype_to_tensor_dtype(np.dtype(each[1])))
        for name, each in zip(names, inputs, strict=True)
        if each is not None
    ]
    results = [helper.make_empty_tensor_value_info(name) for name in made]
    extra = [(domain, version)] if domain else []
    return models.model([node], given, results, extra=extra)


def clip(shape: models.Shape = (2, 3), dtype: type[np.generic] = np.float32, **more: Any) -> Any:
    return call("Clip", (shape, dtype), **more)


def neighbours() -> ModelProto:
    """Operators of the project between operators of ONNX, with an open dimension."""
    node = helper.make_node
    return models.model(
        [
            node("Add", ["X", "W"], ["a"], name="a0"),
            node("Clip", ["a"], ["b"], name="c0", domain=DOMAIN, lo=-0.5, hi=0.75),
            node("Mul", ["b", "X"], ["c"], name="m0"),
            node("GatedUnit", ["c", "a"], ["d"], name="g0", domain=DOMAIN, slope=2.0),
            node("Relu", ["d"], ["Y"], name="r0"),
        ],
        [models.value("X", ["N", 4])],
        [models.value("Y", ["N", 4])],
        [models.constant("W", np.array([0.5, -1, 0, 2], np.float32))],
        extra=[(DOMAIN, 1)],
    )


def neighbours_of(x: Any) -> Any:
    """What `neighbours` computes."""
    a = x + np.array([0.5, -1, 0, 2], np.float32)
    c = clip_of(a, -0.5, 0.75) * x
    return np.maximum(gated_of(c, a, 2.0), 0)


def clip_of(x: Any, lo: float = -1.0, hi: float = 1.0) -> Any:
    return np.minimum(np.maximum(x, x.dtype.type(lo)), x.dtype.type(hi))


def gated_of(x: Any, gate: Any, slope: float = 1.0) -> Any:
    one = x.dtype.type(1)
    return x * (one / (one + np.exp(-x.dtype.type(slope) * gate)))


def scale_of(x: Any, bias: Any, scale: Any) -> Any:
    return x * scale + (0 if bias is None else bias)


def pair_sum_of(x: Any, axis: int = -1) -> Any:
    """Each two neighbours along an axis, added."""
    even = np.take(x, range(0, x.shape[axis], 2), axis)
    return even + np.take(x, range(1, x.shape[axis], 2), axis)


def session(
    of: models.Source,
    device: Any = None,
    library: str | os.PathLike[str] = "",
    *,
    fallback: bool = False,
    level: int = 3,
    config: Mapping[str, str] | None = None,
) -> onnxruntime.InferenceSession:
    """A session on the device, or on the CPU with the library of the custom operators."""

    def adjust(settings: onnxruntime.SessionOptions) -> None:
        settings.log_severity_level = level
        if library:
            settings.register_custom_ops_library(os.fspath(library))

    return models.session(of, device, config=config, fallback=fallback, adjust=adjust)


def fails(*arguments: Any, **named: Any) -> str:
    """What is said of a session that cannot be made."""
    try:
        session(*arguments, **named)
    except Exception as error:
        return str(error)
    raise AssertionError("a session was made")


def shapes(of: onnxruntime.InferenceSession) -> list[Sequence[int | str | None]]:
    """The shapes of the outputs, as the runtime has inferred them."""
    return [each.shape for each in of.get_outputs()]
