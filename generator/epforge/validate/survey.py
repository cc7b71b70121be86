"""What the onnxruntime, the onnx and the driver of a machine can do: they are asked in a process of
their own."""

from __future__ import annotations

from dataclasses import dataclass

from epforge.validate.process import Limits, run_worker
from epforge.validate.runtime import THIS, Runtime

_LIMITS = Limits(stall_s=60.0)


@dataclass(frozen=True)
class Survey:
    """What a runtime and the onnx beside it can do.

    Args:
        version: of the runtime; empty when it cannot be imported.
        providers: the execution providers that are built in.
        opset: the newest opset of ai.onnx that it loads; 0 where that is not known.
        ir: the newest IR version that it loads.
        onnx: the version of the package onnx; empty when it cannot be imported.
        onnx_opset: the newest opset that it knows.
        onnx_ir: the IR version that it writes.
        onnx_broken: why onnx cannot be imported.
        broken: how asking ended, if not well.
    """

    version: str = ""
    providers: tuple[str, ...] = ()
    opset: int = 0
    ir: int = 0
    onnx: str = ""
    onnx_opset: int = 0
    onnx_ir: int = 0
    onnx_broken: str = ""
    broken: str = ""


@dataclass(frozen=True)
class Driver:
    """NVIDIA's driver.

    Args:
        there: its library is on this machine.
        cuda: the newest CUDA that it runs, (13, 0).
        devices: names and compute capabilities of its devices: ("NVIDIA H200", "9.0").
        problem: why it has no device to offer, in its own words.
    """

    there: bool = False
    cuda: tuple[int, int] = (0, 0)
    devices: tuple[tuple[str, str], ...] = ()
    problem: str = ""


def survey(runtime: Runtime = THIS) -> Survey:
    """Asks a runtime, and this Python's onnx."""
    run = runtime.run({"job": "survey"}, _LIMITS)
    found = {}
    for record in ("onnx", "survey"):
        for said in run.named(record):
            found.update({key: value for key, value in said.items() if key != "record"})
    return Survey(
        version=str(found.get("version", "")),
        providers=tuple(map(str, found.get("providers", ()))),
        opset=int(found.get("opset", 0)),
        ir=int(found.get("ir", 0)),
        onnx=str(found.get("onnx", "")),
        onnx_opset=int(found.get("onnx_opset", 0)),
        onnx_ir=int(found.get("onnx_ir", 0)),
        onnx_broken=_line(str(found.get("onnx_broken", ""))),
        broken=_line(run.ended),
    )


def _line(text: str) -> str:
    return " ".join(text.split())[:300]


def driver() -> Driver:
    """Asks NVIDIA's driver."""
    run = run_worker({"job": "driver"}, _LIMITS)
    found = run.named("driver")
    if not found:
        return Driver(there=bool(run.ended), problem=run.ended)
    said = found[-1]
    devices = tuple((str(name), str(capability)) for name, capability in said["devices"])
    cuda = (int(said["cuda"][0]), int(said["cuda"][1]))
    return Driver(bool(said["there"]), cuda, devices, str(said["problem"]) or run.ended)
