"""How long CMake, the compiler and the linker take, without ccache and with it; and the first
result of a library."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_blueprints import blueprint
from projects import Project
from timing import program

from conftest import Installed
from epforge.build.project import open_project
from epforge.build.toolchain import find_toolchain
from epforge.ort.sdk import find_sdk

pytestmark = pytest.mark.bench
Keep = Callable[..., object]
_WAYS = ("without", "ccache, empty", "ccache, filled")


def stages(root: Path, environment: dict[str, str]) -> dict[str, float]:
    """Seconds of the three parts of a first build."""
    project, tools = open_project(root), find_toolchain()
    headers = find_sdk(None, project.level).include
    library = project.library_path("release")
    configure = [
        *(str(tools.cmake), "--preset", "release", f"-DCMAKE_MAKE_PROGRAM={tools.ninja}"),
        f"-D{project.macro}_ORT_INCLUDE_DIR={headers}",
    ]
    ninja = [str(tools.ninja), "-C", str(project.binary_dir("release"))]
    configured = program(configure, environment, cwd=root)()
    all_of_it = program(ninja, environment, cwd=root)()
    link = program(ninja, environment, library.unlink, root)()
    assert library.is_file()
    return {"configure": configured, "compile": all_of_it - link, "link": link}


@pytest.mark.parametrize(("ops", "rounds"), [(3, 3), (40, 1)])
def test_build(ops: int, rounds: int, keep: Keep, installed: Installed, tmp_path: Path) -> None:
    """A second project, of the same content in another place, is not compiled again by ccache."""
    if not shutil.which("ccache"):
        pytest.skip("there is no ccache")
    took: dict[str, list[float]] = defaultdict(list)
    source = blueprint(ops, tmp_path)
    plain = dict(installed.environment)
    for number in range(rounds):
        for way in _WAYS:
            root = tmp_path / f"{number}-{_WAYS.index(way)}"
            program([installed.program, "scaffold", source, root], plain)()
            cached = {
                "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
                "CCACHE_DIR": str(tmp_path / f"ccache {number}"),
                "CCACHE_BASEDIR": str(root),
            }
            parts = stages(root, plain if way == "without" else {**plain, **cached})
            for part, seconds in parts.items():
                took[f"{way}/{part}"].append(seconds)
            shutil.rmtree(root)
    for part in ("configure", "compile", "link"):
        keep(f"build/{ops}/{part}", took[f"without/{part}"])
    beside = (f"build/{ops}/compile", took["without/compile"])
    keep(f"build/{ops}/compile, ccache empty", took["ccache, empty/compile"], beside=beside)
    filled = took["ccache, filled/compile"]
    keep(f"build/{ops}/compile, ccache filled", filled, beside=beside, ratio_limit=0.5)


_FIRST = """
    import json, time
    import numpy as np, onnxruntime as ort, models
    import PACKAGE as plugin

    model = models.model(
        [models.node("Relu", ["x"], ["y"])], [models.value("x", [4])], [models.value("y", [4])]
    ).SerializeToString()
    x = {"x": np.arange(-2, 2, dtype=np.float32)}
    times = {}

    def stage(name, function):
        start = time.perf_counter()
        result = function()
        times[name] = time.perf_counter() - start
        return result

    def session(on_device):
        options = ort.SessionOptions()
        if on_device:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
            options.add_provider_for_devices(plugin.devices()[:1], {})
        return ort.InferenceSession(model, options, enable_fallback=0)

    for on_device in ORDER:
        kind = "library" if on_device else "CPU"
        if on_device:
            stage("load", lambda: plugin.register(virtual=VIRTUAL))
        opened = stage(f"session, {kind}", lambda: session(on_device))
        (y,) = stage(f"run, {kind}", lambda: opened.run(None, x))
        assert y.tolist() == [0, 0, 0, 1]
    print(json.dumps(times))
"""


def test_first_result_of_a_library(keep: Keep, minimal: Project) -> None:
    """From loading the library to the first result, in a process that has onnxruntime imported."""
    took: dict[str, list[float]] = defaultdict(list)
    for number in range(7):
        order = (True, False) if number % 2 else (False, True)
        code = _FIRST.replace("PACKAGE", minimal.package).replace("ORDER", str(order))
        done = minimal.run_python(code.replace("VIRTUAL", str(minimal.manifest["virtual"])))
        assert done.returncode == 0, done.stderr[-4000:]
        for name, seconds in json.loads(done.stdout).items():
            took[name].append(seconds)
    keep("inference/load", took["load"])
    for part in ("session", "run"):
        keep(f"inference/{part}, CPU", took[f"{part}, CPU"])
        beside = (f"inference/{part}, CPU", took[f"{part}, CPU"])
        keep(f"inference/{part}", took[f"{part}, library"], beside=beside)
    rows = zip(took["load"], took["session, library"], took["run, library"], strict=True)
    keep("inference/first result", [sum(row) for row in rows], limit=1.0)
