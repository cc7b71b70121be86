"""Whole models that other packages bring along, and the project that runs all of them.

Processes under test import it. It needs numpy, onnx and Pillow only.
"""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from PIL import Image, ImageDraw, ImageFont

_PACKAGE = "rapidocr-onnxruntime"
#: What reads text in pictures: by what each model does, its file and the shape of an input.
OCR = {
    "detection": ("ch_PP-OCRv4_det_infer.onnx", (1, 3, 736, 1280)),
    "direction": ("ch_ppocr_mobile_v2.0_cls_infer.onnx", (1, 3, 48, 192)),
    "recognition": ("ch_PP-OCRv4_rec_infer.onnx", (1, 3, 48, 320)),
}
#: Classifiers whose weights are made while they are loaded, in the package onnx.
LIGHT = (
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "shufflenet",
    "squeezenet",
    "vgg19",
    "zfnet512",
)
#: The operators of all of them.
OPS = """
    Add AveragePool BatchNormalization Cast Clip Concat ConstantOfShape Conv ConvTranspose Div
    Dropout Gemm GlobalAveragePool HardSigmoid Identity LRN MatMul MaxPool Mul Pow ReduceMean Relu
    Reshape Resize Shape Sigmoid Slice Softmax Sqrt Squeeze Sub Sum Transpose Unsqueeze
""".split()  # noqa: SIM905 (a list of thirty strings reads worse)


def blueprint(paradigm: str) -> str:
    """The blueprint of an execution provider for them."""
    return f"""
epforge: 1
name: contoso-models
vendor: Contoso
paradigm: {paradigm}
types: [float32, int32, int64, bool]
ops: [{", ".join(OPS)}]
"""


def ocr_model(what: str, store: Path) -> Path:
    """The file of a model that reads text: from the installed package, else from its wheel.

    Args:
        what: a key of `OCR`.
        store: where files of the wheel are kept.
    """
    name = OCR[what][0]
    spec = importlib.util.find_spec(_PACKAGE.replace("-", "_"))
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "models" / name
    kept = store / name
    if not kept.is_file():
        store.mkdir(parents=True, exist_ok=True)
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", _PACKAGE]
        subprocess.run([*download, "--dest", str(store)], check=True)
        wheel = next(store.glob(f"{_PACKAGE.replace('-', '_')}-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            for each, _ in OCR.values():
                part = store / f"{each}.part"
                part.write_bytes(archive.read(f"rapidocr_onnxruntime/models/{each}"))
                part.replace(store / each)
        wheel.unlink()
    return kept


def pictures(shape: tuple[int, ...]) -> np.ndarray:
    """Lines of text on white, as the models that read want them: N x 3 x H x W between -1 and 1."""
    count, _, height, width = shape
    stack = []
    for number in range(count):
        picture = Image.new("RGB", (width, height), "white")
        pen = ImageDraw.Draw(picture)
        for top in range(4, height - 32, 60):
            text = f"{number + top} bottles of beer on the wall"
            pen.text((8, top), text, font=ImageFont.load_default(28), fill="black")
        stack.append(np.asarray(picture, np.float32))
    return np.ascontiguousarray(np.stack(stack).transpose(0, 3, 1, 2) / 127.5 - 1)


def light_model(name: str) -> tuple[Path, np.ndarray, np.ndarray]:
    """A model of the package onnx, what its tests feed it, and the result that they expect."""
    folder = Path(onnx.__file__).parent / "backend/test/data/light"
    expected = TensorProto.FromString((folder / f"light_{name}_output_0.pb").read_bytes())
    shape = (1, 3, 224, 224)
    count = math.prod(shape)
    fed = (np.arange(count).reshape(shape) / count).astype(np.float32)
    return folder / f"light_{name}.onnx", fed, numpy_helper.to_array(expected)
