"""From PyTorch to C++: one model, run by PyTorch, by the EP, by a plain ONNX Runtime, and in C++.

    python examples/torch-to-cpp/run.py

Scaffolds and builds the blueprint's project, trains a small model with its operators in PyTorch,
exports it with both exporters, and runs both models three ways. The numbers are compared with
those of PyTorch. PyTorch comes from the interpreter given with --torch-python; without one, an
environment is made and PyTorch installed into it.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
TORCH = ("torch==2.13.0", "numpy", "onnx", "onnxscript")
EXPORTERS = ("dynamo", "legacy")
TOLERANCE = 1e-6  # largest difference between any two of the runs
EP = "ContosoNpuExecutionProvider"


def build(project: Path) -> None:
    """Scaffolds and builds the project with the epforge of this interpreter."""
    blueprint = HERE / "blueprint.yaml"
    command = [sys.executable, "-m", "epforge", "scaffold", str(blueprint), str(project), "--build"]
    subprocess.run(command, check=True)


def torch_python(folder: Path) -> Path:
    """An interpreter that has PyTorch, in an environment of its own."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    marker = folder / "installed"
    if not marker.is_file():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *TORCH], check=True)
        marker.touch()
    return python


def train(python: Path, project: Path, folder: Path) -> None:
    """Trains and exports, in a process of the interpreter that has PyTorch."""
    environment = {**os.environ, "PYTHONPATH": str(project / "torch")}
    command = [str(python), str(HERE / "train.py"), str(folder)]
    subprocess.run(command, check=True, env=environment)


def load_package(project: Path) -> Any:
    """The project's Python package."""
    sys.path.insert(0, str(project / "python"))
    name = next((project / "python").glob("*/_identity.py")).parent.name
    return importlib.import_module(name)


def run_on_ep(package: Any, model: Path, x: NDArray[Any]) -> NDArray[Any]:
    """The model on the EP alone. Its operators come with it."""
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    options.add_provider_for_devices(package.devices()[:1], {})
    session = onnxruntime.InferenceSession(str(model), options)
    return np.asarray(session.run(None, {"x": x})[0])


def run_plain(package: Any, model: Path, x: NDArray[Any]) -> NDArray[Any]:
    """The model in an ONNX Runtime that knows the operators from their library alone."""
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(str(package.get_custom_ops_library_path()))
    session = onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": x})[0])


def build_sample(project: Path, folder: Path) -> Path:
    """The project's C++ sample, built with the CMake package of the project's build."""
    from epforge.build.toolchain import find_toolchain

    tools = find_toolchain(None)
    runtime = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.*"))
    configure = [
        *(str(tools.cmake), "-S", str(project / "samples/cpp"), "-B", str(folder), "-G", "Ninja"),
        *(f"-DCMAKE_MAKE_PROGRAM={tools.ninja}", f"-DCMAKE_CXX_COMPILER={tools.compiler}"),
        f"-DCMAKE_PREFIX_PATH={project / 'build/release'}",
        f"-DCONTOSO_NPU_ORT_LIBRARY={runtime}",
    ]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    build = [str(tools.cmake), "--build", str(folder)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    return folder / "sample"


def run_sample(sample: Path, model: Path, x: Path, y: Path) -> NDArray[Any]:
    """The model in the C++ program, started from another folder."""
    command = [str(sample), str(model), "--input", f"x={x}", "--output", f"y={y}"]
    done = subprocess.run(command, check=True, cwd="/", capture_output=True, text=True)
    placed = [line for line in done.stdout.splitlines() if line.startswith("nodes on ")]
    if not placed or not all(EP in line for line in placed):
        raise SystemExit(f"not every node ran on {EP}:\n{done.stdout}")
    return np.asarray(np.load(y))


def compare(runs: dict[str, NDArray[Any]]) -> float:
    """The largest difference between any two runs."""
    values = [value.astype(np.float64) for value in runs.values()]
    return max(float(np.abs(a - b).max()) for a in values for b in values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the example. Returns 0 if all runs agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--work", type=Path, default=Path("build/torch-to-cpp"))
    parser.add_argument("--project", type=Path, help="a project that is built already")
    parser.add_argument("--torch-python", type=Path, help="an interpreter that has PyTorch")
    given = parser.parse_args(arguments)
    work = given.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    project = (given.project or work / "project").absolute()
    if given.project is None:
        build(project)
    train(given.torch_python or torch_python(work / "torch"), project, work)

    package = load_package(project)
    package.register()
    sample = build_sample(project, work / "sample")
    x = np.load(work / "input.npy")
    worst = 0.0
    for exporter in EXPORTERS:
        model = work / f"{exporter}.onnx"
        runs = {
            "PyTorch": np.load(work / "eager.npy"),
            EP: run_on_ep(package, model, x),
            "plain ONNX Runtime": run_plain(package, model, x),
            "C++": run_sample(sample, model, work / "input.npy", work / f"{exporter}.npy"),
        }
        difference = compare(runs)
        print(f"{exporter}: {', '.join(runs)}: largest difference {difference:.1e}")
        worst = max(worst, difference)
    package.unregister()
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
