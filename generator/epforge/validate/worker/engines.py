"""Where a job's library is at work: in this process, or in a program for another machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from epforge.validate.worker import here, session, there

Device = Any  # of the engine's own


class Engine(Protocol):
    """A runtime with libraries in it, as the jobs of the rungs `load` and `ops` use it.

    Sessions have ``run(None, feeds)``. Whatever the runtime says of an error is raised.
    """

    def version(self) -> str:
        """The runtime's version."""

    def severity(self, level: int) -> None:
        """From which severity on is logged outside of sessions: 0 is everything."""

    def register(self, name: str, library: str) -> None: ...

    def unregister(self, name: str) -> None: ...

    def registered(self, name: str, library: str) -> AbstractContextManager[None]:
        """The library registered under ``name`` while the block runs."""

    def devices(self, library: str, ep: str = "") -> list[Device]:
        """The devices that a library offers (those of ``ep`` only, if given)."""

    def describe(self, device: Device) -> dict[str, object]:
        """A device in JSON."""

    def mapped(self, library: str) -> bool | None:
        """Is the library in the process's memory? None where the system does not say."""

    def newest_opset(self) -> int:
        """The highest opset of ai.onnx that the runtime loads models of."""

    def open(self, model: session.Model, device: Device, fallback: bool = False) -> Any:
        """A session of a model as it is. Raises NotTakenError."""

    def open_usual(self, model: bytes, device: Device) -> Any:
        """A session with everything as it is by default."""

    def open_converted(self, model: session.Model, device: Device, ep: str) -> Any:
        """A session of a node that the runtime converts to another layout. Raises NotTakenError."""

    def taken(self, made: Any, ep: str) -> bool:
        """Did the runtime record the node as assigned to ``ep``?"""

    def why_not_taken(self, model: session.Model, device: Device, op: str) -> str:
        """What the library logs about leaving ``op`` to others; empty if it says nothing."""

    def reference(self, model: session.Model, library: str = "") -> session.Reference:
        """What a model computes.

        Args:
            library: the custom-op library that has the CPU's kernel for it.
        """


@contextmanager
def engine_of(job: Mapping[str, Any]) -> Iterator[Engine]:
    """The engine of a job. Raises EndedError if its process ends before its time."""
    if "host" not in job:
        yield here.Here()
        return
    with there.started(job["host"], Path.cwd()) as found:
        yield found
