"""``epforge.lock``: what was written, by which tool, and who owns it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import UsageError
from epforge.workspace.model import File, Owner, Tool, sha256
from epforge.workspace.paths import check_paths

LOCK = "epforge.lock"
_FORMAT = 1


@dataclass(frozen=True)
class Entry:
    """A file as it was written."""

    owner: Owner
    sha256: str
    executable: bool = False
    template: str = ""


@dataclass(frozen=True)
class Lock:
    """The content of ``epforge.lock``. ``blueprint`` is the SHA-256 of the blueprint's bytes."""

    tool: Tool
    blueprint: str
    files: Mapping[str, Entry]

    @classmethod
    def of(cls, files: Mapping[str, File], tool: Tool, blueprint: bytes) -> Lock:
        """The lock of a project that consists of ``files``."""
        entries = {
            path: Entry(file.owner, sha256(file.content), file.executable, file.template)
            for path, file in files.items()
        }
        return cls(tool, sha256(blueprint), entries)

    def dump(self) -> bytes:
        """JSON with sorted keys and one file per line, so that branches merge as text."""
        rows = []
        for path in sorted(self.files, key=str.encode):
            entry = self.files[path]
            row: dict[str, object] = {"owner": entry.owner.value, "sha256": entry.sha256}
            if entry.executable:
                row["executable"] = True
            if entry.template:
                row["template"] = entry.template
            rows.append(f"    {json.dumps(path)}: {json.dumps(row, sort_keys=True)}")
        tool = {"templates": self.tool.templates, "version": self.tool.version}
        lines = [
            "{",
            f'  "blueprint": {json.dumps(self.blueprint)},',
            '  "files": {',
            ",\n".join(rows),
            "  },",
            f'  "format": {_FORMAT},',
            f'  "tool": {json.dumps(tool, sort_keys=True)}',
            "}",
        ]
        return "\n".join(lines).encode() + b"\n"


def read_lock(directory: Path) -> Lock | None:
    """The lock of the project in ``directory``; None if there is none.

    Raises:
        UsageError: the file is not a lock, or it is one of a newer epforge.
    """
    path = directory / LOCK
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    try:
        data = json.loads(text)
        if data["format"] != _FORMAT:
            raise UsageError(
                f"{path} has format {data['format']!r}, this epforge knows {_FORMAT}",
                "Use the epforge that wrote it, or a newer one.",
            )
        files = {
            str(name): Entry(
                Owner(row["owner"]),
                str(row["sha256"]),
                bool(row.get("executable", False)),
                str(row.get("template", "")),
            )
            for name, row in data["files"].items()
        }
        tool = Tool(str(data["tool"]["version"]), str(data["tool"]["templates"]))
        lock = Lock(tool, str(data["blueprint"]), files)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is damaged: {error}", "Restore it from version control."
        ) from error
    check_paths(lock.files)
    return lock
