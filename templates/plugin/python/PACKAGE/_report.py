<%= banner %>
"""What there is to know of this installation, for people and for programs."""

import dataclasses
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from . import _identity, _library, _options, _registration, _runtime
from ._types import Device


def collect(*, virtual: bool = False) -> dict[str, Any]:
    """Registers the library, and says what there is. Never fails: what went wrong is among the
    `problems`.

    Args:
        virtual: ask for a virtual device.
    """
    problems: list[str] = []
    library = _tried(_library.get_library_path, problems)
    runtime = _tried(_runtime.onnxruntime, problems)
    if library and runtime:
        _tried(lambda: _registration.register(virtual=virtual), problems)
    found = (_tried(_registration.devices, problems) or []) if runtime else []
    manifest = _tried(lambda: _manifest(library), problems) if library else None
    if manifest and manifest["version"] != _identity.VERSION:
        problems.append(f"the library is of version {manifest['version']}")
    ops = manifest["ops"] if manifest else []
    return {
        "package": {
            "name": __package__,
            "version": _identity.VERSION,
            "folder": str(Path(__file__).resolve().parent),
            "distributions": {name: metadata.version(name) for name in _runtime.installed()},
        },
        "ep": _identity.EP_NAME,
        "eps": list(_identity.EP_NAMES),
        "vendor": _identity.VENDOR,
        "library": library,
        "operators": len({(op["domain"], op["op"]) for op in ops}) if manifest else None,
        "onnxruntime": {
            "version": runtime and runtime.__version__,
            "file": runtime and runtime.__file__,
            "minimum": _identity.MINIMUM_ONNXRUNTIME,
            "distributions": _runtime.installed_runtimes(),
        },
        "devices": [_device(device) for device in found],
        "options": [dataclasses.asdict(option) for option in _options.OPTIONS],
        "problems": problems,
    }


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """A report for people."""
    package, runtime = report["package"], report["onnxruntime"]
    yield f"{report['ep']} {package['version']} by {report['vendor']}"
    if len(report["eps"]) > 1:
        yield f"execution providers: {', '.join(report['eps'])}"
    shown = [f"{name} {version}" for name, version in package["distributions"].items()]
    yield f"package: {package['name']} in {package['folder']}"
    yield f"distribution: {', '.join(shown) or 'not installed, used from its folder'}"
    yield f"library: {report['library'] or 'none'}"
    yield f"onnxruntime: {runtime['version'] or 'none'} (at least {runtime['minimum']})"
    if report["operators"] is not None:
        yield f"operators: {report['operators']}"
    for device in report["devices"]:
        vendor = f"vendor {device['vendor_id']:#06x} {device['vendor']}"
        name = f"{device['ep']}, " if len(report["eps"]) > 1 else ""
        yield f"device: {name}{device['type']}, {vendor}, device {device['device_id']:#06x}"
        for key, value in sorted((device["hardware"] | device["metadata"]).items()):
            yield f"  {key}: {value}"
    if not report["devices"]:
        yield "device: none"
    for option in _options.OPTIONS:
        value = json.dumps(option.default)
        doc = f": {option.doc}" if option.doc else ""
        yield f"option: {option.name} = {value}, {option.legal}{doc}"
    for problem in report["problems"]:
        yield f"problem: {problem}"


def _tried(call: Callable[[], Any], problems: list[str]) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return call()
        except Exception as error:  # noqa: BLE001  whatever it is, it is what is asked for
            problems.append(str(error))
            return None
        finally:
            problems += [str(each.message) for each in caught]


def _manifest(library: str) -> dict[str, Any]:
    """What the library says of itself, in the file beside it."""
    text = Path(f"{library}.manifest.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def _device(device: Device) -> dict[str, Any]:
    hardware = device.device
    return {
        "ep": device.ep_name,
        "type": hardware.type.name,
        "vendor": hardware.vendor,
        "vendor_id": hardware.vendor_id,
        "device_id": hardware.device_id,
        "hardware": dict(hardware.metadata),
        "metadata": dict(device.ep_metadata),
        "options": dict(device.ep_options),
    }
