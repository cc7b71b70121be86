"""The platforms that libraries are built for, and who compiles for them."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

_PROCESSORS = {"amd64": "x86_64", "arm64": "aarch64"}  # by other systems' names for them


@dataclass(frozen=True)
class Platform:
    """A platform.

    Args:
        name: as blueprints spell it.
        system: as ``sys.platform`` spells it there.
        processor: "x86_64" or "aarch64".
        zig: zig's name of it; on Linux with the oldest glibc.
        gcc: the programs that may be GCC's cross compiler, the best first.
        package: what has the first of them, on Debian and Ubuntu; empty if there is none.
    """

    name: str
    system: str
    processor: str
    zig: str
    gcc: tuple[str, ...] = ()
    package: str = ""

    @property
    def native(self) -> bool:
        """Is this machine one?"""
        here = platform.machine().lower()
        return sys.platform == self.system and _PROCESSORS.get(here, here) == self.processor


PLATFORMS: Mapping[str, Platform] = {
    each.name: each
    for each in (
        Platform(
            "linux-x64",
            "linux",
            "x86_64",
            "x86_64-linux-gnu.2.28",
            ("x86_64-linux-gnu-g++",),
            "g++-x86-64-linux-gnu",
        ),
        Platform(
            "linux-arm64",
            "linux",
            "aarch64",
            "aarch64-linux-gnu.2.28",
            ("aarch64-linux-gnu-g++",),
            "g++-aarch64-linux-gnu",
        ),
        Platform(
            "windows-x64",
            "win32",
            "x86_64",
            "x86_64-windows-gnu",
            ("x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++"),
            "g++-mingw-w64-x86-64",
        ),
        Platform("macos-arm64", "darwin", "aarch64", "aarch64-macos.13.0"),
    )
}


def this_platform() -> Platform | None:
    """The one that this machine is; None if it is none of them."""
    return next((each for each in PLATFORMS.values() if each.native), None)


def find_gcc(wanted: Platform, env: Mapping[str, str] = os.environ) -> str:
    """GCC's cross compiler for a platform; empty if there is none, or none with std::mutex."""
    for name in wanted.gcc:
        program = shutil.which(name, path=env.get("PATH", os.defpath))
        if program is None:
            continue
        about = subprocess.run([program, "-v"], capture_output=True, text=True, check=False)
        if "Thread model: posix" in about.stderr:
            return program
    return ""
