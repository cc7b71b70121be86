"""Publishing: ownership, refusals, and all or nothing whatever happens."""

import errno
import itertools
import json
import os
import shutil
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from epforge.errors import EpforgeError, ExitStatus, UsageError
from epforge.workspace import (
    LOCK,
    ActionKind,
    EditedError,
    File,
    Outcome,
    Owner,
    Request,
    State,
    Tool,
    WriteError,
    check_target,
    publish,
    read_lock,
    recover,
    sha256,
)

TOOL = Tool("0.1.0", "f" * 64)
OLD = {
    "gen/a.h": ("a1", Owner.GENERATED),
    "gen/b.h": ("b1", Owner.GENERATED),
    "gen/same.h": ("s", Owner.GENERATED),
    "CMakeLists.txt": ("c1", Owner.SHARED),
    "src/mine.cc": ("m1", Owner.YOURS),
    "blueprint.yaml": ("epforge: 1", Owner.YOURS),
}
NEW = {
    "gen/a.h": ("a2", Owner.GENERATED),
    "gen/new/c.h": ("c2", Owner.GENERATED),
    "gen/same.h": ("s", Owner.GENERATED),
    "CMakeLists.txt": ("c2", Owner.SHARED),
    "src/mine.cc": ("m2", Owner.YOURS),
    "src/ejected.cc": ("e2", Owner.YOURS),
    "blueprint.yaml": ("epforge: 1 # edited", Owner.YOURS),
}
ARCHIVE = ".epforge/base.tar.xz"
Content = dict[str, tuple[str, Owner]]


def files(content: Content) -> list[File]:
    return [File(path, text.encode(), owner) for path, (text, owner) in content.items()]


NOTHING = Request()


def put(
    directory: Path,
    content: Content,
    step: Callable[[str], None] = lambda name: None,
    request: Request = NOTHING,
) -> Outcome:
    return publish(
        directory, files(content), tool=TOOL, blueprint=b"epforge: 1", request=request, step=step
    )


def edits(*paths: str) -> Request:
    return Request(edits=frozenset(paths))


def tree(directory: Path) -> dict[str, bytes] | None:
    """Every file below a directory; None if there is no directory."""
    if not directory.is_dir():
        return None
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_a_new_project_has_its_files_its_lock_and_the_base_of_shared_files(tmp_path: Path) -> None:
    done = put(tmp_path / "deep" / "p", OLD)
    assert done.created
    found = tree(tmp_path / "deep" / "p")
    assert found is not None
    assert found.keys() == {*OLD, LOCK, ARCHIVE, ".epforge/base/CMakeLists.txt"}
    assert found["gen/a.h"] == b"a1"
    assert os.listdir(tmp_path / "deep") == ["p"]
    lock = read_lock(tmp_path / "deep" / "p")
    assert lock is not None
    assert lock.files["CMakeLists.txt"].owner is Owner.SHARED


def test_an_empty_directory_is_filled_in_place(tmp_path: Path) -> None:
    before = tmp_path.stat().st_ino
    assert put(tmp_path, OLD).created
    assert tmp_path.stat().st_ino == before
    assert (tmp_path / "gen/a.h").read_text() == "a1"
    assert not (tmp_path / ".epforge/next").exists()


def test_both_ways_of_publishing_give_the_same_tree(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    put(tmp_path / "there", OLD)
    put(tmp_path / "absent", OLD)
    assert tree(tmp_path / "there") == tree(tmp_path / "absent")


def test_modes_follow_the_umask(tmp_path: Path) -> None:
    content = [File("run", b"#!", Owner.YOURS, executable=True), File("doc", b"", Owner.YOURS)]
    old = os.umask(0o027)
    try:
        publish(tmp_path / "p", content, tool=TOOL, blueprint=b"")
    finally:
        os.umask(old)
    modes = {
        name: stat.S_IMODE((tmp_path / "p" / name).stat().st_mode) for name in ("run", "doc", ".")
    }
    assert modes == {"run": 0o750, "doc": 0o640, ".": 0o750}


def test_what_replaces_a_file_is_as_private_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, OLD)
    for name, mode in (("gen/a.h", 0o600), ("CMakeLists.txt", 0o750)):
        (tmp_path / name).chmod(mode)
    put(tmp_path, NEW)
    modes = [
        stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("gen/a.h", "CMakeLists.txt")
    ]
    assert (tmp_path / "gen/a.h").read_text() == "a2"
    assert modes == [0o600, 0o750]


