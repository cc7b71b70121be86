"""Runs the kernels of a generated project on numpy arrays, without ONNX Runtime.

`build` compiles the kernels into a shared library, kept under the hash of what it is made of;
`Runner.run` makes one call, `Runner.run_node` that of an ONNX node.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from locking import locked
from onnx import helper, numpy_helper

from epforge.cache import cache_dir

_SOURCE = Path(__file__).with_suffix(".cc")
_FLAGS = ("-std=c++17", "-O1", "-fPIC")
_STATUS = ("ok", "invalid argument", "not implemented", "failed", "device lost")


class KernelError(Exception):
    """A kernel refused a node or failed; `code` is its status in words."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def build(
    project: Path, namespace: str, compiler: str = "g++", flags: Sequence[str] = ()
) -> Runner:
    """The kernels below ``project`` as a library; ``flags`` are added to the compiler's."""
    sources = sorted((project / "src").rglob("*.cc"))
    digest = hashlib.sha256(repr((namespace, compiler, _FLAGS, flags)).encode())
    for file in [*sorted(project.rglob("*.h")), *sources, _SOURCE]:
        digest.update(file.read_bytes())
    place = cache_dir("tests", "kernels") / digest.hexdigest()[:20]
    library = place / "kernels.so"
    with locked(place):
        if not library.is_file():
            place.mkdir(parents=True, exist_ok=True)
            command = (compiler, *_FLAGS, *flags)
            include = (
                f"-I{project / 'src'}",
                f"-I{project / 'tests/cpp'}",
                f"-DPROJECT={namespace}",
            )

            def compile_one(job: tuple[int, Path]) -> str:
                target = place / f"{job[0]}.o"
                _call(*command, *include, "-c", str(job[1]), "-o", str(target))
                return str(target)

            with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
                objects = list(pool.map(compile_one, enumerate([*sources, _SOURCE])))
            _call(*command, "-shared", *objects, "-o", f"{library}.part")
            for made in objects:
                Path(made).unlink()
            Path(f"{library}.part").rename(library)
    return Runner(library)


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stderr[:4000]}")


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
            attributes: int, float, str, lists of int or of float, arrays.

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
        """Runs the only node of ``model`` on the values of the graph's inputs."""
        (node,) = model.graph.node
        values = dict(zip((i.name for i in model.graph.input), inputs, strict=True))
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
    opset = next(o.version for o in model.opset_import if o.domain in (node.domain, node.domain))
    return int(onnx.defs.get_schema(node.op_type, opset, node.domain).since_version)


def _attribute(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return value
