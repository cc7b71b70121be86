"""The wheel holds all that epforge needs, and the installed tool works from anywhere."""

import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pythons import VERSIONS, python

from epforge.render.compiled import compile_all
from epforge.render.environment import make_environment
from epforge.render.overrides import template_names

Tool = Callable[..., subprocess.CompletedProcess[str]]
#: What expanding a blueprint needs of epforge's dependencies.
LIBRARIES = ("clang-format==23.1.5", "jinja2", "pydantic", "rich", "ruamel.yaml", "typer")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("dist")
    # With the backend at hand there is no need to fetch it again.
    isolation = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    command = [sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", str(out)]
    done = subprocess.run(
        [*command, str(repository)], capture_output=True, text=True, check=False, cwd=out
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return next(out.glob("epforge-*.whl"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """An environment that has the wheel installed; its dependencies are those of this one."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "-q", "--python", python, "install", "--no-deps", wheel],
        check=True,
    )
    site = next(place.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place


@pytest.fixture
def tool(installed: Path, tmp_path: Path) -> Tool:
    """Runs the installed `epforge` from the root directory."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["EPFORGE_CACHE"] = str(tmp_path / "cache")

    def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [installed / "bin" / "epforge", *args],
            cwd="/",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def tracked(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("kind", ["templates", "blueprints"])
def test_the_wheel_holds_every_asset(wheel: Path, repository: Path, kind: str) -> None:
    prefix = f"epforge/{kind}/"
    with zipfile.ZipFile(wheel) as archive:
        names = {name.removeprefix(prefix) for name in archive.namelist() if prefix in name}
    assert names == tracked(repository / kind)
    assert names


def test_the_wheel_holds_every_template_compiled(wheel: Path, repository: Path) -> None:
    prefix = "epforge/compiled/"
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(prefix)]
        held = {name.removeprefix(prefix): archive.read(name).decode() for name in names}
    fresh = dict(compile_all(make_environment(repository / "templates")))
    assert held == fresh
    assert len(held) == len(template_names(repository / "templates"))


def test_the_wheel_holds_every_data_file_of_the_package(wheel: Path, repository: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("epforge/")}
    package = repository / "generator" / "epforge"
    assert {f"epforge/{name}" for name in tracked(package)} <= names


def test_the_installed_tool_is_the_one_from_the_wheel(installed: Path) -> None:
    code = "import epforge; print(epforge.__file__)"
    done = subprocess.run(
        [installed / "bin" / "python", "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()).is_relative_to(installed)


def test_the_installed_tool_checks_plans_and_scaffolds(
    tool: Tool, repository: Path, tmp_path: Path
) -> None:
    assert tool("--version").stdout.startswith("epforge ")
    blueprint = tmp_path / "blueprint.yaml"
    blueprint.write_bytes((repository / "blueprints" / "minimal.yaml").read_bytes())
    checked = tool("check", blueprint)
    assert checked.returncode == 0, checked.stderr
    planned = tool("plan", blueprint, "--json")
    assert planned.returncode == 0, planned.stderr
    done = tool("scaffold", blueprint, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    for file in json.loads(planned.stdout)["files"]:
        assert (tmp_path / "out" / file["path"]).is_file()


def test_the_installed_tool_compiles_no_template(
    tool: Tool, installed: Path, repository: Path, tmp_path: Path
) -> None:
    """What its templates were compiled to makes the same files as they do."""
    kept = tmp_path / "cache" / "templates"
    blueprint = repository / "blueprints" / "kernel-registry.yaml"
    assert tool("scaffold", blueprint, tmp_path / "out").returncode == 0
    assert not kept.exists()
    ahead = next(installed.glob("lib/python*/site-packages/epforge/compiled"))
    aside = ahead.rename(ahead.with_name("aside"))
    try:
        assert tool("scaffold", blueprint, tmp_path / "again").returncode == 0
    finally:
        aside.rename(ahead)
    assert kept.is_dir()
    assert same_files(tmp_path / "out", tmp_path / "again")


def same_files(one: Path, other: Path) -> bool:
    """Do two directories hold the same?"""
    names = tracked(one)
    return names == tracked(other) and all(
        (one / name).read_bytes() == (other / name).read_bytes() for name in names
    )


@pytest.mark.lab
@pytest.mark.parametrize("version", VERSIONS)
def test_every_python_uses_what_the_wheel_has_compiled(
    version: str, wheel: Path, tool: Tool, repository: Path, tmp_path: Path
) -> None:
    place = tmp_path / "environment"
    subprocess.run([python(version), "-m", "venv", "--without-pip", place], check=True)
    install = [sys.executable, "-m", "pip", "-q", "--python", str(place / "bin/python"), "install"]
    subprocess.run([*install, *LIBRARIES], check=True)
    subprocess.run([*install, "--no-deps", str(wheel)], check=True)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["EPFORGE_CACHE"] = str(tmp_path / "its cache")
    blueprint = repository / "blueprints" / "kernel-registry.yaml"
    command = [place / "bin/epforge", "scaffold", blueprint, tmp_path / "out"]
    subprocess.run(command, check=True, cwd="/", env=environment, stdout=subprocess.DEVNULL)
    assert (tmp_path / "its cache" / "format").is_dir()
    assert not (tmp_path / "its cache" / "templates").exists()
    assert tool("scaffold", blueprint, tmp_path / "here").returncode == 0
    assert same_files(tmp_path / "out", tmp_path / "here")


def test_the_installed_tool_begins_a_repository_and_writes_the_starter_out(
    tool: Tool, repository: Path, tmp_path: Path
) -> None:
    begun = tool("init", tmp_path / "my-ep", "--vendor", "Contoso")
    assert begun.returncode == 0, begun.stderr
    assert tool("check", tmp_path / "my-ep/blueprint.yaml").returncode == 0
    assert "virtual-memory" in tool("init", "--list").stdout
    for kind in ("copier", "cookiecutter"):
        done = tool("templates", "starter", tmp_path / kind, "--format", kind)
        assert done.returncode == 0, done.stderr
    assert tracked(tmp_path / "copier") == tracked(repository / "templates/starter")
    assert (tmp_path / "cookiecutter/cookiecutter.json").is_file()


USER = """\
from pathlib import Path

import epforge
from epforge import BlockedError, CheckResult, EpforgeError, check_blueprint


def names(file: Path) -> list[str]:
    result: CheckResult = check_blueprint(file, resolved=True)
    return [f"{each.line}: {each.message}" for each in result.diagnostics]


def update(project: str) -> int:
    try:
        done = epforge.regenerate_project(project, adopt="all", progress=print)
    except BlockedError as error:
        return len(error.outcome.conflicts)
    except EpforgeError as error:
        return int(error.exit_status)
    return int(done.exit_status)


def works(library: Path) -> bool:
    report = epforge.validate_library(library=library, rung=["static"])
    return report.passed
"""
WRONG = """\
import epforge

epforge.nope
epforge.check_blueprint(1)
epforge.regenerate_project("x", dry_run="yes")
"""


@pytest.mark.lab
def test_type_checkers_know_the_installed_package(installed: Path, tmp_path: Path) -> None:
    """mypy, as a user runs it on a program of theirs."""
    outcomes = []
    for name, text in (("fine.py", USER), ("wrong.py", WRONG)):
        (tmp_path / name).write_text(text)
        command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", name]
        done = subprocess.run(
            [*command, "--python-executable", str(installed / "bin" / "python")],
            cwd=tmp_path,
            env={key: value for key, value in os.environ.items() if key != "MYPYPATH"},
            capture_output=True,
            text=True,
            check=False,
        )
        outcomes.append(done.stdout)
    fine, wrong = outcomes
    assert fine == ""
    assert {line.split(":")[1] for line in wrong.splitlines() if ": error:" in line} == {
        *("3", "4", "5")
    }
