"""The sdist and the wheel: what is in them, that they agree, and that PyPI's tools like them."""

from __future__ import annotations

import email
import importlib.util
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import epforge


@dataclass(frozen=True)
class Distributions:
    """What `python -m build` makes of this checkout.

    Args:
        sdist: the archive of sources.
        wheel: made from the sdist.
        direct: the wheel made from the checkout.
    """

    sdist: Path
    wheel: Path
    direct: Path


def build(source: Path, out: Path, *kinds: str) -> None:
    # With the backend at hand there is no need to fetch it again.
    isolation = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    command = [sys.executable, "-m", "build", *kinds, *isolation, "--outdir", str(out)]
    done = subprocess.run(
        [*command, str(source)], capture_output=True, text=True, check=False, cwd=out
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Distributions:
    """Both distributions, and the wheel once more without the way over the sdist."""
    out = tmp_path_factory.mktemp("dist")
    build(repository, out)
    direct = tmp_path_factory.mktemp("direct")
    build(repository, direct, "--wheel")
    return Distributions(
        next(out.glob("*.tar.gz")), next(out.glob("*.whl")), next(direct.glob("*.whl"))
    )


def members(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_the_sdist_is_the_repository(made: Distributions, repository: Path) -> None:
    """Whoever packs epforge from it can run its tests, and its CI."""
    if shutil.which("git") is None or not (repository / ".git").exists():
        pytest.skip("only git knows which files are the repository's")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    files = {name for name in listed.split("\0") if name and (repository / name).is_file()}
    assert members(made.sdist) == files | {"PKG-INFO"}


def test_the_wheel_of_the_sdist_is_that_of_the_checkout(made: Distributions) -> None:
    """The same bytes: nothing of the machine, the time or the way is in it."""
    assert made.wheel.name == made.direct.name == f"epforge-{epforge.__version__}-py3-none-any.whl"
    assert made.wheel.read_bytes() == made.direct.read_bytes()


def test_the_tools_of_pypi_find_nothing(made: Distributions) -> None:
    for command in (
        ["twine", "check", "--strict", made.sdist, made.wheel],
        # A licence that projects get is our own, too; short templates may be alike.
        ["check_wheel_contents", "--ignore", "W002", made.wheel],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_metadata_says_what_an_index_shows(made: Distributions) -> None:
    with zipfile.ZipFile(made.wheel) as archive:
        names = archive.namelist()
        info = f"epforge-{epforge.__version__}.dist-info"
        metadata = email.message_from_bytes(archive.read(f"{info}/METADATA"))
        scripts = archive.read(f"{info}/entry_points.txt").decode()
    assert metadata["Version"] == epforge.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert f"{info}/licenses/LICENSE" in names
    assert metadata["Requires-Python"] == ">=3.11"
    assert str(metadata.get_payload()).startswith("# epforge")
    assert "epforge = epforge.__main__:main" in scripts
