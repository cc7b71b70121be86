"""The runtime inside a worker: which one it is, the library registered in it, its devices."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.validate.worker.records import Records

if TYPE_CHECKING:
    from epforge.validate.worker.engines import Engine

Device = Any  # onnxruntime.OrtEpDevice


def check_runtime(directory: str | None) -> None:
    """Raises unless onnxruntime comes from ``directory``, when one is given."""
    import onnxruntime

    where = Path(onnxruntime.__file__).resolve()
    if directory and not where.is_relative_to(Path(directory).resolve()):
        raise RuntimeError(f"{directory} holds no onnxruntime: it was found in {where.parent}")


def version() -> str:
    """The runtime's version."""
    import onnxruntime

    return str(onnxruntime.__version__)


@contextmanager
def registered(name: str, library: str) -> Iterator[None]:
    """The library registered under ``name`` while the block runs."""
    import gc

    import onnxruntime

    onnxruntime.register_execution_provider_library(name, library)
    try:
        yield
    finally:
        gc.collect()  # devices and sessions must not outlive the registration
        onnxruntime.unregister_execution_provider_library(name)


@contextmanager
def at_work(
    job: Mapping[str, Any], records: Records, engine: Engine | None = None
) -> Iterator[list[Device]]:
    """The job's library registered, as steps of the record; its devices, to be used in the block.

    After an error the library stays registered: the process ends with it.

    Args:
        engine: where; in this process by default.
    """
    from epforge.validate.worker.here import Here

    engine = engine or Here()
    engine.severity(4)
    records.write("runtime", version=engine.version())
    with records.step("register"):
        manager = engine.registered(job["name"], job["library"])
        manager.__enter__()
    found = engine.devices(job["library"], job["ep"])
    yield found
    found.clear()
    with records.step("unregister"):
        manager.__exit__(None, None, None)


def devices(library: str, ep: str = "") -> list[Device]:
    """The devices that ``library`` offers (those of ``ep`` only, if given).

    ORT notes the path of the library in a device's metadata; where it does not, every device
    that is not from a built-in provider counts.
    """
    import onnxruntime

    real = os.path.realpath(library)
    found = []
    for device in onnxruntime.get_ep_devices():
        path = device.ep_metadata.get("library_path", "")
        ours = os.path.realpath(path) == real if path else device.ep_vendor != "Microsoft"
        if ours and ep in ("", device.ep_name):
            found.append(device)
    return found


def describe(device: Device) -> dict[str, object]:
    """A device in JSON."""
    hardware = device.device
    return {
        "ep": device.ep_name,
        "vendor": device.ep_vendor,
        "version": device.ep_metadata.get("version", ""),
        "metadata": dict(device.ep_metadata),
        "options": dict(device.ep_options),
        "type": str(hardware.type).rsplit(".", 1)[-1].lower(),
        "hardware_vendor_id": hardware.vendor_id,
        "hardware_metadata": dict(hardware.metadata),
    }


def mapped(library: str) -> bool | None:
    """Is the library in this process's memory? None where the system does not say."""
    if not sys.platform.startswith("linux"):
        return None
    real = os.path.realpath(library)
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return any(line.rstrip("\n").endswith(real) for line in maps)
