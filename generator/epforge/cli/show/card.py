"""The card of a library, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epforge.verbs.wording import count

if TYPE_CHECKING:
    from epforge.validate.inspection import Inspection
    from epforge.validate.inspection.model import Answers, Ended, Factory, Filled

_WIDTH = 15
_FEW = 6
_LONG = 48  # of a name; those of C++ have no end
_FORMATS = {"elf": "ELF", "pe": "PE", "mach-o": "Mach-O"}


def card(found: Inspection) -> Iterator[str]:
    """The lines of a report."""
    name = found.library.name
    if found.wrong:
        yield f"{name} is {found.wrong}"
    else:
        yield f"{name}: a {found.kind} for {found.binary.machine}, {_size(found.size)}"
    if found.binary.format in _FORMATS and not found.binary.damage:
        yield from _file(found)
    if found.answers is None:
        if not found.wrong or found.binary.format in _FORMATS:
            yield _line("run", f"not run: {found.not_run}")
    else:
        yield ""
        yield from _answers(found.answers)
    if found.findings:
        yield ""
        yield f"{count(len(found.findings), 'finding')}:"
        for finding in found.findings:
            yield f"  {finding.rule + ':':{_WIDTH}} {finding.text}"


def _line(key: str, value: str) -> str:
    return f"  {key:{_WIDTH}} {value}"


def _size(number: int) -> str:
    return f"{number / 1024:.0f} KiB" if number < 1 << 20 else f"{number / (1 << 20):.1f} MiB"


def _short(name: str) -> str:
    return name if len(name) <= _LONG else f"{name[: _LONG - 3]}..."


def _list(names: Sequence[str], most: int = _FEW) -> str:
    shown = ", ".join(map(_short, names[:most])) or "nothing"
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _file(found: Inspection) -> Iterator[str]:
    binary = found.binary
    yield _line("format", f"{_FORMATS[binary.format]}, {binary.machine}")
    if binary.soname and binary.soname != found.library.name:
        yield _line("calls itself", binary.soname)
    yield _line("exports", _exports(found))
    yield _line("needs", _list(binary.needed, 12))
    yield _line("run path", _list(binary.search) if binary.search else "none")
    if binary.floors:
        yield _line("oldest system", ", ".join(binary.floors))
    yield _line("manifest", found.manifest.name if found.manifest else "none beside it")


def _exports(found: Inspection) -> str:
    binary = found.binary
    entries = [name for name in binary.exports if name not in found.extra]
    if not found.extra:
        return f"{' and '.join(entries) or 'nothing'}, nothing else" if entries else "nothing"
    unique = f", {len(binary.unique)} of unique linkage" if binary.unique else ""
    head = f"{' and '.join(entries)}, and " if entries else ""
    return f"{head}{len(found.extra)} more{unique}: {_list(found.extra, 3)}"


def _answers(went: Answers) -> Iterator[str]:
    yield f"in onnxruntime {went.runtime or '(none)'}:"
    yield _line("API asked for", _asked(went))
    yield _line("older runtime", _older(went.older))
    if went.entry.outcome != "fine":
        yield _line("asked directly", _ended(went.entry))
    yield _line("registration", _registration(went))
    for factory in went.factories:
        yield from _factory(factory, len(went.factories))
    for number, device in enumerate(went.devices, 1):
        yield from _device(device, number, len(went.devices))
    if not went.devices:
        yield _line("devices", "none on this machine's hardware")
    for each in went.hardware:
        offer = ", ".join(dict.fromkeys(each.eps)) or "nothing"
        own = " (on hardware of its own making)" if each.own else ""
        yield _line("made up", f"{each.hardware}: {each.detail or offer + own}")


def _asked(went: Answers) -> str:
    asked = dict.fromkeys(went.asked)
    return ", ".join(f"{level}{'' if given else ' (refused)'}" for level, given in asked) or "none"


def _older(ended: Ended) -> str:
    if ended.outcome == "fine":
        return ended.detail or "works there, too"
    return _ended(ended)


def _ended(ended: Ended) -> str:
    return f"{ended.outcome}: {ended.detail}" if ended.detail else ended.outcome


def _registration(went: Answers) -> str:
    if went.registered.outcome != "fine":
        return _ended(went.registered)
    gone = {True: ", gone from memory afterwards", False: ", stays in memory afterwards"}
    virtual = f"; devices only under a name like {went.name}" if "." in went.name else ""
    return f"fine{gone.get(went.unmapped, '')}{virtual}" if went.unmapped is not None else "fine"


def _factory(factory: Factory, many: int) -> Iterator[str]:
    which = f"factory {factory.index + 1}" if many > 1 else "factory"
    vendor = "" if factory.vendor_id is None else f" ({factory.vendor_id:#06x})"
    yield _line(which, f"{factory.name} {factory.version} by {factory.vendor}{vendor}")
    for filled in factory.structs:
        of = f" for {filled.of}" if filled.of else ""
        yield _line("", f"{filled.struct}{of}, version {filled.stamp}: {_members(filled)}")
    if factory.stream_aware is not None:
        yield _line("", "stream aware" if factory.stream_aware else "not stream aware")
    if factory.custom_op_domains:
        yield _line("", f"{count(factory.custom_op_domains, 'domain')} of custom ops")
    for where, text in factory.errors:
        yield _line("", f"{where}: {text}")


def _members(filled: Filled) -> str:
    optional = [name if since <= 23 else f"{name} ({since})" for name, since in filled.set]
    return ", ".join(optional) or "no callback at all"


def _device(device: Mapping[str, Any], number: int, many: int) -> Iterator[str]:
    hardware = f"{device['type']} {int(device['hardware_vendor_id']):#06x}"
    which = f"device {number}" if many > 1 else "device"
    yield _line(which, f"{device['ep']} {device['version']} by {device['vendor']} on {hardware}")
    for key, title in (("metadata", "metadata"), ("options", "options")):
        pairs = {k: v for k, v in device[key].items() if k != "library_path"}
        if pairs:
            yield _line("", f"{title}: {', '.join(f'{k}={v}' for k, v in pairs.items())}")
    hardware_pairs = device["hardware_metadata"]
    if hardware_pairs:
        yield _line("", f"hardware: {', '.join(f'{k}={v}' for k, v in hardware_pairs.items())}")
