"""The starter as a template: of copier from a tagged repository, of cookiecutter, and by `init`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_project import asked, call, replaced, tree
from repositories import git

SCHEMA = "templates/starter/template/epforge.schema.json"
#: Answers to all questions, in words of the command line.
ANSWERS: list[dict[str, str]] = [
    {"vendor": "Contoso"},
    {"vendor": 'it\'s: #1 "Größe" {a} [b]', "license": "LicenseRef-Proprietary"},
    {"vendor": "Acme", "device": "npu", "vendor_id": "0xB357", "memory": "device"},
    {"vendor": "Acme", "device": "gpu", "paradigm": "virtual", "types": "float32, int64"},
    {"vendor": "Acme", "paradigm": "compiled", "save_compiled": "false"},
    {"vendor": "Acme", "device": "cuda", "ops": "Relu, com.microsoft::Gelu"},
    {"vendor": "Acme", "types": "", "ops": "- {op: Relu, models: '>=13'}\n# Foo: on the CPU"},
]


def run(*command: str | Path, at: Path, home: Path | None = None) -> None:
    """Runs a tool that is given no terminal and no settings of a user."""
    settings = at.parent / "settings.yml"
    settings.write_text("{}\n")
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=at,
        env={
            **os.environ,
            "COPIER_SETTINGS_PATH": str(settings),
            **({} if home is None else {"HOME": str(home)}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def by_init(place: Path, answers: dict[str, str]) -> dict[str, bytes]:
    args = [f"--{name.replace('_', '-')}={value}" for name, value in answers.items()]
    args = [
        "--no-save-compiled" if arg == "--save-compiled=false" else arg
        for arg in args
        if arg != "--types="  # as init answers for models, whose operators have their own
    ]
    result = call("init", place / "my-ep", *args)
    assert result.exit_code == 0, result.output
    found = tree(place / "my-ep")
    if answers.get("types") == "":
        text = found["blueprint.yaml"].decode()
        head = "# Element types of operators that say nothing else.\ntypes: [float32]\n\n"
        assert head in text
        found["blueprint.yaml"] = text.replace(head, "").encode()
    return found


def by_copier(place: Path, template: Path, answers: dict[str, str]) -> dict[str, bytes]:
    data = [text for name, value in answers.items() for text in ("--data", f"{name}={value}")]
    run("copier", "copy", "-q", "--defaults", *data, template, place / "my-ep", at=place)
    return tree(place / "my-ep")


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """The starter in a git repository of its own, with a tag."""
    place = tmp_path / "starter"
    result = call("templates", "starter", place)
    assert result.exit_code == 0, result.output
    for command in asked("templates", "starter", place)["next"][:-1]:
        assert f"  {command}\n" in result.stdout
        subprocess.run(["bash", "-c", command], check=True, capture_output=True)
    assert git(place, "tag") == "v1.0.0"
    return place


@pytest.mark.parametrize("answers", ANSWERS)
def test_copier_and_cookiecutter_make_the_bytes_that_init_makes(
    tmp_path: Path, repository: Path, answers: dict[str, str]
) -> None:
    for name in ("init", "copier", "cookiecutter"):
        (tmp_path / name).mkdir()
    wanted = by_init(tmp_path / "init", answers)
    copied = by_copier(tmp_path / "copier", repository / "templates/starter", answers)
    template = tmp_path / "for-portal"
    assert call("templates", "starter", template, "--format", "cookiecutter").exit_code == 0
    said = [f"{name}={value}" for name, value in {"name": "my-ep", **answers}.items()]
    run(
        *("cookiecutter", "--no-input", "--default-config", template, *said),
        at=tmp_path / "cookiecutter",
        home=tmp_path,
    )
    cut = tree(tmp_path / "cookiecutter/my-ep")
    for path in ("blueprint.yaml", "epforge.schema.json"):
        assert copied[path] == wanted[path]
        assert cut[path] == wanted[path]
    assert copied.keys() == wanted.keys()
    assert cut.keys() == wanted.keys() - {".copier-answers.yml"}
    result = call("check", tmp_path / "cookiecutter/my-ep/blueprint.yaml")
    assert result.exit_code == 0, result.output


def test_the_answers_of_init_are_answers_for_copier(tmp_path: Path, repository: Path) -> None:
    answers = {"vendor": "no: 'x' \\n", "device": "npu", "vendor_id": "0x1", "license": "MIT"}
    wanted = by_init(tmp_path, answers)
    again = tmp_path / "again"
    file = tmp_path / "my-ep/.copier-answers.yml"
    run(
        *("copier", "copy", "-q", "--defaults", "--data-file", file),
        *(repository / "templates/starter", again),
        at=tmp_path,
    )
    assert tree(again)["blueprint.yaml"] == wanted["blueprint.yaml"]


def test_an_update_of_the_starter_keeps_what_was_edited(tmp_path: Path, published: Path) -> None:
    by_copier(tmp_path, published, {"vendor": "Contoso"})
    project = tmp_path / "my-ep"
    assert "_commit: v1.0.0" in (project / ".copier-answers.yml").read_text()
    replaced("blueprint.yaml", "[Relu, Add, Mul, MatMul]", "[Relu, Sub]  # ours")(project)
    (project / "notes.txt").write_text("mine\n")
    commit_all(project, "init", "-q")
    second_version(published)
    run("copier", "update", "-q", "--defaults", at=project)
    text = (project / "blueprint.yaml").read_text()
    assert "# The second version.\n" in text
    assert "ops: [Relu, Sub]  # ours\n" in text
    assert "<<<<" not in text
    assert "_commit: v1.1.0" in (project / ".copier-answers.yml").read_text()
    assert (project / "notes.txt").read_text() == "mine\n"
    assert call("check", project / "blueprint.yaml").exit_code == 0


def test_a_repository_of_init_joins_a_starter_that_is_updated(
    tmp_path: Path, published: Path
) -> None:
    before = by_init(tmp_path, {"vendor": "Contoso", "device": "npu"})
    project = tmp_path / "my-ep"
    replaced("blueprint.yaml", "[Relu, Add, Mul, MatMul]", "[Relu, Sub]  # ours")(project)
    run(
        *("copier", "copy", "-q", "--defaults", "--overwrite", "--skip", "blueprint.yaml"),
        *("--data-file", project / ".copier-answers.yml", published, project),
        at=tmp_path,
    )
    assert tree(project).keys() == before.keys()
    commit_all(project, "init", "-q")
    second_version(published)
    run("copier", "update", "-q", "--defaults", at=project)
    text = (project / "blueprint.yaml").read_text()
    assert "# The second version.\n" in text
    assert "ops: [Relu, Sub]  # ours\n" in text
    assert "type: npu" in text


@pytest.mark.lab
def test_one_directory_is_a_starter_s_copy_and_a_project_all_its_life(
    tmp_path: Path, published: Path
) -> None:
    by_copier(tmp_path, published, {"vendor": "Contoso"})
    project = tmp_path / "my-ep"
    commit_all(project, "init", "-q")
    for step in (
        ["scaffold", project],
        ["status", project],
        ["add", "op", "Sub", "--project", project],
        ["upgrade", project, "--ort", "1.28"],
        ["status", project],
    ):
        result = call(*step)
        assert result.exit_code == 0, result.output
    replaced("README.md", "\n", "\nOur own line.\n")(project)
    commit_all(project)
    second_version(published)
    run("copier", "update", "-q", "--defaults", at=project)
    changed = set(git(project, "status", "--porcelain", "-uall").split()) - {"M"}
    assert changed == {".copier-answers.yml", "blueprint.yaml"}
    assert [row["path"] for row in asked("status", project)["findings"]] == ["blueprint.yaml"]
    assert call("regenerate", project).exit_code == 0
    assert call("status", project).exit_code == 0
    text = (project / "blueprint.yaml").read_text()
    assert "# The second version.\n" in text
    assert "Sub" in text
    assert "Our own line." in (project / "README.md").read_text()
    own = set(json.loads((project / "epforge.lock").read_text())["files"])
    assert not own & {".copier-answers.yml", "epforge.schema.json"}


def commit_all(place: Path, *first: str) -> None:
    if first:
        git(place, *first)
    git(place, "add", "-A")
    git(place, "commit", "-qm", "work")


def second_version(starter: Path) -> None:
    """A new tag, whose blueprint says something else at its top."""
    head = "# Every other name derives from this one.\n"
    replaced("template/blueprint.yaml.jinja", head, f"# The second version.\n{head}")(starter)
    commit_all(starter)
    git(starter, "tag", "v1.1.0")


def test_the_starter_s_schema_is_that_of_blueprints(repository: Path) -> None:
    cure = "run: python -m epforge.cli.make_reference"
    assert (repository / SCHEMA).read_text(encoding="utf-8") == call("schema").stdout, cure


def test_every_question_is_explained(tmp_path: Path) -> None:
    assert call("templates", "starter", tmp_path, "--format", "cookiecutter").exit_code == 0
    settings = json.loads((tmp_path / "cookiecutter.json").read_text(encoding="utf-8"))
    prompts = settings["__prompts__"]
    asked_for = {name for name in settings if not name.startswith("_")}
    assert asked_for == prompts.keys()
    for name, prompt in prompts.items():
        text = prompt["__prompt__"] if isinstance(prompt, dict) else prompt
        assert len(text.split()) > 5, name
        assert all(len(line) <= 76 for line in text.splitlines()), name  # a terminal cuts them
        if isinstance(settings[name], list):
            assert set(settings[name]) == prompt.keys() - {"__prompt__"}


def test_a_starter_is_not_written_over_another(tmp_path: Path) -> None:
    (tmp_path / "copier.yml").write_text("mine\n")
    error = asked("templates", "starter", tmp_path)["error"]
    assert error["files"] == ["copier.yml"]
    assert tree(tmp_path) == {"copier.yml": b"mine\n"}
    assert call("templates", "starter", tmp_path, "--format", "cruft").exit_code == 2


def test_the_starter_is_no_template_of_projects(tmp_path: Path) -> None:
    names = call("templates", "list").stdout.splitlines()
    assert not [name for name in names if "starter" in name]
    result = call("templates", "eject", "starter/copier.yml", "--to", tmp_path)
    assert result.exit_code == 2


def test_a_machine_without_git_will_do(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "epforge", "init", "my-ep", "--vendor", "Contoso"],
        cwd=tmp_path,
        env={**os.environ, "PATH": str(tmp_path / "bin")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "my-ep/blueprint.yaml").is_file()
