"""What a build has to know of a generated project; all of it is read from the project."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.errors import UsageError
from epforge.workspace import OpenConflictsError, read_lock

_MANIFEST = "src/gen/manifest.json"
_NOT_FOR_CMAKE = ';"\\|\n\r'  # the bar is Ninja's
_TOOLCHAIN = re.compile(r"(?:^|/)cmake/toolchains/([\w-]+)\.cmake$")
_COMPILED = ("src/", "cmake/", "exports/")  # what a build needs; the rest may be left out


@dataclass(frozen=True)
class Project:
    """A generated project on disk.

    Args:
        root: absolute path of its directory.
        library: stem of the library's file name.
        macro: prefix of its CMake variables.
        level: API level that the headers must at least have.
        owners: who owns each file, by path with forward slashes; empty without a lock.
        cuda: whether it has device code for nvcc to compile.
        conflicts: files with conflicts that are not resolved.
    """

    root: Path
    library: str
    macro: str
    level: int
    owners: Mapping[str, str]
    cuda: bool = False
    conflicts: tuple[str, ...] = ()

    @property
    def library_file(self) -> str:
        """The library's file name on this system."""
        return self._file_on({"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux"))

    def _file_on(self, system: str) -> str:
        prefix = "" if system == "windows" else "lib"
        suffix = {"windows": ".dll", "macos": ".dylib"}.get(system, ".so")
        return f"{prefix}{self.library}{suffix}"

    @property
    def targets(self) -> tuple[str, ...]:
        """The platforms that it has presets for, each named as its platform."""
        return tuple(name for name in self._presets() if self.target_of(name) == name)

    def target_of(self, preset: str) -> str:
        """The platform that a preset builds for by its toolchain file; empty if it has none."""
        file = _inherited(self._presets(), preset, "toolchainFile")
        match = _TOOLCHAIN.search(file)
        return match[1] if match else ""

    def binary_dir(self, preset: str) -> Path:
        """Where a preset builds. Raises UsageError for a preset that is not there."""
        presets = self._presets()
        if preset not in presets or presets[preset].get("hidden"):
            known = ", ".join(name for name, entry in presets.items() if not entry.get("hidden"))
            raise UsageError(f"{self.root} has no preset {preset!r}", f"It has: {known}.")
        text = _inherited(presets, preset, "binaryDir") or "${sourceDir}/build/${presetName}"
        text = text.replace("${sourceDir}", str(self.root)).replace("${presetName}", preset)
        return Path(text)

    def _presets(self) -> dict[str, dict[str, Any]]:
        path = self.root / "CMakePresets.json"
        data = _json(path)
        try:
            return {str(entry["name"]): entry for entry in data["configurePresets"]}
        except (KeyError, TypeError) as error:
            raise UsageError(f"{path} lists no configurePresets") from error

    def check(self) -> None:
        """Finds what CMake or a compiler would stumble over.

        Raises:
            OpenConflictsError: files have conflicts that are not resolved.
            UsageError: the place of the project, or files that are gone.
        """
        if self.conflicts:
            raise OpenConflictsError(self.root, self.conflicts)
        bad = next((c for c in str(self.root) if c in _NOT_FOR_CMAKE), None)
        if bad is not None:
            raise UsageError(
                f"{self.root}: CMake cannot build below a directory with {bad!r} in its name",
                "Move the project.",
            )
        gone = [
            path
            for path, owner in self.owners.items()
            if owner == "generated"
            and path.startswith(_COMPILED)
            and not (self.root / path).exists()
        ]
        if gone:
            more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
            restore = (word for path in gone for word in ("--restore", path))
            again = shlex.join(["epforge", "regenerate", str(self.root), *restore])
            raise UsageError(
                f"{self.root} lacks generated files: {', '.join(gone[:3])}{more}",
                f"Write them again: {again}",
            )

    def sanitizers(self, preset: str) -> str:
        """What a preset builds with, as ``-fsanitize`` takes it; empty for most."""
        variables = {
            name: {**(entry.get("cacheVariables") or {}), "inherits": entry.get("inherits", [])}
            for name, entry in self._presets().items()
        }
        return _inherited(variables, preset, f"{self.macro}_SANITIZE")

    def library_path(self, preset: str) -> Path:
        """Where a build of ``preset`` puts the library, built or not."""
        system = self.target_of(preset).partition("-")[0]
        return self.binary_dir(preset) / (self._file_on(system) if system else self.library_file)


def open_project(root: Path) -> Project:
    """The project in ``root``. Raises UsageError if there is none, or a file of it is damaged."""
    root = Path(root).resolve()
    if not (root / "CMakeLists.txt").is_file() or not (root / _MANIFEST).is_file():
        what = "no such directory" if not root.is_dir() else "not a project that epforge made"
        is_begun = (root / "blueprint.yaml").is_file()
        where = shlex.quote(str(root)) if is_begun else "BLUEPRINT DIR"
        raise UsageError(f"{root}: {what}", f"Make one: epforge scaffold {where}")
    path = root / _MANIFEST
    data = _json(path)
    try:
        library, level = str(data["library"]), int(data["ort"]["target"])
        macro = str(data["macro"])
    except (KeyError, TypeError, ValueError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(f"{path} is damaged: {what}", "Regenerate the project.") from error
    lock = read_lock(root)
    owners = {name: str(entry.owner.value) for name, entry in lock.files.items()} if lock else {}
    conflicts = tuple(sorted(lock.conflicts)) if lock else ()
    return Project(root, library, macro, level, owners, "cuda" in data, conflicts)


def _inherited(presets: Mapping[str, Mapping[str, Any]], preset: str, key: str) -> str:
    """A key of a preset or of the nearest one that it inherits from; empty if there is none.

    What is wrong with the presets themselves, a circle above all, is left to CMake to say.
    """
    waiting, seen = [preset], set[str]()
    while waiting:
        name = waiting.pop(0)
        entry = presets.get(name, {})
        if key in entry:
            return str(entry[key])
        parents = entry.get("inherits", [])
        names = [parents] if isinstance(parents, str) else parents
        new = [str(p) for p in names if p not in seen] if isinstance(names, list) else []
        seen.update(new)
        waiting = new + waiting  # CMake looks through a parent's parents before the next parent
    return ""


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