def test_recovery_does_not_follow_a_link_out_of_the_project(tmp_path: Path) -> None:
    put(tmp_path / "p", OLD)
    (tmp_path / "elsewhere/next").mkdir(parents=True)
    (tmp_path / "elsewhere/next/precious").write_text("mine")
    shutil.rmtree(tmp_path / "p/.epforge")
    (tmp_path / "p/.epforge").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="symbolic link"):
        recover(tmp_path / "p")
    assert (tmp_path / "elsewhere/next/precious").read_text() == "mine"


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("file", "dangling"):
        with pytest.raises(UsageError, match="is not a directory"):
            put(tmp_path / name, OLD)
    assert check_target(tmp_path / "absent") is State.ABSENT


def test_a_link_inside_the_project_is_not_written_through(tmp_path: Path) -> None:
    put(tmp_path / "p", OLD)
    shutil.move(tmp_path / "p/gen", tmp_path / "elsewhere")
    (tmp_path / "p/gen").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="symbolic link"):
        put(tmp_path / "p", NEW)
    assert (tmp_path / "elsewhere/a.h").read_text() == "a1"


def test_updating_replaces_ours_removes_what_went_and_leaves_yours(tmp_path: Path) -> None:
    put(tmp_path, OLD)
    (tmp_path / "src/mine.cc").write_text("my work")
    (tmp_path / "src/notes.txt").write_text("my notes")
    done = put(tmp_path, NEW, request=edits("blueprint.yaml"))
    assert tree(tmp_path) == {
        "gen/a.h": b"a2",
        "gen/new/c.h": b"c2",
        "gen/same.h": b"s",
        "CMakeLists.txt": b"c2",
        ".epforge/base/CMakeLists.txt": b"c2",
        "src/mine.cc": b"my work",
        "src/notes.txt": b"my notes",
        "src/ejected.cc": b"e2",
        "blueprint.yaml": b"epforge: 1 # edited",
        LOCK: (tmp_path / LOCK).read_bytes(),
        ARCHIVE: (tmp_path / ARCHIVE).read_bytes(),
    }
    assert done.paths(ActionKind.REMOVE) == ("gen/b.h",)
    assert [note.path for note in done.notes] == ["src/mine.cc"]
    assert "gen/same.h" not in done.paths()


def test_nothing_to_do_touches_nothing(tmp_path: Path) -> None:
    put(tmp_path, OLD)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    done = put(tmp_path, OLD)
    assert (done.actions, done.notes) == ((), ())
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("path", ["gen/a.h", "gen/same.h", "gen/b.h", "CMakeLists.txt"])
def test_an_edit_that_would_be_lost_is_refused_and_named(tmp_path: Path, path: str) -> None:
    put(tmp_path, OLD)
    (tmp_path / path).write_text("edited")
    before = tree(tmp_path)
    with pytest.raises(EditedError, match=path) as caught:
        put(tmp_path, NEW)
    assert caught.value.paths == (path,)
    assert caught.value.exit_status is ExitStatus.CONFLICTS
    assert tree(tmp_path) == before


def test_a_file_of_the_owners_in_the_way_is_not_overwritten(tmp_path: Path) -> None:
    put(tmp_path, OLD)
    (tmp_path / "gen/new").mkdir()
    (tmp_path / "gen/new/c.h").write_text("precious")
    (tmp_path / "src/ejected.cc").write_text("precious too")
    with pytest.raises(EditedError, match=r"gen/new/c\.h"):
        put(tmp_path, NEW)
    (tmp_path / "gen/new/c.h").unlink()
    put(tmp_path, NEW)
    assert (tmp_path / "src/ejected.cc").read_text() == "precious too"


