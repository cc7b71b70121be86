"""Public bug reports as tests: what is still in use when a registration ends, or the process."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

import models
import onnx
import pytest
from cpp_tests import instrumented, ort_library
from fresh import every_runtime, ok, oldest_runtime
from hooked import with_hooks
from projects import Project, sdk
from runtimes import runtime

from epforge.validate.binary import read
from epforge.validate.process import environment
from epforge.validate.sanitizers import preload_for

_LAB = pytest.mark.lab
_MORE = [pytest.param(each, marks=_LAB) for each in ("minimal", "compiled")]
PROJECTS = pytest.mark.parametrize("project", ["device_memory", *_MORE])


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


@oldest_runtime
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


@oldest_runtime
@pytest.mark.parametrize(
    "order",
    [pytest.param(each, marks=() if each == "unregister-first" else _LAB) for each in ORDERS],
)
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


@pytest.mark.lab
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
