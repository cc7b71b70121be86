"""Jobs that ask what is on this machine: onnxruntime and onnx, NVIDIA's driver."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from typing import Any

from epforge.validate.worker.records import Records

_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
_MOST_DEVICES = 64
_NO_DEVICE = 100


def run(job: Mapping[str, Any], records: Records) -> None:
    """Says what onnx writes, and what onnxruntime reads of it."""
    with records.step("importing onnx"):
        written = _onnx(records)
    with records.step("importing onnxruntime"):
        import onnxruntime

        providers = list(onnxruntime.get_available_providers())
        records.write("survey", version=str(onnxruntime.__version__), providers=providers)
    if not written:
        return
    with records.step("loading models"):
        from epforge.validate.worker import session

        onnxruntime.set_default_logger_severity(4)
        records.write("survey", opset=session.newest_opset())
        records.write("survey", ir=_newest_ir(written))


def _onnx(records: Records) -> int:
    """The IR version that onnx writes; 0 where it cannot be imported."""
    try:
        import onnx
    except Exception as error:  # whatever is wrong with it: onnxruntime is asked all the same
        records.write("onnx", onnx_broken=f"{type(error).__name__}: {error}")
        return 0
    records.write(
        "onnx",
        onnx=str(onnx.__version__),
        onnx_opset=int(onnx.defs.onnx_opset_version()),
        onnx_ir=int(onnx.IR_VERSION),
    )
    return int(onnx.IR_VERSION)


def _newest_ir(newest: int) -> int:
    """The newest IR version of which the runtime loads a model; 0 if there is none."""
    import onnx

    from epforge.validate.worker import session

    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> g (float[1] x) => (float[1] y) { y = Relu(x) }'
    )
    for version in range(newest, 0, -1):
        model.ir_version = version
        if session.loads(model.SerializeToString()):
            return version
    return 0


def driver(records: Records) -> None:
    """Says which CUDA the driver runs, and on which devices."""

    def tell(there: bool, cuda: int = 0, devices: Any = (), problem: str = "") -> None:
        version = (cuda // 1000, cuda % 1000 // 10)
        records.write("driver", there=there, cuda=version, devices=devices, problem=problem)

    with records.step("asking NVIDIA's driver"):
        try:
            cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        except OSError:
            tell(False)
            return
        version, count = ctypes.c_int(0), ctypes.c_int(0)
        cuda.cuDriverGetVersion(ctypes.byref(version))
        status = cuda.cuInit(0)
        if status:
            what = "it sees no device" if status == _NO_DEVICE else f"cuInit says {status}"
            tell(True, version.value, problem=what)
            return
        cuda.cuDeviceGetCount(ctypes.byref(count))
        devices = [_device(cuda, index) for index in range(min(count.value, _MOST_DEVICES))]
        tell(True, version.value, devices)


def _device(cuda: Any, index: int) -> tuple[str, str]:
    """Name and compute capability."""
    device, major, minor = ctypes.c_int(0), ctypes.c_int(0), ctypes.c_int(0)
    name = ctypes.create_string_buffer(256)
    cuda.cuDeviceGet(ctypes.byref(device), index)
    cuda.cuDeviceGetName(name, 255, device)
    cuda.cuDeviceGetAttribute(ctypes.byref(major), _MAJOR, device)
    cuda.cuDeviceGetAttribute(ctypes.byref(minor), _MINOR, device)
    return name.value.decode("utf-8", "replace"), f"{major.value}.{minor.value}"
