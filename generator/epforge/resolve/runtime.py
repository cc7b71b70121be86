"""Which ONNX Runtime, which Python, which platforms, which devices and which memory."""

from __future__ import annotations

import re
from collections.abc import Mapping

from epforge.blueprint.diagnostic import show
from epforge.blueprint.nodes import Path
from epforge.blueprint.shape import CudaShape, DeviceShape, MemoryShape, OrtShape, PythonShape
from epforge.names import Identifier, Name
from epforge.ort.levels import known_levels
from epforge.resolve.findings import Findings
from epforge.resolve.model import (
    Device,
    DeviceMatch,
    DeviceType,
    Memory,
    MemoryKind,
    Names,
    OrtRange,
    Paradigm,
    Runtime,
    Vendor,
    VirtualPolicy,
)
from epforge.resolve.providers import resolve_providers
from epforge.resolve.reserved import ascii_words, why_not_member
from epforge.resolve.services import Cuda
from epforge.resolve.stand_ins import check_stand_ins

_RELEASE = re.compile(r"1\.(0|[1-9][0-9]{0,2})(?:\.(0|[1-9][0-9]{0,2}))?")
_PYTHON = re.compile(r"3\.(0|[1-9][0-9]?)")
_OLDEST_PYTHON = (3, 11)  # ORT >= 1.24 has no wheel for an older one

#: Oldest runtime: kernel registries, virtual devices and some of the functions that every project
#: calls came with API 24, and 1.24.4 is the first release of it that was tried.
_FLOOR = (1, 24, 4)

_DEVICE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*")
_METADATA_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")

# Entries that something else decides: what the headers of ORT 1.32 name, and what it adds itself.
_DECIDED = {
    "version": "ONNX Runtime adds it from the project's version",
    "library_path": "ONNX Runtime adds it",
    "is_virtual": "it follows from 'virtual'",
    "software": "it follows from 'software'",
    "device_index": "the library adds it, so that equal devices are told apart",
    "weightless_support": "it follows from features.weightless",
    "weightless_supported_modes": "it follows from features.weightless",
    "weightless_mode": "it is an entry of models",
    **dict.fromkeys(
        (
            *("Discrete", "card_idx", "pci_bus_id", "LUID", "Description"),
            *("DxgiAdapterNumber", "DxgiVideoMemory", "DxgiHighPerformanceIndex"),
        ),
        "it is of the hardware, and ONNX Runtime lists it there",
    ),
}
_OF_MODELS = "ep_compatibility_info."
_LAYOUTS = {"gqa_preferred_value_layout": "no generated kernel reads another layout than BSNH"}


def resolve_ort(shape: OrtShape, found: Findings) -> OrtRange:
    """The range of runtimes, compared as numbers: 1.9 is older than 1.24."""
    minimum = _minimum(shape.min, found)
    target = _target(shape.target, found)
    if minimum and target and minimum[1] > target:
        place: Path = ("ort", "min") if found.source.has("ort", "min") else ("ort", "target")
        what = f"ort: min {shape.min} is newer than target {shape.target}"
        newest = minimum[1]
        fix = None
        if not found.source.has("ort", "target") and newest in known_levels():
            fix = found.with_value(("ort", "target"), f'"1.{newest}"')
        hint = f'write "1.{newest}" for ort.target, or an older min'
        found.error(place, "bad-ort", what, "min <= target", hint, fix)
    return OrtRange(minimum or (1, 24, 4), target or 27)


def _minimum(text: str, found: Findings) -> tuple[int, int, int] | None:
    path: Path = ("ort", "min")
    match = _RELEASE.fullmatch(text)
    if not match:
        what = f"ort.min: {show(text)} is not a release of ONNX Runtime"
        bare = _bare_release(text)
        fix = f'"{bare}"' if _RELEASE.fullmatch(bare) else None
        hint = f"write {fix}" if fix else ""
        found.error(path, "bad-ort", what, "1.MINOR or 1.MINOR.PATCH, such as 1.24.4", hint, fix)
        return None
    minimum = (1, int(match[1]), int(match[2] or 0))
    if minimum < _FLOOR:
        oldest = ".".join(map(str, _FLOOR))
        what = f"ort.min: {text} is too old"
        found.error(path, "bad-ort", what, f"{oldest} or newer", f'write "{oldest}"', f'"{oldest}"')
        return None
    return minimum


