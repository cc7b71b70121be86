"""The wheel script, given what nobody should give it: it refuses, says where and why, leaves
nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import wheel_script
from projects import Project
from wheel_script import metadata_of, refusal


@pytest.fixture
def built(minimal: Project, tmp_path: Path) -> Project:
    """The smallest project with what it has built, to be changed."""
    root = minimal.copy(tmp_path / "project")
    build = root / "build/release"
    build.mkdir(parents=True)
    for name in (minimal.library.name, f"{minimal.library.name}.manifest.json"):
        shutil.copy(minimal.library.with_name(name), build)
    return Project(root, build / minimal.library.name)


def linked(project: Project) -> None:
    project.library.unlink()
    project.library.symlink_to("/etc/passwd")


def pipe(project: Project) -> None:
    project.library.unlink()
    os.mkfifo(project.library)


def endless(project: Project) -> None:
    project.library.unlink()
    project.library.symlink_to("/dev/zero")


def huge(project: Project) -> None:
    with project.library.open("r+b") as file:
        file.truncate(3 << 30)


def manifest_of(project: Project) -> Path:
    return project.library.with_name(f"{project.library.name}.manifest.json")


def deep(project: Project) -> None:
    manifest_of(project).write_text("[" * 200_000)


def large(project: Project) -> None:
    with manifest_of(project).open("r+b") as file:
        file.truncate(65 << 20)


def odd(project: Project) -> None:
    for path in (manifest_of(project), project.root / "src/gen/manifest.json"):
        path.write_text(json.dumps([1, 2]))


def package(project: Project) -> Path:
    return project.root / "python" / project.package


def secret(project: Project) -> None:
    (package(project) / "more.py").symlink_to("/etc/passwd")


def upwards(project: Project) -> None:
    (package(project) / "all").symlink_to("..")


def source_pipe(project: Project) -> None:
    os.mkfifo(package(project) / "more.py")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (linked, "{library} is no shared library"),
        (pipe, "has no {name}, made for linux: build it first"),
        (endless, "has no {name}, made for linux: build it first"),
        (huge, "the libraries have 3221 MB, {library} most of it"),
        (deep, "{library}.manifest.json cannot be read: "),
        (large, "{library}.manifest.json has more than 64 MiB: build it again"),
        (odd, "{library}.manifest.json does not say which version it is of: build the library"),
        (secret, "more.py leads to /etc/passwd, outside of the package: put a copy there"),
        (upwards, "outside of the package: put a copy there, or delete it"),
        (source_pipe, "more.py is neither a file nor a directory: delete it"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_files_that_are_not_what_they_should_be_are_refused(
    change: Callable[[Project], None], says: str, built: Project, tmp_path: Path
) -> None:
    change(built)
    out = tmp_path / "dist"
    said = refusal(built.root, "--binary_dir", built.library.parent, "--output_dir", out)
    assert says.format(library=built.library, name=built.library.name) in said
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--version", "1.0\nName: other"), "'1.0\\nName: other' is no version"),
        (("--version", "1.0/../../x"), "'1.0/../../x' is no version"),
        (("--package_name", "../other"), "'../other' is no distribution of this project"),
        (("--platform_tag", "linux_x86_64/../../x"), "is no platform tag such as"),
        (("--output_dir", "/dev/null"), "/dev/null is not a directory: choose another"),
        (("--output_dir", "/proc/sys/wheels"), "/proc/sys cannot be written to: choose another"),
    ],
)
def test_words_that_would_lead_elsewhere_are_refused(
    arguments: tuple[str, str], says: str, minimal: Project
) -> None:
    assert says in refusal(minimal.root, "--binary_dir", minimal.library.parent, *arguments)


@pytest.mark.lab
def test_places_of_any_name_will_do_and_versions_of_any_kind(
    built: Project, tmp_path: Path
) -> None:
    place = tmp_path / 'it\'s "odd"; $HOME \u00fc'
    place.mkdir()
    root = built.root.rename(place / "project & more")
    (place / "link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (tmp_path / "elsewhere").mkdir()
    for version in ("1!2.0", "0.1.0+Cu.12"):
        done = wheel_script.run_script(
            *(root, "--binary_dir", root / "build/release", "--output_dir", place / "link"),
            *("--version", version),
        )
        assert done.returncode == 0, done.stdout + done.stderr
        wheel = Path(done.stdout.splitlines()[-1])
        assert wheel.parent == tmp_path / "elsewhere"
        assert metadata_of(wheel)["Version"] == version.lower()


def _start(project: Project, out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, str(project.root / "packaging/build_wheel.py")]
    command += ["--binary_dir", str(project.library.parent), "--output_dir", str(out)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


@pytest.mark.lab
def test_two_at_once_leave_one_whole_wheel(minimal: Project, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    running = [_start(minimal, out) for _ in range(2)]
    said = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], said
    (wheel,) = out.iterdir()
    assert {text.splitlines()[-1] for text in said} == {str(wheel)}
    assert metadata_of(wheel)["Version"] == "0.1.0"


@pytest.mark.lab
def test_one_that_is_killed_leaves_no_wheel(minimal: Project, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    running = _start(minimal, out)
    assert running.stdout is not None
    assert "building " in running.stdout.readline()
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate(timeout=60)
    assert not out.exists() or not list(out.glob("*.whl"))
