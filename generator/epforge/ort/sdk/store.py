"""The SDKs in epforge's cache.

Each is a directory ``<cache>/sdk/ort-<version>-<hash of its content>`` with ``include/`` (headers)
and ``sdk.json`` (level, version, origin, hash of each file). It appears by one rename and never
changes, so any number of installs may run at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.cache import cache_dir, writable
from epforge.ort.reader import read_level_number
from epforge.ort.sdk.verify import BadSdkError, Problem, verify

RECORD = "sdk.json"
_STALE_S = 24 * 3600.0


@dataclass(frozen=True)
class Sdk:
    """A set of official headers that was checked.

    Args:
        root: the directory as given or found.
        include: the directory that holds ``onnxruntime_c_api.h``; give it to the compiler.
        level: the API level of the headers.
        source: how it was found, for people.
        version: the release, as ``1.27.1``; ``1.27`` where only the level is known.
    """

    root: Path
    include: Path
    level: int
    source: str
    version: str = ""


def store() -> Path:
    """Where installed SDKs are."""
    return cache_dir("sdk")


def stage_dir() -> Path:
    """A directory for temporary files on the file system of the cache.

    Raises MissingError when it cannot be made or written to.
    """
    directory = writable(cache_dir("stage"))
    _sweep(directory)
    return directory


def _sweep(directory: Path) -> None:
    """Remove what processes left behind that were killed; nothing takes a day to install."""
    for left in directory.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another one sweeps, too
            if left.stat().st_mtime < time.time() - _STALE_S:
                shutil.rmtree(left, ignore_errors=True)


def installed() -> tuple[Sdk, ...]:
    """The SDKs in the cache, oldest level first; those with a broken record are left out."""
    found: list[Sdk] = []
    for record in sorted(store().glob(f"ort-*/{RECORD}")):
        data = _record(record.parent)
        if data:
            found.append(
                Sdk(
                    record.parent,
                    record.parent / "include",
                    data["level"],
                    data["origin"],
                    data["version"],
                )
            )
    return tuple(sorted(found, key=lambda sdk: (sdk.level, _numbers(sdk.version), sdk.root)))


def damage(sdk: Sdk) -> list[Problem]:
    """Files of an installed SDK that are gone or changed since it was installed."""
    problems = []
    data = _record(sdk.root)
    for name, digest in (data or {"files": {}})["files"].items():
        file = sdk.include / name
        if not file.is_file():
            problems.append(Problem(file, "the file is missing"))
        elif hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            problems.append(Problem(file, "was changed after it was installed"))
    return problems


def publish(headers: Mapping[str, bytes], level: int, version: str, origin: str) -> Sdk:
    """Put headers into the cache and return the SDK; the same headers again give the same SDK.

    Args:
        headers: path below ``include/`` (POSIX, already checked) -> content.
        level: the lowest level that will do.
        version: the release the headers are said to be of; empty if not known.
        origin: where they come from, for people.

    Raises BadSdkError when the headers are not whole; then the cache is as before.
    """
    files = {name: hashlib.sha256(headers[name]).hexdigest() for name in sorted(headers)}
    whole = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    with tempfile.TemporaryDirectory(prefix="sdk-", dir=stage_dir()) as temporary:
        stage = Path(temporary) / "sdk"
        for name, content in headers.items():
            target = stage / "include" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        if problems := verify(stage / "include", level):
            raise BadSdkError(Path(origin), _relative(problems, stage / "include"))
        found = read_level_number(stage / "include")
        version = version if version.split(".")[:2] == ["1", str(found)] else f"1.{found}"
        record = {
            "format": 1,
            "level": found,
            "version": version,
            "origin": origin,
            "files": files,
        }
        text = json.dumps(record, indent=2) + "\n"
        (stage / RECORD).write_text(text, encoding="utf-8", newline="\n")
        root = store() / f"ort-{version}-{whole[:8]}"
        sdk = Sdk(root, root / "include", found, origin, version)
        _move_in(stage, sdk, Path(temporary) / "replaced")
    return sdk


def _move_in(stage: Path, sdk: Sdk, aside: Path) -> None:
    """Rename the stage to its place, unless the same SDK stands there, whole."""
    sdk.root.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(8):
        try:
            stage.rename(sdk.root)
            return
        except OSError:
            if not sdk.root.is_dir():
                raise
        if _record(sdk.root) and not damage(sdk):
            return
        try:
            sdk.root.rename(aside)
        except FileNotFoundError:
            continue
        shutil.rmtree(aside, ignore_errors=True)
    raise BadSdkError(sdk.root, [Problem(sdk.root, "cannot be replaced: it keeps coming back")])


def _relative(problems: list[Problem], include: Path) -> list[Problem]:
    """Problems of staged files, named as in the package they come from."""
    return [
        Problem(
            problem.file.relative_to(include) if problem.file != include else Path("include"),
            problem.message.replace(str(include), "include"),
        )
        for problem in problems
    ]


def _record(root: Path) -> dict[str, Any] | None:
    try:
        data = json.loads((root / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    keys = {"level": int, "version": str, "origin": str, "files": dict}
    if not isinstance(data, dict) or data.get("format") != 1:
        return None
    return data if all(isinstance(data.get(key), kind) for key, kind in keys.items()) else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
