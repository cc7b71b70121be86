"""epforge in each Python that it is for: installed from its wheel, through the first session."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from projects import sdk
from pythons import VERSIONS, python

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("dist")
    isolation = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    command = [sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", str(out)]
    subprocess.run([*command, str(repository)], check=True, cwd=out, capture_output=True)
    return next(out.glob("epforge-*.whl"))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_first_session(version: str, wheel: Path, tmp_path: Path) -> None:
    left_out = ("PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment["EPFORGE_CACHE"] = str(tmp_path / "cache")
    environment["EPFORGE_ORT_SDK"] = str(sdk().include)
    place = tmp_path / "venv"
    epforge = place / "bin/epforge"
    for command in (
        [python(version), "-m", "venv", place],
        [place / "bin/pip", "install", "-q", wheel],
        [epforge, "init", "my-ep", "--vendor", "Contoso", "--defaults"],
        [epforge, "scaffold", "my-ep", "--build", "--validate"],
        [epforge, "build", "my-ep", "--wheel"],
        [epforge, "regenerate", "my-ep"],
    ):
        done = subprocess.run(
            list(map(str, command)),
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        assert "Warning" not in done.stderr
    assert list((tmp_path / "my-ep/dist").glob("*.whl"))
