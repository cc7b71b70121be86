"""Errors of the ONNX Runtime that is installed, provoked: ``python runtime_errors.py`` prints
what each of them says, as JSON by its name here. Needs onnx and onnxruntime only."""

from __future__ import annotations

import ctypes
import io
import json
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper

# A library that is neither a plugin nor one of custom operators.
OTHER = str(Path(onnxruntime.__file__).parent / "capi/libonnxruntime_providers_shared.so")
X = np.zeros((2, 2), np.float32)


def session(
    body: str = "{y = Relu(x)}",
    *,
    element: str = "float",
    opset: int = 17,
    ir: int = 8,
    domains: str = "",
    options: Any = None,
    **more: Any,
) -> Any:
    """A session on a model of one node."""
    text = (
        f'<ir_version: {ir}, opset_import: ["": {opset}{domains}]> '
        f"g ({element}[2, 2] x) => ({element}[2, 2] y) {body}"
    )
    model = onnx.parser.parse_model(text)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, **more)


def without_the_cpu() -> None:
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    session(options=options)


def compiled() -> None:
    node = helper.make_node(
        "EPContext", ["x"], ["y"], domain="com.microsoft", source="ContosoExecutionProvider"
    )
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph([node], "g", ends[:1], ends[1:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnxruntime.InferenceSession(model.SerializeToString())


def newer_api() -> None:
    """Asks for an API that there is not, as a library for newer runtimes does."""
    (library,) = (Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.1*")
    base = ctypes.CDLL(str(library)).OrtGetApiBase
    base.restype = ctypes.c_void_p
    table = ctypes.cast(base(), ctypes.POINTER(ctypes.c_void_p))
    get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(table[0])
    assert get_api(99) is None


def options() -> Any:
    return onnxruntime.SessionOptions()


ERRORS: dict[str, Callable[[], Any]] = {
    "no file": lambda: onnxruntime.register_execution_provider_library("a", "/nowhere/libfoo.so"),
    "no plugin": lambda: onnxruntime.register_execution_provider_library("a", OTHER),
    "no custom ops": lambda: options().register_custom_ops_library(OTHER),
    "not registered": lambda: onnxruntime.unregister_execution_provider_library("never"),
    "newer API": newer_api,
    "unknown provider": lambda: session(providers=["ContosoNpuExecutionProvider"]),
    "no devices": lambda: options().add_provider_for_devices([], {}),
    "no texts": lambda: options().add_provider_for_devices(onnxruntime.get_ep_devices(), {"a": 1}),
    "not the CPU": without_the_cpu,
    "no kernel": lambda: session(element="bfloat16"),
    "no schema": lambda: session("{y = com.contoso.MyOp(x)}", domains=', "com.contoso": 1'),
    "no op": lambda: session("{y = MyOp(x)}"),
    "no import": lambda: session("{y = com.contoso.MyOp(x)}"),
    "wrong type": lambda: session(element="string"),
    "newer IR": lambda: session(ir=99),
    "newer opset": lambda: session(opset=99),
    "compiled": compiled,
    "no input": lambda: session().run(None, {}),
    "wrong shape": lambda: session().run(None, {"x": X[:1]}),
    "wrong element": lambda: session().run(None, {"x": X.astype(np.float64)}),
}


def said(provoke: Callable[[], Any]) -> str:
    """What an error says, as an exception or as a warning; what the runtime logs goes to stderr."""
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            provoke()
        except Exception as error:  # of any kind: what it says is the matter here
            return str(error)
    return "\n".join(str(each.message) for each in caught)


if __name__ == "__main__":
    print(json.dumps({name: said(provoke) for name, provoke in ERRORS.items()}))
