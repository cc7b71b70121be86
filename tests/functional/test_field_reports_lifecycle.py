"""Public bug reports as tests: a library's life from its registration to the process's end."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

import models
import onnx
import pytest
from appended_headers import appended
from cpp_tests import instrumented, ort_library
from fresh import every_runtime, ok
from hooked import with_hooks
from projects import Project, built, sdk
from runtimes import SUPPORTED, runtime

from epforge.validate.binary import read
from epforge.validate.process import environment
from epforge.validate.sanitizers import preload_for

OLDEST_AND_NEWEST = pytest.mark.parametrize(
    "version",
    [
        pytest.param(each, marks=() if each in (SUPPORTED[0], SUPPORTED[-1]) else pytest.mark.lab)
        for each in SUPPORTED
    ],
)
_LAB = pytest.mark.lab
_COMPILED = pytest.param("compiled", marks=_LAB)
PROJECTS = pytest.mark.parametrize("project", ["minimal", _COMPILED, "device_memory"])
NEEDS_1_28 = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ort: {min: "1.28", target: "1.28"}
ops: [Relu, Add, Mul, MatMul]
"""


@pytest.fixture(scope="module")
def recent() -> Project:
    """A project whose minimum is a release that is not the oldest."""
    return built(NEEDS_1_28, headers=appended(28))


def test_fr_5_a_minimum_of_the_blueprint_s_own_is_what_counts(recent: Project) -> None:
    """The minimum was a number in the code, and another one in the packaging file. Here the library
    is asked, and then the package, which looks first."""
    result = recent.run_python(
        f"""
        import onnxruntime, {recent.package} as plugin
        for register in (
            lambda: onnxruntime.register_execution_provider_library(
                "x", plugin.get_library_path()
            ),
            plugin.register,
        ):
            try:
                register()
            except Exception as error:
                print(error)
        """,
        runtime=runtime("1.26.0"),
    )
    assert result.returncode == 0, result.stderr
    library, package = result.stdout.splitlines()
    for text in (library, package):
        assert "needs ONNX Runtime 1.28.0 or a newer 1.x; this is" in text
        assert "1.26.0" in text
    for version in ("1.28.0", "1.32.0"):
        ok(recent, "models.check(models.mul(), device)", version)


def test_fr_5_the_minimum_is_the_same_everywhere(recent: Project) -> None:
    """Written once, in the blueprint, as 1.28."""
    assert recent.manifest["ort"]["min"] == "1.28.0"
    for path, text in {
        "README.md": "Loads into ONNX Runtime 1.28.0 and newer",
        "packaging/README.pypi.md": "1.28.0 and newer 1.x releases",
        "pyproject.toml": 'onnxruntime = ["onnxruntime>=1.28.0"]',
        f"python/{recent.package}/_identity.py": "MINIMUM_ONNXRUNTIME: Final = '1.28.0'",
    }.items():
        content = (recent.root / path).read_text(encoding="utf-8").replace('"1.28.0"', "'1.28.0'")
        assert text in content, path
        assert "1.24" not in content, path


