"""What the tests share: a runtime of their own, a registered library, sessions and tensors.

For processes under test. As in ORT's tests each test registers the library and takes it out again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from capi import Ort, OrtError, Plugin, Table
from models import constant, model, node, value
from onnx import ModelProto
from streams import Queues

CPU, GPU, NPU = 0, 1, 2  # OrtHardwareDeviceType
FAIL, INVALID_ARGUMENT, NOT_IMPLEMENTED = 1, 2, 9  # OrtErrorCode
PREFER_CPU, PREFER_NPU, PREFER_GPU = 1, 2, 3  # OrtExecutionProviderDevicePolicy
ERROR_IF_NO_NODES_COMPILED = 1  # OrtCompileApiFlags
CPU_EP = "CPUExecutionProvider"
NO_FALLBACK = {"session.disable_cpu_ep_fallback": "1"}
RECORD = {"session.record_ep_graph_assignment_info": "1"}
X = np.arange(1, 7, dtype=np.float32).reshape(3, 2)


@dataclass(frozen=True)
class Place:
    """Where a test finds the libraries, and a folder of its own."""

    libraries: Mapping[str, str]
    eps: Mapping[str, str]
    folder: Path


Test = Callable[[Place], None]


def of(name: str) -> Callable[[Test], Test]:
    """Says which of ORT's tests a function stands for."""

    def mark(test: Test) -> Test:
        test.ort_name = name  # type: ignore[attr-defined]
        return test

    return mark


def by_name(module: Any) -> dict[str, Test]:
    """The tests of a module by ORT's names, in the order of the file."""
    marked = [each for each in vars(module).values() if hasattr(each, "ort_name")]
    return {each.ort_name: each for each in marked}


class Example:
    """A registered example: its devices, and what is done with them."""

    def __init__(self, ort: Ort, plugin: Plugin) -> None:
        self.ort, self.api, self.plugin = ort, ort.api, plugin
        self.ep, self.device = plugin.ep, plugin.device
        self.queues = Queues(plugin)
        self.hardware = ort.api.get("EpDevice_Device", plugin.device)
        self._open: list[int] = []

    def options(
        self,
        config: Mapping[str, str] | None = None,
        given: Mapping[str, str] | None = None,
        policy: int | None = None,
    ) -> int:
        """Session options: this device's, or whatever a policy selects."""
        made = self.api.make("CreateSessionOptions")
        if policy is not None:
            self.api("SessionOptionsSetEpSelectionPolicy", made, policy)
        else:
            keys, values = (texts(each) for each in ((given or {}).keys(), (given or {}).values()))
            arguments = (made, self.ort.env, (c_void_p * 1)(self.device), 1, keys, values)
            self.api("SessionOptionsAppendExecutionProvider_V2", *arguments, len(given or {}))
        for key, text in {**RECORD, **(config or {})}.items():
            self.api("AddSessionConfigEntry", made, key, text)
        return made

    def session(self, source: ModelProto | Path, options: int | None = None) -> int:
        """A session, which is released with the example."""
        content = source.SerializeToString() if isinstance(source, ModelProto) else source
        made = self.plugin.open(content, self.options(NO_FALLBACK) if options is None else options)
        self._open.append(made)
        return made

    def run(self, session: int, feeds: Mapping[str, np.ndarray], *names: str) -> list[np.ndarray]:
        """Runs from the host to the host."""
        return run(self.ort, session, feeds, *names)

    def close(self, session: int) -> None:
        """Releases a session before the others."""
        self._open.remove(session)
        self.api.get("ReleaseSession", session)

    def assigned(self, session: int) -> list[tuple[str, list[str]]]:
        """Which execution provider has which nodes: its name and theirs, part by part."""
        return assigned(self.ort, session)

    def compile(
        self,
        source: Path,
        output: Path,
        config: Mapping[str, str] | None = None,
        *,
        embed: bool = False,
        given: Mapping[str, str] | None = None,
    ) -> None:
        """Compiles by the API; that nothing is compiled is an error."""
        table, env = self.ort.compile, self.ort.env
        made = table.make(
            "CreateModelCompilationOptionsFromSessionOptions", env, self.options(config, given)
        )
        table("ModelCompilationOptions_SetFlags", made, ERROR_IF_NO_NODES_COMPILED)
        table("ModelCompilationOptions_SetInputModelPath", made, str(source))
        table("ModelCompilationOptions_SetOutputModelPath", made, str(output))
        table("ModelCompilationOptions_SetEpContextEmbedMode", made, int(embed))
        try:
            table("CompileModel", env, made)
        finally:
            table.get("ReleaseModelCompilationOptions", made)

    def release(self) -> None:
        """Releases the sessions that are left."""
        for session in reversed(self._open):
            self.api.get("ReleaseSession", session)


@contextmanager
def runtime(entries: Mapping[str, str] | None = None) -> Iterator[Ort]:
    """The runtime, with an environment of its own."""
    ort = Ort(3, entries)
    try:
        yield ort
    finally:
        ort.api.get("ReleaseEnv", ort.env)


