<%= banner %>
"""Tensors in the device's own memory: made there, bound to a session, copied back."""

<% if host_accessible %>
import ctypes
import inspect
import itertools
<% endif %>
from typing import Any

import numpy as np
import onnxruntime
import pytest
<% if host_accessible %>
from onnxruntime import OrtValue
<% endif %>

from support import OneNode, Plugin, Trial, assert_same, expected, fresh, trials

_ONE_TENSOR = """
    import ctypes, json
    import numpy as np
    import <%= package %> as package
    from support import Plugin
    from test_memory import _on_device
    manifest = json.load(open(package.get_library_path() + ".manifest.json", encoding="utf-8"))
    package.register(virtual=manifest["virtual"])
    tensor = _on_device(Plugin(manifest, package.devices()[0]), np.ones(4, np.float32))
"""


def _all_float32(trial: Trial) -> bool:
    return set(trial.types.values()) == {"float32"}


@pytest.fixture(scope="module")
def one(plugin: Plugin) -> OneNode:
    """A node whose inputs all live on the device."""
    return next(trial for trial in trials(plugin.manifest) if _all_float32(trial)).build()


def _on_device(plugin: Plugin, value: Any) -> onnxruntime.OrtValue:
    """A copy of ``value`` in the device's memory."""
    kind = "npu" if plugin.device.device.type.name == "NPU" else "gpu"
    tensor = onnxruntime.OrtValue.ortvalue_from_shape_and_type(
        value.shape, value.dtype, kind, 0, plugin.manifest["vendor_id"]
    )
    onnxruntime.copy_tensors([onnxruntime.OrtValue.ortvalue_from_numpy(value)], [tensor], None)
    return tensor


def test_the_device_has_memory_of_its_own(plugin: Plugin) -> None:
    assert plugin.manifest["device_memory"]
    memory = plugin.device.memory_info(onnxruntime.OrtDeviceMemoryType.DEFAULT)
    assert memory.name != "Cpu"


@pytest.mark.parametrize("shape", [(2, 3), (), (0, 4), (1000, 1000)], ids=str)
def test_a_tensor_goes_to_the_device_and_comes_back(plugin: Plugin, shape: tuple[int, ...]) -> None:
    value = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    tensor = _on_device(plugin, value)
    assert tensor.device_name().lower() != "cpu"
    assert_same([tensor.numpy()], [value])


<% if host_accessible %>
_HOST = onnxruntime.OrtDeviceMemoryType.HOST_ACCESSIBLE
_DEVICE = onnxruntime.OrtDeviceMemoryType.DEFAULT
_KINDS = {"host": None, "device": _DEVICE, "host-accessible": _HOST}
_DIRECTIONS = [pair for pair in itertools.product(_KINDS, _KINDS) if pair != ("host", "host")]
_needs_memory_infos = pytest.mark.skipif(
    "memory_info" not in inspect.signature(OrtValue.ortvalue_from_shape_and_type).parameters,
    reason="this onnxruntime makes no tensors in host-accessible memory from Python",
)


def _tensor(plugin: Plugin, kind: str, value: Any) -> OrtValue:
    """A copy of ``value`` in memory of that kind."""
    if kind == "host":
        return OrtValue.ortvalue_from_numpy(value.copy())
    info = plugin.device.memory_info(_KINDS[kind])
    tensor = OrtValue.ortvalue_from_shape_and_type(value.shape, value.dtype, memory_info=info)
    onnxruntime.copy_tensors([OrtValue.ortvalue_from_numpy(value)], [tensor], None)
    return tensor


def test_host_accessible_memory_is_told_apart(plugin: Plugin) -> None:
    own, shared = (plugin.device.memory_info(kind) for kind in (_DEVICE, _HOST))
    assert (own.device_mem_type, shared.device_mem_type) == (_DEVICE, _HOST)
    assert own.device_id == shared.device_id
    assert own.device_vendor_id == shared.device_vendor_id == plugin.manifest["vendor_id"]


@_needs_memory_infos
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 4), (300, 1000)], ids=str)
@pytest.mark.parametrize(("source", "target"), _DIRECTIONS)
def test_copies_in_every_direction(
    plugin: Plugin, source: str, target: str, shape: tuple[int, ...]
) -> None:
    # Several at once, over other data.
    values = [np.random.default_rng(k).standard_normal(shape).astype(np.float32) for k in range(3)]
    begin = [_tensor(plugin, source, value) for value in values]
    end = [_tensor(plugin, target, np.full_like(value, 77)) for value in values]
    onnxruntime.copy_tensors(begin, end, None)
    assert_same([tensor.numpy() for tensor in end], values)


@_needs_memory_infos
def test_the_host_reads_and_writes_host_accessible_memory(plugin: Plugin) -> None:
    value = np.arange(12, dtype=np.float32)
    tensor = _tensor(plugin, "host-accessible", value)
    ctypes.memmove(tensor.data_ptr(), value.ctypes.data, value.nbytes)
    on_device = _tensor(plugin, "device", value)
    onnxruntime.copy_tensors([tensor], [on_device], None)
    assert_same([on_device.numpy()], [value])
    onnxruntime.copy_tensors([OrtValue.ortvalue_from_numpy(value + 1)], [tensor], None)
    seen = ctypes.string_at(tensor.data_ptr(), value.nbytes)
    assert_same([np.frombuffer(seen, np.float32)], [value + 1])


@_needs_memory_infos
@pytest.mark.parametrize("output", _KINDS)
@pytest.mark.parametrize("kind", _KINDS)
def test_io_binding_with_tensors_of_every_kind(
    plugin: Plugin, one: OneNode, kind: str, output: str
) -> None:
    session = plugin.session(one.model)
    for _ in range(2):
        binding = session.io_binding()
        for name, value in one.feeds.items():
            binding.bind_ortvalue_input(name, _tensor(plugin, kind, value))
        results = [_tensor(plugin, output, np.full_like(value, 77)) for value in expected(one)]
        for node, tensor in zip(session.get_outputs(), results, strict=True):
            binding.bind_ortvalue_output(node.name, tensor)
        session.run_with_iobinding(binding)
        assert_same([tensor.numpy() for tensor in results], expected(one))


<% endif %>
def test_io_binding_with_tensors_on_the_device(plugin: Plugin, one: OneNode) -> None:
    session = plugin.session(one.model)
    for _ in range(3):
        binding = session.io_binding()
        for name, value in one.feeds.items():
            binding.bind_ortvalue_input(name, _on_device(plugin, value))
        for output in session.get_outputs():
            binding.bind_output(output.name)
        session.run_with_iobinding(binding)
        assert_same(binding.copy_outputs_to_cpu(), expected(one))


def test_the_host_cannot_read_the_device_s_memory(plugin: Plugin) -> None:
    result = fresh(
        _ONE_TENSOR
        + """
    print("reading", flush=True)
    ctypes.string_at(tensor.data_ptr(), 4)
    print("read", flush=True)
"""
    )
    assert result.stdout == "reading\n", result.stderr
    assert result.returncode != 0


def test_a_tensor_that_is_alive_keeps_the_registration(plugin: Plugin) -> None:
    result = fresh(
        _ONE_TENSOR
        + """
    try:
        package.unregister()
    except RuntimeError as error:
        print(error)
    del tensor
    package.unregister()
"""
    )
    assert result.returncode == 0, result.stderr
    assert "1 device tensor(s)" in result.stdout


def test_the_process_ends_well_with_a_tensor_in_a_global(plugin: Plugin) -> None:
    result = fresh(_ONE_TENSOR)
    assert (result.returncode, result.stderr) == (0, "")
