"""C++ that epforge compiles for itself on this machine, to be kept in its cache."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from epforge.compiling import zig
from epforge.errors import EpforgeError

_MOST_S = 900.0  # zig compiles its C++ library first


@dataclass(frozen=True)
class Compilation:
    """How something is compiled, and what is said when it is not.

    Args:
        what: its name in messages, such as "the shim".
        error: what is raised when a command fails, or does not end.
        cure: what to do then.
    """

    what: str
    error: type[EpforgeError]
    cure: str

    def run(self, command: Sequence[str], folder: Path) -> None:
        """Runs a compiler in ``folder``. Raises ``error``."""
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_MOST_S,
                check=False,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **zig.variables()},
            )
        except subprocess.TimeoutExpired as error:
            message = f"compiling {self.what} did not end within {_MOST_S:.0f} s"
            raise self.error(message) from error
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr]
            compiler = Path(command[0]).name
            message = f"{self.what} does not compile with {compiler}: {lines[0][:300]}"
            raise self.error(message, self.cure)

    def run_all(self, commands: Iterable[Sequence[str]], folder: Path) -> None:
        """Runs several side by side, as many as there are cores. Raises the first ``error``."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for job in [pool.submit(self.run, command, folder) for command in commands]:
                job.result()


def compiler_identity(program: str) -> str:
    """Tells one version of a compiler from the next."""
    found = shutil.which(program)
    stat = os.stat(found) if found else None
    return f"{stat.st_size} {stat.st_mtime_ns}" if stat else program
