<%= banner %>
"""The kernels of <%= ep %> for NumPy, without ONNX Runtime.

``ops`` has a function for each operator; `run` calls any kernel by its operator's name. `preview`
tells which nodes of a model the execution provider would take. Kernels compute on the caller's
thread, and other threads of Python go on meanwhile.
"""

from collections.abc import Mapping
from typing import Any, Final

from . import _native, ops
from ._call import run
from ._errors import DeviceLostError, InvalidArgumentError, KernelError, NotSupportedError
from ._preview import NodePreview, Preview, preview

__version__: Final = <%= version | py_string %>
__all__ = [
    "DeviceLostError",
    "InvalidArgumentError",
    "KernelError",
    "NodePreview",
    "NotSupportedError",
    "Preview",
    "__version__",
    "build_info",
    "counters",
    "devices",
    "match_device",
    "ops",
    "preview",
    "run",
]


def build_info() -> dict[str, Any]:
    """What the module is: project, execution providers (``eps``), vendor, version, oldest ONNX
    Runtime and API level that the library is made for, compiler, paradigm, and ``kernels``: domain,
    op, since-version, element types, and whether the kernel is written (``ready``)."""
    return _native.build_info()


def devices() -> list[dict[str, Any]]:
    """The devices that the execution provider looks for, by the rules of its blueprint.

    Which hardware a machine has is what ONNX Runtime tells the library, so this does not say it:
    `match_device` tells which device a known piece of hardware is.
<% if device_memory %>
    ``runtime`` has what the device's own runtime says: whether it opens, and if not, why.
<% endif %>
    """
    return _native.devices()


def match_device(
    type: str, *, vendor_id: int = 0, device_id: int = 0, metadata: Mapping[str, str] | None = None
) -> dict[str, Any] | None:
    """The device that a piece of hardware would be offered as, by the library's own discovery.

    Args:
        type: "cpu", "gpu" or "npu".
        vendor_id: the PCI vendor.
        device_id: the PCI device.
        metadata: what ONNX Runtime says of the hardware beside that, such as pci_bus_id.

    Returns:
        As `devices` has it; None for hardware that is not the execution provider's.

    Raises:
        InvalidArgumentError: there is no such type, or a number has more than 32 bits.
        KernelError: it could not be found out.
    """
    if type not in ("cpu", "gpu", "npu"):
        raise InvalidArgumentError(f"type is {type!r}; expected 'cpu', 'gpu' or 'npu'")
    for name, number in (("vendor_id", vendor_id), ("device_id", device_id)):
        if not 0 <= number < 2**32:
            raise InvalidArgumentError(f"{name} is {number}; expected 0 to {2**32 - 1}")
    return _native.match_device(type, vendor_id, device_id, dict(metadata or {}))


<% if simulated_queues %>
def counters() -> dict[str, int]:
    """What the simulated device has done in this process: copies, launches, allocations, ...

    Raises:
        NotSupportedError: the module is not the test variant.
    """
    try:
        return _native.counters()
    except AttributeError:
        raise NotSupportedError(
            "only the test variant of the module counts: build it with "
            "pip wheel --no-deps native/ -C cmake.define.NATIVE_TEST_VARIANT=ON"
        ) from None
<% else %>
def counters() -> dict[str, int]:
    """What a simulated device with queues has done.

    Raises:
        NotSupportedError: always; this project simulates no such device.
    """
    raise NotSupportedError("nothing is counted: the project simulates no device with queues")
<% endif %>
