"""One build on every runtime: from the oldest that the blueprint promises to the newest."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from projects import Project
from runtimes import SUPPORTED, TOO_OLD, runtime
from selection import plain


def validate(
    project: Project, version: str, *rungs: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, object]]:
    result = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "epforge",
                "validate",
                "--library",
                str(project.library),
                "--json",
            ),
            *("--runtime", str(runtime(version))),
            *(part for rung in rungs for part in ("--rung", rung)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    return result, json.loads(result.stdout)


@pytest.mark.parametrize("version", plain(SUPPORTED[0], SUPPORTED[-1], of=SUPPORTED))
@pytest.mark.parametrize("project", plain("minimal", of=["minimal", "device_memory"]))
def test_load_and_ops(project: str, version: str, request: pytest.FixtureRequest) -> None:
    result, report = validate(request.getfixturevalue(project), version, "load", "ops")
    assert result.returncode == 0, json.dumps(report, indent=1)[-4000:]


@pytest.mark.lab
@pytest.mark.parametrize("version", SUPPORTED)
def test_load_and_ops_of_every_kernel_family(full: Project, version: str) -> None:
    result, report = validate(full, version, "load", "ops")
    assert result.returncode == 0, json.dumps(report, indent=1)[-4000:]


def test_a_runtime_that_is_too_old_fails_the_load_with_both_versions(minimal: Project) -> None:
    result, report = validate(minimal, TOO_OLD, "load")
    assert result.returncode == 1
    text = json.dumps(report)
    assert "1.24" in text
    assert "1.23" in text
    assert "signal" not in text.lower()
