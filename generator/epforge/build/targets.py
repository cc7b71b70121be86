"""Platforms other than this one: what builds for them, and what the result must be."""

from __future__ import annotations

import os
import shutil
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.build import zig
from epforge.build.diagnostics import BuildError, Diagnosis
from epforge.build.project import Project
from epforge.build.toolchain import (
    NoCompilerError,
    Toolchain,
    find_toolchain,
    from_pypi,
    system_compiler,
)
from epforge.compiling.platforms import PLATFORMS, Platform, find_gcc
from epforge.compiling.zig import variables
from epforge.errors import MissingError, UsageError


@dataclass(frozen=True)
class Target(Platform):
    """A platform, and what a build for it gives.

    Args:
        wheel_tag: the platform of a wheel with its library that nobody has repaired.
        head: what its libraries begin with.
        machine: the processor, as the file's header has it, after its offset.
    """

    wheel_tag: str = ""
    head: bytes = b""
    machine: tuple[int, bytes] = (0, b"")


def _target(name: str, wheel_tag: str, head: bytes, machine: tuple[int, bytes]) -> Target:
    return Target(**vars(PLATFORMS[name]), wheel_tag=wheel_tag, head=head, machine=machine)


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        _target("linux-x64", "linux_x86_64", b"\x7fELF", (18, b"\x3e\0")),
        _target("linux-arm64", "linux_aarch64", b"\x7fELF", (18, b"\xb7\0")),
        _target("windows-x64", "win_amd64", b"MZ", (4, b"\x64\x86")),
        _target("macos-arm64", "macosx_13_0_arm64", b"\xcf\xfa\xed\xfe", (4, b"\x0c\0\0\x01")),
    )
}


def find_target(project: Project, name: str) -> Target:
    """A target of a project. Raises UsageError if the project is not built for it."""
    listed = project.targets
    if name in listed and name in TARGETS:
        return TARGETS[name]
    cure = f"It is built for {', '.join(listed)}." if listed else "It has no targets."
    if name in TARGETS:
        cure += f" Add {name} to `targets` in the blueprint, and run: epforge regenerate"
    raise UsageError(f"{project.root} is not built for {name!r}", cure)


def is_foreign(name: str) -> bool:
    """Is it a target that this machine is none of? What is no target is this machine."""
    return name in TARGETS and not TARGETS[name].native


def wheel_tag(name: str) -> str | None:
    """The platform of a target's wheel; None where the project's script finds it out: for this
    machine, and on Linux for every Linux, whose libraries auditwheel reads."""
    found_out = not is_foreign(name) or (sys.platform == "linux" and name.startswith("linux-"))
    return None if found_out else TARGETS[name].wheel_tag


def target_toolchain(
    project: Project,
    target: Target,
    compiler: str | None = None,
    env: Mapping[str, str] = os.environ,
    progress: Callable[[str], None] = lambda _: None,
) -> Toolchain:
    """The tools that build a project for a target. Where there is no compiler, zig is fetched once.

    Args:
        compiler: "gcc" or "zig"; by default the first of the two that is there. Where this
            machine is the target itself, any C++ compiler's command, as for other builds.
        progress: gets a line per step that takes time.

    Raises MissingError that says how to get what is missing, UsageError for another compiler, or
    for device code, which is not cross-compiled.
    """
    if target.native and compiler != "zig" and not _left_to_zig(project, compiler, env):
        return find_toolchain(compiler, env, cuda=project.cuda)
    if project.cuda:
        raise UsageError(
            f"device code is not compiled for {target.name} on this machine",
            f"Build the project on such a machine, with: --target {target.name}",
        )
    if compiler not in (None, "gcc", "zig"):
        raise UsageError(
            f"--compiler {compiler}: for {target.name} it can be gcc or zig",
            "Leave it away to use the first of the two that is there.",
        )
    if compiler == "gcc" and not target.gcc:
        raise UsageError(f"GCC does not build for {target.name}", "Leave --compiler away.")
    gcc = "" if compiler == "zig" else find_gcc(target, env)
    if target.name == "macos-arm64":
        find_lld(env)
    program = "" if gcc else _get_zig(target, compiler, env, progress)
    settings = [f"-D{project.macro}_CROSS_COMPILER={'gcc' if gcc else 'zig'}"]
    if program:
        settings.append(f"-D{project.macro}_ZIG={Path(program).as_posix()}")
        settings += [f"-D{name}={tool}" for name, tool in zig.archivers(program, env).items()]
    return Toolchain(
        cmake=from_pypi("cmake"),
        ninja=from_pypi("ninja"),
        compiler=gcc or program,
        compiler_from=f"--target {target.name}",
        settings=tuple(settings),
        is_zig=bool(program),
        variables=variables() if program else {},
    )


def _left_to_zig(project: Project, compiler: str | None, env: Mapping[str, str]) -> bool:
    """Is this machine the target, and has no compiler? The project's own file of the target knows
    what zig needs, and what it does not."""
    if compiler or project.cuda or zig.why_not():
        return False
    try:
        system_compiler(None, env)
    except NoCompilerError:
        return True
    return False


def _get_zig(
    target: Target,
    compiler: str | None,
    env: Mapping[str, str],
    progress: Callable[[str], None],
) -> str:
    if compiler == "gcc":
        raise _no_compiler(target, compiler)
    try:
        return zig.get_zig(env, progress)
    except MissingError as error:
        raise _no_compiler(target, compiler, error.message) from error


def find_lld(env: Mapping[str, str] = os.environ) -> str:
    """LLVM's linker for macOS, 16 or newer. Raises MissingError if it is not there."""
    for release in range(30, 15, -1):
        program = shutil.which(f"ld64.lld-{release}", path=env.get("PATH", os.defpath))
        if program:
            return program
    raise MissingError(
        "no linker for macos-arm64: ld64.lld of LLVM 16 or newer is not on the PATH",
        "Install one: apt install lld-22 (Debian's security archive), or another release of lld.",
    )


def check_library(library: Path, target: Target, log: Path) -> None:
    """Raises BuildError unless the file is there, and for the target by its own first bytes."""
    wrong = _wrong(library, target)
    if wrong:
        raise BuildError(Diagnosis("", 0, 0, f"the build ended well but {wrong}"), "", "", log)


def _wrong(library: Path, target: Target) -> str:
    try:
        with library.open("rb") as file:
            data = file.read(4096)
    except OSError:
        return f"made no {library}"
    start = struct.unpack_from("<I", data, 0x3C)[0] if data[:2] == b"MZ" and len(data) > 64 else 0
    place = start + target.machine[0]
    machine = data[place : place + len(target.machine[1])]
    if not data.startswith(target.head) or machine != target.machine[1]:
        return f"{library} is no library for {target.name}"
    return ""


def _no_compiler(target: Target, wanted: str | None, why: str = "") -> MissingError:
    names = [*target.gcc[:1], "zig"] if wanted is None else [*target.gcc[:1]]
    if wanted == "zig" or not target.gcc:
        names = ["zig"]
    cures = [f"apt install {target.package} (Debian, Ubuntu)"] if names[0] != "zig" else []
    if "zig" in names:
        cures.append(f"{sys.executable} -m pip install ziglang")
    are = "is not there" if len(names) == 1 else "are not there"
    return MissingError(
        f"no compiler for {target.name}: {' and '.join(names)} {are}{'; ' if why else ''}{why}",
        f"Install one: {', or: '.join(cures)}",
    )
