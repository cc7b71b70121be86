"""Without a network epforge works with a filled cache; with an empty one it says what it lacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from machines import without_compilers, without_network
from projects import Project, sdk
from wheels import wheel_of

REPOSITORY = Path(__file__).resolve().parents[2]
MINIMAL = REPOSITORY / "blueprints/minimal.yaml"


def offline(
    *args: str | Path, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """epforge where nothing but this machine can be reached."""
    return subprocess.run(
        [*without_network(), sys.executable, "-m", "epforge", *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(variables or {})},
        stdin=subprocess.DEVNULL,
    )


def lacking(*args: str | Path, cache: Path, **more: str) -> str:
    """What epforge says that it lacks."""
    done = offline(*args, "--json", variables={"EPFORGE_CACHE": str(cache), **more})
    assert done.returncode == 4, done.stdout + done.stderr
    error = json.loads(done.stdout)["error"]
    assert error["cure"]
    message: str = error["message"]
    return message


def test_headers_cannot_be_had(tmp_path: Path) -> None:
    assert "libonnxruntime-dev cannot be had" in lacking("sdk", "install", cache=tmp_path)
    url = ("http://packages.invalid/x.tgz", "--sha256", "0" * 64)
    assert "cannot be fetched" in lacking("sdk", "install", *url, cache=tmp_path)


def test_a_project_is_made_and_not_built(tmp_path: Path) -> None:
    cache = {"EPFORGE_CACHE": str(tmp_path / "cache"), "EPFORGE_ORT_SDK": "", "ORT_HOME": ""}
    done = offline("scaffold", MINIMAL, tmp_path / "p", variables=cache)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no ONNX Runtime headers" in lacking("build", tmp_path / "p", cache=tmp_path / "cache")


def test_a_compiler_cannot_be_had(minimal: Project, tmp_path: Path) -> None:
    root = minimal.copy(tmp_path / "p")
    path = {"PATH": without_compilers(tmp_path), "CXX": "", "PIP_NO_INDEX": ""}
    said = lacking("build", root, cache=tmp_path / "cache", **path)
    assert "no C++ compiler" in said
    assert "ziglang cannot be installed: No matching distribution found" in said


def test_a_runtime_cannot_be_had(minimal: Project, tmp_path: Path) -> None:
    arguments = ("validate", minimal.root, "--rung", "static", "--runtime", "1.0.0")
    assert "cannot install onnxruntime 1.0.0" in lacking(*arguments, cache=tmp_path)


def test_what_makes_wheels_cannot_be_had(minimal: Project, tmp_path: Path) -> None:
    wheel_of(minimal)
    output, headers = tmp_path / "out", sdk().include
    arguments = ("build", minimal.root, "--wheel", "--output", output, "--ort-sdk", headers)
    said = lacking(*arguments, cache=tmp_path / "cache", PIP_FIND_LINKS="")
    assert "cannot install what packaging/build_wheel.py needs" in said
    assert not output.exists()


@pytest.mark.lab
def test_with_a_filled_cache_everything_works(minimal: Project, tmp_path: Path) -> None:
    wheel_of(minimal)  # the cache has what makes wheels now, and the headers
    project = tmp_path / "contoso-npu"
    for arguments in (
        ("scaffold", MINIMAL, project, "--build", "--validate"),
        ("eject", "op", "Relu", "--project", project),
        ("regenerate", project),
        ("build", project, "--wheel"),
        ("validate", project, "--rung", "static", "--rung", "load", "--rung", "ops"),
        ("status", project),
    ):
        done = offline(*arguments)
        assert done.returncode == 0, f"{arguments}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    assert list((project / "dist").glob("*.whl"))
