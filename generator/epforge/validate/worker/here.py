"""A library at work in this process, in the onnxruntime of this Python."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from epforge.validate.worker import host, session


class Here:
    """See `engines.Engine`."""

    def version(self) -> str:
        return host.version()

    def severity(self, level: int) -> None:
        import onnxruntime

        onnxruntime.set_default_logger_severity(level)

    def register(self, name: str, library: str) -> None:
        import onnxruntime

        onnxruntime.register_execution_provider_library(name, library)

    def unregister(self, name: str) -> None:
        import onnxruntime

        onnxruntime.unregister_execution_provider_library(name)

    def registered(self, name: str, library: str) -> AbstractContextManager[None]:
        return host.registered(name, library)

    def devices(self, library: str, ep: str = "") -> list[host.Device]:
        return host.devices(library, ep)

    def describe(self, device: host.Device) -> dict[str, object]:
        return host.describe(device)

    def mapped(self, library: str) -> bool | None:
        return host.mapped(library)

    def newest_opset(self) -> int:
        return session.newest_opset()

    def open(self, model: session.Model, device: host.Device, fallback: bool = False) -> Any:
        return session.open_session(model, device, fallback)

    def open_usual(self, model: bytes, device: host.Device) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.add_provider_for_devices([device], {})
        return onnxruntime.InferenceSession(model, options, enable_fallback=0)

    def open_converted(self, model: session.Model, device: host.Device, ep: str) -> Any:
        return session.open_converted(model, device, ep)

    def taken(self, made: Any, ep: str) -> bool:
        return session.taken(made, ep)

    def why_not_taken(self, model: session.Model, device: host.Device, op: str) -> str:
        return session.why_not_taken(model, device, op)

    def reference(self, model: session.Model, library: str = "") -> session.Reference:
        return session.reference(model, library)
