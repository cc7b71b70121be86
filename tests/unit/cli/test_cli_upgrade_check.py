"""`upgrade --check`: what pip says is the newest, beside what a project targets."""

import json
from pathlib import Path

import pytest
from package_index import only, release
from typer.testing import CliRunner

from epforge.cli.main import app
from epforge.ort.levels import known_levels
from epforge.verbs.upgrade import newer

run = CliRunner().invoke


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of packages, the only one that pip knows."""
    place = tmp_path / "index"
    place.mkdir()
    for name, value in only(place).items():
        monkeypatch.setenv(name, value)
    return place


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "my ep"
    place.mkdir()
    (place / "blueprint.yaml").write_text(
        'epforge: 1\nname: contoso-npu\nvendor: Contoso\nort: {target: "1.27"}\nops: [Relu]\n'
    )
    return place


@pytest.mark.parametrize(
    ("target", "newest", "known", "upgrade"),
    [
        (27, "1.28.0", 32, "1.28"),
        (27, "1.27.3", 32, None),
        (27, "1.26.0", 32, None),
        (27, "1.40.1", 32, "1.32"),
        (32, "1.40.1", 32, None),
    ],
)
def test_an_upgrade_goes_no_further_than_what_is_out_and_known(
    target: int, newest: str, known: int, upgrade: str | None
) -> None:
    assert newer(Path("my-ep"), target, newest, known).upgrade == upgrade


def test_the_newest_release_is_what_pip_would_install(project: Path, index: Path) -> None:
    for version in ("1.26.0", "1.28.1", "1.29.0rc1"):
        release(index, version)
    result = run(app, ["upgrade", str(project), "--check", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {
        "format": 1,
        "directory": str(project),
        "target": "1.27",
        "newest": "1.28.1",
        "known": f"1.{known_levels()[-1]}",
        "upgrade": "1.28",
    }


@pytest.mark.parametrize(
    ("version", "words"),
    [("1.27.1", "nothing to do"), ("1.99.0", f"ep' --ort 1.{known_levels()[-1]}")],
)
def test_the_answer_is_a_sentence(project: Path, index: Path, version: str, words: str) -> None:
    release(index, version)
    assert words in run(app, ["upgrade", str(project), "--check"]).stdout


def test_what_pip_cannot_tell_is_an_error_with_its_words(project: Path, index: Path) -> None:
    result = run(app, ["upgrade", str(project), "--check"])
    assert result.exit_code == 4
    assert "No matching distribution" in result.stderr
    assert "epforge upgrade --ort 1.N" in result.stderr


def test_a_pip_that_lies_in_the_project_is_not_run(
    project: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(index, "1.28.1")
    (project / "pip").mkdir()
    (project / "pip/__init__.py").write_text("open('trapped', 'w')\nraise SystemExit(9)\n")
    monkeypatch.chdir(project)
    result = CliRunner().invoke(app, ["upgrade", ".", "--check"])
    assert result.exit_code == 0, result.output
    assert not (project / "trapped").exists()
