"""Values of every element type to a session and back: numpy has no bfloat16, float8 or int4."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

# Element types that only travel as memory, as onnxruntime spells them.
_EXOTIC = re.compile(r"bfloat16|float[468]e|\bu?int[24]\b")


def run(session: Any, inputs: Sequence[Any]) -> list[Any]:
    """What a session computes.

    Args:
        inputs: by position, each an array, a TensorProto, a list of arrays or None.
    """
    names = [each.name for each in session.get_inputs()]
    return fed(session, dict(zip(names, map(_plain, inputs), strict=True)))


def fed(session: Any, feeds: Mapping[str, Any]) -> list[Any]:
    """What a session computes.

    Args:
        feeds: arrays by the names of inputs, lists of them, or None.
    """
    if not hasattr(session, "get_inputs"):  # of another machine
        return list(session.run(None, feeds))
    types = [each.type for each in (*session.get_inputs(), *session.get_outputs())]
    if not any(map(_EXOTIC.search, types)):
        return list(session.run(None, dict(feeds)))
    values = {name: to_value(value) for name, value in feeds.items()}
    return [from_value(value) for value in session.run_with_ort_values(None, values)]


def _plain(value: Any) -> Any:
    """An array for a TensorProto, the value itself for everything else."""
    from onnx import TensorProto, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.generic) else value


def arrays(values: Sequence[Any]) -> list[Any]:
    """Expected values as arrays (or lists of them)."""
    return [_plain(value) for value in values]


def to_value(array: Any) -> Any:
    """The OrtValue of an array, whose element type may be one that numpy alone does not have."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    number = helper.np_dtype_to_tensor_dtype(array.dtype)
    if number < TensorProto.BFLOAT16:  # the first that numpy does not have
        return onnxruntime.OrtValue.ortvalue_from_numpy(
            np.ascontiguousarray(array).reshape(array.shape)
        )
    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(array.shape), number)
    content = numpy_helper.from_array(array).raw_data  # packed as the runtime has it
    if content:
        ctypes.memmove(value.data_ptr(), content, len(content))
    return value


def from_value(value: Any) -> Any:
    """The array of an OrtValue."""
    from onnx import TensorProto, helper, numpy_helper

    if not value.is_tensor() or not _EXOTIC.search(value.data_type()):
        return value.numpy()
    number = value.element_type()
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(number))
    shape = list(value.shape())
    bits = _BITS.get(dtype.name, 8 * dtype.itemsize)
    size = (int(np.prod(shape)) * bits + 7) // 8
    packed = TensorProto(data_type=number, dims=shape)
    packed.raw_data = ctypes.string_at(value.data_ptr(), size) if size else b""
    return numpy_helper.to_array(packed)


_BITS = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4, "int2": 2, "uint2": 2}
