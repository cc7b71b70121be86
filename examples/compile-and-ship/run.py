"""Compile here, run there: two real models, compiled for an NPU that this machine does not have.

    python examples/compile-and-ship/run.py

Scaffolds and builds the blueprint's project, compiles a text-direction classifier and SqueezeNet
into one file of shared weights on a virtual device, ships the result to another folder, and loads
it in a fresh process that is forbidden to compile and to use the CPU. The numbers are compared with
those of the original models on the CPU.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

HERE = Path(__file__).resolve().parent
DIRECTION = "ch_ppocr_mobile_v2.0_cls_infer.onnx"
PACKAGE = "rapidocr-onnxruntime"
SHAPES = {"direction": (1, 3, 48, 192), "squeezenet": (1, 3, 224, 224)}
TOLERANCE = 1e-4  # largest relative difference to the CPU


def find_direction(cache: Path) -> Path:
    """The text-direction model, out of the wheel that ships it."""
    kept = cache / DIRECTION
    if not kept.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PACKAGE]
        subprocess.run([*download, "--dest", str(cache)], check=True)
        wheel = next(cache.glob("rapidocr_onnxruntime-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            kept.write_bytes(archive.read(f"rapidocr_onnxruntime/models/{DIRECTION}"))
        wheel.unlink()
    return kept


def collect(folder: Path, direction: Path | None) -> list[Path]:
    """Both models in ``folder``. SqueezeNet comes with the package onnx."""
    folder.mkdir(parents=True, exist_ok=True)
    light = Path(onnx.__file__).parent / "backend/test/data/light/light_squeezenet.onnx"
    sources = {"direction": direction or find_direction(folder / "wheel"), "squeezenet": light}
    return [
        Path(shutil.copy(path, folder / f"{name}.onnx")) for name, path in sorted(sources.items())
    ]


def build(project: Path) -> None:
    """Scaffolds and builds the project with the epforge of this interpreter."""
    blueprint = HERE / "blueprint.yaml"
    command = [sys.executable, "-m", "epforge", "scaffold", str(blueprint), str(project), "--build"]
    subprocess.run(command, check=True)


def compile_models(project: Path, models: Sequence[Path], out: Path) -> None:
    """What `epforge compile PROJECT MODELS --share-weights` does."""
    paths = [str(model) for model in models]
    command = [sys.executable, "-m", "epforge", "compile", str(project), *paths]
    subprocess.run([*command, "--share-weights", "--force", "-o", str(out)], check=True)


def load_plugin(project: Path) -> Any:
    """The project's Python package, registered with its virtual device."""
    sys.path.insert(0, str(project / "python"))
    name = next((project / "python").glob("*/_identity.py")).parent.name
    package = importlib.import_module(name)
    package.register(virtual=True)
    return package


def run_shipped(project: Path, shipped: Path, sources: Path) -> float:
    """Runs what was shipped. Returns the largest relative difference to the CPU."""
    package = load_plugin(project)
    worst = 0.0
    for name, shape in SHAPES.items():
        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.disable_model_compile", "1")
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_provider_for_devices(package.devices()[:1], {})
        session = onnxruntime.InferenceSession(str(shipped / f"{name}_ctx.onnx"), options)
        feed = {session.get_inputs()[0].name: np.random.default_rng(0).random(shape, np.float32)}
        here = np.asarray(session.run(None, feed)[0])
        source = str(sources / f"{name}.onnx")
        cpu = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"])
        there = np.asarray(cpu.run(None, feed)[0])
        difference = float((np.abs(here - there) / (np.abs(there) + 1e-6)).max())
        print(f"{name}: loaded without compiling; largest difference to the CPU {difference:.1e}")
        worst = max(worst, difference)
        del session
    package.unregister()
    return worst


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the example. Returns 0 if what was shipped computes what the CPU computes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("build/compile-and-ship"))
    parser.add_argument("--project", type=Path, help="a project that is built already")
    parser.add_argument("--model", type=Path, help=f"{DIRECTION}, if it is there already")
    parser.add_argument("--run-shipped", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    work = given.work.absolute()
    project = given.project or work / "project"
    sources, out, shipped = work / "models", work / "compiled", work / "shipped"
    if given.run_shipped:
        return 0 if run_shipped(project, shipped, sources) <= TOLERANCE else 1

    if given.project is None:
        build(project)
    models = collect(sources, given.model)
    compile_models(project, models, out)

    shutil.rmtree(shipped, ignore_errors=True)
    out.rename(shipped)
    print("shipped: " + json.dumps(sorted(path.name for path in shipped.iterdir())))
    again = [sys.executable, __file__, "--run-shipped", "--work", str(work)]
    return subprocess.run([*again, "--project", str(project)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
