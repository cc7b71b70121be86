"""The releases of onnxruntime that the package index has for this Python."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from epforge.cache import cache_dir
from epforge.network import pip_environment
from epforge.validate.manifest import version_tuple

_PIP_S = 120
_AVAILABLE = re.compile(r"^Available versions: (.*)$", re.MULTILINE)
_RELEASE = re.compile(r"\d+\.\d+\.\d+")
_FOREIGN = (1, 23)  # the oldest minor release that a library without a manifest is tried on


@dataclass(frozen=True)
class Releases:
    """Which there are.

    Args:
        versions: newest last.
        lacking: why only those that are on this machine are known; empty if all are.
    """

    versions: tuple[str, ...]
    lacking: str = ""


@dataclass(frozen=True)
class Choice:
    """Which a library is run on.

    Args:
        too_old: the newest of those that must refuse it; empty if there is none.
        supported: those it has to work on, oldest first.
    """

    too_old: str
    supported: tuple[str, ...]


def find_releases() -> Releases:
    """What pip lists; what is in the cache, where pip cannot list anything."""
    text, why = _listed()
    found = _AVAILABLE.search(text)
    if found:
        return Releases(_sorted(found[1].replace(",", " ").split()))
    return Releases(_at_hand(), why or "pip lists no release")


def choose(releases: Sequence[str], minimum: tuple[int, ...] | None) -> Choice:
    """The releases to run a library on.

    Args:
        releases: newest last.
        minimum: the oldest that it is for; None where nothing says so. Then it is run on the
            newest patch of each minor release.
    """
    if minimum is None:
        newest = {version_tuple(each)[:2]: each for each in releases}
        return Choice("", tuple(each for minor, each in newest.items() if minor >= _FOREIGN))
    old = [each for each in releases if version_tuple(each)[:2] < minimum[:2]]
    supported = tuple(each for each in releases if version_tuple(each) >= minimum)
    return Choice(old[-1] if old else "", supported)


def _listed() -> tuple[str, str]:
    """What pip says of onnxruntime, and why it says nothing."""
    command = [
        *(sys.executable, "-P", "-m", "pip", "index", "versions", "onnxruntime"),
        *("--disable-pip-version-check", "--no-input"),
    ]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_PIP_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env=pip_environment(),
        )
    except subprocess.TimeoutExpired:
        return "", f"pip did not list the releases within {_PIP_S} s"
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return done.stdout, errors[-1].removeprefix("ERROR: ") if errors else ""


def _at_hand() -> tuple[str, ...]:
    """Those that were installed into the cache before, for this Python."""
    mark = f"-cp{sys.version_info.major}{sys.version_info.minor}"
    folder = cache_dir("runtimes")
    found = folder.glob(f"*{mark}/onnxruntime/__init__.py") if folder.is_dir() else ()
    return _sorted([path.parts[-3].removesuffix(mark) for path in found])


def _sorted(versions: Sequence[str]) -> tuple[str, ...]:
    """Full releases, newest last."""
    return tuple(sorted(filter(_RELEASE.fullmatch, versions), key=version_tuple))
