"""What the system's loader finds for a library: by its own rules, without loading anything."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from epforge.validate.process import Limits, run_worker

_CACHED = re.compile(r"^\s*(\S+) \(([^)]*)\) => (\S+)$")
_WORDS = {"x86_64": "x86-64", "aarch64": "AArch64"}  # of machines, in the loader's cache
_NUMBERS = {"x86_64": 62, "aarch64": 183}  # e_machine
_SYSTEM = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")
_OF_WINDOWS = ("api-ms-", "ext-ms-")
_OF_MACOS = ("/usr/lib/", "/System/")
_LDCONFIG_S = 20
_LIMITS = Limits(stall_s=60.0)


@dataclass(frozen=True)
class Places:
    """Where the loader looks.

    Args:
        machine: the processor, as `Binary.machine` spells it.
        before: the directories of LD_LIBRARY_PATH.
        cached: the file of each name in the loader's cache.
        after: the system's own directories.
    """

    machine: str = ""
    before: tuple[str, ...] = ()
    cached: Mapping[str, str] = field(default_factory=dict)
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Need:
    """A library that another one needs.

    Args:
        by: the file that needs it.
        path: where the loader finds it; empty where it does not.
    """

    name: str
    by: str
    path: str


@dataclass(frozen=True)
class Lacking:
    """A version of symbols that a library needs, and that the one found here does not have.

    Args:
        version: "GLIBCXX_3.4.32".
        file: the library that should have it.
        by: the file that needs it.
        newest: the newest version of that set that is there; empty if there is none.
    """

    version: str
    file: str
    by: str
    newest: str


@dataclass(frozen=True)
class Needs:
    """What a library needs, all that it needs included.

    Args:
        opened: the loader's own words when it was loaded in a process of its own; empty if it
            was, None if it was not tried.
        ended: how that process ended, if not well.
    """

    needs: tuple[Need, ...] = ()
    lacking: tuple[Lacking, ...] = ()
    opened: str | None = None
    ended: str = ""

    @property
    def missing(self) -> tuple[Need, ...]:
        return tuple(need for need in self.needs if not need.path)


def needs_of(library: Path, *, load: bool = True) -> Needs:
    """What a library for this machine needs. It is read, and loaded, in processes of their own.

    Args:
        load: also load it.
    """
    read = run_worker({"job": "needs", "library": str(library)}, _LIMITS)
    needs = tuple(Need(str(n["name"]), str(n["by"]), str(n["path"])) for n in read.named("need"))
    lacking = tuple(
        Lacking(str(v["version"]), str(v["file"]), str(v["by"]), str(v["newest"]))
        for v in read.named("lacking")
    )
    if not load:
        return Needs(needs, lacking)
    run = run_worker({"job": "dlopen", "library": str(library)}, _LIMITS)
    said = run.named("dlopen")
    return Needs(needs, lacking, str(said[0]["text"]) if said else None, run.ended)


def here(machine: str) -> Places:
    """Where this machine's loader looks."""
    if sys.platform == "win32":
        root = os.environ.get("SYSTEMROOT", r"C:\Windows")
        path = os.environ.get("PATH", "").split(os.pathsep)
        return Places(machine, (), {}, (f"{root}\\System32", root, *filter(None, path)))
    variable = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
    before = tuple(filter(None, os.environ.get(variable, "").replace(";", ":").split(":")))
    if sys.platform == "darwin":
        return Places(machine, before, {}, ("/usr/local/lib", "/usr/lib"))
    own = [f"{root}/{machine}-linux-gnu" for root in ("/lib", "/usr/lib")]
    return Places(machine, before, cached(_ldconfig(), machine), (*own, *_SYSTEM))


def _ldconfig() -> str:
    """The loader's cache as text; empty where there is none."""
    path = f"{os.environ.get('PATH', os.defpath)}:/sbin:/usr/sbin"
    program = shutil.which("ldconfig", path=path)
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "-p"], capture_output=True, text=True, errors="replace", timeout=_LDCONFIG_S,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def cached(text: str, machine: str) -> dict[str, str]:
    """The files of the loader's cache for a processor, by name; of several the first."""
    found: dict[str, str] = {}
    word = _WORDS.get(machine, machine)
    for line in text.splitlines():
        match = _CACHED.match(line)
        if match and word in match[2]:
            found.setdefault(match[1], match[3])
    return found


def resolve(name: str, by: Path, search: Sequence[str], places: Places) -> str:
    """Where the loader finds a library; empty where it does not.

    Args:
        name: as it is asked for.
        by: the file that needs it.
        search: the directories that this file says.
    """
    if sys.platform == "darwin" and name.startswith(_OF_MACOS):
        return name  # they are in no file
    if sys.platform == "win32" and name.lower().startswith(_OF_WINDOWS):
        return name
    for candidate in _candidates(name, by, search, places):
        if os.path.isfile(candidate) and _suits(candidate, places.machine):
            return candidate
    return ""


def _candidates(name: str, by: Path, search: Sequence[str], places: Places) -> Iterator[str]:
    origin = str(by.parent)
    own = [_expanded(each, origin) for each in search]
    if sys.platform == "darwin" and name.startswith("@"):
        prefix, _, rest = name.partition("/")
        folders = own if prefix == "@rpath" else [origin]
        yield from (os.path.join(folder, rest) for folder in folders)
        return
    if "/" in name:
        yield name
        return
    if sys.platform == "win32":
        own = [origin]
    yield from (os.path.join(folder, name) for folder in (*own, *places.before))
    if name in places.cached:
        yield places.cached[name]
    yield from (os.path.join(folder, name) for folder in places.after)


def _expanded(folder: str, origin: str) -> str:
    for word in ("${ORIGIN}", "$ORIGIN", "@loader_path"):
        folder = folder.replace(word, origin)
    return folder


def _suits(path: str, machine: str) -> bool:
    """Is a file for a processor? The loader passes over others. Yes where that cannot be told."""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return False
    number = _NUMBERS.get(machine)
    if head[:4] != b"\x7fELF" or len(head) < 20 or number is None:
        return head[:4] != b"\x7fELF" or number is None
    order: Literal["little", "big"] = "little" if head[5] == 1 else "big"
    return int.from_bytes(head[18:20], order) == number


def elsewhere(name: str, roots: Sequence[str]) -> str:
    """A directory that has a library where the loader does not look; empty if none has.

    Args:
        roots: directories of Python packages.
    """
    if "/" in name or "*" in name:
        return ""
    patterns = ("*.libs", "*/lib", "nvidia/*/lib", "*", "*/libs", "*/capi")
    for root in map(Path, roots):
        for pattern in patterns:
            for found in root.glob(f"{pattern}/{name}"):
                return str(found.parent)
    for base in (Path("/opt"), Path("/usr/local")):
        for pattern in ("*/lib", "*/lib64", "*/*/lib", "*/*/lib64"):
            for found in base.glob(f"{pattern}/{name}"):
                return str(found.parent)
    return ""
