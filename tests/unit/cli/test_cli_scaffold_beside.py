"""`scaffold` in a directory that holds other things: a blueprint, git's own, anything."""

import json
import shlex
from pathlib import Path

import pytest
from cli_project import BLUEPRINT, add_an_op, asked, call, scaffolded, tree

from epforge.workspace import add_files
from epforge.workspace.model import File, Owner

OTHERS = {
    ".git/config": b"[core]\n",
    "epforge.schema.json": b"{}",
    "notes/thesis.tex": b"precious",
    "src/gen/kernels/mine.txt": b"mine",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a blueprint and files of others."""
    for path, content in {**OTHERS, "blueprint.yaml": BLUEPRINT.encode()}.items():
        (tmp_path / "npu" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "npu" / path).write_bytes(content)
    return tmp_path / "npu"


def test_a_project_is_made_where_its_blueprint_lies(place: Path, tmp_path: Path) -> None:
    result = call("scaffold", place)
    assert result.exit_code == 0, result.output
    (tmp_path / "other").mkdir()
    alone = tree(scaffolded(tmp_path / "other"))
    assert tree(place) == {**alone, **OTHERS}
    assert call("status", place).exit_code == 0


def test_the_files_of_others_stay_all_their_life(place: Path) -> None:
    assert call("scaffold", place).exit_code == 0
    add_an_op(place)
    for verb in ("regenerate", "upgrade", "scaffold"):
        extra = ("--ort", "1.28") if verb == "upgrade" else ()
        result = call(verb, place, *extra)
        assert result.exit_code == 0, result.output
        assert {path: tree(place)[path] for path in OTHERS} == OTHERS
        assert call("status", place).exit_code == 0
    assert not [row for row in asked("plan", place)["actions"] if row["path"] in OTHERS]
    assert (place / "src/gen/kernels/mul.cc").is_file()


def test_a_blueprint_elsewhere_comes_along(place: Path, tmp_path: Path) -> None:
    (place / "blueprint.yaml").rename(tmp_path / "mine.yaml")
    assert call("scaffold", tmp_path / "mine.yaml", place).exit_code == 0
    assert {path: tree(place)[path] for path in OTHERS} == OTHERS


def test_a_second_directory_takes_the_blueprint_of_the_first(place: Path, tmp_path: Path) -> None:
    assert call("scaffold", place, tmp_path / "out").exit_code == 0
    assert (tmp_path / "out/epforge.lock").is_file()
    assert not (place / "epforge.lock").exists()


def test_what_is_in_the_way_is_listed_and_nothing_is_written(place: Path) -> None:
    (place / "README.md").write_text("mine\n")
    (place / "src/gen/kernels/relu.cc").write_text("mine\n")
    before = tree(place)
    result = call("scaffold", place, "--build")
    assert result.exit_code == 2
    assert "  README.md\n  src/gen/kernels/relu.cc\n" in result.stderr
    assert tree(place) == before
    error = asked("scaffold", place)["error"]
    assert error["files"] == ["README.md", "src/gen/kernels/relu.cc"]
    assert error["cure"]
    assert tree(place) == before


def test_another_blueprint_is_in_the_way_too(place: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(BLUEPRINT.replace("Relu", "Neg"))
    assert call("scaffold", other, place).exit_code == 2
    assert asked("scaffold", other, place)["error"]["files"] == ["blueprint.yaml"]
    assert tree(place) == {**OTHERS, "blueprint.yaml": BLUEPRINT.encode()}


def test_a_blueprint_that_windows_saved_is_the_same(place: Path) -> None:
    text = b"\xef\xbb\xbf" + BLUEPRINT.replace("\n", "\r\n").encode()
    (place / "blueprint.yaml").write_bytes(text)
    assert call("scaffold", place).exit_code == 0
    assert (place / "blueprint.yaml").read_bytes() == text
    assert call("status", place).exit_code == 0


def test_a_crash_before_there_was_a_project_is_finished_first(place: Path) -> None:
    (place / "blueprint.yaml").unlink()

    class Stop(BaseException):
        pass

    def stop(name: str) -> None:
        if name == "apply blueprint.yaml":
            raise Stop

    with pytest.raises(Stop):
        add_files(place, [File("blueprint.yaml", BLUEPRINT.encode(), Owner.YOURS)], step=stop)
    assert not (place / "blueprint.yaml").exists()
    assert call("scaffold", place).exit_code == 0
    assert call("status", place).exit_code == 0
    assert {path: tree(place)[path] for path in OTHERS} == OTHERS


def test_a_crash_of_the_first_scaffold_is_forgotten(place: Path) -> None:
    (place / ".epforge/next/new").mkdir(parents=True)
    assert call("scaffold", place).exit_code == 0
    assert call("status", place).exit_code == 0


@pytest.mark.parametrize(
    ("args", "cure"),
    [
        (["{0}"], "epforge init {0}"),
        (["{0}/mine.yaml"], "epforge scaffold {0}/mine.yaml DIR"),
    ],
)
def test_a_place_that_cannot_be_told_is_asked_for(
    tmp_path: Path, args: list[str], cure: str
) -> None:
    (tmp_path / "mine.yaml").write_text(BLUEPRINT)
    result = call("scaffold", *(arg.format(tmp_path) for arg in args))
    assert result.exit_code == 2
    assert cure.format(shlex.quote(str(tmp_path))) in result.stderr


def test_plan_shows_what_a_directory_with_a_blueprint_becomes(place: Path) -> None:
    rows = json.loads(call("plan", place, "--json").stdout)["files"]
    assert rows == json.loads(call("plan", place / "blueprint.yaml", "--json").stdout)["files"]
    assert call("plan", place, "--diff").exit_code == 2
