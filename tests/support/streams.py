"""Streams, copies and tensors of a plugin's device by the C API.

For processes under test, like `capi`.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_int64, c_void_p
from typing import Any

import numpy as np
from allocators import Device
from capi import Plugin

_FLOAT = 1


class Tensor:
    """A float tensor of a device's, or a view of an array on the host."""

    def __init__(self, plugin: Plugin, value: int, shape: tuple[int, ...], owner: Any) -> None:
        self.plugin, self.value, self.shape, self.owner = plugin, value, shape, owner


class Queues:
    """What applications do with the queues of a device."""

    def __init__(self, plugin: Plugin) -> None:
        self.plugin, self.ort = plugin, plugin.ort
        self.device = Device(plugin)

    def stream(self) -> int:
        """Makes a stream of the device, outside any session."""
        return self.ort.api.make("CreateSyncStreamForEpDevice", self.plugin.device, 0)

    def handle(self, stream: int) -> int:
        """The device's own handle of a stream."""
        return self.ort.api.get("SyncStream_GetHandle", stream)

    def release(self, stream: int) -> None:
        """Gives a stream back."""
        self.ort.api.get("ReleaseSyncStream", stream)

    def on_device(self, shape: tuple[int, ...], kind: int = 0) -> Tensor:
        """A tensor in memory of the device; what is in it is open."""
        allocator = self.device.shared(kind).address
        dims = (c_int64 * len(shape))(*shape)
        made = self.ort.api.make("CreateTensorAsOrtValue", allocator, dims, len(shape), _FLOAT)
        return Tensor(self.plugin, made, shape, None)

    def view(self, array: np.ndarray) -> Tensor:
        """The array as a tensor, without a copy."""
        info = self.ort.api.make("CreateCpuMemoryInfo", 0, 0)
        dims = (c_int64 * array.ndim)(*array.shape)
        arguments = (info, array.ctypes.data, array.nbytes, dims, array.ndim, _FLOAT)
        made = self.ort.api.make("CreateTensorWithDataAsOrtValue", *arguments)
        return Tensor(self.plugin, made, array.shape, (array, info))

    def copy(self, pairs: Sequence[tuple[Tensor, Tensor]], stream: int = 0) -> None:
        """Copies the first of each pair to the second."""
        count = len(pairs)
        sources = (c_void_p * count)(*(source.value for source, _ in pairs))
        targets = (c_void_p * count)(*(target.value for _, target in pairs))
        self.ort.api("CopyTensors", self.ort.env, sources, targets, stream, count)

    def read(self, tensor: Tensor) -> np.ndarray:
        """The data of a tensor, by a copy without a stream."""
        result = np.full(tensor.shape, np.nan, np.float32)
        self.copy([(tensor, self.view(result))])
        return result

    def run(
        self,
        session: int,
        feeds: dict[str, Tensor],
        fetches: dict[str, Tensor],
        *,
        stream: int = 0,
        synchronize: bool = True,
        graph: int | None = None,
    ) -> None:
        """Runs a session from tensors into tensors that are there already."""
        api = self.ort.api
        options = api.make("CreateRunOptions")
        if graph is not None:
            api("AddRunConfigEntry", options, "gpu_graph_id", str(graph))
        if stream:
            api.get("RunOptionsSetSyncStream", options, stream)
        if not synchronize:
            api("AddRunConfigEntry", options, "disable_synchronize_execution_providers", "1")
        binding = api.make("CreateIoBinding", session)
        for name, tensor in feeds.items():
            api("BindInput", binding, name, tensor.value)
        for name, tensor in fetches.items():
            api("BindOutput", binding, name, tensor.value)
        try:
            api("RunWithBinding", session, options, binding)
        finally:
            api.get("ReleaseIoBinding", binding)
            api.get("ReleaseRunOptions", options)


def floats(*shape: int, start: float = 0) -> np.ndarray:
    """Numbers that tell apart where they come from."""
    count = int(np.prod(shape))
    array: np.ndarray = (np.arange(count, dtype=np.float32) + np.float32(start)).reshape(shape)
    return array
