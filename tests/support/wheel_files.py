"""Wheels made in a moment, for indexes that tests make up."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path


def wheel_file(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """A wheel of a package; its files can be run."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    about = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in {**files, **about}.items():
            entry = zipfile.ZipInfo(inside)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, text)
        names = (*files, *about, f"{info}/RECORD")
        archive.writestr(f"{info}/RECORD", "".join(f"{each},,\n" for each in names))
    return path
