"""The wheel on several Pythons; `pip install -e .` beside `epforge build`, in either order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import wheel_script
from projects import Project, sdk
from wheel_script import made_wheel

# Programs that pip must not find, so that it fetches its own and takes them away again.
_HIDDEN = ("cmake", "ninja", "ninja-build", "make", "gmake")
_USE = """
import ctypes, {package} as plugin
library = plugin.get_library_path()
ctypes.CDLL(library)
print(library)
"""


def pythons() -> list[Path]:
    """An interpreter of each supported version that this machine has, without 3.11 twice."""
    found: dict[str, Path] = {}
    roots = (Path.home() / ".pyenv/versions").glob("*/bin")
    for version in ("3.11", "3.12", "3.13"):
        name = f"python{version}"
        places = [*roots, *map(Path, os.environ.get("PATH", "").split(os.pathsep))]
        roots = (Path.home() / ".pyenv/versions").glob("*/bin")
        for place in places:
            if version not in found and (place / name).is_file():
                found[version] = place / name
    return list(found.values())


def said(*command: str | Path, cwd: Path = Path("/"), **environment: str) -> str:
    """What a command that succeeds writes."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "CONTOSO_"))}
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.lab
@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.name)
def test_one_wheel_is_for_every_python(minimal: Project, tmp_path: Path, python: Path) -> None:
    wheel = made_wheel(minimal, tmp_path / "dist")
    said(python, "-m", "venv", tmp_path / "environment")
    inside = tmp_path / "environment/bin/python"
    said(inside, "-m", "pip", "install", "--no-index", wheel)
    library = Path(said(inside, "-c", _USE.format(package=minimal.package)).strip())
    assert library.parent.parent.name == "site-packages"
    assert "No broken requirements" in said(inside, "-m", "pip", "check")


@pytest.mark.lab
def test_a_second_distribution_takes_the_place_of_the_first(tmp_path: Path) -> None:
    project = wheel_script.project_with_companion()
    names = [f"onnxruntime-ep-contoso-npu-cu{number}" for number in (12, 13)]
    made = [made_wheel(project, tmp_path / "dist", "--package_name", name) for name in names]
    venv.create(tmp_path / "environment", with_pip=True, symlinks=True)
    python = tmp_path / "environment/bin/python"
    for wheel in made:
        said(python, "-m", "pip", "install", "--no-index", wheel)
    assert said(python, "-c", _USE.format(package=project.package)).strip()
    said(python, "-m", "pip", "uninstall", "--yes", *names)
    said(python, "-m", "pip", "install", "--no-index", made[1])
    assert said(python, "-c", _USE.format(package=project.package)).strip()


@pytest.fixture
def without_cmake(tmp_path: Path) -> str:
    """A search path with everything of the system's, but for CMake and what it drives."""
    place = tmp_path / "programs"
    place.mkdir()
    for folder in ("/bin", "/usr/bin"):
        for program in Path(folder).iterdir():
            link = place / program.name
            hidden = program.name.startswith(("python", "pip")) or program.name in _HIDDEN
            if not hidden and not link.exists():
                link.symlink_to(program)
    return str(place)


@pytest.mark.lab
@pytest.mark.parametrize("first", ["pip", "epforge"])
def test_an_editable_install_and_a_build_share_the_library(
    minimal: Project, tmp_path: Path, without_cmake: str, first: str
) -> None:
    project = minimal.copy(tmp_path / "project")
    venv.create(tmp_path / "environment", with_pip=True, symlinks=True)
    python = tmp_path / "environment/bin/python"
    headers = sdk().include
    library = project / "build/release" / minimal.library.name

    def install() -> None:
        said(
            *(python, "-m", "pip", "install", "-e", project),
            *("-C", f"cmake.define.CONTOSO_NPU_ORT_INCLUDE_DIR={headers}"),
            PATH=without_cmake,
        )
        assert said(python, "-c", _USE.format(package=minimal.package)).strip() == str(library)

    def build() -> int:
        command = (
            sys.executable,
            "-m",
            "epforge",
            "build",
            project,
            "--ort-sdk",
            headers,
            "--json",
        )
        return int(json.loads(said(*command))["compiled"])

    if first == "epforge":
        build()
    install()
    assert "/pip-build-env-" in _programs(project)  # which are gone
    source, list_file = project / "src/abi/entry.cc", project / "CMakeLists.txt"
    source.write_text(source.read_text() + "\n// edited\n")
    list_file.write_text(list_file.read_text() + "\n# edited: CMake runs again\n")
    assert build() >= 1
    assert "/pip-build-env-" not in _programs(project)
    assert build() == 0
    install()
    wheel = wheel_script.run_script(
        *(project, "--binary_dir", library.parent, "--output_dir", tmp_path / "dist")
    ).stdout.splitlines()[-1]
    said(python, "-m", "pip", "install", "--no-index", "--force-reinstall", wheel)
    assert "/site-packages/" in said(python, "-c", _USE.format(package=minimal.package))


@pytest.mark.lab
def test_the_preset_works_after_an_editable_install(
    minimal: Project, tmp_path: Path, without_cmake: str
) -> None:
    project = minimal.copy(tmp_path / "project")
    venv.create(tmp_path / "environment", with_pip=True, symlinks=True)
    setting = f"cmake.define.CONTOSO_NPU_ORT_INCLUDE_DIR={sdk().include}"
    python = tmp_path / "environment/bin/python"
    said(python, "-m", "pip", "install", "-e", project, "-C", setting, PATH=without_cmake)
    said("cmake", "--preset", "release", cwd=project)
    said("cmake", "--build", "--preset", "release", cwd=project)


def _programs(project: Path) -> str:
    lines = (project / "build/release/CMakeCache.txt").read_text().splitlines()
    return "\n".join(
        line for line in lines if line.startswith(("CMAKE_MAKE_PROGRAM:", "CMAKE_COMMAND:"))
    )
