"""Libraries that were built for another platform, at work here: under wine, or QEMU's user mode,
in that platform's real onnxruntime.

The checks of the rungs `load` and `ops` are those of every library. What they ask for is done by a
program for that platform (``host``), instead of by the worker itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from epforge.compiling.zig import find_zig
from epforge.validate.cross.program import find_program
from epforge.validate.cross.runner import running, without_noise
from epforge.validate.cross.runtimes import find_library
from epforge.validate.cross.targets import TARGETS, Target, find_target
from epforge.validate.runtime import Host, Runtime

API_LEVEL = 24  # of the headers that the host program needs

__all__ = ["API_LEVEL", "TARGETS", "OfTarget", "Target", "find_target"]


@dataclass(frozen=True)
class OfTarget:
    """A target's onnxruntime, which `at_hand` fetches.

    Args:
        wanted: a release or a directory; this Python's release if empty.
        headers: the directory of onnxruntime_c_api.h.
        zig: as `find_program` takes it.
    """

    target: Target
    wanted: str
    headers: Path
    zig: Callable[[], str] = find_zig

    @contextmanager
    def at_hand(self, progress: Callable[[str], None]) -> Iterator[Runtime]:
        """The runtime, ready to run libraries in.

        Raises UsageError and MissingError, as `find_library`, `find_program` and `running` do.
        """
        with running(self.target, progress) as runner:
            program = find_program(self.target, self.headers, progress, self.zig)
            library = find_library(self.target, self.wanted, progress)
            host = Host(
                command=(*runner.command, str(program), quote(runner.path(library))),
                env=runner.env,
                windows=runner.windows,
                readable=without_noise,
            )
            yield Runtime(self.wanted, None, host)