@every_runtime
@PROJECTS
def test_fr_8_cycles_of_register_and_unregister_leave_nothing(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """A cycle left a reference to the library."""
    chosen: Project = request.getfixturevalue(project)
    ok(
        chosen,
        """
        import ctypes, os

        def files():
            return len(os.listdir("/proc/self/fd"))

        def size():
            ctypes.CDLL(None).malloc_trim(0)  # what is free does not count
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        made = models.mul()
        data = made.SerializeToString()
        inputs = models.feeds(made)
        wanted = models.reference(made, inputs)
        library = plugin.get_library_path()
        device = None
        plugin.unregister()
        for cycle in range(51):
            ort.register_execution_provider_library(name, library)
            session = models.session(data, plugin.devices()[0])
            models.close(session.run(None, inputs), wanted)
            del session
            ort.unregister_execution_provider_library(name)
            assert not plugin.is_available()
            if cycle == 5:
                before = files(), size()
        assert files() == before[0]
        grown = size() - before[1]
        assert grown < 1 << 20, grown
        """,
        version,
    )


COUNTED = """
    import models
    from api_counter import ApiCounter
    from capi import Ort, Plugin

    ort = Ort()
    counter = ApiCounter(ort)
    made = models.mul()
    inputs = models.feeds(made)

    def one(name="plugin.virtual"):
        plugin = Plugin(ort, library, name)
        options = plugin.options()
        session = plugin.open(made.SerializeToString(), options)
        models.close([plugin.run(session, inputs, "C")], [inputs["A"] * inputs["B"]])
        return plugin, session, options
"""


def counted(project: Project, code: str, version: str) -> None:
    """Runs code that finds ``one``, a session in a registration, and ``counter``."""
    result = project.run_python(
        f"library = {str(project.library)!r}\nif True:\n{COUNTED}\n{code}\nprint('ok')\n",
        runtime=runtime(version),
    )
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stderr


@OLDEST_AND_NEWEST
@PROJECTS
def test_fr_8_what_a_library_makes_is_released_when_its_factory_is(
    project: str, version: str, request: pytest.FixtureRequest
) -> None:
    """... and not when the process ends."""
    counted(
        request.getfixturevalue(project),
        """
    for cycle in range(4):
        plugin, session, options = one()
        plugin.close(session, options)
        plugin.unregister()
        assert counter.alive == {}, counter.alive
    assert counter.made["TensorTypeAndShapeInfo"] >= 4
        """,
        version,
    )


@OLDEST_AND_NEWEST
def test_fr_8_the_device_s_memory_and_queues_are_back_by_then(
    repository: Path, version: str
) -> None:
    text = (repository / "blueprints/strict-gpu.yaml").read_text(encoding="utf-8")
    counted(
        with_hooks(text),
        """
    from device_hooks import DeviceHooks

    hooks = DeviceHooks(library)
    names = ("left", "streams", "events", "bytes_in_use", "host_bytes_in_use")
    for cycle in range(3):
        plugin, session, options = one()
        assert hooks.count("streams") > 0 and hooks.count("bytes_in_use") > 0
        plugin.close(session, options)
        plugin.unregister()
        assert {each: hooks.count(each) for each in names} == dict.fromkeys(names, 0)
        assert hooks.count("allocations") == hooks.count("frees") > cycle
        assert hooks.count("host_allocations") == hooks.count("host_frees")
        """,
        version,
    )


AT_THE_END = {
    "atexit": "atexit.register(plugin.unregister)",
    "never": "",
    "worker": """
import sys
from concurrent.futures import ThreadPoolExecutor

def work():
    session.run(None, models.feeds(made))
    sys.exit(3)

pool = ThreadPoolExecutor(2)
futures = [pool.submit(work) for _ in range(4)]
""",
    "thread": """
import sys, threading
thread = threading.Thread(target=lambda: sys.exit(session.run(None, models.feeds(made)) and 3))
thread.start()
""",
}
GLOBALS = """
made = models.mul()
session = models.session(made, device)
value = ort.OrtValue.ortvalue_from_numpy(np.ones((3, 2), np.float32))
if {memory}:
    kind, vendor = "npu", {vendor}
    tensor = ort.OrtValue.ortvalue_from_shape_and_type((3, 2), np.float32, kind, 0, vendor)
    ort.copy_tensors([value], [tensor], None)
session.run(None, models.feeds(made))
"""


@every_runtime
@pytest.mark.parametrize(
    "ending", [pytest.param(each, marks=_LAB if each == "thread" else ()) for each in AT_THE_END]
)
@PROJECTS
def test_fr_13_a_process_ends_well_with_sessions_and_tensors_in_globals(
    project: str, ending: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """Unregistering late crashed in the runtime."""
    chosen: Project = request.getfixturevalue(project)
    manifest = chosen.manifest
    kept = GLOBALS.format(memory=manifest["device_memory"], vendor=manifest["vendor_id"])
    result = chosen.python(
        f"import atexit\n{kept}\n{AT_THE_END[ending]}\nprint('ok')\n",
        runtime=runtime(version) if version else None,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "ok\n", "")


@every_runtime
@PROJECTS
def test_fr_13_the_package_cleans_up_by_itself_once_and_early(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """After everything that an application has left to the end, and while the runtime is whole."""
    chosen: Project = request.getfixturevalue(project)
    result = chosen.run_python(
        f"""
        import atexit, onnxruntime as ort
        import {chosen.package} as plugin

        def devices():
            return [each.ep_name for each in ort.get_ep_devices()]

        atexit.register(lambda: print("afterwards", {chosen.ep!r} in devices()))
        left = []  # to the end, by the package
        spied, unspied = atexit.register, atexit.unregister
        atexit.register = lambda call: left.append(call) or spied(call)
        atexit.unregister = lambda call: left.remove(call) or unspied(call)
        suffix = ".virtual" if {chosen.manifest["virtual"]} else ""
        names = [plugin.register(f"{{each}}{{suffix}}") for each in ("one", "two", "one")]
        assert len(left) == 1
        plugin.unregister()
        assert not left
        plugin.register(names[0])
        plugin.unregister(names[0])
        plugin.register(names[1])
        assert len(left) == 1
        spied(lambda: print("meanwhile", {chosen.ep!r} in devices()))
        """,
        runtime=runtime(version) if version else None,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "meanwhile True\nafterwards False\n"


@pytest.fixture(scope="module")
def application(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program whose global object does all the cleaning up, and a model beside it."""
    program = tmp_path_factory.mktemp("application") / "application"
    source = repository / "tests/support/global_objects.cc"
    command = ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-isystem{sdk().include}"]
    subprocess.run([*command, str(source), "-o", str(program), "-ldl"], check=True)
    onnx.save(models.mul(), program.with_name("mul.onnx"))
    return program


@OLDEST_AND_NEWEST
@pytest.mark.parametrize(
    "ending", ["unregister", *(pytest.param(each, marks=_LAB) for each in ("release", "nothing"))]
)
@pytest.mark.parametrize("order", ["first", "last"])
@PROJECTS
def test_fr_13_a_global_object_s_destructor_unregisters(
    project: str,
    order: str,
    ending: str,
    version: str,
    application: Path,
    request: pytest.FixtureRequest,
) -> None:
    """Objects of the runtime and of the plugin may have been destroyed by then, if they have any
    that a process's end destroys."""
    chosen: Project = request.getfixturevalue(project)
    model = application.with_name("mul.onnx")
    result = subprocess.run(
        [application, ort_library(version), chosen.library, "x.virtual", model, order, ending],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = ["the end of main", *([ending] if ending != "nothing" else [])]
    assert (result.returncode, result.stdout.splitlines(), result.stderr) == (0, said, "")


#: A tensor on the device, and a session that computes with it there.
TENSORS = """
array = np.arange(6, dtype=np.float32).reshape(3, 2)

def put(data):
    made = ort.OrtValue.ortvalue_from_shape_and_type((3, 2), np.float32, kind, 0, vendor)
    ort.copy_tensors([ort.OrtValue.ortvalue_from_numpy(data)], [made], None)
    return made

value = put(array)
assert value.device_name().lower() != "cpu"
assert value.numpy().tolist() == array.tolist()
ort.copy_tensors([ort.OrtValue.ortvalue_from_numpy(array + 1)], [value], None)
assert value.numpy().tolist() == (array + 1).tolist()
if tuple(map(int, ort.__version__.split(".")[:2])) >= (1, 26):
    value.update_inplace(put(array + 2))  # from an array only on devices that are built in
    assert value.numpy().tolist() == (array + 2).tolist()
expected = (value.numpy() * array).tolist()
session = models.session(models.mul(), device)
result = put(array)
binding = session.io_binding()
binding.bind_ortvalue_input("A", value)
binding.bind_cpu_input("B", array)
binding.bind_ortvalue_output("C", result)
session.run_with_iobinding(binding)
assert result.numpy().tolist() == expected
del device, binding
"""
ORDERS = {
    "value-session": "del value, result, session",
    "session-value": "del session, value, result",
    "unregister-first": """
try:
    plugin.unregister()
except RuntimeError as error:
    assert "1 session(s) and 2 device tensor(s)" in str(error), error
else:
    raise AssertionError("nobody stopped it")
assert plugin.is_available()
binding = session.io_binding()  # nothing is lost yet
binding.bind_ortvalue_input("A", value)
binding.bind_cpu_input("B", array)
binding.bind_ortvalue_output("C", result)
session.run_with_iobinding(binding)
assert result.numpy().tolist() == expected
del binding, session
try:
    plugin.unregister()
except RuntimeError as error:
    assert str(error).startswith("2 device tensor(s)"), error
else:
    raise AssertionError("nobody stopped it")
del value, result
""",
}
GONE = "\nplugin.unregister()\nassert not plugin.is_available()\n"


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("order", ORDERS)
def test_fr_14_tensors_and_sessions_go_before_the_registration(
    device_memory: Project, order: str, version: str
) -> None:
    """Tensors and sessions kept the library's allocator and outlived it."""
    vendor = device_memory.manifest["vendor_id"]
    ok(device_memory, TENSORS + ORDERS[order] + GONE, version, kind="npu", vendor=vendor)


@every_runtime
@pytest.mark.parametrize("order", ORDERS)
def test_fr_14_all_memory_of_the_device_is_given_back(
    repository: Path, order: str, version: str | None
) -> None:
    project = with_hooks((repository / "blueprints/strict-gpu.yaml").read_text(encoding="utf-8"))
    ok(
        project,
        """
        from device_hooks import DeviceHooks
        hooks = DeviceHooks(plugin.get_library_path())
        """
        + textwrap.indent(TENSORS + ORDERS[order] + GONE, " " * 8)
        + """
        assert hooks.count("allocations") == hooks.count("frees") > 0
        assert hooks.count("left") == 0
        """,
        version,
        kind="gpu",
        vendor=project.manifest["vendor_id"],
    )


@pytest.mark.parametrize("order", ORDERS)
def test_fr_14_and_no_freed_memory_is_touched(
    repository: Path, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library with AddressSanitizer, in a process that has that from its beginning."""
    text = (repository / "blueprints/virtual-memory.yaml").read_text(encoding="utf-8")
    project = instrumented(text, "asan")
    sanitized = environment(None, preload_for(read(project.library)))
    for name in ("LD_PRELOAD", "ASAN_OPTIONS"):
        monkeypatch.setenv(name, sanitized[name])
    result = project.python(
        f"kind, vendor = 'npu', {project.manifest['vendor_id']}\n{TENSORS}{ORDERS[order]}{GONE}"
        "print('ok')\n",
    )
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stderr[-6000:]
    assert "Sanitizer" not in result.stderr


def test_fr_14_the_readme_states_the_order(device_memory: Project) -> None:
    text = (device_memory.root / "README.md").read_text(encoding="utf-8")
    said = "Sessions and tensors in device memory go first, then the registration"
    assert said in " ".join(text.split())


@every_runtime
@PROJECTS
def test_fr_15_every_round_computes_the_same(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """The second load in a process failed: what was static was still shut down."""
    ok(
        request.getfixturevalue(project),
        """
        made = models.mul()
        inputs = models.feeds(made)
        wanted = models.reference(made, inputs)
        device = None
        for _ in range(5):
            plugin.register(name)
            models.close(models.session(made, plugin.devices()[0]).run(None, inputs), wanted)
            plugin.unregister()
            assert plugin.devices() == []
        """,
        version,
    )


@every_runtime
@pytest.mark.parametrize("gone", [0, 1], ids=["first-goes", "second-goes"])
@PROJECTS
def test_fr_15_one_of_two_registrations_works_on_without_the_other(
    project: str, gone: int, version: str | None, request: pytest.FixtureRequest
) -> None:
    """By ONNX Runtime's own functions, while a session is at work on the one that stays."""
    ok(
        request.getfixturevalue(project),
        """
        plugin.unregister()
        suffix = ".virtual" if name.endswith(".virtual") else ""
        names = [each + suffix for each in ("one", "two")]
        mine = []
        for each in names:
            before = len(plugin.devices())
            ort.register_execution_provider_library(each, plugin.get_library_path())
            mine.append(plugin.devices()[before])
        device = mine.pop(1 - gone)
        made = models.mul()
        inputs = models.feeds(made)
        wanted = models.reference(made, inputs)
        models.close(models.session(made, mine.pop()).run(None, inputs), wanted)
        session = models.session(made, device)
        models.close(session.run(None, inputs), wanted)
        ort.unregister_execution_provider_library(names[gone])
        assert len(plugin.devices()) == 1
        models.close(session.run(None, inputs), wanted)
        models.check(models.mul(), plugin.devices()[0])
        del session, device
        ort.unregister_execution_provider_library(names[1 - gone])
        assert plugin.devices() == []
        """,
        version,
        gone=gone,
    )


@pytest.mark.parametrize("gone", [0, 1], ids=["first-goes", "second-goes"])
def test_fr_15_and_so_it_is_with_the_package(minimal: Project, gone: int) -> None:
    ok(
        minimal,
        """
        plugin.unregister()
        names = [plugin.register(each) for each in ("one", "two")]
        assert len(plugin.devices()) == 2
        plugin.unregister(names[gone])
        (device,) = plugin.devices()
        models.check(models.mul(), device)
        del device
        plugin.unregister(names[1 - gone])
        assert not plugin.is_available()
        """,
        gone=gone,
    )


@every_runtime
@pytest.mark.parametrize("project", ["minimal", "device_memory"])
def test_fr_16_every_registration_has_all_kernels(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """Kernels were kept that were in a library that was gone."""
    ok(
        request.getfixturevalue(project),
        """
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        device = None
        counts = []
        for _ in range(5):
            plugin.register(name)
            models.check(models.mul(), plugin.devices()[0])
            if hasattr(state, "get_registered_ep_kernel_defs"):  # since 1.26
                counts.append(len(state.get_registered_ep_kernel_defs(ep)))
            plugin.unregister()
        assert not counts or set(counts) == {counts[0]} != {0}, counts
        """,
        version,
    )


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("project", ["minimal", "device_memory"])
def test_fr_16_the_kernel_registry_is_the_factory_s(
    project: str, version: str, request: pytest.FixtureRequest
) -> None:
    """It is made for each registration anew, for all its sessions, and released with it."""
    counted(
        request.getfixturevalue(project),
        """
    for turn in range(1, 4):
        plugin, session, options = one()
        again = plugin.open(made.SerializeToString(), options)
        assert counter.made["KernelRegistry"] == turn
        assert counter.alive["KernelRegistry"] == 1
        ort.api.get("ReleaseSession", again)
        plugin.close(session, options)
        if turn == 1:
            kernels = counter.made["KernelDef"]
        assert counter.made["KernelDef"] == turn * kernels
        assert counter.alive["KernelRegistry"] == 1
        plugin.unregister()
        assert "KernelRegistry" not in counter.alive
        """,
        version,
    )
