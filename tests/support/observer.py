"""What a process does to files, as the kernel sees it: strace's log, cut into named stretches.

The observed process says where a stretch begins by trying to open a path that is not there, so
the log itself proves that its opens are seen.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from compilers import needed

_MARK = "/nowhere/epforge-stretch/"
#: Whatever opens, makes or changes a file, and io_uring, which could do so unseen.
_CALLS = (
    *("open", "openat", "openat2", "creat", "open_by_handle_at", "truncate", "execve", "execveat"),
    *("unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink"),
    *("symlinkat", "mkdir", "mkdirat", "mknod", "mknodat", "connect", "io_uring_setup"),
)
_QUOTED = re.compile(r'(?:<([^<>]*)>, )?"((?:[^"\\]|\\.)*)"')
_RESULT = re.compile(r"= \d+<([^<>]*)>$")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", '"': '"', "\\": "\\"}
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")

#: For the observed process.
MARKING = f"""
import os
def stretch(name):
    try:
        os.close(os.open({_MARK!r} + str(name), os.O_RDONLY))
    except FileNotFoundError:
        pass
"""


def observe(
    script: Path, log: Path, *, environment: Mapping[str, str], folder: Path, timeout: float = 300
) -> dict[str, set[str]]:
    """Runs a Python script in ``folder``; returns the paths of each stretch, made absolute: as they
    were asked for, and where the file that was opened really lies.

    Raises:
        AssertionError: the script failed.
    """
    program = needed("strace")
    trace = "trace=" + ",".join(f"?{call}" for call in _CALLS)
    command = [program, "-f", "-y", "-qq", "-e", trace, "-o", str(log), sys.executable, str(script)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder,
        env=dict(environment),
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return read(log.read_text(encoding="latin-1"), folder)


def read(log: str, folder: Path) -> dict[str, set[str]]:
    """The stretches of a log, a character per byte; the first is called "".

    ``folder`` is where relative paths begin.
    """
    stretches: dict[str, set[str]] = {"": set()}
    paths = stretches[""]
    for line in log.splitlines():
        if "io_uring_setup" in line:
            paths.add("io_uring")  # from here on not everything is seen
        for base, text in _QUOTED.findall(line):
            path = _plain(text)
            if path.startswith(_MARK):
                paths = stretches.setdefault(path.removeprefix(_MARK), set())
                continue
            paths.add(os.path.normpath(os.path.join(_plain(base) or folder, path)))
        result = _RESULT.search(line)
        if result is not None:
            paths.add(_plain(result[1]))
    return stretches


def _plain(text: str) -> str:
    """Without strace's escapes."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        return _ESCAPES.get(code) or (chr(int(code, 8)) if code[0].isdigit() else code)

    return os.fsdecode(_ESCAPE.sub(one, text).encode("latin-1"))
