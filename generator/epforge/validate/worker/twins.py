"""A machine with two devices of the kind that the library offers one of: each has memory of its own
and works, and nothing of the first is lost when the second cannot be made."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from epforge.validate.worker import failing, host, session, shimmed
from epforge.validate.worker.case import Cases, NotCheckedError
from epforge.validate.worker.records import Records

_TYPES = {"CPU": 0, "GPU": 1, "NPU": 2}


def run(
    job: Mapping[str, Any], records: Records, shim: shimmed.Shim, models: Sequence[session.Model]
) -> None:
    """The devices, and a case for each call in listing them that fails."""
    cases = Cases(job, records)
    with records.step("twins"):
        with host.registered(job["name"], job["library"]):
            found = host.devices(job["library"], job["ep"])
            like = _like(found[0]) if found else None
            found.clear()
        if like is None:
            return
        shim.hardware([like, like])
    cases.run("twins/two devices of one kind", partial(_two, job, shim, models))
    bench = failing.Bench(job, shim, [])
    with records.step("twins, listed"):
        usual, calls = bench.usual()
    for name, nth in failing.points(calls, int(job["most"])):
        cases.run(f"twins/{name} ({nth})", partial(bench.failing, usual, name, nth))
    shim.hardware(None)


def _like(device: host.Device) -> shimmed.Hardware:
    """The hardware of a device, as something to make up."""
    hardware = device.device
    kind = str(hardware.type).rsplit(".", 1)[-1].upper()
    return shimmed.Hardware(
        type=_TYPES.get(kind, 0),
        vendor_id=int(hardware.vendor_id),
        device_id=int(hardware.device_id),
        vendor=str(hardware.vendor),
        metadata=dict(hardware.metadata),
    )


def _two(job: Mapping[str, Any], shim: shimmed.Shim, models: Sequence[session.Model]) -> str:
    """What is wrong with the devices, their memories, or a session on each."""
    shim.reset()
    with host.registered(job["name"], job["library"]):
        found = host.devices(job["library"], job["ep"])
        count = len(found)
        try:
            wrong = _shared(found) or _sessions(found, models)
        finally:
            found.clear()
            gc.collect()
    if not wrong and (findings := failing.breaches(shim)):
        wrong = "; ".join(findings)
    if not wrong and count < 2:
        raise NotCheckedError("it offers one of two such devices")
    return wrong


def _shared(found: Sequence[host.Device]) -> str:
    """Do two devices say that their memory is one?"""
    import onnxruntime

    known: dict[tuple[object, ...], int] = {}
    for number, device in enumerate(found):
        info = device.memory_info(onnxruntime.OrtDeviceMemoryType.DEFAULT)
        if info is None or info.allocator_type.name == "INVALID" or info.device_vendor_id == 0:
            continue
        key = (info.name, info.device_vendor_id, info.device_id)
        if key in known:
            return (
                f"OrtEpFactory.GetSupportedDevices: devices {known[key]} and {number} have one "
                f"memory, {info.name} {info.device_id}: copies between them are taken for none"
            )
        known[key] = number
    return ""


def _sessions(found: Sequence[host.Device], models: Sequence[session.Model]) -> str:
    for number, device in enumerate(found):
        for model in models[:1]:
            expected = session.reference(model).outputs
            try:
                made = session.open_session(model, device, fallback=True)
                got = list(map(np.asarray, made.run(None, model.feeds)))
            except Exception as error:
                return f"a session on device {number} of {len(found)}: {session.one_line(error)}"
            if not all(map(_close, got, expected)):
                return f"device {number} of {len(found)} computes something else"
    return ""


def _close(one: Any, two: Any) -> bool:
    return bool(np.allclose(one, two, rtol=1e-3, atol=1e-3, equal_nan=True))
