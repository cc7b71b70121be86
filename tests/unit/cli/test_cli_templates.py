"""`templates`: epforge's templates listed, shown, copied out, and compared."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from epforge.assets import assets_dir
from epforge.cli.main import app

run = CliRunner().invoke
NAME = "plugin/README.md"


def own(name: str) -> bytes:
    return (assets_dir("templates") / name).read_bytes()


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    result = run(app, ["templates", "eject", NAME, "plugin/dot.gitignore", "--to", str(tmp_path)])
    assert result.exit_code == 0, result.output
    return tmp_path


def states(directory: Path, status: int = 0) -> dict[str, str]:
    result = run(app, ["templates", "diff", str(directory), "--json"])
    assert result.exit_code == status, result.output
    rows = json.loads(result.stdout)["templates"]
    return {row["name"]: row["state"] for row in rows}


def test_list_names_every_template_of_a_project() -> None:
    """Those of the starter are copied out whole: `epforge templates starter`."""
    names = run(app, ["templates", "list"]).stdout.splitlines()
    root = assets_dir("templates")
    files = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    assert names == sorted(file.as_posix() for file in files if file.parts[0] != "starter")
    as_json = json.loads(run(app, ["templates", "list", "--json"]).stdout)
    assert as_json == {"format": 1, "templates": names}


def test_show_prints_the_text_as_it_is() -> None:
    assert run(app, ["templates", "show", NAME]).stdout_bytes == own(NAME)


def test_an_unknown_name_gets_a_hint() -> None:
    for verb in (["show"], ["eject", "--to", "x"]):
        result = run(app, ["templates", *verb, "plugin/README"])
        assert result.exit_code == 2
        assert "Did you mean plugin/README.md?" in result.output


def test_eject_copies_and_records(mine: Path) -> None:
    assert (mine / NAME).read_bytes() == own(NAME)
    record = json.loads((mine / "ejected.json").read_text())
    assert list(record["templates"]) == [NAME, "plugin/dot.gitignore"]
    assert states(mine) == {NAME: "same", "plugin/dot.gitignore": "same"}


def test_eject_never_overwrites_and_writes_all_or_none(mine: Path) -> None:
    (mine / NAME).write_text("mine")
    result = run(app, ["templates", "eject", "plugin/CMakeLists.txt", NAME, "--to", str(mine)])
    assert result.exit_code == 2
    assert "is there already" in result.output
    assert (mine / NAME).read_text() == "mine"
    assert not (mine / "plugin/CMakeLists.txt").exists()


def test_diff_shows_what_changed_here(mine: Path) -> None:
    (mine / NAME).write_bytes(own(NAME) + b"More.\n")
    result = run(app, ["templates", "diff", str(mine)])
    assert result.exit_code == 0
    assert f"{NAME}: changed" in result.stdout
    assert "\n+More.\n" in result.stdout
    assert states(mine)[NAME] == "changed"


def test_diff_tells_when_epforge_s_text_changed_since(mine: Path) -> None:
    record = json.loads((mine / "ejected.json").read_text())
    record["templates"][NAME] = "0" * 64
    (mine / "ejected.json").write_text(json.dumps(record))
    (mine / NAME).write_text("mine\n")
    assert states(mine, status=1)[NAME] == "old"
    assert "has changed since" in run(app, ["templates", "diff", str(mine)]).stdout


def test_diff_of_templates_that_were_not_ejected(mine: Path) -> None:
    (mine / "ejected.json").unlink()
    (mine / NAME).write_text("mine\n")
    (mine / "plugin/nothing.md").write_text("")
    (mine / "acme").mkdir()
    (mine / "acme/macros").write_text("for includes")
    assert states(mine, status=1) == {
        NAME: "unrecorded",
        "plugin/dot.gitignore": "same",
        "plugin/nothing.md": "unknown",
    }


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[", "[]", '{"format": 1}', '{"format": 2, "templates": {}}']
)
def test_a_record_that_is_none_is_said_so(mine: Path, text: str) -> None:
    (mine / "ejected.json").write_text(text)
    result = run(app, ["templates", "diff", str(mine)])
    assert result.exit_code == 2
    assert "ejected.json" in result.output


def test_a_directory_without_templates_is_a_wrong_call(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        assert run(app, ["templates", "diff", str(place)]).exit_code == 2


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for link, target in (("plugin", outside), ("ejected.json", outside / "made")):
        place = tmp_path / f"by {link}"
        place.mkdir()
        (place / link).symlink_to(target)
        result = run(app, ["templates", "eject", NAME, "--to", str(place)])
        assert result.exit_code == 2
        assert f"{link} is a" in result.output
        assert [path.name for path in place.iterdir()] == [link]
    assert not list(outside.iterdir())


def test_diff_shows_nothing_that_a_link_leads_to(mine: Path) -> None:
    (mine.parent / "secret").write_text("hunter2\n")
    (mine / NAME).unlink()
    (mine / NAME).symlink_to(mine.parent / "secret")
    result = run(app, ["templates", "diff", str(mine)])
    assert result.exit_code == 2
    assert "leads out of" in result.output
    assert "hunter2" not in result.output


def test_diff_writes_no_controls_of_a_name(mine: Path) -> None:
    (mine / "plugin/\x07").write_text("x")
    result = run(app, ["templates", "diff", str(mine)])
    assert result.exit_code == 1
    assert "\x07" not in result.output
