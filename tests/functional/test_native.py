"""The native module: kernels for NumPy, from the project's own sources, without ONNX Runtime."""

from __future__ import annotations

import json
import sys
import zipfile

import pytest
from acting_kernel import acting_kernel, acting_module
from native_modules import NativeModule
from projects import built


@pytest.fixture(scope="module")
def module() -> NativeModule:
    return acting_module()


@pytest.mark.lab
def test_its_own_tests_pass_and_its_preview_is_what_onnx_runtime_does(
    module: NativeModule,
) -> None:
    text, changes = acting_kernel()
    library = built(text, changes=changes).library
    done = module.suite(ACME_NPU_LIBRARY=str(library))
    assert done.returncode == 0, done.stdout[-6000:]
    assert "ACME_NPU_LIBRARY" not in done.stdout


def test_kernels_release_the_gil(module: NativeModule) -> None:
    # Each of two calls waits for the other: while it had the GIL, the other could not come.
    code = """
        x = np.arange(6, dtype=np.float32)
        for what in ("meet-early", "meet"):
            results = []
            call = lambda: results.append(native.ops.act(x, what=what))
            threads = [threading.Thread(target=call) for _ in range(2)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            print(len(results), all((each == x).all() for each in results))
    """
    done = module.run(code)
    assert done.stdout.split() == ["2", "True"] * 2, done.stderr


