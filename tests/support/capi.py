"""ONNX Runtime's C API by the numbers of its entries: for what the Python package does not offer.

For processes under test. They load the shared library that the package brings along, which is
another copy than the one behind `import onnxruntime`. Numbers come from epforge's tables.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from ctypes import byref, c_char_p, c_int64, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

from epforge.ort.levels import load_level

_NEWEST = load_level(32)
_FAIL = 1  # ORT_FAIL
_WRITE = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_char_p, c_void_p, c_size_t)
_READ = ctypes.CFUNCTYPE(
    c_void_p, c_void_p, c_char_p, c_void_p, ctypes.POINTER(c_void_p), ctypes.POINTER(c_size_t)
)

#: What an application does with named data; whatever it raises is an error of the callback.
Write = Callable[[str, bytes], None]
Read = Callable[[str], bytes]


class OrtError(Exception):
    """A status that says no."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Table:
    """A struct of function pointers: one of ONNX Runtime's, or one that a library has filled."""

    def __init__(self, ort: Ort, struct: str, address: int | None) -> None:
        assert address, f"there is no {struct}"
        self.ort, self.struct, self.address = ort, struct, address

    @property
    def stamp(self) -> int:
        """The level that a struct of the library's says it follows."""
        return c_uint32.from_address(self.address).value

    def function(self, name: str) -> int | None:
        """The address in the entry of that name."""
        slot = _NEWEST.struct(self.struct).slot(name)
        return c_void_p.from_address(self.address + slot * ctypes.sizeof(c_void_p)).value

    def get(self, name: str, *args: Any) -> int:
        """Calls a function that returns a number or an address."""
        function = self.function(name)
        assert function, f"{self.struct}::{name} is null"
        return call(function, *args)

    def __call__(self, name: str, *args: Any) -> None:
        """Calls a function that returns a status."""
        self.ort.check(self.get(name, *args))

    def make(self, name: str, *args: Any) -> int:
        """Calls a function that returns a status, and writes an address to its last argument."""
        made = c_void_p()
        self(name, *args, byref(made))
        return made.value or 0


def call(function: int, *args: Any) -> int:
    """Calls the function at an address. Arguments are numbers, texts and addresses."""
    prepared = [arg.encode() if isinstance(arg, str) else arg for arg in args]
    prototype = ctypes.CFUNCTYPE(c_void_p, *[c_void_p] * len(prepared))
    return prototype(function)(*prepared) or 0


class _EnvOptions(ctypes.Structure):
    """OrtEnvCreationOptions."""

    _fields_ = (
        ("version", c_uint32),
        ("severity", ctypes.c_int32),
        ("log_id", c_char_p),
        ("log", c_void_p),
        ("log_state", c_void_p),
        ("threads", c_void_p),
        ("entries", c_void_p),
    )


class Ort:
    """The runtime.

    Args:
        severity: what its log has at least: 2 are warnings, 3 errors.
        entries: the configuration of the environment.
    """

    def __init__(self, severity: int = 3, entries: Mapping[str, str] | None = None) -> None:
        spec = importlib.util.find_spec("onnxruntime")
        assert spec is not None
        assert spec.submodule_search_locations
        capi = Path(spec.submodule_search_locations[0]) / "capi"
        library = ctypes.CDLL(str(next(capi.glob("libonnxruntime.so.*"))))
        library.OrtGetApiBase.restype = c_void_p
        self.base = library.OrtGetApiBase()
        get_api, get_version = ctypes.cast(self.base, ctypes.POINTER(c_void_p * 2)).contents
        self.version = ctypes.string_at(call(get_version)).decode()
        self.level = int(self.version.split(".")[1])
        self.api = Table(self, "OrtApi", call(get_api, self.level))
        self.ep = Table(self, "OrtEpApi", self.api.get("GetEpApi"))
        self.compile = Table(self, "OrtCompileApi", self.api.get("GetCompileApi"))
        if entries is None:
            self.env = self.api.make("CreateEnv", severity, "capi")
            return
        pairs = self.pairs(entries)
        options = _EnvOptions(self.level, severity, b"capi", None, None, None, pairs)
        self.env = self.api.make("CreateEnvWithOptions", byref(options))

    @property
    def interop(self) -> Table:
        """What applications share memory and semaphores of other APIs with."""
        return Table(self, "OrtInteropApi", self.api.get("GetInteropApi"))

    def check(self, status: int) -> None:
        """Raises if it is an error."""
        if not status:
            return
        text = ctypes.string_at(self.api.get("GetErrorMessage", status)).decode()
        code = self.api.get("GetErrorCode", status) & 0xFFFFFFFF
        self.api.get("ReleaseStatus", status)
        raise OrtError(code, text)

    def experimental(self, name: str) -> int:
        """A function by name; 0 where it is not known."""
        return self.api.get("GetExperimentalFunction", name)

    def pairs(self, content: Mapping[str, str]) -> int:
        """Makes OrtKeyValuePairs."""
        made = c_void_p()
        self.api.get("CreateKeyValuePairs", byref(made))
        for key, value in content.items():
            self.api.get("AddKeyValuePair", made, key, value)
        return made.value or 0

    def read_pairs(self, pairs: int) -> dict[str, str]:
        """What OrtKeyValuePairs hold."""
        keys, values, count = c_void_p(), c_void_p(), c_size_t()
        self.api.get("GetKeyValuePairs", pairs, byref(keys), byref(values), byref(count))
        both = (ctypes.cast(each, ctypes.POINTER(c_char_p)) for each in (keys, values))
        texts = [[each[i].decode() for i in range(count.value)] for each in both]
        return dict(zip(*texts, strict=True))

    def hardware(self) -> list[int]:
        """The machine's hardware devices."""
        count = c_size_t()
        self.api("GetNumHardwareDevices", self.env, byref(count))
        made = (c_void_p * count.value)()
        self.api("GetHardwareDevices", self.env, made, count.value)
        return [each or 0 for each in made]


