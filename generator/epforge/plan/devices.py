"""The devices of a project: what the templates are told of them, and how they are recognised."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.names import Identifier, Safe
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, Device, DeviceType, VirtualPolicy
from epforge.resolve.providers import MAX_DEVICES
from epforge.resolve.services import Weightless

_ENUMERATORS = {DeviceType.CPU: "kCpu", DeviceType.GPU: "kGpu", DeviceType.NPU: "kNpu"}


def switches(blueprint: Blueprint) -> Mapping[str, object]:
    """What the templates ask: how devices are found, and what is published with them."""
    devices = blueprint.devices
    weightless = blueprint.features.weightless is not Weightless.NONE
    published = weightless or any(device.metadata for device in devices)
    software = any(device.software for device in devices)
    # A machine lists its CPU once: nothing is to be told apart from it.
    indexed = any(device.type is not DeviceType.CPU for device in devices)
    return {
        "metadata": published or software or indexed,
        "published": published,
        "indexed": indexed,
        "several": len(blueprint.providers) > 1,
        "software": software,
        "virtual": any(device.virtual is VirtualPolicy.ALLOWED for device in devices),
    }


def rules(blueprint: Blueprint) -> Mapping[str, object]:
    """The devices as the table of match rules has them: those of one provider together."""
    devices = sorted(blueprint.devices, key=lambda each: blueprint.providers.index(each.ep))
    return {
        **switches(blueprint),
        "devices": [_rule(index, device) for index, device in enumerate(devices)],
    }


def identities(blueprint: Blueprint) -> Mapping[str, object]:
    """The execution providers as C++ has them."""
    providers = blueprint.providers
    counts = [sum(device.ep == each for device in blueprint.devices) for each in providers]
    return {
        "several": len(providers) > 1,
        "identities": [
            {
                "ep": ep,
                "option_prefix": option_prefix(ep),
                "first_rule": sum(counts[:index]),
                "rule_count": counts[index],
                "first_device": index * MAX_DEVICES,
            }
            for index, ep in enumerate(providers)
        ],
    }


def option_prefix(ep: str) -> str:
    """What ONNX Runtime puts before the provider options of an execution provider."""
    return f"ep.{ep.lower()}."


def files(blueprint: Blueprint) -> list[FileSpec]:
    """What recognises the hardware, which is the project's own."""
    reason = "recognises the hardware"
    return [
        FileSpec(
            path=f"src/device/{name}",
            template=f"plugin/src/device/{name}",
            owner=Owner.YOURS,
            params=switches(blueprint),
            reason=reason,
        )
        for name in ("discovery.h", "discovery.cc")
    ]


def _rule(index: int, device: Device) -> Mapping[str, object]:
    match = device.match
    return {
        "name": device.name,
        "type": Identifier(_ENUMERATORS[device.type]),
        "any_vendor": match.vendor_id is None,
        "vendor_id": Safe(f"0x{match.vendor_id or 0:04X}"),
        "ids": [Safe(f"0x{number:04X}") for number in match.device_ids],
        "ids_name": Identifier(f"kDeviceIds{index}"),
        "required": sorted(match.metadata.items()),
        "required_name": Identifier(f"kRequired{index}"),
        "metadata": sorted(device.metadata.items()),
        "metadata_name": Identifier(f"kMetadata{index}"),
        "allow_software": device.software,
        "allow_virtual": device.virtual is VirtualPolicy.ALLOWED,
    }
