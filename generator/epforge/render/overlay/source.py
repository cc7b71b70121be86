"""Renders a template of copier or cookiecutter in a process of its own, and reads the result."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from epforge.errors import MissingError
from epforge.literals import printable
from epforge.render.overlay.errors import OverlayError
from epforge.render.overlay.find import Found, Item
from epforge.resolve.services import Overlay

_WORKER = Path(__file__).with_name("worker.py")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}")
#: What this process has rendered: a command may expand its blueprint more than once.
_RENDERED: dict[str, dict[str, Item]] = {}
_TRUST = "Read what it runs, and if you trust it, add --trust."


@dataclass(frozen=True)
class Bounds:
    """What a template may take.

    Args:
        seconds: of time.
        bytes: of its result, all files together.
    """

    seconds: float = 60.0
    bytes: int = 10_000_000


def kind_of(found: Found) -> str:
    """``copier`` or ``cookiecutter``, by the file that such a template has.

    Raises:
        OverlayError: it is neither, or both.
    """
    kinds = {
        "copier": {"copier.yml", "copier.yaml"},
        "cookiecutter": {"cookiecutter.json"},
    }
    here = [kind for kind, names in kinds.items() if names & found.files.keys()]
    if len(here) == 1:
        return here[0]
    what = "both a copier.yml and a" if here else "neither a copier.yml nor a"
    raise OverlayError(
        found.overlay,
        f"it has {what} cookiecutter.json",
        "A source is a template of copier or of cookiecutter; see docs/overlays.md.",
    )


def run(
    found: Found, values: Mapping[str, Any], *, trust: bool, bounds: Bounds | None = None
) -> dict[str, Item]:
    """Renders a template.

    Args:
        found: the template.
        values: what it sees as ``epforge``.
        trust: whether it may run code of its own: tasks, hooks, extensions.
        bounds: what it may take.

    Returns:
        The files that it becomes, by path, sorted.

    Raises:
        OverlayError: it is at fault, or asks for trust.
        MissingError: copier or cookiecutter is not installed.
    """
    bounds = bounds or Bounds()
    key = json.dumps([found.digest, str(found.overlay), dict(values), trust], sort_keys=True)
    if key not in _RENDERED:
        _RENDERED[key] = _run(found, values, trust, bounds)
    return dict(_RENDERED[key])


def _run(found: Found, values: Mapping[str, Any], trust: bool, bounds: Bounds) -> dict[str, Item]:
    kind = kind_of(found)
    with tempfile.TemporaryDirectory(prefix="epforge-overlay-") as name:
        root = Path(os.path.realpath(name))
        _write(found, root)
        request = {
            "kind": kind,
            "trust": trust,
            "name": values["name"],
            "data": dict(found.overlay.data),
            "values": values,
            "path": [os.path.abspath(entry) for entry in sys.path],
            "max_bytes": bounds.bytes,
        }
        said = _answer(found.overlay, root, request, trust, bounds)
        if "missing" in said:
            what = f"the Python package {said['missing']} is missing"
            raise MissingError(
                f"{found.overlay.where}: overlay {found.overlay.place}: {what}",
                f"Install {kind} into the environment of epforge.",
            )
        if "error" in said:
            _fail(found.overlay, said, root)
        return _result(found, root, trust, bounds)


def _write(found: Found, root: Path) -> None:
    """A copy of the template without links and without a repository."""
    for name in ("out", "home"):
        (root / name).mkdir()
    for path, item in found.files.items():
        place = root / "template" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(item.content)
        place.chmod(0o755 if item.executable else 0o644)


def _answer(
    overlay: Overlay, root: Path, request: dict[str, Any], trust: bool, bounds: Bounds
) -> dict[str, Any]:
    with open(root / "stderr", "w+b") as log:
        process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", str(_WORKER)],
            cwd=root,
            env=_environment(root, trust),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        try:
            out, _ = process.communicate(json.dumps(request).encode(), bounds.seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            what = f"the template was not done after {bounds.seconds:g} seconds"
            cure = "It may be in a loop; render it by itself to find out where."
            raise OverlayError(overlay, what, cure) from None
        except BaseException:
            _end(process)
            raise
        _end(process)
        try:
            said: dict[str, Any] = json.loads(out)
        except ValueError:
            log.seek(0)
            words = log.read(20_000).decode(errors="replace").strip().splitlines()
            last = f": {words[-1][:300]}" if words else ""
            what = f"rendering it ended with status {process.returncode}{last}"
            raise OverlayError(overlay, what) from None
        return said


def _environment(root: Path, trust: bool) -> dict[str, str]:
    """Nothing of the caller's: no secrets, no settings, no programs; with trust, its programs."""
    home = str(root / "home")
    kept = ("SYSTEMROOT", "SYSTEMDRIVE", *(("PATH", "PATHEXT", "COMSPEC") if trust else ()))
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        **dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), home),
        **({} if trust else {"PATH": home}),
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "TZ": "UTC",
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and, where the system has groups of them, what it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _fail(overlay: Overlay, said: Mapping[str, Any], root: Path) -> NoReturn:
    place = f"{said['place']}: " if said.get("place") else ""
    words = str(said["error"]).replace(f"{root}{os.sep}", "")
    words = "".join(c if printable(c) else "?" for c in words)
    raise OverlayError(overlay, f"{place}{words[:500]}", _TRUST if said.get("trust") else "")


def _result(found: Found, root: Path, trust: bool, bounds: Bounds) -> dict[str, Item]:
    """The files in the one directory that there should be now."""
    overlay, out = found.overlay, root / "out"
    made = sorted(out.iterdir())
    if len(made) > 1:
        names = ", ".join(path.name for path in made)
        raise OverlayError(overlay, f"it writes outside its directory: {names}")
    files: dict[str, Item] = {}
    size = 0
    for path in _files(overlay, made[0]) if made else ():
        name = path.relative_to(made[0]).as_posix()
        size += path.stat().st_size
        if size > bounds.bytes:
            what = f"it makes more than {bounds.bytes / 1e6:g} MB"
            raise OverlayError(overlay, what)
        files[name] = Item(path.read_bytes(), bool(path.stat().st_mode & 0o100))
    if not files:
        raise OverlayError(overlay, "it becomes no files")
    copies = {item.content for item in found.files.values()}
    for name, item in files.items():
        fault = "" if item.content in copies else _fault(item.content, root, trust)
        if fault:
            raise OverlayError(overlay, f"the template's {name} {fault}")
    return dict(sorted(files.items(), key=lambda entry: entry[0].encode()))


def _files(overlay: Overlay, directory: Path) -> Iterator[Path]:
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        if entry.is_symlink():
            raise OverlayError(overlay, f"it makes a symbolic link, {entry.name}")
        if entry.is_dir():
            yield from _files(overlay, Path(entry.path))
        elif entry.is_file():
            yield Path(entry.path)
        else:
            raise OverlayError(overlay, f"it makes {entry.name}, no file and no directory")


def _fault(content: bytes, root: Path, trust: bool) -> str:
    """What is wrong with a text that was rendered; files that were copied are as they are."""
    if str(root).encode() in content:
        return "holds the path of a temporary directory, which is another one every time"
    if trust:
        return ""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "is rendered and is not UTF-8"
    found = _CONTROLS.search(text)
    if found:
        line = text[: found.start()].count("\n") + 1
        return f"has {found[0]!a} in line {line}, a character that cannot be seen"
    if _ADDRESS.search(text):
        return "holds an address in memory, which is another one every time"
    return ""
