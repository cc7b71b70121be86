"""Platforms as other tools write them."""

from __future__ import annotations

import re

from epforge.blueprint.words import TARGETS

_SYSTEMS = {
    **dict.fromkeys(("linux", "manylinux", "ubuntu", "debian"), "linux"),
    **dict.fromkeys(("windows", "win", "win32", "win64", "msvc", "mingw"), "windows"),
    **dict.fromkeys(("macos", "macosx", "mac", "darwin", "osx", "apple"), "macos"),
}
_MACHINES = {
    **dict.fromkeys(("x64", "x8664", "amd64", "intel64"), "x64"),
    **dict.fromkeys(("arm64", "aarch64", "arm64v8", "armv8"), "arm64"),
}
# Machines that there is no platform for: what is written is not nearly another one.
_OTHERS = re.compile(
    r"x86|x32|i[3-6]86|ia32|arm|armv[67]\w*|arm(?:hf|el|eb)|arm64ec|riscv\w*|ppc\w*|s390x?"
    r"|mips\w*|loong\w*|wasm\w*|android|ios|freebsd|universal2?|musl|musllinux"
)


def platform(text: str) -> tuple[str | None, bool]:
    """The target that a text names, and whether it is one for sure, or for sure none.

    A system alone is a target where there is one target of it.
    """
    plain = re.sub(r"x86[-_]?64", "x8664", text.casefold())
    parts = [part for part in re.split(r"[^a-z0-9]+", plain) if part]
    if any(_OTHERS.fullmatch(part) for part in parts):
        return None, True
    systems = {_SYSTEMS[part] for part in parts if part in _SYSTEMS}
    if "win64" in parts:
        parts.append("x64")
    machines = {_MACHINES[part] for part in parts if part in _MACHINES}
    if len(systems) != 1 or len(machines) > 1:
        return None, len(systems) > 1 or len(machines) > 1
    system = systems.pop()
    targets = [target for target in TARGETS if target.startswith(f"{system}-")]
    if machines:
        target = f"{system}-{machines.pop()}"
        return (target if target in targets else None), True
    known = all(part in _SYSTEMS or part.isdigit() for part in parts)
    return (targets[0], True) if len(targets) == 1 and known else (None, known)