@contextmanager
def example(place: Place, kind: str = "compiled", *, virtual: bool = False) -> Iterator[Example]:
    """An example, registered.

    Args:
        place: where its library is.
        kind: the blueprint.
        virtual: its own virtual GPU; otherwise the machine's CPU stands in, as in ORT's tests.
    """
    allowed = None if virtual else {f"ep_factory.{place.eps[kind]}.allow_software": "1"}
    with runtime(allowed) as ort:
        name = "example_ep" + ".virtual" * virtual
        plugin = Plugin(ort, place.libraries[kind], name)
        made = Example(ort, plugin)
        try:
            yield made
        finally:
            made.release()
            plugin.unregister()


def texts(content: Any) -> Any:
    """An array of C strings."""
    given = [each.encode() for each in content]
    return (c_char_p * max(len(given), 1))(*given)


def text_of(address: int) -> str:
    """A C string of the runtime's."""
    return ctypes.string_at(address).decode()


def devices_of(ort: Ort, ep: str) -> list[int]:
    """The devices that an execution provider offers."""
    found, count = c_void_p(), c_size_t()
    ort.api("GetEpDevices", ort.env, byref(found), byref(count))
    every = ctypes.cast(found, ctypes.POINTER(c_void_p))[: count.value]
    return [each for each in every if text_of(ort.api.get("EpDevice_EpName", each)) == ep]


def run(ort: Ort, session: int, feeds: Mapping[str, np.ndarray], *names: str) -> list[np.ndarray]:
    """Runs a session from the host to the host, with any of the types that there are here."""
    api = ort.api
    info = api.make("CreateCpuMemoryInfo", 0, 0)
    values = (c_void_p * len(feeds))()
    for index, array in enumerate(feeds.values()):
        shape = (c_int64 * max(array.ndim, 1))(*array.shape)
        arguments = (info, array.ctypes.data, array.nbytes, shape, array.ndim, _TYPES[array.dtype])
        values[index] = api.make("CreateTensorWithDataAsOrtValue", *arguments)
    results = (c_void_p * len(names))()
    api("Run", session, 0, texts(feeds), values, len(feeds), texts(names), len(names), results)
    made = [read(ort, each or 0) for each in results]
    for each in (*values, *results):
        api.get("ReleaseValue", each)
    api.get("ReleaseMemoryInfo", info)
    return made


def read(ort: Ort, tensor: int) -> np.ndarray:
    """The floats of a tensor of the host's."""
    dims = shape_of(ort, tensor)
    data = ort.api.make("GetTensorMutableData", tensor)
    floats = ctypes.cast(data, ctypes.POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(floats, dims).copy()


def shape_of(ort: Ort, tensor: int) -> tuple[int, ...]:
    """The dimensions of a tensor."""
    types = ort.api.make("GetTensorTypeAndShape", tensor)
    rank = c_size_t()
    ort.api("GetDimensionsCount", types, byref(rank))
    dims = (c_int64 * max(rank.value, 1))()
    ort.api("GetDimensions", types, dims, rank.value)
    ort.api.get("ReleaseTensorTypeAndShapeInfo", types)
    return tuple(dims[: rank.value])


def assigned(ort: Ort, session: int) -> list[tuple[str, list[str]]]:
    """What the runtime says of who has which nodes."""
    api = ort.api
    found = []
    for part in _listed(api, "Session_GetEpGraphAssignmentInfo", session):
        name = text_of(api.make("EpAssignedSubgraph_GetEpName", part))
        nodes = _listed(api, "EpAssignedSubgraph_GetNodes", part)
        found.append((name, [text_of(api.make("EpAssignedNode_GetName", each)) for each in nodes]))
    return found


def _listed(api: Table, name: str, of_what: int) -> list[int]:
    place, count = c_void_p(), c_size_t()
    api(name, of_what, byref(place), byref(count))
    return ctypes.cast(place, ctypes.POINTER(c_void_p))[: count.value] if count.value else []


def refusal(call: Callable[[], Any]) -> OrtError:
    """The error of a call that must not succeed."""
    try:
        call()
    except OrtError as error:
        return error
    raise AssertionError("nobody refused")


def same(found: np.ndarray, wanted: Any) -> None:
    """Fails unless the numbers are exactly these."""
    np.testing.assert_array_equal(found, np.asarray(wanted, np.float32).reshape(found.shape))


def save(made: ModelProto, path: Path) -> Path:
    """Writes a model where nothing is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(made, path)
    return path


def mul(weights: Sequence[float] = (1, 2, 3, 4, 5, 6)) -> ModelProto:
    """Y = X * W, as in ORT's mul_1."""
    return model(
        [node("Mul", ["X", "W"], ["Y"], name="mul_0")],
        [value("X", [3, 2])],
        [value("Y", [3, 2])],
        [constant("W", np.array(weights, np.float32).reshape(3, 2))],
    )


_TYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7, np.dtype(np.bool_): 9}
