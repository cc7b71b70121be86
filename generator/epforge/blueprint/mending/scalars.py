"""Numbers and flags as people write them, in the spelling of a blueprint."""

from __future__ import annotations

import re

from epforge.blueprint.nodes import Path

_GROUPED = re.compile(r"[-+]?[0-9]{1,3}([_,' ][0-9]{3})+")
_UNDERSCORED = re.compile(r"[-+]?[1-9][0-9]*(_[0-9]+)+")
_WHOLE = re.compile(r"([-+]?(?:0|[1-9][0-9]*))\.0*")
_WITH_UNIT = re.compile(r"([-+]?(?:0|[1-9][0-9]*)) ?[A-Za-zµ%]{1,12}")
_VERSION = re.compile(r"[vV](0|[1-9][0-9]*)")
_REAL_WITH_UNIT = re.compile(r"([-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)) ?[A-Za-zµ%]{1,12}")
_HEX = re.compile(r"(?:0[xX]|[xX$#]|16#)?([0-9A-Fa-f]{1,8})[hH]?")
_CAPABILITY = re.compile(r"(?:sm|compute|SM)_?([1-9][0-9]{1,2})a?")
_IDS = ("pci_id", "vendor_id", "device_ids")
_LONGEST = 40


def integer(text: str) -> str | None:
    """An integer as blueprints have it, of one that is written otherwise; None if it is none."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if re.fullmatch(r"0X[0-9A-Fa-f]+|0O[0-7]+", text):
        return f"0{text[1].lower()}{text[2:]}"
    if _GROUPED.fullmatch(text) or _UNDERSCORED.fullmatch(text):
        return str(int(re.sub(r"[_,' ]", "", text)))
    for pattern in (_WHOLE, _VERSION, _WITH_UNIT):
        match = pattern.fullmatch(text)
        if match:
            return match[1].removeprefix("+")
    return None


def real(text: str) -> str | None:
    """A real number, like `integer`."""
    match = _REAL_WITH_UNIT.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    return match[1] if match else integer(text)


def of_place(text: str, path: Path) -> str | None:
    """An integer of a certain key: an id that is hexadecimal, a compute capability."""
    key = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
    text = text.strip()
    match = _HEX.fullmatch(text) if key in _IDS else None
    if match and not text.isdigit():
        return f"0x{match[1].upper()}"
    if key == "architectures":
        capability = _CAPABILITY.fullmatch(text)
        points = re.fullmatch(r"([1-9][0-9]?)\.([0-9])", text)
        return capability[1] if capability else "".join(points.groups()) if points else None
    return None
