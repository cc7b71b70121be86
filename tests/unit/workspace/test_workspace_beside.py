"""A directory that holds files of others: they stay, and what is in their way is not written."""

import os
from pathlib import Path

import pytest
from publishing import TOOL, file, lock_of, own, put

from epforge.errors import UsageError
from epforge.workspace import (
    EditedError,
    File,
    InTheWayError,
    Owner,
    PendingError,
    State,
    WriteError,
    add_files,
    check_target,
    preview,
    preview_added,
    publish,
    recover,
)

OLD = [
    file("a1", "gen/a.h", "generated"),
    file("b1", "gen/b.h", "generated"),
    file("c1", "CMakeLists.txt", "shared"),
    file("m1", "src/mine.cc", "yours"),
]
NEW = [file("a2", "gen/a.h", "generated"), file("c2", "CMakeLists.txt", "shared"), *OLD[3:]]
STARTER = [file("epforge: 1\n", "blueprint.yaml", "yours"), file("{}", "deep/schema.json")]


class Stop(BaseException):
    """Ends a command as a kill would, as far as files are concerned."""


def entries(directory: Path) -> dict[str, bytes | None]:
    """Everything below a directory; None for what is no regular file."""
    return {
        path.relative_to(directory).as_posix(): (
            path.read_bytes() if path.is_file() and not path.is_symlink() else None
        )
        for path in sorted(directory.rglob("*"))
    }


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "gen/mine.h", ".git/config"])
def test_files_of_others_stay_beside_a_project(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("precious")
    assert check_target(tmp_path) is State.OTHER
    for content in (OLD, NEW):
        put(tmp_path, *content)
        assert own(tmp_path) == {each.path: each.content.decode() for each in content} | {
            name: "precious"
        }
        assert name not in lock_of(tmp_path).files


def test_a_file_that_is_the_same_already_is_no_obstacle(tmp_path: Path) -> None:
    for each in OLD:
        (tmp_path / each.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each.path).write_bytes(each.content)
    before = {each.path: (tmp_path / each.path).stat().st_mtime_ns for each in OLD}
    put(tmp_path, *OLD)
    assert {path: (tmp_path / path).stat().st_mtime_ns for path in before} == before
    assert lock_of(tmp_path).files.keys() == before.keys()


def test_files_in_the_way_are_listed_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "gen/a.h").mkdir(parents=True)
    (tmp_path / "CMakeLists.txt").write_text("of another")
    (tmp_path / "gen/b.h").symlink_to("nowhere")
    (tmp_path / "notes.txt").write_text("mine")
    before = entries(tmp_path)
    for act in (publish, preview):
        with pytest.raises(InTheWayError) as caught:
            act(tmp_path, OLD, tool=TOOL, blueprint=b"b")
        assert caught.value.paths == ("CMakeLists.txt", "gen/a.h", "gen/b.h")
        assert caught.value.details() == {"files": ["CMakeLists.txt", "gen/a.h", "gen/b.h"]}
        assert entries(tmp_path) == before


@pytest.mark.parametrize("owner", list(Owner))
def test_a_file_is_in_the_way_whoever_would_own_the_new_one(tmp_path: Path, owner: Owner) -> None:
    (tmp_path / "a.txt").write_text("precious")
    with pytest.raises(InTheWayError):
        put(tmp_path, file("new", "a.txt", owner.value))
    assert entries(tmp_path) == {"a.txt": b"precious"}


def test_records_are_not_written_through_a_file_or_a_link(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one/.epforge").write_text("precious")
    (tmp_path / "two").mkdir()
    (tmp_path / "two/gen").symlink_to(tmp_path)
    for name in ("one", "two"):
        before = entries(tmp_path)
        with pytest.raises(UsageError, match=r"is not a directory|symbolic link"):
            put(tmp_path / name, *OLD)
        assert entries(tmp_path) == before


def test_files_are_added_to_a_directory_that_is_not_there(tmp_path: Path) -> None:
    seen = preview_added(tmp_path / "a/b", STARTER)
    assert not (tmp_path / "a").exists()
    assert add_files(tmp_path / "a/b", STARTER) == seen
    assert seen.written == ("blueprint.yaml", "deep/schema.json")
    assert own(tmp_path) == {"a/b/blueprint.yaml": "epforge: 1\n", "a/b/deep/schema.json": "{}"}


def test_files_are_added_beside_others(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "blueprint.yaml").write_bytes(b"epforge: 1\r\n")  # the same, as Windows saves it
    seen = preview_added(tmp_path, STARTER)
    assert add_files(tmp_path, STARTER) == seen
    assert (seen.written, seen.present) == (("deep/schema.json",), ("blueprint.yaml",))
    assert entries(tmp_path) == {
        "blueprint.yaml": b"epforge: 1\r\n",
        "deep": None,
        "deep/schema.json": b"{}",
        "notes.txt": b"mine",
    }


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "blueprint.yaml").write_text("mine")
    for act in (add_files, preview_added):
        with pytest.raises(InTheWayError, match=r"blueprint\.yaml"):
            act(tmp_path, STARTER)
    assert entries(tmp_path) == {"blueprint.yaml": b"mine"}


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    def write(name: str) -> None:
        if name == "commit":
            (tmp_path / "blueprint.yaml").write_text("of another")

    with pytest.raises(EditedError):
        add_files(tmp_path, STARTER, step=write)
    assert entries(tmp_path) == {"blueprint.yaml": b"of another", "notes.txt": b"mine"}


@pytest.mark.parametrize("path", ["../out.txt", "/out.txt", ".git/hooks/x", "a\\b"])
def test_a_path_stays_in_the_directory(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageError):
        add_files(tmp_path / "in", [File(path, b"", Owner.YOURS)])
    assert entries(tmp_path) == {}


def test_where_there_is_no_directory_nothing_is_added(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file/below"):
        for act in (add_files, preview_added):
            with pytest.raises(UsageError, match="is not a directory"):
                act(place, STARTER)
    assert entries(tmp_path) == {"file": b"mine"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_what_may_not_be_written_is_an_error_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    for place in (tmp_path / "closed", tmp_path / "closed/new"):
        with pytest.raises(WriteError, match="cannot write"):
            add_files(place, STARTER)
    assert entries(tmp_path) == {"closed": None}


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("kind", [Stop, KeyboardInterrupt])
def test_an_interrupt_leaves_nothing_or_what_the_next_command_finishes(
    tmp_path: Path, there: bool, kind: type[BaseException]
) -> None:
    steps: list[str] = []
    place = tmp_path / "count"
    if there:
        place.mkdir()
    add_files(place, STARTER, step=steps.append)
    whole = entries(place)
    for index in range(len(steps)):
        place = tmp_path / f"{index}"
        if there:
            place.mkdir()
        taken: list[str] = []

        def stop(name: str, taken: list[str] = taken, index: int = index) -> None:
            taken.append(name)
            if len(taken) > index:
                raise kind

        with pytest.raises(kind):
            add_files(place, STARTER, step=stop)
        pending = (place / ".epforge/next").is_dir()
        assert not (pending and kind is KeyboardInterrupt)
        if not pending:
            assert entries(place) in ({}, whole)
        else:
            with pytest.raises(PendingError):
                preview(place, OLD, tool=TOOL, blueprint=b"b")
            recover(place)
            assert entries(place) == whole
        add_files(place, STARTER)
        assert entries(place) == whole