class Plugin:
    """A plugin library, registered, and its first device."""

    def __init__(self, ort: Ort, library: str, name: str = "plugin") -> None:
        self.ort, self.name = ort, name
        ort.api("RegisterExecutionProviderLibrary", ort.env, name, library)
        devices, count = c_void_p(), c_size_t()
        ort.api("GetEpDevices", ort.env, byref(devices), byref(count))
        every = ctypes.cast(devices, ctypes.POINTER(c_void_p))
        ours = [each for each in every[: count.value] if self._of(each, "EpName") not in _BUILT_IN]
        self.device = ours[0]
        self.ep = self._of(self.device, "EpName")
        self.metadata = ort.read_pairs(ort.api.get("EpDevice_EpMetadata", self.device))
        self._kept: list[Any] = []  # callbacks, and states of theirs

    def _of(self, device: int, what: str) -> str:
        return ctypes.string_at(self.ort.api.get(f"EpDevice_{what}", device)).decode()

    def options(self, config: Mapping[str, str] | None = None, read: Read | None = None) -> int:
        """Makes session options for the device alone."""
        api = self.ort.api
        made = api.make("CreateSessionOptions")
        device = (c_void_p * 1)(self.device)
        api("SessionOptionsAppendExecutionProvider_V2", made, self.ort.env, device, 1, 0, 0, 0)
        for key, value in {"session.disable_cpu_ep_fallback": "1", **(config or {})}.items():
            api("AddSessionConfigEntry", made, key, value)
        if read is not None:
            self._set_read(made, read)
        return made

    def open(self, model: Path | bytes, options: int) -> int:
        """Makes a session."""
        api, env = self.ort.api, self.ort.env
        if isinstance(model, bytes):
            return api.make("CreateSessionFromArray", env, model, len(model), options)
        return api.make("CreateSession", env, str(model), options)

    def run(
        self, session: int, feeds: Mapping[str, np.ndarray], output: str, options: int = 0
    ) -> np.ndarray:
        """Runs on float tensors."""
        api = self.ort.api
        info = api.make("CreateCpuMemoryInfo", 0, 0)
        names = (c_char_p * len(feeds))(*(name.encode() for name in feeds))
        values = (c_void_p * len(feeds))()
        for index, array in enumerate(feeds.values()):
            shape = (c_int64 * array.ndim)(*array.shape)
            values[index] = api.make(
                "CreateTensorWithDataAsOrtValue",
                *(info, array.ctypes.data, array.nbytes, shape, array.ndim, 1),
            )
        wanted, result = (c_char_p * 1)(output.encode()), (c_void_p * 1)()
        api("Run", session, options, names, values, len(feeds), wanted, 1, result)
        types = api.make("GetTensorTypeAndShape", result[0])
        rank = c_size_t()
        api("GetDimensionsCount", types, byref(rank))
        dims = (c_int64 * rank.value)()
        api("GetDimensions", types, dims, rank.value)
        data = api.make("GetTensorMutableData", result[0])
        floats = ctypes.cast(data, ctypes.POINTER(ctypes.c_float))
        made = np.ctypeslib.as_array(floats, tuple(dims)).copy()
        for value in (*values, *result):
            api.get("ReleaseValue", value)
        api.get("ReleaseTensorTypeAndShapeInfo", types)
        api.get("ReleaseMemoryInfo", info)
        return made

    def close(self, session: int, options: int) -> None:
        """Releases a session and its options."""
        self.ort.api.get("ReleaseSession", session)
        self.ort.api.get("ReleaseSessionOptions", options)

    def unregister(self) -> None:
        """Takes the library out again. Sessions must be closed."""
        self.ort.api("UnregisterExecutionProviderLibrary", self.ort.env, self.name)

    def compile(
        self,
        model: Path,
        output: Path,
        config: Mapping[str, str] | None = None,
        *,
        embed: bool = False,
        write: Write | None = None,
        also: Sequence[tuple[str, Any]] = (),
    ) -> None:
        """Compiles a model into a file.

        Args:
            model: the model.
            output: the compiled model.
            config: entries of the session's configuration.
            embed: whether compiled data goes into the model.
            write: the callback that takes the data.
            also: further calls on the compilation's options: name and argument.
        """
        table, env = self.ort.compile, self.ort.env
        options = table.make(
            "CreateModelCompilationOptionsFromSessionOptions", env, self.options(config)
        )
        table("ModelCompilationOptions_SetInputModelPath", options, str(model))
        table("ModelCompilationOptions_SetOutputModelPath", options, str(output))
        table("ModelCompilationOptions_SetEpContextEmbedMode", options, int(embed))
        if write is not None:
            self._set_write(options, write)
        for name, argument in also:
            table(f"ModelCompilationOptions_{name}", options, argument)
        table("CompileModel", env, options)

    def _set_read(self, options: int, read: Read) -> None:
        def callback(_state: Any, name: bytes, allocator: int, data: Any, size: Any) -> int | None:
            try:
                content = read(name.decode())
            except Exception as error:
                return self.ort.api.get("CreateStatus", _FAIL, str(error))
            allocate = c_void_p.from_address(allocator + ctypes.sizeof(c_void_p)).value
            assert allocate
            data[0] = call(allocate, allocator, len(content))
            ctypes.memmove(data[0], content, len(content))
            size[0] = len(content)
            return None

        function = _READ(callback)
        self._kept.append(function)
        if self.ort.level >= 31:
            self.ort.api("SessionOptionsSetEpContextDataReadFunc", options, function, 0)
        else:
            setter = self.ort.experimental(
                "OrtApi_SessionOptions_SetEpContextDataReadFunc_SinceV28"
            )
            self.ort.check(call(setter, options, function, 0))

    def _set_write(self, options: int, write: Write) -> None:
        def callback(_state: Any, name: bytes, data: int | None, size: int) -> int | None:
            try:
                write(name.decode(), ctypes.string_at(data or 0, size))
            except Exception as error:
                return self.ort.api.get("CreateStatus", _FAIL, str(error))
            return None

        function = _WRITE(callback)
        self._kept.append(function)
        name = "ModelCompilationOptions_SetEpContextDataWriteFunc"
        if self.ort.level >= 31:
            self.ort.compile(name, options, function, 0)
        else:
            setter = self.ort.experimental(f"OrtCompileApi_{name}_SinceV28")
            self.ort.check(call(setter, options, function, 0))


