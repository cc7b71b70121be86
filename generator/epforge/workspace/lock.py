"""``epforge.lock``: what was written, by which tool, and who owns it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from epforge.errors import UsageError
from epforge.workspace.disk import look
from epforge.workspace.model import File, Owner, Tool, sha256
from epforge.workspace.paths import check_paths

LOCK = "epforge.lock"
_FORMAT = 2
_KNOWN = (1, 2)
_DAMAGED = (
    *(ValueError, KeyError, TypeError, AttributeError),
    *(OverflowError, RecursionError),  # numbers and nesting beyond all measure
)


@dataclass(frozen=True)
class Entry:
    """A file of the project.

    Args:
        owner: who may change it.
        sha256: hash of epforge's own text that the file on disk is based on: what was written,
            or merged in last. Of a file that is yours: what was written once, or taken since.
        executable: whether its mode has the x bits.
        template: where it came from.
        adopted: a generated file that its owner has made shared.
        seen: hash of epforge's newest text, when the file is not based on it, or is gone, and that
            has been announced.
    """

    owner: Owner
    sha256: str
    executable: bool = False
    template: str = ""
    adopted: bool = False
    seen: str = ""

    @classmethod
    def of(cls, file: File, text: bytes | None = None) -> Entry:
        """The entry of ``file``, based on ``text``: by default on what it shall be."""
        digest = sha256(file.content if text is None else text)
        return cls(file.owner, digest, file.executable, file.template, file.adopted)


@dataclass(frozen=True)
class OpenConflict:
    """A conflict that was written with markers and is not resolved yet.

    Args:
        kind: what it is about, a word of `ConflictKind`.
        marker: length of the markers in the file; 0 if there are none.
    """

    kind: str
    marker: int = 0


@dataclass(frozen=True)
class Lock:
    """The content of ``epforge.lock``.

    Args:
        tool: what wrote the project last.
        blueprint: SHA-256 of the blueprint's bytes.
        files: by path.
        conflicts: those that are open, by path.
        inputs: SHA-256 of everything else that the files depend on, by name.
    """

    tool: Tool
    blueprint: str
    files: Mapping[str, Entry]
    conflicts: Mapping[str, OpenConflict] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Mapping[str, File], tool: Tool, blueprint: bytes) -> Lock:
        """The lock of a project whose files are as we would write them."""
        entries = {path: Entry.of(file) for path, file in files.items()}
        return cls(tool, sha256(blueprint), entries)

    def dump(self) -> bytes:
        """JSON with sorted keys and one file per line, so that branches merge as text."""
        tool = {"templates": self.tool.templates, "version": self.tool.version}
        lines = ["{", f'  "blueprint": {json.dumps(self.blueprint)},']
        if self.conflicts:
            lines += _table("conflicts", {p: _open_row(c) for p, c in self.conflicts.items()})
        lines += _table("files", {path: _row(entry) for path, entry in self.files.items()})
        lines.append(f'  "format": {_FORMAT},')
        if self.inputs:
            lines += _table("inputs", self.inputs)
        lines += [f'  "tool": {json.dumps(tool, sort_keys=True)}', "}"]
        return "\n".join(lines).encode() + b"\n"


def _table(name: str, rows: Mapping[str, Any]) -> list[str]:
    body = [
        f"    {json.dumps(path)}: {json.dumps(rows[path], sort_keys=True)}"
        for path in sorted(rows, key=str.encode)
    ]
    return [f'  "{name}": {{', ",\n".join(body), "  },"] if body else [f'  "{name}": {{}},']


def _row(entry: Entry) -> dict[str, object]:
    row: dict[str, object] = {"owner": entry.owner.value, "sha256": entry.sha256}
    optional = ("executable", "template", "adopted", "seen")
    return row | {name: getattr(entry, name) for name in optional if getattr(entry, name)}


def _open_row(conflict: OpenConflict) -> dict[str, object]:
    row: dict[str, object] = {"kind": conflict.kind}
    return row | ({"marker": conflict.marker} if conflict.marker else {})


def read_lock(directory: Path) -> Lock | None:
    """The lock of the project in ``directory``; None if there is none.

    Raises:
        UsageError: the file is not a lock, or it is one of a newer epforge.
    """
    path = directory / LOCK
    found = look(directory, LOCK)
    if found.is_absent:
        return None
    if found.content is None:
        raise UsageError(
            f"{path} cannot be read: it is no regular file, or not yours to read",
            "Restore it from version control.",
        )
    try:
        text = found.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    if text.startswith("<<<<<<< ") or "\n<<<<<<< " in text:
        raise UsageError(
            f"{path} has conflict markers of a merge of branches",
            "Take either side (git checkout --theirs epforge.lock), finish the merge of the "
            "blueprint, then run: epforge regenerate",
        )
    try:
        lock = _read(path, json.loads(text))
    except _DAMAGED as error:
        raise UsageError(
            f"{path} is damaged: {error}", "Restore it from version control."
        ) from error
    check_paths(lock.files)
    check_paths(lock.conflicts)
    return lock


def _read(path: Path, data: Any) -> Lock:
    if data["format"] not in _KNOWN:
        raise UsageError(
            f"{path} has format {data['format']!r}, this epforge knows {_FORMAT}",
            "Use the epforge that wrote it, or a newer one.",
        )
    return Lock(
        tool=Tool(str(data["tool"]["version"]), str(data["tool"]["templates"])),
        blueprint=str(data["blueprint"]),
        files={str(name): _entry(row) for name, row in data["files"].items()},
        conflicts={
            str(name): OpenConflict(str(row["kind"]), int(row.get("marker", 0)))
            for name, row in data.get("conflicts", {}).items()
        },
        inputs={str(name): str(value) for name, value in data.get("inputs", {}).items()},
    )


def _entry(row: Any) -> Entry:
    return Entry(
        owner=Owner(row["owner"]),
        sha256=str(row["sha256"]),
        executable=bool(row.get("executable", False)),
        template=str(row.get("template", "")),
        adopted=bool(row.get("adopted", False)),
        seen=str(row.get("seen", "")),
    )
