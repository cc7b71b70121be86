"""What organisations call from outside: hooks for pre-commit, and workflows for GitHub."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
from package_index import only, release
from repositories import state
from typer.testing import CliRunner
from workflows import HOOKS, Runner, hooks_of, load, tools, yaml_blocks

from epforge.cli.main import app
from epforge.verbs.scaffold import scaffold_project

REPOSITORY = Path(__file__).resolve().parents[2]
CI = load(REPOSITORY / ".github/workflows/epforge-ci.yml")
UPGRADE = load(REPOSITORY / ".github/workflows/epforge-upgrade.yml")
INSTALL = "Install epforge"
BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ort: {target: "1.27"}
ops: [Relu]
"""
EPFORGE = f'PYTHONPATH="{REPOSITORY}/generator" exec "{sys.executable}" -m epforge "$@"'
# Answers `gh pr list` from a file, keeps what it is given, and writes down how it is called.
GH = """\
echo "$@" >>"$GH_DIRECTORY/calls"
[ "$1 $2" != "pr list" ] || cat "$GH_DIRECTORY/requests"
for word in "$@"; do
  case "$before" in
    --body-file) cp "$word" "$GH_DIRECTORY/body" ;;
    --dir) cp "$GH_DIRECTORY"/*.tgz "$word" ;;
  esac
  before=$word
done
"""
# Python, where epforge is installed already.
PYTHON = f"""\
if [ "$1 $2 $3" = "-m pip install" ]; then echo "$4" >"$GH_DIRECTORY/installed"; exit; fi
exec "{sys.executable}" "$@"
"""


def git(place: Path, *arguments: str) -> str:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=a@example.com", *arguments],
        cwd=place, env=kept, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An organisation's repository, with a project in `ep`, and a clone of it."""
    place = tmp_path_factory.mktemp("organisation")
    git(place, "init", "-q", "--bare", "--initial-branch=main", "origin.git")
    git(place, "clone", "-q", "origin.git", "checkout")
    (place / "blueprint.yaml").write_text(BLUEPRINT)
    scaffold_project(place / "blueprint.yaml", place / "checkout/ep")
    (place / "checkout/README.md").write_text("The organisation's.\n")
    git(place / "checkout", "add", "-A")
    git(place / "checkout", "commit", "-qm", "first")
    git(place / "checkout", "push", "-q", "origin", "HEAD:main")
    return place


@pytest.fixture
def checkout(tmp_path: Path, made: Path) -> Path:
    """The clone, for one test."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True, symlinks=True)
    git(tmp_path / "checkout", "remote", "set-url", "origin", str(tmp_path / "origin.git"))
    return tmp_path / "checkout"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The programs that a runner has, epforge installed, and a gh that writes down its calls."""
    gh = tmp_path / "gh"
    gh.mkdir()
    (gh / "requests").write_text("0\n")
    (gh / "calls").touch()
    return {
        **tools(tmp_path / "bin", {"epforge": EPFORGE, "gh": GH, "python": PYTHON}),
        "GH_DIRECTORY": str(gh),
        "HOME": str(tmp_path),  # nobody has set a name for git
    }


