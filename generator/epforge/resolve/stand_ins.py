"""What stands in for a device that a machine does not have."""

from __future__ import annotations

from epforge.blueprint.nodes import Path
from epforge.resolve.findings import Findings
from epforge.resolve.model import Device, DeviceType


def check_stand_ins(devices: tuple[Device, ...], found: Findings) -> None:
    """The machine's CPU is one device: it stands in once with each execution provider."""
    standing: dict[str, Device] = {}
    for index, device in enumerate(devices):
        if not device.software:
            continue
        path: Path = ("devices", index, "software")
        hint = "write 'software: never', or leave it out"
        why = ""
        if device.type is DeviceType.CPU:
            why = "it is a CPU, which nothing stands in for"
        elif found.source.shape.runtime == "cuda":
            why = "its kernels are for CUDA, which no CPU runs"
        elif device.ep in standing:
            why = f"the machine's CPU is {standing[device.ep].name} already, and is offered once"
        else:
            own = (each for each in devices if each.ep == device.ep)
            every_cpu = next(filter(_takes_every_cpu, own), None)
            if every_cpu is not None:
                why = f"the machine's CPU is {every_cpu.name} in any case"
        if why:
            what = f"software: nothing can stand in for device {device.name}: {why}"
            found.error(path, "no-effect", what, "", hint, found.without(path))
        else:
            standing[device.ep] = device


def _takes_every_cpu(device: Device) -> bool:
    match = device.match
    return device.type is DeviceType.CPU and match.vendor_id is None and not match.metadata
