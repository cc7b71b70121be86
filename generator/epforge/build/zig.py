"""zig from PyPI as the C++ compiler of a machine that has none.

zig is a C++ compiler with its own C++ library, and with the C library of any Linux. It is in one
package, needs nothing of the system, and no root.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from epforge.build.environments import NotInstalledError, environment
from epforge.build.process import run
from epforge.cache import cache_dir, writable
from epforge.compiling.platforms import this_platform
from epforge.compiling.zig import PROGRAM, find_zig, variables
from epforge.errors import MissingError
from epforge.workspace.exclusive import exclusive

REQUIREMENT = "ziglang>=0.17.1,<0.18"
_TIMEOUT_S = 1800.0  # to fetch 100 MB, and to compile the C++ library
_CHECK = "#include <string>\nstd::string Text() { return {}; }\n"
# zig links nothing that ends a library's static objects when it is unloaded. Without it they are
# ended when the process exits: by code that is gone by then.
_UNLOAD = """\
extern "C" {
extern void* __dso_handle;
void __cxa_finalize(void* library);
}
__attribute__((destructor)) static void EndStaticObjects() { __cxa_finalize(&__dso_handle); }
"""
# All links ask for one level of optimization: for another one, zig would compile its C++ library
# once more. zig adds checks of undefined behaviour to code that is not optimized; here it does what
# other compilers do.
_COMPILER = """\
#!/bin/sh
# {what}
own={cache}
export ZIG_GLOBAL_CACHE_DIR="${{ZIG_GLOBAL_CACHE_DIR:-$own}}"
links=yes level=-O2 shared=
for word; do
  case $word in
    -c | -E | -S | -M | -MM | -fsyntax-only | --version | -dump* | -print*) links= ;;
    -O*) level= ;;
    -shared) shared=yes ;;
  esac
done
if [ "$links" ]; then
  set -- "$@" $level
  [ -z "$shared" ] || set -- "$@" {unload}
fi
exec {zig} c++ -target {target} -fno-sanitize=undefined "$@"
"""
_TOOL = """\
#!/bin/sh
exec {zig} {tool} "$@"
"""
_TOOLS = ("ar", "ranlib")  # CMake takes those that lie beside the compiler

Report = Callable[[str], None]


def why_not() -> str:
    """Why zig cannot be this machine's compiler; empty where it can."""
    if not sys.platform.startswith("linux"):
        return "zig stands in for a compiler on Linux alone"
    if platform.libc_ver()[0] != "glibc":
        return "zig stands in for a compiler on systems with glibc alone"
    if this_platform() is None:
        return f"zig does not stand in for a compiler on {platform.machine()}"
    return ""


def get_zig(env: Mapping[str, str] = os.environ, progress: Report = lambda _: None) -> str:
    """zig as `find_zig` finds it; else from PyPI, installed once into epforge's cache.

    Raises MissingError where it cannot be had.
    """
    return find_zig(env) or _installed(progress)


def zig_compiler(env: Mapping[str, str] = os.environ, progress: Report = lambda _: None) -> Path:
    """zig as one program that takes what g++ takes, and builds for this machine and glibc 2.28.

    It lies in the cache with what it needs. The first time, zig is fetched where it is not there,
    and compiles its C++ library, which takes a minute or two.

    Args:
        env: where ``PATH`` comes from.
        progress: gets a line per step that takes time.

    Raises MissingError where zig cannot be had, or makes no library.
    """
    here = this_platform()
    if here is None:
        raise MissingError(why_not(), "Install a C++ compiler.")
    zig = get_zig(env, progress)
    stat = os.stat(zig)
    what = f"{zig} ({stat.st_size} bytes, {stat.st_mtime_ns}) as a C++ compiler; made by epforge."
    facts = "\0".join((what, _COMPILER, _UNLOAD, _CHECK, here.zig, str(cache_dir("zig"))))
    place = cache_dir("zig", hashlib.sha256(facts.encode()).hexdigest()[:20])
    compiler = place / "zig-c++"
    if not compiler.is_file():
        with exclusive(writable(place), _TIMEOUT_S, progress):
            if not compiler.is_file():
                progress("zig compiles its C++ library; this takes a minute or two, once")
                _make(place, compiler, zig, what, here.zig)
    writable(Path(variables()["ZIG_GLOBAL_CACHE_DIR"]))  # zig cannot work without
    return compiler


