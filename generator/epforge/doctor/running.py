"""Programs that are asked who they are: with a time limit, and whatever they answer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ENDS_S = 60.0
_MOST = 1 << 20  # characters of an answer


@dataclass(frozen=True)
class Answer:
    """What a program said.

    Args:
        status: its exit status; None when it could not be started, or did not end in time.
        text: what it wrote to stdout, or why there is no status.
        errors: what it wrote to stderr.
    """

    status: int | None
    text: str
    errors: str = ""

    @property
    def fine(self) -> bool:
        return self.status == 0

    @property
    def line(self) -> str:
        """The first line that says anything."""
        lines = (line.strip() for line in f"{self.text}\n{self.errors}".splitlines())
        return next(filter(None, lines), "")[:200]


def ask(
    words: Sequence[str],
    *,
    given: str = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = _ENDS_S,
) -> Answer:
    """Runs a program to its end; never raises for what it does.

    Args:
        words: the command.
        given: what it reads.
        env: variables beside this process's.
        seconds: until it is ended.
    """
    try:
        done = subprocess.run(
            list(words),
            input=given,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            cwd=cwd,
            env={**os.environ, "LC_ALL": "C", **(env or {})},
        )
    except subprocess.TimeoutExpired:
        return Answer(None, f"did not end within {seconds:.0f} s")
    except (OSError, ValueError) as error:
        return Answer(None, str(getattr(error, "strerror", None) or error))
    return Answer(done.returncode, done.stdout[:_MOST], done.stderr[:_MOST])
