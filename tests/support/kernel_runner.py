"""Runs the kernels of a generated project on numpy arrays, without ONNX Runtime.

`build` compiles the kernels into a shared library, once for each state they are in;
`Runner.run` makes one call, `Runner.run_node` that of an ONNX node.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from compiled import link
from onnx import helper, numpy_helper

from epforge.ops import schemas

SOURCE = Path(__file__).with_suffix(".cc")
#: For the compiler.
FLAGS = ("-O1", "-fPIC")
_STATUS = ("ok", "invalid argument", "not implemented", "failed", "device lost")


class KernelError(Exception):
    """A kernel refused a node or failed; `code` is its status in words."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def build(project: Path, namespace: str, compiler: str = "g++") -> Runner:
    """The kernels below ``project`` as a library."""
    return Runner(link(project, [own_source(project, namespace)], compiler, FLAGS, ["-shared"]))


def own_source(project: Path, namespace: str, source: Path = SOURCE) -> Path:
    """``source``, for the kernels of a project of that namespace."""
    target = project / "tests/cpp" / source.name
    target.write_text(f"#define PROJECT {namespace}\n{source.read_text()}")
    return target


def _dtype(array: np.ndarray[Any, Any]) -> int:
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def _dims(shape: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * len(shape))(*shape)


class Runner:
    """The kernels of one library."""

    def __init__(self, library: Path) -> None:
        self._lib = lib = ctypes.CDLL(str(library))
        pointer, size, text, integer = (
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.c_char_p,
            ctypes.c_int64,
        )
        longs = ctypes.POINTER(integer)
        floats = ctypes.POINTER(ctypes.c_float)
        number = ctypes.c_int
        for name, result, arguments in (
            ("New", pointer, (text, text, number)),
            ("Delete", None, (pointer,)),
            ("SetInt", None, (pointer, text, integer)),
            ("SetFloat", None, (pointer, text, ctypes.c_float)),
            ("SetString", None, (pointer, text, text)),
            ("SetStrings", None, (pointer, text, text)),
            ("SetInts", None, (pointer, text, longs, size)),
            ("SetFloats", None, (pointer, text, floats, size)),
            ("SetTensor", None, (pointer, text, number, longs, size, text, size)),
            ("AddInput", None, (pointer, number, longs, size, pointer)),
            ("AddOutput", None, (pointer, number)),
            ("Execute", number, (pointer, integer)),
            ("Message", text, (pointer,)),
            ("Rank", size, (pointer, size)),
            ("Shape", longs, (pointer, size)),
            ("Data", pointer, (pointer, size)),
        ):
            function = getattr(lib, f"Run{name}")
            function.restype, function.argtypes = result, arguments

    def run(
        self,
        op: str,
        since: int,
        inputs: Iterable[Any],
        outputs: Sequence[Any] = (np.float32,),
        *,
        domain: str = "",
        pieces: int = 3,
        **attributes: Any,
    ) -> list[np.ndarray[Any, Any] | None]:
        """Makes one call.

        Args:
            op: the operator.
            since: the since-version of its kernel.
            inputs: arrays; None is an optional input left out.
            outputs: the element type of each output; None is one that nobody asks for.
            domain: of the operator.
            pieces: into how many pieces work is cut.
            attributes: int, float, str, lists of one of them, arrays.

        Raises:
            KernelError: the kernel refused or failed.
        """
        lib = self._lib
        arrays = [None if x is None else np.array(x, order="C") for x in inputs]
        run = lib.RunNew(domain.encode(), op.encode(), since)
        try:
            for name, value in attributes.items():
                self._set(run, name.encode(), value)
            for array in arrays:
                if array is None:
                    lib.RunAddInput(run, 0, None, 0, None)
                else:
                    dims = _dims(array.shape)
                    lib.RunAddInput(run, _dtype(array), dims, array.ndim, array.ctypes.data)
            for output in outputs:
                lib.RunAddOutput(run, 0 if output is None else _dtype(np.empty(0, output)))
            code = lib.RunExecute(run, pieces)
            if code != 0:
                words = _STATUS[code] if code < len(_STATUS) else "overrun"
                raise KernelError(words, lib.RunMessage(run).decode())
            return [self._output(run, i, output) for i, output in enumerate(outputs)]
        finally:
            lib.RunDelete(run)

    def run_node(
        self, model: onnx.ModelProto, inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> list[np.ndarray[Any, Any] | None]:
        """Runs the only node of ``model`` on its constants and the values of the inputs."""
        (node,) = model.graph.node
        values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
        values |= dict(zip((i.name for i in model.graph.input), inputs, strict=True))
        types = dict(zip((o.name for o in model.graph.output), outputs, strict=True))
        attributes: Mapping[str, Any] = {
            a.name: _attribute(helper.get_attribute_value(a)) for a in node.attribute
        }
        return self.run(
            node.op_type,
            since_version(model),
            [values[name] if name else None for name in node.input],
            [types.get(name) for name in node.output],
            domain=node.domain,
            **attributes,
        )

    def _set(self, run: int, name: bytes, value: Any) -> None:
        lib = self._lib
        if isinstance(value, np.ndarray):
            raw = np.ascontiguousarray(value).tobytes()
            dims = _dims(value.shape)
            lib.RunSetTensor(run, name, _dtype(value), dims, value.ndim, raw, len(raw))
        elif isinstance(value, str):
            lib.RunSetString(run, name, value.encode())
        elif isinstance(value, float):
            lib.RunSetFloat(run, name, value)
        elif isinstance(value, int):
            lib.RunSetInt(run, name, value)
        elif any(isinstance(item, str) for item in value):
            lib.RunSetStrings(run, name, "".join(f"\n{item}" for item in value).encode())
        elif any(isinstance(item, float) for item in value):
            lib.RunSetFloats(run, name, (ctypes.c_float * len(value))(*value), len(value))
        else:
            lib.RunSetInts(run, name, _dims(value), len(value))

    def _output(self, run: int, index: int, dtype: Any) -> np.ndarray[Any, Any] | None:
        if dtype is None:
            return None
        rank = self._lib.RunRank(run, index)
        shape = tuple(self._lib.RunShape(run, index)[:rank])
        array = np.empty(shape, dtype)
        ctypes.memmove(array.ctypes.data, self._lib.RunData(run, index), array.nbytes)
        return array


def since_version(model: onnx.ModelProto) -> int:
    """The since-version of the schema that the only node of ``model`` follows."""
    (node,) = model.graph.node
    opset = next(o.version for o in model.opset_import if o.domain == node.domain)
    schema = schemas.find(node.domain, node.op_type)
    assert schema is not None, node.op_type
    return max(version.since for version in schema.versions if version.since <= opset)


def _attribute(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, list) and value and isinstance(value[0], bytes):
        return [item.decode() for item in value]
    return value
