"""A command on a real pseudo-terminal: what it shows is read, what a person would type is sent."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

_ESCAPE = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78])")
_WHERE = b"\x1b[6n"  # asks where the cursor is; whoever asks waits for the answer
_LIMIT_S = 120.0
_AGAIN_S = 5.0  # until a person presses a key again

ENTER, DOWN, INTERRUPT, END = "\r", "\x1b[B", "\x03", "\x04"
ERASE = "\x15"  # what is on the line


class Terminal:
    """A running command.

    Args:
        handle: the side of the terminal that a person has.
        process: the command.
    """

    def __init__(self, handle: int, process: subprocess.Popen[bytes]) -> None:
        self._handle = handle
        self._process = process
        self._raw = b""
        self._seen = 0
        self._end = time.monotonic() + _LIMIT_S

    @property
    def text(self) -> str:
        """All that was shown, without what moves the cursor and colours."""
        return _ESCAPE.sub("", self._raw.decode(errors="replace")).replace("\r", "")

    def expect(self, wanted: str) -> None:
        """Reads on until this is shown, after what was expected before."""
        while wanted not in self.text[self._seen :]:
            if not self._read():
                raise AssertionError(f"{wanted!r} never comes; there is:\n{self.text}")
        self._seen = self.text.index(wanted, self._seen) + len(wanted)

    def send(self, keys: str) -> None:
        """Types."""
        os.write(self._handle, keys.encode())

    def answer(self, question: str, keys: str) -> None:
        """Waits for a question, and types."""
        self.expect(question)
        self.send(keys)

    def end(self) -> int:
        """Reads to the end, and returns the exit status."""
        while self._read():
            pass
        return self._process.wait(_LIMIT_S)

    def interrupt(self) -> int:
        """Presses Ctrl-C, again where nothing comes of it, and returns the exit status.

        Python takes no notice of one between its prompt and its reading of the line.
        """
        self.send(INTERRUPT)
        going_on = True
        while going_on:
            if (
                time.monotonic() < self._end
                and not select.select([self._handle], [], [], _AGAIN_S)[0]
            ):
                self.send(INTERRUPT)
            else:
                going_on = self._read()
        return self._process.wait(_LIMIT_S)

    def _read(self) -> bool:
        """Reads some more; False at the end."""
        left = self._end - time.monotonic()
        if left <= 0 or not select.select([self._handle], [], [], left)[0]:
            raise AssertionError(f"it waits for something; there is:\n{self.text}")
        try:
            got = os.read(self._handle, 1 << 16)
        except OSError:  # how Linux says that nobody has the other side any more
            return False
        self._raw += got
        for _ in range(got.count(_WHERE)):
            os.write(self._handle, b"\x1b[1;1R")
        return bool(got)


@contextlib.contextmanager
def terminal(
    command: Sequence[str | Path], environment: Mapping[str, str], folder: Path
) -> Iterator[Terminal]:
    """Runs a command on a terminal of 100 columns; at the end it is gone."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))

    def adopt() -> None:  # Ctrl-C reaches what has the terminal as its own
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        # A shell has what it runs in the background ignore it, and that is handed down.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    process = subprocess.Popen(
        list(map(str, command)),
        stdin=its,
        stdout=its,
        stderr=its,
        env={**environment, "TERM": "xterm-256color"},
        cwd=folder,
        preexec_fn=adopt,
    )
    os.close(its)
    try:
        yield Terminal(mine, process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        os.close(mine)
