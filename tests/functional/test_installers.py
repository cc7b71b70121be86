"""epforge as `pipx` and `uvx` install it: in an environment that nobody looks into."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.lab
Run = Callable[..., str]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("dist")
    isolation = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    command = [sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", str(out)]
    subprocess.run([*command, str(repository)], check=True, cwd=out, capture_output=True)
    return next(out.glob("epforge-*.whl"))


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of programs that has pipx, uv and uvx."""
    place = tmp_path_factory.mktemp("installers")
    venv.create(place, with_pip=False, symlinks=True)
    command = [sys.executable, "-m", "pip", "-q", "--python", place / "bin" / "python"]
    subprocess.run([*command, "install", "pipx", "uv"], check=True)
    return place / "bin"


@pytest.fixture
def run(installers: Path, tmp_path: Path) -> Run:
    """Runs a program in an empty home, with no Python but the system's on the PATH."""
    certificates = os.environ.get("SSL_CERT_FILE") or os.environ.get("PIP_CERT")
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("PYTHONPATH", "VIRTUAL_ENV", "EPFORGE_CACHE", "XDG_CACHE_HOME")
    } | {
        "HOME": str(tmp_path / "home"),
        "PATH": os.pathsep.join([str(installers), "/usr/bin", "/bin"]),
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "UV_PYTHON": sys.executable,
        # uv does not read pip's configuration.
        **({"SSL_CERT_FILE": certificates} if certificates else {}),
    }
    (tmp_path / "home").mkdir()

    def call(*args: str | Path) -> str:
        done = subprocess.run(
            args, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return call


def test_uvx_runs_the_wheel(run: Run, wheel: Path, repository: Path, tmp_path: Path) -> None:
    uvx: list[str | Path] = ["uvx", "--from", wheel, "epforge"]
    assert run(*uvx, "--version").startswith("epforge ")
    blueprint = shutil.copy(repository / "blueprints/minimal.yaml", tmp_path)
    run(*uvx, "scaffold", blueprint, "out", "--build")
    # An environment of uv has no pip of its own; another runtime is fetched all the same.
    told = run(*uvx, "validate", "out", "--rung", "load", "--runtime", "1.24.4")
    assert "on onnxruntime 1.24.4" in told


def test_pipx_installs_the_wheel(run: Run, wheel: Path, repository: Path, tmp_path: Path) -> None:
    run("pipx", "install", wheel)
    tool = tmp_path / "home/.local/bin/epforge"
    assert run(tool, "--version").startswith("epforge ")
    run(tool, "scaffold", repository / "blueprints/minimal.yaml", "out", "--build")
    assert "on onnxruntime 1.24.4" in run(
        *(tool, "validate", "out", "--rung", "load", "--runtime", "1.24.4")
    )
