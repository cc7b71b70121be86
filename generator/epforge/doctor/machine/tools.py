"""What builds: a C++ compiler that works, CMake and Ninja, clang-format, git."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from epforge.build.toolchain import NoCompilerError, from_pypi, system_compiler
from epforge.build.zig import REQUIREMENT, why_not
from epforge.cache import cache_dir
from epforge.compiling.zig import find_zig
from epforge.doctor.model import Finding, error, missing, note, ok, pip
from epforge.doctor.running import ask
from epforge.errors import MissingError
from epforge.network import unreachable

# What generated code asks of a compiler and its library.
_PROGRAM = """\
#include <mutex>
#include <optional>
#include <string_view>
int main() {
  std::mutex lock;
  const std::lock_guard guard(lock);
  return std::optional<std::string_view>("").value().empty() ? 0 : 1;
}
"""
_COMPILING_S = 120.0
_HAS_MERGE_TREE = (2, 38)
_INSTALL = {
    "linux": "apt install {debian}",
    "darwin": "xcode-select --install",
    "win32": "winget install {windows}",
}


@dataclass(frozen=True)
class Tool:
    """A program.

    Args:
        path: where it is; empty when it is not there.
        says: its first line about itself, or what went wrong when it was asked.
        works: it does what it is there for.
        source: how it was found: "PATH", "CXX".
    """

    path: str = ""
    says: str = ""
    works: bool = False
    source: str = ""

    @property
    def version(self) -> tuple[int, ...]:
        """The first number in what it says; empty if there is none."""
        match = re.search(r"\d+(\.\d+)+", self.says)
        return tuple(map(int, match[0].split("."))) if match else ()


@dataclass(frozen=True)
class Tools:
    """What builds.

    Args:
        compiler: works means that it makes a program of C++17; `says` of one that is not there is
            why.
        zig: what stands in for a compiler; `says` of one that is not there is why it cannot, empty
            where it would be fetched.
        offline: this machine knows no way to another one.
        system: as `sys.platform` spells it.
    """

    compiler: Tool = Tool()
    zig: Tool = Tool()
    cmake: Tool = Tool()
    ninja: Tool = Tool()
    clang_format: Tool = Tool()
    git: Tool = Tool()
    offline: bool = False
    system: str = "linux"


def gather() -> Tools:
    """This machine's tools. Nothing is fetched."""
    return Tools(
        compiler=_compiler(),
        zig=_zig(),
        cmake=_of_python("cmake"),
        ninja=_of_python("ninja"),
        clang_format=_clang_format(),
        git=_asked(shutil.which("git")),
        offline=unreachable(),
        system=sys.platform,
    )


def _compiler() -> Tool:
    try:
        command, source = system_compiler()
    except NoCompilerError as problem:
        return Tool(says=problem.message)
    except MissingError as problem:
        return Tool(says=problem.message, source="CXX")
    words = [command] if Path(command).exists() else shlex.split(command)
    about = ask([*words, "--version"]).line
    with tempfile.TemporaryDirectory(prefix="epforge-doctor-") as folder:
        (Path(folder) / "works.cc").write_text(_PROGRAM, encoding="utf-8")
        msvc = Path(words[0]).stem.lower() in ("cl", "clang-cl")
        flags = ("/nologo", "/std:c++17", "/EHsc") if msvc else ("-std=c++17",)
        tried = ask([*words, *flags, "works.cc"], cwd=Path(folder), seconds=_COMPILING_S)
    says = about if tried.fine else _error(f"{tried.errors}\n{tried.text}")
    return Tool(command, says, tried.fine, source)


def _zig() -> Tool:
    reason = why_not()
    if reason:
        return Tool(says=reason)
    try:
        made = next(cache_dir("zig").glob("*/zig-c++"), None)
    except (MissingError, OSError):
        made = None
    path = find_zig() or (str(made) if made else "")
    if not path:
        return Tool()
    answer = ask([path, "--version" if made and path == str(made) else "version"])
    return Tool(path, answer.line if "zig" in answer.line else f"zig {answer.line}", answer.fine)


