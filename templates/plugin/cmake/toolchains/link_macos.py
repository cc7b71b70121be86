<%= banner %>
"""Links a library for macOS on another system: zig's objects, with LLVM's linker.

    python3 link_macos.py ZIG -o FILE -install_name NAME [-Wl,OPTION...] OBJECT...

zig brings Apple's list of what libSystem has, and a C++ library. Its own linker accepts a list of
exported symbols, and ignores it. LLVM's ld64.lld, from release 16, honours it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = "aarch64-macos.13.0"
FLOOR = "13.0"
LINKERS = [*(f"ld64.lld-{release}" for release in range(30, 15, -1)), "ld64.lld"]
# What LLVM's linker knows; it stops at the others that Apple's list has.
KNOWN = {"x86_64-macos", "arm64-macos", "arm64e-macos"}
TARGETS = re.compile(r"(targets: *)\[([^]]*)\]")


def main() -> int:
    """Links as the command line says. Returns the exit status."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("zig")
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("-install_name", required=True)
    options, rest = parser.parse_known_args()
    linker = next((found for name in LINKERS if (found := shutil.which(name))), None)
    if linker is None:
        print("error: ld64.lld of LLVM 16 or newer is not on the PATH (apt install lld)")
        return 1
    with tempfile.TemporaryDirectory(prefix="link-macos-") as folder:
        system = Path(folder, "libSystem.tbd")
        system.write_text(known_targets(apple_list(options.zig)), encoding="utf-8")
        command = [
            *(linker, "-dylib", "-arch", "arm64", "-platform_version", "macos", FLOOR, FLOOR),
            *("-install_name", options.install_name, "-headerpad_max_install_names"),
            *("-dead_strip", "-adhoc_codesign", *for_the_linker(rest)),
            *(*cxx_libraries(options.zig, Path(folder)), str(system), "-o", options.output),
        ]
        return subprocess.run(command, check=False).returncode


def for_the_linker(arguments: list[str]) -> list[str]:
    """The objects and libraries, and what the compiler would hand on; not its own options."""
    words: list[str] = []
    following = iter(arguments)
    for word in following:
        if word.startswith("-Wl,"):
            words += word.removeprefix("-Wl,").split(",")
        elif word == "-Xlinker":
            words.append(next(following))
        elif not word.startswith("-"):
            words.append(word)
    return words


def apple_list(zig: str) -> str:
    """What libSystem has, as zig brings it."""
    about = run(zig, "env")
    match = re.search(r'"?\.?lib_dir"?\s*[:=]\s*("(?:[^"\\]|\\.)*")', about)
    if match is None:
        sys.exit(f"error: {zig} env does not say where its files are")
    path = Path(json.loads(match[1]), "libc/darwin/libSystem.tbd")
    return path.read_text(encoding="utf-8")


def known_targets(text: str) -> str:
    """The list without the targets that LLVM's linker does not know."""

    def keep(match: re.Match[str]) -> str:
        names = [name.strip() for name in match[2].split(",")]
        kept = [name for name in names if name in KNOWN]
        if "arm64e-macos" in kept and "arm64-macos" not in kept:
            kept.append("arm64-macos")
        return f"{match[1]}[ {', '.join(kept or ['x86_64-macos'])} ]"

    return TARGETS.sub(keep, text)


def cxx_libraries(zig: str, folder: Path) -> list[str]:
    """zig's C++ library and what it needs, built if they are not there yet."""
    source = folder / "empty.cc"
    source.write_text("#include <string>\nstd::string text() { return {}; }\n", encoding="utf-8")
    said = run(
        *(zig, "c++", "-target", TARGET, "-shared", "-O2", "-v", str(source)),
        *("-o", str(folder / "empty.dylib")),
    )
    wanted = ("libc++.a", "libc++abi.a", "libcompiler_rt.a")
    found = [word for word in said.split() if word.endswith(wanted)]
    missing = [name for name in wanted if not any(word.endswith(f"/{name}") for word in found)]
    if missing:
        sys.exit(f"error: zig does not say where {', '.join(missing)} is")
    return list(dict.fromkeys(found))


def run(*command: str) -> str:
    """What a program writes. Ends this one when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
