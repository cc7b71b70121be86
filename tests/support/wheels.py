"""Wheels of generated projects, and what may be wrong with them."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from projects import Project

from epforge.build.wheel import build_wheel

#: What a file becomes: its new bytes, or nothing if it is to go.
Change = Callable[[bytes], bytes | None]


@functools.cache
def wheel_of(project: Project) -> Path:
    """The wheel of a project, made once in a test run."""
    return build_wheel(project.root, output=project.root.parent / "wheels").wheel


def manifest_beside(project: Project) -> dict[str, Any]:
    """What the built library claims."""
    path = project.library.with_name(f"{project.library.name}.manifest.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def rewritten(
    wheel: Path,
    to: Path,
    changes: Mapping[str, Change],
    *,
    name: str | None = None,
    listed: bool = True,
) -> Path:
    """A wheel with other contents.

    Args:
        wheel: the wheel to change.
        to: an existing directory for the new one.
        changes: by the end of the name of a file; one that there is none of is made, from nothing.
        name: of the new file.
        listed: RECORD is brought up to date.
    """
    with zipfile.ZipFile(wheel) as archive:
        files = {each.filename: archive.read(each) for each in archive.infolist()}
    for ending, change in changes.items():
        places = [place for place in files if place.endswith(ending)] or [ending]
        for place in places:
            content = change(files.pop(place, b""))
            if content is not None:
                files[place] = content
    (record,) = (place for place in files if place.endswith(".dist-info/RECORD"))
    if listed:
        rows = [f"{place},{_hash(data)},{len(data)}" for place, data in files.items()]
        rows = [row for row in rows if not row.startswith(record) and "/," not in row]
        files[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    path = to / (name or wheel.name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, data in files.items():
            archive.writestr(place, data)
    return path


def replaced(old: str, new: str) -> Change:
    """A change of a text, which must be there."""

    def change(data: bytes) -> bytes:
        assert old.encode() in data, f"{old!r} is not in the file"
        return data.replace(old.encode(), new.encode())

    return change


def gone(data: bytes) -> None:
    """The change that takes a file away."""
    assert data, "there is no such file"


def _hash(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"
