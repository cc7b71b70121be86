"""Every execution provider answers whether its runs may overlap: they may."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest
from projects import Project
from runtimes import SUPPORTED, runtime

ANSWER = """
    import ctypes, json, sys
    from capi import Library, Ort, Plugin
    ort = Ort()
    device = Plugin(ort, sys.argv[1], "plugin.virtual").device
    library = Library(ort, sys.argv[1])
    ep = library.make_ep(ort.api.get("EpDevice_Device", device),
                         ort.api.make("CreateSessionOptions"))
    answer = ctypes.c_bool(False)
    ep("IsConcurrentRunSupported", ep.address, ctypes.byref(answer))
    library.factory.get("ReleaseEp", library.factory.address, ep.address)
    print(json.dumps(answer.value))
"""


@pytest.mark.parametrize(
    "project", ["minimal", "full", "device_memory", "strict_gpu", "compiled", "compiled_virtual"]
)
@pytest.mark.parametrize("version", [SUPPORTED[0], SUPPORTED[-1]])
def test_runs_may_overlap(project: str, version: str, request: pytest.FixtureRequest) -> None:
    built_project: Project = request.getfixturevalue(project)
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ANSWER), built_project.library],
        env=built_project.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    assert json.loads(result.stdout) is True