def test_threads_in_kernels_do_not_disturb_the_end_of_the_interpreter(
    module: NativeModule,
) -> None:
    # What is in the place of a module ends the kernels, when the interpreter has begun to end.
    code = """
        import os, sys
        there, arrive = os.pipe()
        reading, writing = os.pipe()
        class Last:
            def __init__(self): self.close, self.count, self.most = os.close, sum, range(10**7)
            def __del__(self):
                self.close(writing)
                self.count(self.most)  # meanwhile the kernels return
        sys.modules["last"] = Last()
        x = np.ones(6, np.float32)
        for _ in range(8):
            call = lambda: native.ops.act(x, what=f"pipe {arrive} {reading}")
            threading.Thread(target=call, daemon=True).start()
            os.read(there, 1)  # it is in its kernel
        print("end")
    """
    done = module.run(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_what_goes_wrong_in_a_kernel_is_an_exception_with_its_text(module: NativeModule) -> None:
    code = """
        x = np.arange(6, dtype=np.float32)
        told = {}
        for what in %s:
            try:
                native.ops.act(x, what=what)
            except Exception as error:
                told[what] = [type(error).__name__, str(error)]
        print(json.dumps(told))
    """
    wanted = {
        "refuse": ["NotSupportedError", "com.acme::Act-1: it is too hard"],
        "invalid": ["InvalidArgumentError", "com.acme::Act-1: it is wrong"],
        "fail": ["KernelError", "com.acme::Act-1: it broke"],
        "lost": ["DeviceLostError", "com.acme::Act-1: the device is gone"],
        "bytes": ["KernelError", "com.acme::Act-1: caf\N{REPLACEMENT CHARACTER}"],
        "throw": ["RuntimeError", "it was thrown"],
        "memory": ["MemoryError", "std::bad_alloc"],
        "negative": [
            "InvalidArgumentError",
            "com.acme::Act-1: output 0 would have a negative dimension",
        ],
        "huge": [
            "InvalidArgumentError",
            "com.acme::Act-1: output 0 would have more bytes than there can be",
        ],
        "forget": ["KernelError", "com.acme::Act-1: the kernel does not know all its outputs"],
    }
    done = module.run(code % list(wanted))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == wanted


def test_what_is_wrong_is_told_in_short_whatever_it_is(module: NativeModule) -> None:
    code = """
        class Silent:
            def __repr__(self): raise ZeroDivisionError
        x = np.ones(2, np.float32)
        for what in (["a"] * 10**6, 10**6000, Silent()):
            try:
                native.ops.act(x, what=what)
            except TypeError as error:
                print(len(str(error)) < 200, "'what'" in str(error))
        for settings in ({"out": 5}, {"dtypes": "float32"}, {"outputs": 1.5}):
            try:
                native.run("Relu", x, **settings)
            except TypeError as error:
                print(error)
        print(native.run("Relu", x, outputs=np.int64(1)))
    """
    done = module.run(code)
    assert done.stdout.splitlines() == [
        *["True True"] * 3,
        "Relu: out 0 is no NumPy array",
        "Relu: dtypes is a text; expected a sequence of types",
        "'float' object cannot be interpreted as an integer",
        "[1. 1.]",
    ], done.stderr


_PINNED = """
    import ctypes

    class Tensor(ctypes.Structure):  # DLManagedTensor
        _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int * 2), ("rank", ctypes.c_int),
                    ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                    ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                    ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
                    ("deleter", ctypes.c_void_p)]

    class Producer:
        def __init__(self, device, bits=32):
            self.deleted = 0
            self.device, self.x = device, np.arange(-2, 4, dtype=np.float32)
            self.shape = (ctypes.c_int64 * 1)(3)
            self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.delete)
            self.tensor = Tensor(
                self.x.ctypes.data, (device, 0), 1, 2, bits, 1, ctypes.addressof(self.shape), None,
                4, None, ctypes.cast(self.deleter, ctypes.c_void_p))
        def delete(self, _):
            self.deleted += 1
        def __dlpack_device__(self):
            return self.device, 0
        def __dlpack__(self, **_):
            new = ctypes.pythonapi.PyCapsule_New
            new.restype = ctypes.py_object
            new.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
            return new(ctypes.addressof(self.tensor), b"dltensor", None)

    for device, name in (1, "the host's"), (3, "the host's, pinned by a device"):
        given = Producer(device)
        print(name, native.ops.relu(given, copy=False), given.deleted)
    try:
        native.ops.relu(Producer(2))
    except native.InvalidArgumentError as error:
        print("input 0" in str(error))
"""


def test_tensors_of_others_are_read_in_place_and_given_back_once(module: NativeModule) -> None:
    done = module.run(_PINNED)
    assert done.stdout.splitlines() == [
        "the host's [0. 0. 1.] 1",
        "the host's, pinned by a device [0. 0. 1.] 1",
        "True",
    ], done.stderr


def test_an_output_that_no_memory_holds_is_a_memory_error(module: NativeModule) -> None:
    code = """
        try:
            native.ops.act(np.ones(1, np.float32), what="large")
        except MemoryError:
            print("none")
    """
    assert module.run(code).stdout == "none\n"


def test_arrays_beyond_4_gb_are_whole(module: NativeModule) -> None:
    # Most of it is never touched: an input of zeros is pages that are not there.
    code = """
        x = np.zeros(2**32 + 3, np.uint8)
        try:
            native.ops.relu(x)
        except native.NotSupportedError as error:
            print(error)
        wide = np.zeros((2**31 + 1, 0), np.float32)
        print(native.ops.relu(wide).shape)
    """
    done = module.run(code)
    assert "input 0 is uint8" in done.stdout, done.stderr
    assert "(2147483649, 0)" in done.stdout


def test_the_wheel_has_what_it_needs_and_nothing_of_onnx_runtime(module: NativeModule) -> None:
    with zipfile.ZipFile(module.wheel) as wheel:
        names = set(wheel.namelist())
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        text = wheel.read(metadata).decode()
        (tag,) = (name for name in names if name.endswith("/WHEEL"))
        purelib = wheel.read(tag).decode()
    package = module.package
    for name in ("py.typed", "_native.pyi", "ops.py", "nanobind-LICENSE.txt"):
        assert f"{package}/{name}" in names
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert "Name: onnxruntime-ep-acme-npu-native\n" in text
    requires = [line for line in text.splitlines() if line.startswith("Requires-Dist: ")]
    plain = [line for line in requires if "extra ==" not in line]
    assert plain == ["Requires-Dist: numpy>=1.26"]
    assert "Root-Is-Purelib: false" in purelib
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    stable = sys.version_info >= (3, 12)
    assert f"-{'cp312-abi3' if stable else f'{python}-{python}'}-" in module.wheel.name


def test_the_extension_shows_only_its_entry(module: NativeModule) -> None:
    import lief

    (extension,) = module.site.glob("*/_native*.so")
    binary = lief.ELF.parse(str(extension))
    assert binary is not None
    assert [symbol.name for symbol in binary.exported_symbols] == ["PyInit__native"]
    assert not [name for name in map(str, binary.libraries) if "onnxruntime" in name]