def _target(text: str, found: Findings) -> int | None:
    path: Path = ("ort", "target")
    match = _RELEASE.fullmatch(text)
    levels = known_levels()
    known = f"1.{levels[0]} to 1.{levels[-1]}"
    if not match or match[2]:
        what = f"ort.target: {show(text)} is not an API level"
        match = match or _RELEASE.fullmatch(_bare_release(text))
        if match is None and text.isdecimal():
            match = _RELEASE.fullmatch(f"1.{text}")
        fix = f'"1.{match[1]}"' if match and int(match[1]) in levels else None
        found.error(path, "bad-ort", what, known, f"write {fix}" if fix else "", fix)
        return None
    level = int(match[1])
    if level not in levels:
        what = f"ort.target: the API of ONNX Runtime {text} is not known"
        found.error(path, "bad-ort", what, known)
        return None
    return level


def _bare_release(text: str) -> str:
    """A release without the signs of requirements, and without a v."""
    return re.sub(r"^\s*(>=|==|~=|\^|~|>|=)?\s*[vV]?|\s*\+?\s*$", "", text)


def resolve_python(shape: PythonShape, found: Findings) -> tuple[int, int]:
    """The oldest Python."""
    match = _PYTHON.fullmatch(shape.min)
    version = (3, int(match[1])) if match else None
    if version is None or version < _OLDEST_PYTHON:
        what = f"python.min: {show(shape.min)} is not a Python that ONNX Runtime 1.24 or newer has"
        fix = _python_meant(shape.min)
        hint = f"write {fix}" if fix else ""
        found.error(("python", "min"), "bad-python", what, "3.11 or newer", hint, fix)
        return _OLDEST_PYTHON
    return version


def _python_meant(text: str) -> str | None:
    """A release of Python that is written otherwise; the oldest for one that is older."""
    meant = re.fullmatch(r"([0-9])\.([0-9]{1,2})(\.[0-9]+|\.[x*])?", _bare_release(text))
    if meant is None:
        return None
    major, minor = max((int(meant[1]), int(meant[2])), _OLDEST_PYTHON)
    return f'"{major}.{minor}"' if major == _OLDEST_PYTHON[0] else None


def resolve_targets(targets: tuple[str, ...], found: Findings) -> tuple[str, ...]:
    """The platforms, in the blueprint's order."""
    if not targets and not found.source.incomplete("targets"):
        found.error(("targets",), "empty-list", "targets: no platform to build for", "at least one")
    for index, target in enumerate(targets):
        if target in targets[:index]:
            what = f"targets: {target} is listed twice"
            place: Path = ("targets", index)
            twice = "delete one of them"
            found.error(place, "listed-twice", what, "", twice, found.without(place))
    return targets


def resolve_memory(shape: MemoryShape, devices: tuple[Device, ...], found: Findings) -> Memory:
    """The device's memory. A CPU has none of its own: its kernels use the host's."""
    if shape.default == "none" and not found.source.incomplete("memory", "default"):
        if shape.streams:
            what = "memory.streams: the device has no memory of its own, so nothing is queued"
            hint = "add 'default: plain' to memory, or delete it"
            expected = "memory.default: plain or arena"
            found.error(("memory", "streams"), "no-effect", what, expected, hint)
        more = {"host_accessible": shape.host_accessible, "read_only": shape.read_only}
        for key, kind in more.items():
            if kind != "none":
                what = f"memory.{key}: the device has no memory of its own beside which it would be"
                hint = "add 'default: plain' to memory, or delete it"
                expected = "memory.default: plain or arena"
                found.error(("memory", key), "no-effect", what, expected, hint)
    on_cpu = [device.name for device in devices if device.type is DeviceType.CPU]
    if shape.default != "none" and on_cpu and not found.source.incomplete("devices"):
        what = f"memory.default: device {on_cpu[0]} is a CPU, whose memory is the host's"
        hint = "give the device another type, or leave memory out"
        found.error(
            ("memory", "default"), "memory-of-cpu", what, "devices of type gpu or npu", hint
        )
    return Memory(
        default=MemoryKind(shape.default),
        host_accessible=MemoryKind(shape.host_accessible),
        read_only=MemoryKind(shape.read_only),
        streams=shape.streams,
    )


#: What nvcc 13 compiles for; 12 has older ones, too.
_ARCHITECTURES = (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)


