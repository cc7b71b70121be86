"""Runs a build tool: its lines one by one, a log of all, an end to what does not end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from epforge.errors import EpforgeError

_GRACE_S = 3.0


class BuildTimeoutError(EpforgeError):
    """A build tool did not end in time."""


def run(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    log: IO[str],
    on_line: Callable[[str], None],
    timeout_s: float,
) -> tuple[int, list[str]]:
    """Runs ``command``; returns its exit status and its lines (stdout and stderr in one).

    Raises BuildTimeoutError after ``timeout_s`` seconds; the tool and what it started is ended
    then, and also when this is interrupted.
    """
    log.write(f"$ {' '.join(command)}\n")
    late = threading.Event()
    process = subprocess.Popen(
        command, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
        start_new_session=True,
    )  # fmt: skip

    def give_up() -> None:
        late.set()
        _end(process)

    timer = threading.Timer(timeout_s, give_up)
    timer.start()
    lines: list[str] = []
    try:
        assert process.stdout is not None
        for raw in process.stdout:
            line = raw.rstrip("\r\n")
            lines.append(line)
            log.write(line + "\n")
            on_line(line)
        process.wait()
    finally:
        timer.cancel()
        if process.poll() is None:
            _end(process)
            process.wait()
    log.flush()
    if late.is_set():
        raise BuildTimeoutError(
            f"{Path(command[0]).name} did not end within {timeout_s:.0f} s and was stopped",
            f"The log so far: {log.name}",
        )
    return process.returncode, lines


def _end(process: subprocess.Popen[str]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    # Ninja's compilers are in process groups of their own: only Ninja can end them, so it is asked.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
