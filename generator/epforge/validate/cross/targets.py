"""The platforms that libraries are built for, and how each is run here."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from epforge.compiling.platforms import PLATFORMS, Platform
from epforge.errors import UsageError
from epforge.validate.binary import host_machine
from epforge.validate.static import Place

_ELF = (
    "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libstdc++.so.6",
    "libgcc_s.so.1", "ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2",
)  # fmt: skip


@dataclass(frozen=True)
class Target(Platform):
    """A platform, and how its libraries are run here.

    Args:
        libraries: what every such system has, as a pattern of file names.
        runner: what runs its programs on Linux on x64: "wine", "qemu", or nothing.
    """

    libraries: re.Pattern[str] = re.compile("")
    runner: str = ""

    @property
    def place(self) -> Place:
        """Where its libraries are loaded."""
        return Place(self.system, self.processor, self.name, self.libraries)

    @property
    def not_run(self) -> str:
        """Why nothing of it is run here; empty if it is."""
        if self.native:
            return ""
        if not self.runner:
            return f"link-checked only: a library for {self.name} runs on such a machine alone"
        if sys.platform != "linux":
            return f"a library for {self.name} is run here by {self.runner}, on Linux alone"
        if self.runner == "wine" and host_machine() != "x86_64":
            return f"a library for {self.name} is run by wine on x64; this is {platform.machine()}"
        return ""


def _target(name: str, libraries: re.Pattern[str], runner: str = "") -> Target:
    return Target(**vars(PLATFORMS[name]), libraries=libraries, runner=runner)


def _names(*names: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, names)))


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        _target("linux-x64", _names(*_ELF)),
        _target("linux-arm64", _names(*_ELF), "qemu"),
        _target(
            "windows-x64",
            re.compile(
                r"(KERNEL32|msvcrt|ucrtbase|ADVAPI32|api-ms-win-(crt|core)-[\w-]+)\.dll",
                re.IGNORECASE,
            ),
            "wine",
        ),
        _target("macos-arm64", re.compile(r"/usr/lib/lib(System\.B|c\+\+\.1)\.dylib")),
    )
}


def find_target(name: str) -> Target:
    """The target of that name. Raises UsageError if there is none."""
    if name not in TARGETS:
        raise UsageError(f"there is no target {name!r}", f"They are: {', '.join(TARGETS)}.")
    return TARGETS[name]
