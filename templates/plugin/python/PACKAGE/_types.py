<%= banner %>
"""What onnxruntime's objects have, for type checkers: onnxruntime itself says nothing of types."""

from collections.abc import Mapping
from typing import Any, Protocol


class Hardware(Protocol):
    """An `onnxruntime.OrtHardwareDevice`."""

    @property
    def type(self) -> Any:
        """An enumerator; its `name` is CPU, GPU or NPU."""

    @property
    def vendor(self) -> str: ...

    @property
    def vendor_id(self) -> int: ...

    @property
    def device_id(self) -> int: ...

    @property
    def metadata(self) -> Mapping[str, str]: ...


class Device(Protocol):
    """An `onnxruntime.OrtEpDevice`: hardware as an execution provider offers it."""

    @property
    def ep_name(self) -> str: ...

    @property
    def ep_vendor(self) -> str: ...

    @property
    def ep_metadata(self) -> Mapping[str, str]: ...

    @property
    def ep_options(self) -> Mapping[str, str]:
        """The provider options with their defaults."""

    @property
    def device(self) -> Hardware: ...
