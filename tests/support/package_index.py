"""A directory of packages for pip, with releases of onnxruntime that hold nothing."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path


def only(index: Path) -> dict[str, str]:
    """Variables by which pip knows this directory and nothing else."""
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index), "PIP_CONFIG_FILE": os.devnull}


def release(index: Path, version: str) -> None:
    """Adds a release."""
    info = f"onnxruntime-{version}.dist-info"
    with zipfile.ZipFile(index / f"onnxruntime-{version}-py3-none-any.whl", "w") as wheel:
        name = f"Name: onnxruntime\nVersion: {version}\n"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\n{name}")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