def resolve_cuda(shape: CudaShape | None, runtime: str, found: Findings) -> Cuda | None:
    """How device code is compiled; None for another runtime."""
    if runtime != "cuda":
        if shape is not None and not found.source.incomplete("runtime"):
            what = f"cuda: runtime {runtime} has no device code"
            hint, fix = "delete it, or write 'runtime: cuda'", None
            if not found.source.has("runtime"):
                hint, fix = "add 'runtime: cuda'", found.with_value(("runtime",), "cuda")
            found.key_error(("cuda",), "no-effect", what, "runtime: cuda", hint, fix)
        return None
    architectures = (shape or CudaShape()).architectures
    path: Path = ("cuda", "architectures")
    if not architectures and not found.source.incomplete("cuda"):
        found.error(path, "empty-list", "cuda.architectures: the list is empty", "such as [80, 90]")
    for index, number in enumerate(architectures):
        if number not in _ARCHITECTURES:
            what = f"cuda.architectures: nvcc has no compute capability {number}"
            found.error((*path, index), "bad-value", what, ", ".join(map(str, _ARCHITECTURES)))
        elif number in architectures[:index]:
            what = f"cuda.architectures: {number} is listed twice"
            place: Path = (*path, index)
            twice = "delete one of them"
            found.error(place, "listed-twice", what, "", twice, found.without(place))
    return Cuda(architectures)


def resolve_runtime(name: str, memory: MemoryShape, found: Findings) -> Runtime:
    """What drives the device. Without memory of its own nothing of it is called."""
    known = not found.source.incomplete("memory", "default")
    if name == "cuda" and not found.source.incomplete("memory"):
        wanted = {"default": memory.default != "none", "streams": memory.streams}
        for key, there in wanted.items():
            if not there:
                value = "plain" if key == "default" else "true"
                what = f"runtime cuda: without memory.{key} there is nothing to launch kernels on"
                hint = f"add '{key}: {value}' to memory"
                fix = found.with_value(("memory", key), value) if key == "streams" else None
                wanted_text = f"memory.{key}: {value}"
                found.error(("runtime",), "missing-key", what, wanted_text, hint, fix)
    if name == "stub" and memory.default == "none" and known:
        what = "runtime stub: the device has no memory of its own, so there is nothing to write"
        hint = "add 'memory: {default: plain}', or leave runtime out"
        found.error(("runtime",), "no-effect", what, "memory.default: plain or arena", hint)
    return Runtime(name)


def resolve_devices(
    shapes: tuple[DeviceShape, ...] | None,
    names: Names,
    paradigm: Paradigm,
    vendor: Vendor,
    found: Findings,
) -> tuple[Device, ...]:
    """The devices; where the blueprint has none, one CPU device of any vendor, or a virtual NPU if
    that is the paradigm."""
    virtual = paradigm is Paradigm.VIRTUAL
    if shapes is None and virtual:
        match = DeviceMatch(vendor.pci_id, (), {})
        npu = Identifier("npu")
        return (Device(npu, DeviceType.NPU, match, VirtualPolicy.ALLOWED, {}, names.ep),)
    if shapes is None:
        match = DeviceMatch(None, (), {})
        name = names.name.snake
        return (Device(name, DeviceType.CPU, match, VirtualPolicy.NEVER, {}, names.ep),)
    if not shapes and not found.source.incomplete("devices"):
        hint = "leave the key out for one CPU device"
        found.error(("devices",), "empty-list", "devices: the list is empty", "", hint)
    if virtual and shapes and all(shape.virtual != "allowed" for shape in shapes):
        what = "paradigm virtual: no device may be virtual"
        hint, fix = "add 'virtual: allowed' to a device, or write 'paradigm: compiled'", None
        if len(shapes) == 1 and not found.source.has("devices", 0, "virtual"):
            hint = "add 'virtual: allowed' to the device"
            fix = found.with_value(("devices", 0, "virtual"), "allowed")
        if not found.source.incomplete("devices"):
            found.error(("paradigm",), "no-virtual-device", what, "", hint, fix)
    seen: dict[str, int] = {}
    providers = resolve_providers(shapes, names, found)
    devices = tuple(
        _device(shape, provider, index, seen, vendor, found)
        for index, (shape, provider) in enumerate(zip(shapes, providers, strict=True))
    )
    check_stand_ins(devices, found)
    return devices


