"""The tests of the simulated device, compiled without the rest of their project."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from projects import expanded

_STRICT = "-std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -pthread"
_DEVICE = ("src/device/host_queue.cc", "src/gen/api/status.cc")
_FOLDERS = ("src/device/", "src/gen/api/", "src/abi/export.h", "tests/cpp/")
_RUNTIME = "src/device/host_runtime.cc"
_HOOKS = "tests/cpp/test_hooks.cc"

#: The programs; those on the device of the test variant begin with `hooked_`.
PROGRAMS = (
    "device_test",
    "device_errors_test",
    "hooked_device_test",
    "hooked_device_errors_test",
    "hooked_hooks_test",
)


class DevicePrograms:
    """Where the programs are compiled.

    Args:
        root: an empty folder.
        text: a blueprint with streams and runtime host.
        compiler: the C++ compiler's command.
        flags: further options.
    """

    def __init__(self, root: Path, text: str, compiler: str = "g++", flags: str = "-O1") -> None:
        self._root = root
        self._command = [compiler, *_STRICT.split(), *flags.split()]
        self.sources = {
            file.path: file.content.decode()
            for file in expanded(text).files
            if file.path.startswith(_FOLDERS)
        }
        self._objects: dict[str, Path] = {}

    def run(
        self, program: str, changes: Mapping[str, str] | None = None, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Builds a program, with some files changed (warnings do not matter there), and runs it.

        Raises:
            subprocess.TimeoutExpired: it has not ended in time.
        """
        changes = changes or {}
        hooked = program.startswith("hooked_")
        main = f"tests/cpp/{program.removeprefix('hooked_')}.cc"
        objects = [self._object(path, changes) for path in (main, *_DEVICE)]
        objects += [self._object(_RUNTIME, changes, "-DEP_TEST_HOOKS" if hooked else "")]
        objects += [self._object(_HOOKS, changes)] if hooked else []
        binary = self._root / program
        self._compile(*map(str, objects), "-o", str(binary))
        return subprocess.run(
            [binary],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"},
        )

    def compile(self, path: str) -> None:
        """Compiles one file.

        Raises:
            AssertionError: the compiler has something to say.
        """
        self._object(path, {})

    def _object(self, path: str, changes: Mapping[str, str], flag: str = "") -> Path:
        if path not in changes and path + flag in self._objects:
            return self._objects[path + flag]
        root = self._root / ("changed" if path in changes else "sources")
        for name, content in {**self.sources, **changes}.items():
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8")
        made = root / f"{Path(path).stem}{flag}.o"
        includes = [f"-I{root / 'src'}", f"-I{root / 'tests/cpp'}"]
        options = [flag] if flag else []
        options += ["-w"] if path in changes else []
        self._compile("-c", str(root / path), *includes, *options, "-o", str(made))
        if path not in changes:
            self._objects[path + flag] = made
        return made

    def _compile(self, *arguments: str) -> None:
        done = subprocess.run(
            [*self._command, *arguments], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[-4000:]
