"""A home that cannot be written to: what only remembers goes on, the rest names the way out."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from machines import needs_unshare
from projects import Project, sdk

REPOSITORY = Path(__file__).resolve().parents[2]
MINIMAL = REPOSITORY / "blueprints/minimal.yaml"


def epforge(
    *args: str | Path, read_only: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """epforge where one directory lies on a file system that nobody can write to."""
    place = shlex.quote(str(read_only))
    mount = f'mount --bind {place} {place} && mount -o remount,ro,bind {place} && exec "$@"'
    without = ("EPFORGE_CACHE", "XDG_CACHE_HOME", "EPFORGE_ORT_SDK", "ORT_HOME")
    return subprocess.run(
        [
            *(needs_unshare(), "--mount", "sh", "-c", mount, "sh"),
            *(sys.executable, "-m", "epforge", *map(str, args)),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**{k: v for k, v in os.environ.items() if k not in without}, **variables},
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


def test_projects_are_made_and_kept_up_to_date(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "p"
    for arguments in (("check", MINIMAL), ("scaffold", MINIMAL, project), ("regenerate", project)):
        done = epforge(*arguments, read_only=home, HOME=str(home))
        assert done.returncode == 0, f"{arguments}\n{done.stdout}{done.stderr}"
    assert (project / "epforge.lock").is_file()
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [("sdk", "install"), ("validate", "--rung", "static", "--runtime", "1.30.0", "--library", "x")],
    ids=["headers", "runtime"],
)
def test_what_has_to_be_kept_names_the_directory_and_the_variable(
    arguments: tuple[str, ...], home: Path
) -> None:
    done = epforge(*arguments, "--json", read_only=home, HOME=str(home))
    assert done.returncode == 4, done.stdout + done.stderr
    error = json.loads(done.stdout)["error"]
    assert f"{home}/.cache/epforge" in error["message"]
    assert "Read-only file system" in error["message"]
    assert "EPFORGE_CACHE" in error["cure"]


@pytest.mark.lab
def test_a_filled_cache_that_cannot_be_written_to_serves_a_build(
    minimal: Project, tmp_path: Path
) -> None:
    cache, root = tmp_path / "cache", minimal.copy(tmp_path / "p")
    shutil.copytree(sdk().root, cache / "sdk" / sdk().root.name)
    done = epforge("build", root, read_only=cache, EPFORGE_CACHE=str(cache), HOME=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    done = epforge(
        *("validate", root, "--rung", "static", "--rung", "load"),
        read_only=cache, EPFORGE_CACHE=str(cache), HOME=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