@pytest.fixture
def index(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A directory of packages, the only one that pip knows."""
    place = tmp_path / "index"
    place.mkdir()
    environment.update(only(place))
    release(place, "1.26.0")
    return place


def runner(
    workflow: dict[str, Any], checkout: Path, environment: dict[str, str], **inputs: object
) -> Runner:
    temp = checkout.parent / "temp"
    temp.mkdir(exist_ok=True)
    given = {"requirement": "epforge", "project": "ep"} | {
        key.replace("_", "-"): value for key, value in inputs.items()
    }
    return Runner(workflow, checkout, temp, given, environment)


# pre-commit


def run_hook(
    identity: str, checkout: Path, environment: dict[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Calls a hook as pre-commit does: its entry, the user's args, then files if it wants them."""
    hook = next(hook for hook in hooks_of(REPOSITORY / HOOKS) if hook["id"] == identity)
    files: list[str] = []
    if hook.get("pass_filenames", True):
        tracked = git(checkout, "ls-files").splitlines()
        files = [name for name in tracked if re.search(hook["files"], name)]
        assert files
    return subprocess.run(
        [*shlex.split(hook["entry"]), *arguments, *files],
        cwd=checkout, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_hook_for_blueprints_checks_all_of_them(
    checkout: Path, environment: dict[str, str]
) -> None:
    for name in ("a", "b"):
        (checkout / name).mkdir()
        (checkout / name / "blueprint.yaml").write_text(BLUEPRINT)
    (checkout / "a/blueprint.yaml").write_text("ops: [")  # no YAML
    (checkout / "b/blueprint.yaml").write_text(BLUEPRINT.replace("Relu", "Rellu"))
    git(checkout, "add", "-A")
    done = run_hook("epforge-check", checkout, environment)
    assert done.returncode == 2
    assert "a/blueprint.yaml" in done.stderr
    assert "Rellu" in done.stderr
    assert "ep/blueprint.yaml" in done.stdout


def test_the_hook_for_projects_finds_drift(checkout: Path, environment: dict[str, str]) -> None:
    edited = checkout / "ep/src/gen/manifest.json"
    edited.write_text(edited.read_text() + " \n// mine\n")
    done = run_hook("epforge-status", checkout, environment, "ep")
    assert done.returncode == 1
    assert "src/gen/manifest.json" in done.stdout


# The workflow that checks


def test_the_workflow_s_scripts_pass_a_project_that_is_in_sync(
    checkout: Path, environment: dict[str, str]
) -> None:
    job = runner(CI, checkout, environment, build=False)
    failed = job.run()
    assert failed is None, failed
    assert job.ran == [INSTALL, "Check the blueprint", "Compare the project with its blueprint"]
    reports = job.temp / "epforge-reports"
    assert json.loads((reports / "check.json").read_text())["ok"] is True
    assert json.loads((reports / "status.json").read_text())["status"] == "in sync"


@pytest.mark.lab
def test_the_workflow_s_scripts_fail_where_a_project_has_drifted(
    checkout: Path, environment: dict[str, str]
) -> None:
    (checkout / "ep/src/gen/manifest.json").unlink()
    job = runner(CI, checkout, environment, check=False)
    failed = job.run()
    assert failed is not None
    assert failed.returncode == 1
    assert "src/gen/manifest.json" in failed.stdout
    report = json.loads((job.temp / "epforge-reports/status.json").read_text())
    assert report["exit_status"] == 1


@pytest.mark.lab
def test_hostile_inputs_are_only_text(checkout: Path, environment: dict[str, str]) -> None:
    trap = checkout.parent / "trapped"
    hostile = f'$(touch {trap}); "; touch {trap}; `touch {trap}`'
    for workflow in (CI, UPGRADE):
        job = runner(
            workflow, checkout, environment, project=hostile, branch=hostile, requirement=hostile
        )
        failed = job.run()
        assert failed is not None
        assert (checkout.parent / "gh/installed").read_text() == f"{hostile}\n"
    assert not trap.exists()


# A change on a branch


def test_an_upgrade_on_a_branch_touches_nothing_else(checkout: Path) -> None:
    git(checkout, "config", "user.name", "Ada")
    git(checkout, "config", "user.email", "ada@example.com")
    (checkout / "ep/src/kernels/mine.cc").parent.mkdir(parents=True, exist_ok=True)
    (checkout / "ep/src/kernels/mine.cc").write_text("// not committed\n")
    before = state(checkout)
    options = ["--ort", "1.28", "--branch", "upgrade", "--json"]
    result = CliRunner().invoke(app, ["upgrade", str(checkout / "ep"), *options])
    assert result.exit_code == 0, result.output
    assert state(checkout) == before
    branch = json.loads(result.stdout)["branch"]
    assert branch["uncommitted"]
    changed = git(checkout, "diff", "--name-only", "HEAD", "upgrade").splitlines()
    assert changed == [f"ep/{path}" for path in branch["files"]]
    assert "ep/blueprint.yaml" in changed


# The workflow that upgrades


def test_a_newer_runtime_becomes_a_pull_request(
    checkout: Path, environment: dict[str, str], index: Path
) -> None:
    release(index, "1.28.1")
    (checkout / "json.py").write_text("raise SystemExit('not the json of Python')\n")
    before = git(checkout, "rev-parse", "HEAD"), git(checkout, "status", "--porcelain")
    job = runner(UPGRADE, checkout, environment)
    failed = job.run()
    assert failed is None, failed
    assert (git(checkout, "rev-parse", "HEAD"), git(checkout, "status", "--porcelain")) == before
    branch = "epforge/onnxruntime-1.28"
    origin = checkout.parent / "origin.git"
    assert git(origin, "rev-parse", f"{branch}^") == before[0]
    assert "1.28" in git(origin, "show", f"{branch}:ep/blueprint.yaml")
    assert git(origin, "log", "-1", "--format=%an", branch) == "github-actions[bot]"
    calls = (checkout.parent / "gh/calls").read_text().splitlines()
    assert calls[0].startswith(f"pr list --head {branch} --state all")
    assert calls[1] == "auth setup-git"
    assert calls[2].startswith(f"pr create --head {branch} --base main --title ")
    assert (checkout.parent / "gh/body").read_text().strip()


@pytest.mark.parametrize(
    "reason", [pytest.param("no newer one", marks=pytest.mark.lab), "a pull request"]
)
def test_otherwise_nothing_is_pushed(
    checkout: Path, environment: dict[str, str], index: Path, reason: str
) -> None:
    if reason == "a pull request":
        release(index, "1.28.1")
        (checkout.parent / "gh/requests").write_text("1\n")
    job = runner(UPGRADE, checkout, environment)
    assert job.run() is None
    assert job.ran == [INSTALL, "Look for a newer ONNX Runtime"]
    assert git(checkout.parent / "origin.git", "branch", "--format=%(refname:short)") == "main"


@pytest.mark.lab
def test_an_upgrade_in_conflict_fails_or_shows_both_sides_as_is_asked(
    checkout: Path, environment: dict[str, str], index: Path
) -> None:
    release(index, "1.28.1")
    edited = checkout / "ep/.github/workflows/ci.yml"
    edited.write_text(edited.read_text().replace('ORT_HEADERS: "1.27.0"', 'ORT_HEADERS: "1.27.1"'))
    git(checkout, "commit", "-qam", "an edit")
    failed = runner(UPGRADE, checkout, environment).run()
    assert failed is not None
    assert failed.returncode == 3
    assert ".github/workflows/ci.yml" in failed.stdout + failed.stderr
    origin = checkout.parent / "origin.git"
    assert git(origin, "branch", "--format=%(refname:short)") == "main"
    failed = runner(UPGRADE, checkout, environment, on_conflict="markers").run()
    assert failed is None, failed
    text = git(origin, "show", "epforge/onnxruntime-1.28:ep/.github/workflows/ci.yml")
    for line in ("<<<<<<<", 'ORT_HEADERS: "1.27.1"', 'ORT_HEADERS: "1.28.0"', ">>>>>>>"):
        assert line in text


@pytest.mark.lab
def test_a_branch_without_a_pull_request_gets_one_and_stays(
    checkout: Path, environment: dict[str, str], index: Path
) -> None:
    release(index, "1.28.1")
    branch = "epforge/onnxruntime-1.28"
    git(checkout, "commit", "-q", "--allow-empty", "-m", "of an earlier run")
    left = git(checkout, "rev-parse", "HEAD")
    git(checkout, "push", "-q", "origin", f"HEAD:refs/heads/{branch}")
    git(checkout, "reset", "-q", "--soft", "HEAD^")
    failed = runner(UPGRADE, checkout, environment).run()
    assert failed is None, failed
    origin = checkout.parent / "origin.git"
    assert git(origin, "rev-parse", branch) == left
    assert "pr create" in (checkout.parent / "gh/calls").read_text()


# Whole, as others would run them


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """This checkout as a repository with one commit."""
    place = tmp_path / "epforge"
    listed = git(REPOSITORY, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in listed.strip("\0").split("\0"):
        if (REPOSITORY / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, place / name)
    git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "epforge")
    return place


@pytest.mark.lab
def test_pre_commit_installs_epforge_and_runs_the_hooks(
    checkout: Path, environment: dict[str, str], clone: Path
) -> None:
    text, *_ = yaml_blocks(REPOSITORY / "docs/organisation.md")
    text = re.sub(r"repo: .*", f"repo: {clone}", text)
    text = text.replace("REVISION", git(clone, "rev-parse", "HEAD"))
    (checkout / ".pre-commit-config.yaml").write_text(text)
    git(checkout, "add", "-A")
    environment["PRE_COMMIT_HOME"] = str(checkout.parent / "hooks")

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files"],
            cwd=checkout, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    (checkout / "ep/src/gen/manifest.json").write_text("{}")
    (checkout / "ep/blueprint.yaml").write_text(BLUEPRINT.replace("Relu", "Rellu"))
    done = run()
    assert done.returncode == 1
    assert "Rellu" in done.stdout
    (checkout / "ep/blueprint.yaml").write_text(BLUEPRINT)
    done = run()
    assert done.returncode == 1
    assert "src/gen/manifest.json" in done.stdout


@pytest.mark.lab
def test_every_script_of_the_workflow_that_checks_runs(
    checkout: Path, environment: dict[str, str], clone: Path, tmp_path: Path
) -> None:
    from ort_sdk import contents, sdk_of, tar_of

    place = tmp_path / "python"
    venv.create(place, with_pip=True)
    for name in ("python", "epforge"):
        (tmp_path / "bin" / name).unlink()
    name = "onnxruntime-linux-x64-1.27.0"
    files = {f"{name}/include/{path}": data for path, data in contents(sdk_of(27).include).items()}
    files[f"{name}/VERSION_NUMBER"] = b"1.27.0\n"
    (tmp_path / f"gh/{name}.tgz").write_bytes(tar_of(files))
    environment["PATH"] = f"{place / 'bin'}{os.pathsep}{environment['PATH']}"
    environment["EPFORGE_CACHE"] = str(tmp_path / "cache")
    job = runner(CI, checkout, environment, requirement=str(clone))
    failed = job.run()
    assert failed is None, failed
    (only,) = CI["jobs"].values()
    assert job.ran == [step["name"] for step in only["steps"] if "run" in step]
    report = json.loads((job.temp / "epforge-reports/validate.json").read_text())
    assert report["passed"] is True
