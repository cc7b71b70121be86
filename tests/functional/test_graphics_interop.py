"""Streams on the command queue of a graphics API; support/graphics_checks.py has what must hold."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from cpp_tests import NEWEST
from graphics_checks import CHECKS
from projects import Project
from runtimes import SUPPORTED, runtime
from stream_projects import REGISTRY, project

FEATURE = "features: {graphics_interop: true}\n"
#: An application can set it up from 1.25 on.
OLDER = [pytest.param(version, marks=pytest.mark.lab) for version in SUPPORTED[1:-1]]
_PROCESS = Path(__file__).parents[1] / "support/graphics_checks.py"


def ran(project: Project, version: str, *command: str) -> None:
    result = subprocess.run(
        [sys.executable, *command],
        env=project.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]


@pytest.fixture(scope="module")
def interop() -> Project:
    return project(REGISTRY + FEATURE)


@pytest.mark.parametrize("version", [*OLDER, NEWEST])
@pytest.mark.parametrize("check", sorted(CHECKS))
def test_streams(interop: Project, check: str, version: str) -> None:
    ran(interop, version, str(_PROCESS), str(interop.library), check)


@pytest.mark.parametrize(
    ("version", "there"), [("1.24.4", False), pytest.param(NEWEST, True, marks=pytest.mark.lab)]
)
def test_older_runtimes_are_given_nothing(interop: Project, version: str, there: bool) -> None:
    code = f"""
    import sys
    from capi import Library, Ort
    factory = Library(Ort(), sys.argv[1]).factory
    for member in ("InitGraphicsInterop", "DeinitGraphicsInterop"):
        assert bool(factory.function(member)) is {there}, member
    """
    ran(interop, version, "-c", textwrap.dedent(code), str(interop.library))
