"""Made-up hardware: what a library is asked to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epforge.errors import UsageError

USUAL = "usual"
_TYPES = ("cpu", "gpu", "npu")
VENDORS = {
    0x1002: "AMD",
    0x1022: "AMD",
    0x10DE: "NVIDIA",
    0x106B: "Apple",
    0x13B5: "Arm",
    0x1414: "Microsoft",
    0x5143: "Qualcomm",
    0x8086: "Intel",
    0x4D4F4351: "Qualcomm",  # "QCOM", as firmware spells it
}
_USUAL = {
    "cpu": (0x8086, 0x1022, 0x13B5, 0x5143),
    "gpu": (0x10DE, 0x1002, 0x8086, 0x5143, 0x106B),
    "npu": (0x8086, 0x1022, 0x5143),
}


@dataclass(frozen=True)
class MadeUp:
    """A device that no machine here has.

    Args:
        type: cpu, gpu or npu.
        metadata: pairs of key and value.
    """

    type: str
    vendor_id: int
    device_id: int = 0
    metadata: tuple[tuple[str, str], ...] = ()

    @property
    def vendor(self) -> str:
        return VENDORS.get(self.vendor_id, "")

    @property
    def name(self) -> str:
        """gpu 0x10de (NVIDIA)."""
        device = f":{self.device_id:#x}" if self.device_id else ""
        maker = f" ({self.vendor})" if self.vendor else ""
        pairs = "".join(f", {key}={value}" for key, value in self.metadata)
        return f"{self.type} {self.vendor_id:#06x}{device}{maker}{pairs}"

    def job(self) -> dict[str, object]:
        """The device, for a worker."""
        return {
            "type": self.type,
            "vendor_id": self.vendor_id,
            "device_id": self.device_id,
            "vendor": self.vendor,
            "metadata": dict(self.metadata),
            "text": self.name,
        }


def parse(texts: Sequence[str]) -> tuple[MadeUp, ...]:
    """What ``--hardware`` names: TYPE[:VENDOR[:DEVICE]][,KEY=VALUE...], or the usual ones.

    Raises UsageError for anything else.
    """
    found: list[MadeUp] = []
    for text in texts:
        if text == USUAL:
            found += [MadeUp(kind, vendor) for kind, ids in _USUAL.items() for vendor in ids]
        else:
            found.append(_parse(text))
    return tuple(dict.fromkeys(found))


def _parse(text: str) -> MadeUp:
    head, *pairs = text.split(",")
    kind, *numbers = head.split(":")
    metadata = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    try:
        ids = [int(number, 0) for number in numbers]
    except ValueError:
        ids = [-1]
    good = all(0 <= each < 1 << 32 for each in ids) and len(ids) <= 2
    if kind not in _TYPES or not good or len(metadata) != len(pairs):
        raise UsageError(
            f"--hardware {text}: not a device",
            f"Write TYPE:VENDOR:DEVICE,KEY=VALUE, such as gpu:0x10de:0x2684,Discrete=1; TYPE is "
            f"{', '.join(_TYPES)}, the rest may be left away; or {USUAL} for those of the usual "
            "vendors.",
        )
    vendor, device = [*ids, 0, 0][:2]
    return MadeUp(kind, vendor, device, tuple(metadata.items()))
