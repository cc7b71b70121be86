"""Which way up is this line of text? A real model, computed by an execution provider made here.

    python examples/ocr-direction/run.py [--blueprint device-memory.yaml]

Scaffolds and builds the blueprint's project, draws a line of text upright and upside down, and lets
the text-direction classifier of the PyPI package `rapidocr-onnxruntime` look at both: on the new
execution provider, which may not hand a single node to the CPU, and on the CPU to compare with.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import importlib.util
import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).resolve().parent
MODEL = "ch_ppocr_mobile_v2.0_cls_infer.onnx"
PACKAGE = "rapidocr-onnxruntime"
WIDTH, HEIGHT = 192, 48  # pixels, as the model was trained
TOLERANCE = 1e-4  # largest difference between the two execution providers, in probability

Pixels = npt.NDArray[np.float32]


def find_model(cache: Path) -> Path:
    """The model's file: from the installed package, else from its wheel, downloaded to ``cache``.

    The package itself would bring OpenCV and more along; the model is all that is needed of it.
    """
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if spec is not None and spec.origin is not None:
        installed = Path(spec.origin).parent / "models" / MODEL
        if installed.is_file():
            return installed
    kept = cache / MODEL
    if not kept.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PACKAGE]
        subprocess.run([*download, "--dest", str(cache)], check=True)
        wheel = next(cache.glob("rapidocr_onnxruntime-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            part = kept.with_suffix(".part")
            part.write_bytes(archive.read(f"rapidocr_onnxruntime/models/{MODEL}"))
            part.replace(kept)
        wheel.unlink()
    return kept


def draw(text: str) -> Image.Image:
    """A line of black text in the middle of a white picture."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(28)
    left, top, right, bottom = pen.textbbox((0, 0), text, font=font)
    corner = ((WIDTH - left - right) / 2, (HEIGHT - top - bottom) / 2)
    pen.text(corner, text, font=font, fill="black")
    return picture


def as_input(pictures: Sequence[Image.Image]) -> Pixels:
    """What the model wants: N x BGR x H x W between -1 and 1."""
    stack = np.stack([np.asarray(picture, np.float32) for picture in pictures])
    return np.ascontiguousarray(stack[..., ::-1].transpose(0, 3, 1, 2) / 127.5 - 1)


def build(blueprint: Path, project: Path) -> None:
    """Scaffolds and builds the project with the epforge of this interpreter."""
    command = [sys.executable, "-m", "epforge", "scaffold", str(blueprint), str(project), "--build"]
    subprocess.run(command, check=True)


def load_plugin(project: Path) -> Any:
    """The project's Python package, registered."""
    sys.path.insert(0, str(project / "python"))
    name = next((project / "python").glob("*/_identity.py")).parent.name
    package = importlib.import_module(name)
    manifest = json.loads((project / "src/gen/manifest.json").read_text(encoding="utf-8"))
    package.register(virtual=manifest["virtual"])
    return package


def session_on(device: Any, model: Path) -> onnxruntime.InferenceSession:
    """A session in which every node must run on ``device``."""
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    options.add_provider_for_devices([device], {})
    return onnxruntime.InferenceSession(str(model), options)


def placement(session: onnxruntime.InferenceSession) -> dict[str, collections.Counter[str]]:
    """How many nodes of which type each execution provider was given."""
    placed: dict[str, collections.Counter[str]] = {}
    for part in session.get_provider_graph_assignment_info():
        counter = placed.setdefault(part.ep_name, collections.Counter())
        counter.update(node.op_type for node in part.get_nodes())
    return placed


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the example. Returns 0 if both pictures were told apart and the numbers agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--blueprint", type=Path, default=Path("blueprint.yaml"))
    parser.add_argument("--project", type=Path, help="where to scaffold it")
    parser.add_argument("--model", type=Path, help=f"{MODEL}, if it is there already")
    parser.add_argument("--text", default="epforge 2026", help="what to draw")
    given = parser.parse_args(arguments)

    blueprint = given.blueprint if given.blueprint.is_file() else HERE / given.blueprint
    project = given.project or Path("build") / f"ocr-{blueprint.stem}"
    build(blueprint, project)
    model = given.model or find_model(project.parent / "ocr-model")

    package = load_plugin(project)
    session = session_on(package.devices()[0], model)
    for name, counter in sorted(placement(session).items()):
        kinds = ", ".join(f"{op} {count}" for op, count in sorted(counter.items()))
        print(f"{name} runs {counter.total()} nodes: {kinds}")

    upright = draw(given.text)
    feed = {session.get_inputs()[0].name: as_input([upright, upright.rotate(180)])}
    here = np.asarray(session.run(None, feed)[0])
    cpu = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    there = np.asarray(cpu.run(None, feed)[0])

    for angle, probabilities in zip((0, 180), here, strict=True):
        degrees = 180 * int(probabilities.argmax())
        print(f"drawn at {angle} degrees: seen at {degrees} ({probabilities.max():.4f})")
    difference = float(np.abs(here - there).max())
    print(f"largest difference to the CPU: {difference:.2e}")

    right = [int(row.argmax()) for row in here] == [0, 1]
    del session
    package.unregister()
    return 0 if right and difference <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