def _error(text: str) -> str:
    """The first line that names an error, else the first at all."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), [*lines, "it fails"][0])[:200]


def _of_python(package: str) -> Tool:
    try:
        return _asked(str(from_pypi(package)))
    except MissingError as problem:
        return Tool(says=problem.message)


def _clang_format() -> Tool:
    spec = importlib.util.find_spec("clang_format")
    name = "clang-format.exe" if sys.platform == "win32" else "clang-format"
    for root in (spec.submodule_search_locations or []) if spec else []:
        if (Path(root) / "data/bin" / name).is_file():
            return _asked(str(Path(root) / "data/bin" / name))
    return Tool(says="clang-format is not installed in this Python")


def _asked(path: str | None) -> Tool:
    if not path:
        return Tool()
    answer = ask([path, "--version"])
    return Tool(path, answer.line, answer.fine, "PATH")


def judge(found: Tools) -> Iterator[Finding]:
    """What is wrong with the tools."""
    yield _judged_compiler(found)
    needs = {
        "cmake": (found.cmake, "Nothing is built without it."),
        "ninja": (found.ninja, "Nothing is built without it."),
        "clang-format": (found.clang_format, "No project is written without it."),
    }
    for name, (tool, why) in needs.items():
        if tool.works:
            says = tool.says if name in tool.says else f"{name} {tool.says}"
            yield ok(name, f"{says}, {tool.path}")
        else:
            what = f"{tool.path} does not run: {tool.says}" if tool.path else tool.says
            cure = pip("install", "--force-reinstall", name) if tool.path else pip("install", name)
            yield missing(name, what or f"{name} is not there", why, cure)
    yield _git(found)


def _judged_compiler(found: Tools) -> Finding:
    tool, cure = (
        found.compiler,
        install(found.system, "g++", "Microsoft.VisualStudio.2022.BuildTools"),
    )
    if tool.works:
        return ok("compiler", f"C++17: {tool.says}, {tool.path} (from {tool.source})")
    if tool.path:
        return error(
            "compiler",
            f"{tool.path} (from {tool.source}) does not compile C++17: {tool.says}",
            "Every build would end with that.",
            "unset CXX" if tool.source == "CXX" else cure,
        )
    if tool.source == "CXX":
        return error("compiler", tool.says, "Every build would end with that.", "unset CXX")
    if found.zig.works:
        return ok("compiler", f"C++17: {found.zig.says}, {found.zig.path}, for want of another")
    if found.zig.path or found.zig.says:
        why = found.zig.says if not found.zig.path else f"{found.zig.path} does not run"
        return missing("compiler", tool.says, f"Nothing is built without one; {why}.", cure)
    if found.offline:
        why = "Nothing is built without one, and zig, which would stand in, cannot be fetched."
        return missing("compiler", tool.says, why, cure)
    return note(
        "compiler",
        tool.says,
        "The first build fetches zig from PyPI, 100 MB, which stands in for one.",
        pip("install", REQUIREMENT),
    )


def _git(found: Tools) -> Finding:
    git, cure = found.git, install_git(found.system)
    if not git.works:
        return note(
            "git",
            "no git" if not git.path else f"{git.path} does not run: {git.says}",
            "Merging works without it, files that you have renamed are not followed; 'branch' and "
            "templates from repositories need it.",
            cure,
        )
    if git.version < _HAS_MERGE_TREE:
        return note(
            "git",
            f"{git.says}, {git.path}",
            "From 2.38 on epforge merges with it as a whole, and follows renamed files.",
            cure,
        )
    return ok("git", f"{git.says}, {git.path}")


def install_git(system: str) -> str:
    """The command that installs git; `system` as `sys.platform` spells it."""
    return install(system, "git", "Git.Git")


def install(system: str, debian: str, windows: str) -> str:
    """The command that installs a program for all users of a machine.

    Args:
        system: as `sys.platform` spells it.
        debian: the package of Debian and Ubuntu.
        windows: the package of winget.
    """
    template = _INSTALL.get(system, _INSTALL["linux"])
    return template.format(debian=debian, windows=windows)
