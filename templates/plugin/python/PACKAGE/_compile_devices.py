<%= banner %>
"""The devices to compile for: registers a plugin library, and chooses among what it offers."""

import gc
import importlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._outputs import MISSING, CompileError
from ._plugin_config import PluginConfig
from .compiling import one_line

_VIRTUAL = ".virtual"  # ends the name of a registration that asks for a virtual device


@dataclass(frozen=True)
class Chosen:
    """The devices to compile for, all of one execution provider.

    Args:
        why: why these, when others could be meant; else empty.
    """

    devices: tuple[Any, ...]
    why: str = ""

    @property
    def ep(self) -> str:
        """The execution provider's name."""
        return str(self.devices[0].ep_name)

    @property
    def version(self) -> str:
        """The version of the library."""
        return str(self.devices[0].ep_metadata.get("version", ""))


def describe(device: Any) -> str:
    """A device in words."""
    hardware = device.device
    kind = "virtual " if is_virtual(device) else ""
    made_by = f" by {hardware.vendor}" if hardware.vendor else ""
    return f"{kind}{hardware.type.name}{made_by}"


def is_virtual(device: Any) -> bool:
    """Is it no hardware of this machine?"""
    return bool(device.device.metadata.get("is_virtual") == "1")


@contextmanager
def offered(library: Path, ep: str, virtual: bool | None, index: int | None) -> Iterator[Chosen]:
    """Registers a library and chooses one of its devices, for the block.

    Args:
        library: its file.
        ep: the execution provider; may be empty when the library has only one.
        virtual: a virtual device, or a real one; None is a real one if there is one.
        index: which of these devices; the first by default.

    Raises:
        CompileError: the library cannot be used, or has no such device.
    """
    name = ep or library.stem
    for wanted in (False, True) if virtual is None else (virtual,):
        with _registered(name + (_VIRTUAL if wanted else ""), library):
            found = [device for device in _of_library(library, ep) if is_virtual(device) == wanted]
            if found:
                why = "no real one is there" if wanted and virtual is None else ""
                yield Chosen((_pick(found, index),), why)
                found.clear()  # devices must not outlive the registration
                return
    kind = {None: "", True: "virtual ", False: "real "}[virtual]
    raise CompileError(f"{ep or library} offers no {kind}device on this machine", status=MISSING)


@contextmanager
def configured(config: PluginConfig) -> Iterator[Chosen]:
    """Registers the library of a configuration and takes the devices that it names.

    Raises:
        CompileError: the library cannot be used, or there are no such devices.
    """
    with _registered(config.registration, config.library):
        everything = importlib.import_module("onnxruntime").get_ep_devices()
        if config.indices:
            found = [_pick(everything, index) for index in config.indices]
        else:
            found = [device for device in everything if device.ep_name == config.ep]
        if not found:
            names = ", ".join(dict.fromkeys(device.ep_name for device in everything))
            raise CompileError(f"there is no device of {config.ep}, only of {names}")
        if len({device.ep_name for device in found}) > 1:
            raise CompileError("the devices are of more than one execution provider")
        yield Chosen(tuple(found), "by the configuration")
        found.clear()
        everything.clear()


@contextmanager
def _registered(name: str, library: Path) -> Iterator[None]:
    runtime = importlib.import_module("onnxruntime")
    try:
        runtime.register_execution_provider_library(name, str(library))
    except Exception as error:
        raise CompileError(f"{library} cannot be registered: {one_line(error)}") from error
    try:
        yield
    finally:
        gc.collect()  # nothing that was made with the library may outlive the registration
        try:
            runtime.unregister_execution_provider_library(name)
        except Exception as error:
            raise CompileError(f"{library} cannot be unregistered: {one_line(error)}") from error


def _of_library(library: Path, ep: str) -> list[Any]:
    """The devices of the library, if they are of one execution provider."""
    real = os.path.realpath(library)
    found = [
        device
        for device in importlib.import_module("onnxruntime").get_ep_devices()
        if os.path.realpath(device.ep_metadata.get("library_path", "")) == real
    ]
    names = dict.fromkeys(device.ep_name for device in found)
    if ep and names and ep not in names:
        raise CompileError(f"{library} has no {ep}, only {', '.join(names)}")
    if not ep and len(names) > 1:
        raise CompileError(
            f"{library} has several execution providers: {', '.join(names)}", "Name one: --ep"
        )
    return [device for device in found if ep in ("", device.ep_name)]


def _pick(devices: Sequence[Any], index: int | None) -> Any:
    if index is not None and not 0 <= index < len(devices):
        listed = "; ".join(
            f"{number}: {device.ep_name}, {describe(device)}"
            for number, device in enumerate(devices)
        )
        raise CompileError(f"there is no device {index}", f"There are {listed}")
    return devices[index or 0]
