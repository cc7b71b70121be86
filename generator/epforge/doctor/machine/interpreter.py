"""The Python that runs epforge: its version, and what it installs packages with."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass

from epforge.doctor.model import Finding, command, error, missing, ok, warning

OLDEST, NEWEST = (3, 11), (3, 13)


@dataclass(frozen=True)
class Interpreter:
    """A Python.

    Args:
        version: its first two numbers.
        text: its version in full.
        implementation: "CPython", ...
        bits: of a pointer.
        free_threaded: built without the global lock.
        executable: its program.
        environment: it is a virtual environment.
        managed: the system's package manager owns its packages (PEP 668).
        pip: the module is there.
        ensurepip: the module is there, so that environments can be made.
        system: as `sys.platform` spells it.
    """

    version: tuple[int, int]
    text: str
    implementation: str = "CPython"
    bits: int = 64
    free_threaded: bool = False
    executable: str = "python"
    environment: bool = True
    managed: bool = False
    pip: bool = True
    ensurepip: bool = True
    system: str = "linux"


def gather() -> Interpreter:
    """This process's Python."""
    stdlib = sysconfig.get_path("stdlib")
    environment = sys.prefix != sys.base_prefix
    return Interpreter(
        version=sys.version_info[:2],
        text=platform.python_version(),
        implementation=platform.python_implementation(),
        bits=64 if sys.maxsize > 1 << 32 else 32,
        free_threaded=bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        executable=sys.executable,
        environment=environment,
        managed=not environment and os.path.exists(f"{stdlib}/EXTERNALLY-MANAGED"),
        pip=importlib.util.find_spec("pip") is not None,
        ensurepip=importlib.util.find_spec("ensurepip") is not None,
        system=sys.platform,
    )


def judge(found: Interpreter) -> Iterator[Finding]:
    """What is wrong with a Python."""
    yield _version(found)
    if found.bits < 64 or found.implementation != "CPython" or found.free_threaded:
        what = f"{found.bits}-bit {found.implementation}"
        what += " without the global lock" if found.free_threaded else ""
        yield error(
            "python-kind",
            f"this Python is {what}",
            "onnxruntime has wheels for 64-bit CPython with the lock alone.",
            _another(found),
        )
    if found.managed:
        yield warning(
            "python-managed",
            f"{found.executable} belongs to the system",
            "pip installs nothing into it; what epforge asks for would fail.",
            f"{command(found.executable, '-m', 'venv', '.venv')} && .venv/bin/pip install epforge",
        )
    yield from _installers(found)


def _version(found: Interpreter) -> Finding:
    oldest, newest = (".".join(map(str, each)) for each in (OLDEST, NEWEST))
    what = f"Python {found.text}, {found.executable}"
    if found.version < OLDEST:
        why = f"epforge runs on {oldest} to {newest}."
        return error("python", what, why, _another(found))
    if found.version > NEWEST:
        why = f"epforge is tested on {oldest} to {newest}; newer ones may lack wheels."
        return warning("python", what, why, _another(found))
    return ok("python", what)


def _another(found: Interpreter) -> str:
    version = ".".join(map(str, NEWEST))
    program = f"py -{version}" if found.system == "win32" else f"python{version}"
    place = ".venv\\Scripts\\pip" if found.system == "win32" else ".venv/bin/pip"
    return f"{program} -m venv .venv && {place} install epforge"


def _installers(found: Interpreter) -> Iterator[Finding]:
    lost = "other releases of onnxruntime, what wheels need"
    if not found.ensurepip:
        version = ".".join(map(str, found.version))
        cure = f"apt install python{version}-venv" if found.system == "linux" else ""
        yield missing(
            "venv",
            "this Python makes no environments: it has no ensurepip",
            f"epforge makes one in its cache for {lost.rpartition(', ')[2]}.",
            cure or _another(found),
        )
    if found.pip:
        yield ok("pip", "pip is there, for what epforge fetches")
        return
    cure = command(found.executable, "-m", "ensurepip", "--upgrade")
    if not found.ensurepip:
        cure = f"uv pip install --python {command(found.executable)} pip"
    yield missing("pip", "this Python has no pip", f"epforge fetches with it: {lost}.", cure)