_BUILT_IN = ("CPUExecutionProvider",)


class Library:
    """The same library without a registration: its factory, for whoever wants to call it."""

    def __init__(self, ort: Ort, library: str) -> None:
        self.ort = ort
        self.code = ctypes.CDLL(library)
        create = ctypes.cast(self.code.CreateEpFactories, c_void_p).value
        assert create
        factories, count = (c_void_p * 4)(), c_size_t()
        ort.check(call(create, "probe", ort.base, 0, factories, 4, byref(count)))
        assert count.value >= 1
        self.factory = Table(ort, "OrtEpFactory", factories[0])

    def make_ep(self, device: int, options: int) -> Table:
        """An execution provider for a hardware device."""
        devices, pairs = (c_void_p * 1)(device), (c_void_p * 1)(self.ort.pairs({}))
        factory = self.factory
        made = c_void_p()
        factory("CreateEp", factory.address, devices, pairs, 1, options, 0, byref(made))
        return Table(self.ort, "OrtEp", made.value)

    def release(self) -> None:
        """Gives the factory back."""
        release = ctypes.cast(self.code.ReleaseEpFactory, c_void_p).value
        assert release
        self.ort.check(call(release, self.factory.address))

    def compatibility(self, ep: Table) -> str:
        """What an execution provider writes into the models that it compiles."""
        return ctypes.string_at(ep.get("GetCompiledModelCompatibilityInfo", ep.address, 0)).decode()

    def flags(self, ep: Table, name: str) -> int:
        """A 32-bit answer of an execution provider."""
        answer = c_uint32(0xFFFFFFFF)
        ep(name, ep.address, byref(answer))
        return answer.value

    def select(self, device: int, candidates: Sequence[Mapping[str, str]]) -> int | None:
        """The index of the best candidate; None when none fits."""
        pairs = (c_void_p * max(len(candidates), 1))(*map(self.ort.pairs, candidates))
        selected = c_size_t(7777)
        factory = self.factory
        arguments = (device, pairs, len(candidates), 0, byref(selected))
        factory("SelectBestModelCandidate", factory.address, *arguments)
        return None if selected.value == c_size_t(-1).value else selected.value