def test_an_edited_shared_file_stays_when_ours_did_not_change(tmp_path: Path) -> None:
    put(tmp_path, OLD)
    (tmp_path / "CMakeLists.txt").write_text("edited")
    done = put(tmp_path, {**NEW, "CMakeLists.txt": OLD["CMakeLists.txt"]})
    assert (tmp_path / "CMakeLists.txt").read_text() == "edited"
    assert "CMakeLists.txt" not in done.paths()
    assert (tmp_path / ".epforge/base/CMakeLists.txt").read_text() == "c1"


def test_a_file_of_yours_that_you_deleted_stays_deleted(tmp_path: Path) -> None:
    put(tmp_path, OLD)
    (tmp_path / "src/mine.cc").unlink()
    put(tmp_path, NEW)
    assert not (tmp_path / "src/mine.cc").exists()


def test_paths_are_checked_before_anything_is_written(tmp_path: Path) -> None:
    for path in ("../evil", "src/MINE.cc", ".epforge/x", LOCK):
        with pytest.raises(UsageError):
            put(tmp_path / "p", {**OLD, path: ("x", Owner.GENERATED)})
    assert os.listdir(tmp_path) == []


# What can go wrong between two system calls: an error, or the end of the process.


def prepare(tmp_path: Path, start: str) -> Path:
    """A target in one of the states that publishing starts from."""
    target = tmp_path / "p"
    if start == "empty":
        target.mkdir(parents=True)
    elif start == "ours":
        put(target, OLD)
        (target / "src/mine.cc").write_text("my work")
    return target


def steps_of(tmp_path: Path, start: str) -> list[str]:
    names: list[str] = []
    put(prepare(tmp_path / "dry", start), NEW, names.append)
    return names


def wanted(tmp_path: Path, start: str) -> dict[str, bytes] | None:
    target = prepare(tmp_path / "wanted", start)
    put(target, NEW)
    return tree(target)


STARTS = ["absent", "empty", "ours"]


def failing_at(index: int) -> Callable[[str], None]:
    """A hook that fails at one step as a full disk does."""
    steps = itertools.count()

    def fail(name: str) -> None:
        if next(steps) == index:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/the/disk")

    return fail


@pytest.mark.parametrize("start", STARTS)
def test_an_error_at_any_step_leaves_the_old_tree(tmp_path: Path, start: str) -> None:
    names = steps_of(tmp_path, start)
    assert len(names) > 5
    target = prepare(tmp_path, start)
    old = tree(target)
    for index, name in enumerate(names):
        if name == "done":
            continue
        with pytest.raises(WriteError, match="cannot write /the/disk: No space left") as caught:
            put(target, NEW, failing_at(index))
        assert caught.value.exit_status is ExitStatus.MISSING
        assert tree(target) == old, name
        assert {entry.name for entry in tmp_path.iterdir()} <= {"p", "dry"}


def put_and_be_killed(target: Path, after: int) -> None:
    """Publishes in a process of its own that is killed at a step."""
    steps = itertools.count()

    def kill(name: str) -> None:
        if next(steps) == after:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        try:
            put(target, NEW, kill)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "it ended by itself"


@pytest.mark.parametrize("start", STARTS)
def test_a_kill_at_any_step_leaves_old_or_new_after_the_next_command(
    tmp_path: Path, start: str
) -> None:
    names = steps_of(tmp_path, start)
    new = wanted(tmp_path, start)
    for index, name in enumerate(names):
        target = prepare(tmp_path / str(index), start)
        old = tree(target)
        put_and_be_killed(target, index)
        if target.is_dir():
            recover(target)
        assert tree(target) in (old, new), name
        put(target, NEW)
        assert tree(target) == new, name