def archivers(zig: str, env: Mapping[str, str] = os.environ) -> Mapping[str, Path]:
    """zig's tools for archives by CMake's names for them, where the system has none: CMake makes an
    archive to try a compiler. They are kept in the cache.

    Args:
        zig: the program.
        env: where ``PATH`` comes from.

    Raises MissingError where the cache cannot be written to.
    """
    path = env.get("PATH", os.defpath)
    if os.name != "posix" or all(shutil.which(tool, path=path) for tool in _TOOLS):
        return {}
    place = writable(cache_dir("zig", f"tools-{hashlib.sha256(zig.encode()).hexdigest()[:20]}"))
    for tool in _TOOLS:
        if not (place / tool).is_file():
            with tempfile.TemporaryDirectory(prefix=".make-", dir=place) as folder:
                os.replace(_tool(Path(folder), tool, zig), place / tool)
    return {f"CMAKE_{tool.upper()}": place / tool for tool in _TOOLS}


def _make(place: Path, compiler: Path, zig: str, what: str, target: str) -> None:
    unload = place / "unload.o"
    text = _COMPILER.format(
        what=what,
        cache=shlex.quote(str(cache_dir("zig", "cache"))),
        unload=shlex.quote(str(unload)),
        zig=shlex.quote(zig),
        target=target,
    )
    for tool in _TOOLS:
        _tool(place, tool, zig)
    with tempfile.TemporaryDirectory(prefix=".make-", dir=place) as name:
        folder = Path(name)
        made = _program(folder / compiler.name, text)
        for source, content in (("unload.cc", _UNLOAD), ("check.cc", _CHECK)):
            (folder / source).write_text(content, encoding="utf-8")
        common = ["-fPIC", "-fvisibility=hidden", "-O2"]
        with (place / "log").open("w", encoding="utf-8") as log:
            for words in (
                [*common, "-c", "unload.cc", "-o", str(unload)],
                [*common, "-shared", "check.cc", "-o", "check.so"],
            ):
                command = [str(made), *words]
                status, lines = run(command, folder, os.environ, log, lambda _: None, _TIMEOUT_S)
                if status:
                    said = [line for line in lines if "error" in line] or lines[-1:] or ["nothing"]
                    raise MissingError(
                        f"{zig} cannot make a library; it says: {said[0]}",
                        f"Install g++ in its place. The whole log: {log.name}",
                    )
        os.replace(made, compiler)


def _tool(place: Path, tool: str, zig: str) -> Path:
    return _program(place / tool, _TOOL.format(zig=shlex.quote(zig), tool=tool))


def _program(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="\n")
    path.chmod(0o755)
    return path


def _installed(progress: Report) -> str:
    root = writable(cache_dir("zig"))
    with (root / "install.log").open("a", encoding="utf-8") as log:
        try:
            python = environment(
                "zig",
                [REQUIREMENT],
                REQUIREMENT.encode(),
                log=log,
                announce=lambda: progress("installing zig from PyPI into the cache (100 MB)"),
                progress=progress,
                timeout_s=_TIMEOUT_S,
            )
        except NotInstalledError as error:
            raise MissingError(
                f"ziglang cannot be installed: {error.message}",
                f"Check the connection. The whole log: {log.name}",
            ) from error
    folder = python.parents[1]
    found = next(folder.glob(f"[lL]ib*/**/site-packages/ziglang/{PROGRAM}"), None)
    if found is None:
        raise MissingError(f"ziglang in {folder} has no {PROGRAM}", f"Delete {folder.parent}.")
    return str(found)
