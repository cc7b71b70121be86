"""Calls of clang-format, side by side, while more files for them are made."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import MissingError
from epforge.render.errors import RenderError

_CHARACTERS = 100_000  # in one call: some 50 ms, ten times what a start takes


@dataclass(frozen=True)
class _Call:
    process: subprocess.Popen[bytes]
    errors: Path


class Batches:
    """Formats files in several calls, no more at a time than there are cores.

    Args:
        style: the content of ``.clang-format``.
    """

    def __init__(self, style: str) -> None:
        self._style = style
        self._place: tempfile.TemporaryDirectory[str] | None = None
        self._waiting: dict[str, str] = {}
        self._characters = 0
        self._paths: list[str] = []
        self._calls: deque[_Call] = deque()
        self._started = 0

    def add(self, path: str, text: str) -> None:
        """Takes a file; may start a call.

        Raises:
            MissingError: clang-format is not installed.
            RenderError: clang-format refused an earlier file.
        """
        self._waiting[path] = text
        self._characters += len(text)
        if self._characters >= _CHARACTERS:
            while self._calls and self._calls[0].process.poll() is not None:
                self._end_first()
            if len(self._calls) < _cores():
                self._start()

    def finish(self) -> dict[str, str]:
        """The formatted texts by path, of all files that were added.

        Raises:
            MissingError: clang-format is not installed.
            RenderError: clang-format refused a file.
        """
        while self._waiting or self._calls:
            if self._waiting and len(self._calls) < _cores():
                self._start()
            else:
                self._end_first()
        root = self._root() / "files" if self._paths else Path()
        return {path: (root / path).read_bytes().decode() for path in self._paths}

    def close(self) -> None:
        """Ends what still runs, and removes what was written."""
        for call in self._calls:
            call.process.kill()
            call.process.wait()
        if self._place is not None:
            self._place.cleanup()

    def _root(self) -> Path:
        if self._place is None:
            self._place = tempfile.TemporaryDirectory(prefix="epforge-format-")
            style = Path(self._place.name, ".clang-format")
            style.write_text(self._style, encoding="utf-8", newline="\n")
        return Path(self._place.name)

    def _start(self) -> None:
        """Starts a call for the files that have waited longest."""
        root, number = self._root(), self._started
        paths, characters = [], 0
        for path in list(self._waiting):
            text = self._waiting.pop(path)
            target = root / "files" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
            paths.append(path)
            characters += len(text)
            if characters >= _CHARACTERS:
                break
        self._characters -= characters
        self._paths += paths
        # The list goes through a file: a command line has a limit, 8 kB on Windows.
        names, errors = root / f"names-{number}", root / f"errors-{number}"
        names.write_text("\n".join(paths), encoding="utf-8", newline="\n")
        with errors.open("wb") as stream:
            process = subprocess.Popen(
                [
                    *(_binary(), "-i", "--style=file", "--fallback-style=none"),
                    f"--files=../{names.name}",
                ],
                cwd=root / "files",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stream,
            )
        self._calls.append(_Call(process, errors))
        self._started += 1

    def _end_first(self) -> None:
        call = self._calls[0]
        status = call.process.wait()
        self._calls.popleft()
        if status:
            words = call.errors.read_text(encoding="utf-8", errors="replace").strip()
            raise RenderError(f"clang-format: {words or status}")


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _binary() -> Path:
    spec = importlib.util.find_spec("clang_format")
    suffix = ".exe" if sys.platform == "win32" else ""
    if spec is not None and spec.origin is not None:
        binary = Path(spec.origin).parent / "data" / "bin" / f"clang-format{suffix}"
        if binary.is_file():
            return binary
    raise MissingError(
        "the package clang-format holds no binary for this machine",
        "Install it again: pip install --force-reinstall clang-format",
    )