def test_edits_after_a_crash_are_not_overwritten(tmp_path: Path) -> None:
    put(tmp_path, OLD)

    class Killed(BaseException):
        pass

    def kill(name: str) -> None:
        if name == "apply gen/a.h":
            raise Killed

    with pytest.raises(Killed):
        put(tmp_path, NEW, kill)
    (tmp_path / "gen/a.h").write_text("edited meanwhile")
    with pytest.raises(EditedError, match=r"gen/a\.h"):
        recover(tmp_path)
    assert (tmp_path / "gen/a.h").read_text() == "edited meanwhile"


@pytest.mark.parametrize(
    "rows",
    ["{", "{}", "[1]", "[" * 100_000, '[{"path": "../evil", "before": null, "after": null}]'],
)
def test_a_hostile_journal_is_refused(tmp_path: Path, rows: str) -> None:
    project = tmp_path / "p"
    put(project, OLD)
    (tmp_path / "evil").write_text("precious")
    (project / ".epforge/next").mkdir()
    (project / ".epforge/next/journal.json").write_text(rows)
    with pytest.raises(EpforgeError):
        recover(project)
    assert (tmp_path / "evil").read_text() == "precious"


def crash(project: Path, path: str, content: bytes) -> Path:
    """What a crash might leave, or a clone bring along: a journal that writes one file."""
    staged = project / ".epforge/next/new" / path
    staged.parent.mkdir(parents=True)
    staged.write_bytes(content)
    rows = [{"path": path, "before": None, "after": sha256(content)}]
    (project / ".epforge/next/journal.json").write_text(json.dumps(rows))
    return staged


@pytest.mark.parametrize("folder", [".git", ".GIT", "git~1"])
def test_a_journal_installs_no_hook(tmp_path: Path, folder: str) -> None:
    put(tmp_path, OLD)
    crash(tmp_path, f"{folder}/hooks/post-commit", b"#!/bin/sh")
    with pytest.raises(UsageError, match="git's own directory"):
        recover(tmp_path)
    assert not (tmp_path / folder).exists()


def test_recovery_takes_nothing_from_outside_the_project(tmp_path: Path) -> None:
    project = tmp_path / "p"
    put(project, OLD)
    staged = crash(project, "src/new.cc", b"precious")
    shutil.move(staged.parent, tmp_path / "elsewhere")
    staged.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="symbolic link"):
        recover(project)
    assert (tmp_path / "elsewhere/new.cc").read_bytes() == b"precious"


@pytest.mark.parametrize("damage", ["text", "link"])
def test_what_was_staged_is_what_is_written(tmp_path: Path, damage: str) -> None:
    project = tmp_path / "p"
    put(project, OLD)
    staged = crash(project, "src/new.cc", b"new")
    if damage == "text":
        staged.write_bytes(b"something else")
    else:
        staged.unlink()
        staged.symlink_to("/etc/hostname")
    with pytest.raises(UsageError, match="damaged"):
        recover(project)
    assert not os.path.lexists(project / "src/new.cc")


def test_a_lock_that_is_no_file_is_an_error_and_not_a_wait(tmp_path: Path) -> None:
    put(tmp_path, OLD)
    for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path)):
        (tmp_path / LOCK).unlink()
        make(tmp_path / LOCK)
        with pytest.raises(UsageError, match="no regular file"):
            put(tmp_path, NEW)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_right_to_write_is_an_error_with_a_cure(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WriteError, match="Permission denied"):
            put(tmp_path / "p", OLD)
    finally:
        tmp_path.chmod(0o700)


def test_the_journal_is_gone_after_an_update(tmp_path: Path) -> None:
    put(tmp_path, OLD)
    put(tmp_path, NEW)
    assert sorted(os.listdir(tmp_path / ".epforge")) == ["base", "base.tar.xz"]
    assert json.loads((tmp_path / LOCK).read_text())["files"].keys() == NEW.keys()


def test_two_commands_that_make_one_project_do_not_mix(tmp_path: Path) -> None:
    def race(name: str) -> None:
        if name == "publish":
            put(tmp_path / "p", OLD)

    with pytest.raises(UsageError, match="made by another command"):
        put(tmp_path / "p", NEW, step=race)
    assert (tmp_path / "p/gen/a.h").read_text() == "a1"
    assert os.listdir(tmp_path) == ["p"]