def _device(
    shape: DeviceShape,
    provider: Identifier,
    index: int,
    seen: dict[str, int],
    vendor: Vendor,
    found: Findings,
) -> Device:
    path: Path = ("devices", index)
    name = _device_name(shape.name, (*path, "name"), found)
    if name in seen:
        first = found.line(("devices", seen[name], "name"))
        what = f"two devices are named {show(name)}; the first is on line {first}"
        found.error((*path, "name"), "name-collision", what, "a name of its own for each")
    seen.setdefault(name, index)
    ids = shape.match.device_ids
    for place, number in enumerate(ids):
        if number in ids[:place]:
            what = f"device id 0x{number:04X} is listed twice"
            item: Path = (*path, "match", "device_ids", place)
            twice = "delete one of them"
            found.error(item, "listed-twice", what, "", twice, found.without(item))
    known = not found.source.incomplete(*path, "match", "vendor_id")
    if ids and shape.match.vendor_id is None and known:
        what = "device ids mean nothing without a vendor"
        hint, fix = "add vendor_id to match", None
        if vendor.pci_id:
            hint = f"add 'vendor_id: 0x{vendor.pci_id:04X}' to match"
            fix = found.with_value((*path, "match", "vendor_id"), f"0x{vendor.pci_id:04X}")
        found.error((*path, "match", "device_ids"), "missing-key", what, "", hint, fix)
    _metadata(shape.match.metadata, (*path, "match", "metadata"), found)
    _metadata(shape.metadata, (*path, "metadata"), found)
    _claims(shape.metadata, (*path, "metadata"), found)
    return Device(
        name=name,
        type=DeviceType(shape.type),
        match=DeviceMatch(shape.match.vendor_id, ids, dict(shape.match.metadata)),
        virtual=VirtualPolicy(shape.virtual),
        metadata=dict(shape.metadata),
        ep=provider,
        software=shape.software == "allowed",
    )


def _device_name(text: str, path: Path, found: Findings) -> Identifier:
    rule = "letters, digits and single - or _ between them, a letter first"
    snake = Name.parse(text).snake if _DEVICE_NAME.fullmatch(text) and len(text) <= 48 else None
    why = why_not_member(snake) if snake else None
    if snake is None or why:
        proposal = Name.parse(ascii_words(text, "_", "npu")).snake
        if why_not_member(proposal):
            proposal = Identifier(f"{proposal}_device")
        reason = why or "is not a name"
        what = f"device name: {show(text)} {reason}"
        found.error(path, "bad-name", what, rule, f"write {proposal}", proposal)
        return proposal
    return snake


def _metadata(entries: Mapping[str, str], path: Path, found: Findings) -> None:
    for key, value in entries.items():
        if not _METADATA_KEY.fullmatch(key):
            what = f"{show(key)} cannot be a metadata key"
            found.key_error((*path, key), "bad-name", what, "letters, digits, _ . and -")
        if len(value) > 1024 or not value.isprintable():
            what = f"the value of {show(key)} cannot be metadata"
            found.error((*path, key), "bad-value", what, "one line of at most 1024 characters")


def _claims(entries: Mapping[str, str], path: Path, found: Findings) -> None:
    """A device is declared only as far as the generated code honours it."""
    for key, value in entries.items():
        of_models = "it is an entry of models" if key.startswith(_OF_MODELS) else None
        decided = _DECIDED.get(key, of_models)
        if decided:
            what = f"metadata {key} is not the blueprint's to set: {decided}"
            out = found.without((*path, key))
            found.key_error((*path, key), "reserved-metadata", what, "", "delete it", out)
        elif key in _LAYOUTS:
            what = f"metadata {key} claims a layout: {_LAYOUTS[key]}"
            out = found.without((*path, key))
            found.key_error((*path, key), "layout-claim", what, "", "delete it", out)
        elif key == "os_driver_version" and not re.fullmatch(r"\d{1,5}(\.\d{1,5}){3}", value):
            what = f"os_driver_version: {show(value)} is not a driver version"
            parts = value.split(".")
            fix = None
            if len(parts) < 4 and all(re.fullmatch(r"\d{1,5}", part) for part in parts):
                fix = ".".join([*parts, *["0"] * (4 - len(parts))])
            hint = f"write {fix}" if fix else ""
            found.error((*path, key), "bad-value", what, "four numbers, such as 1.0.0.0", hint, fix)
