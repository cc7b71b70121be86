"""The projects that the checks of queues are for, and how a check is run on one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from hooked import with_hooks
from projects import Project
from runtimes import runtime

_CHECKS = Path(__file__).with_name("stream_checks.py")
_HEAD = """
epforge: 1
name: contoso-queue
vendor: {name: Contoso, pci_id: 0xB357}
devices: [{name: gpu, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed}]
types: [float32, int64]
ops: [Add, Gather, Mul, Reshape, Shape, Slice, Tile]
"""
#: Kernels one by one, and memory of every kind.
REGISTRY = f"{_HEAD}memory: {{default: arena, host_accessible: arena, streams: true}}\n"
#: Groups of nodes, and plain memory.
COMPILED = f"{_HEAD}paradigm: compiled\nmemory: {{default: plain, streams: true}}\n"


def project(text: str, changes: Mapping[str, str] | None = None) -> Project:
    """The project of one of these blueprints; its library is the test variant."""
    return with_hooks(text, changes=changes)


def checked(
    project: Project, check: str, version: str, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """What a process says that makes one of stream_checks.py; it ends with 0 if all is well.

    Raises:
        subprocess.TimeoutExpired: it waits for something that does not come.
    """
    return subprocess.run(
        [sys.executable, str(_CHECKS), str(project.library), check],
        env=project.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
