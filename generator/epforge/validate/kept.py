"""Results that are kept: what has passed need not be run again while nothing has changed.

A result is found by the content of everything that it came from: the library and what lies beside
it, its manifest, the runtime, epforge itself, the environment. Only what is well is kept. What has
failed, crashed or hung is run again, for it may not do so every time.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.pictures import of_record

_FORMAT = 1
_MOST_BYTES = 64 << 20
_MOST_AGE_S = 7 * 24 * 3600  # what a library loads from elsewhere may be another one by then
_PACKAGE = Path(__file__).resolve().parents[1]
_SHIM = _PACKAGE.parents[1] / "templates" / "shim"  # beside the package in a checkout
# What terminals and shells say of themselves, and what no library computes by.
_IDLE_VARIABLES = frozenset(
    {"_", "COLORTERM", "COLUMNS", "LINES", "LS_COLORS", "OLDPWD", "PPID", "PS1", "PWD", "SHLVL"}
    | {"TERM", "TERM_PROGRAM", "TERM_SESSION_ID", "TMUX", "TMUX_PANE", "WINDOWID"}
    | {"XDG_SESSION_ID"}
)
_IDLE_PREFIXES = ("SSH_", "VSCODE_", "CCACHE_", "CMAKE_")


@dataclass(frozen=True)
class Kept:
    """Results of one library in one runtime.

    Args:
        folder: where they are; None if nothing is kept.
        origin: digest of everything that they all came from.
    """

    folder: Path | None = None
    origin: str = ""

    def checks(
        self, parameters: Mapping[str, object], make: Callable[[], Sequence[Check]]
    ) -> tuple[Check, ...]:
        """The lines for what is asked for: the kept ones, or new ones that are kept if all is well.

        Args:
            parameters: what is asked for, in JSON; nothing else may decide on the result.
        """
        found = self.find(parameters)
        if found is None:
            found = tuple(make())
            self.keep(parameters, found)
        return found

    def find(self, parameters: Mapping[str, object]) -> tuple[Check, ...] | None:
        """The kept lines, marked as such; None if there are none."""
        path = self._path(parameters)
        if path is None:
            return None
        try:
            content = json.loads(zlib.decompress(path.read_bytes()))
            if content["format"] != _FORMAT or time.time() - content["made"] > _MOST_AGE_S:
                return None
            lines = tuple(replace(_check(each), cached=True) for each in content["checks"])
            os.utime(path)  # the ones that are used last stay longest
        except (OSError, ValueError, KeyError, TypeError, zlib.error):  # not there, or damaged
            return None
        return lines

    def keep(self, parameters: Mapping[str, object], checks: Sequence[Check]) -> None:
        """Keeps lines, if all is well with them. No disk to keep them on is no error."""
        path = self._path(parameters)
        if path is None or not _is_well(checks):
            return
        content = {"format": _FORMAT, "made": time.time(), "checks": list(map(_data, checks))}
        packed = zlib.compress(json.dumps(content).encode())
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as stage:
                stage.write(packed)
            os.replace(stage.name, path)

    def _path(self, parameters: Mapping[str, object]) -> Path | None:
        if self.folder is None:
            return None
        asked = json.dumps([self.origin, parameters], sort_keys=True)
        return self.folder / f"{hashlib.sha256(asked.encode()).hexdigest()}.z"


NOTHING = Kept()


def prune(folder: Path, most: int = _MOST_BYTES) -> None:
    """Deletes the results that were not used for longest until the rest has at most ``most``
    bytes."""
    found = []
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):  # another process deletes, too
                stat = path.stat()
                found.append((stat.st_mtime, stat.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= most:
            return
        path.unlink(missing_ok=True)
        total -= size


def origin(files: Iterable[Path], facts: Mapping[str, object], runtime: Path | None) -> str:
    """Digest of what results come from.

    Args:
        files: the library and what it comes with.
        facts: in JSON; what else decides.
        runtime: the directory of the onnxruntime package; this Python's own if None.
    """
    digest = hashlib.sha256(_sources().encode())
    given = [facts, _machine(), _environment(), _packages(runtime)]
    digest.update(json.dumps(given, sort_keys=True).encode())
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@cache
def _sources() -> str:
    """Digest of epforge itself."""
    digest = hashlib.sha256()
    for root in (_PACKAGE, _SHIM):
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(root)).encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _machine() -> list[str]:
    return [sys.version, platform.platform(), platform.processor()]


def _environment() -> dict[str, str]:
    """The variables that a library may look at."""
    return {
        key: value
        for key, value in os.environ.items()
        if key not in _IDLE_VARIABLES and not key.startswith(_IDLE_PREFIXES)
    }


def _packages(runtime: Path | None) -> list[object]:
    """Which onnx, numpy and onnxruntime there are: by version, and the runtime by its files."""
    found: list[object] = []
    for name in ("onnx", "numpy", "onnxruntime", "ml_dtypes"):
        with suppress(metadata.PackageNotFoundError):
            found.append([name, metadata.version(name)])
    folder = runtime / "onnxruntime" if runtime else _installed("onnxruntime")
    for path in sorted((folder / "capi").iterdir()) if folder else ():
        if path.is_file():
            stat = path.stat()
            found.append([path.name, stat.st_size, stat.st_mtime_ns])
    return found


def _installed(package: str) -> Path | None:
    """The folder of a package, without importing it."""
    from importlib.util import find_spec

    spec = find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


def _is_well(checks: Sequence[Check]) -> bool:
    outcomes = {check.outcome for check in checks}
    outcomes |= {case.outcome for check in checks for case in check.cases}
    return Outcome.PASSED in outcomes and not any(outcome.bad for outcome in outcomes)


def _data(check: Check) -> dict[str, object]:
    return {
        "rung": str(check.rung),
        "name": check.name,
        "outcome": str(check.outcome),
        "detail": check.detail,
        "runtime": check.runtime,
        "seconds": check.seconds,
        "left_out": check.models_left_out,
        "cases": [[case.label, str(case.outcome), case.detail] for case in check.cases],
        "pictures": [asdict(picture) for picture in check.pictures],
    }


def _check(data: Mapping[str, Any]) -> Check:
    return Check(
        Rung(data["rung"]),
        str(data["name"]),
        Outcome(data["outcome"]),
        str(data["detail"]),
        str(data["runtime"]),
        float(data["seconds"]),
        tuple(CaseResult(label, Outcome(outcome), text) for label, outcome, text in data["cases"]),
        tuple(map(of_record, data["pictures"])),
        models_left_out=int(data["left_out"]),
    )
