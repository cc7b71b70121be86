"""Changes on a branch of their own: what the user has checked out is not touched."""

import os
from pathlib import Path

import pytest
from repositories import NAMES, commit, git, repository, state, stored, tree, write

from epforge.errors import UsageError
from epforge.workspace.branch import commit_branch, committed_tree

pytestmark = pytest.mark.usefixtures("home")


def test_a_change_becomes_a_commit_and_nothing_of_the_user_s_is_touched(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    write(project, {"a.txt": b"edited\n", "untracked": b"u\n", "sub/staged": b"s\n"})
    git(project, "add", "sub/staged")
    (project / "empty").unlink()
    before = state(project)

    def change(there: Path) -> None:
        assert (there / "a.txt").read_bytes() == b"one\n"
        assert not (there / "untracked").exists()
        write(there, {"a.txt": b"two\n", "new/c.txt": b"c\n"})
        (there / "bin").unlink()

    done = commit(project, change, message="Subject\n\nBody: ä\n\n")
    assert state(project) == before
    assert done.branch == "upgrade"
    assert done.files_changed == ("a.txt", "bin", "new/c.txt")
    assert done.uncommitted == ("a.txt", "empty", "sub/staged", "untracked")
    assert git(project, "rev-parse", "upgrade") == done.id
    assert git(project, "rev-parse", "upgrade^") == git(project, "rev-parse", "HEAD")
    assert git(project, "log", "-1", "--format=%an <%ae>|%cn|%B", "upgrade") == (
        "Ada <ada@example.com>|Ada|Subject\n\nBody: ä"
    )
    old, new = tree(project, "HEAD"), tree(project, "upgrade")
    assert {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)} == {
        *done.files_changed
    }
    assert stored(project, "upgrade", "a.txt") == b"two\n"
    assert git(project, "fsck", "--strict") == ""


def test_files_are_laid_out_byte_for_byte_with_their_bits(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    (project / "sub/run").write_bytes(b"#!/bin/sh\n")
    (project / "sub/run").chmod(0o755)
    (project / "link").symlink_to("a.txt")
    (project / "out").symlink_to("/nowhere")
    (project / "folder").symlink_to("sub")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "more")
    with committed_tree(project) as checkout:
        there = checkout.directory
        assert there.name == "r"
        for name, content in NAMES.items():
            assert (there / name).read_bytes() == content
        assert os.access(there / "sub/run", os.X_OK)
        assert not os.access(there / "a.txt", os.X_OK)
        assert [os.readlink(there / name) for name in ("link", "out", "folder")] == [
            *("a.txt", "/nowhere", "sub")
        ]
        assert not (there / ".git").exists()
        assert checkout.uncommitted == ()
        (there / "a.txt").chmod(0o755)
        (there / "sub/run").chmod(0o644)
        done = commit_branch(checkout, "upgrade", "modes")
    assert not there.exists()
    assert done.files_changed == ("a.txt", "sub/run")
    entries = tree(project, "upgrade")
    assert entries["a.txt"].startswith("100755")
    assert entries["sub/run"].startswith("100644")
    for name in ("link", "out", "folder"):
        assert entries[name] == tree(project, "HEAD")[name]
        assert entries[name].startswith("120000")


def test_every_kind_of_name_can_be_changed(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")

    def change(there: Path) -> None:
        write(there, {name: content + b"more" for name, content in NAMES.items()})

    done = commit(project, change)
    assert set(done.files_changed) == set(NAMES)
    for name, content in NAMES.items():
        assert stored(project, "upgrade", name) == content + b"more"


def test_without_a_change_no_branch_is_made(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    before = state(project, without="")
    objects = sorted((project / ".git/objects").rglob("*"))
    done = commit(project, lambda there: (there / "a.txt").write_bytes(b"one\n"))
    assert (done.branch, done.files_changed) == ("", ())
    assert done.id == git(project, "rev-parse", "HEAD")
    assert state(project, without="") == before
    assert sorted((project / ".git/objects").rglob("*")) == objects


def test_a_project_in_a_folder_brings_only_its_own_files(tmp_path: Path) -> None:
    folder = "libs [x]/ep"
    project = repository(tmp_path / "r", {"a.txt": b"1\n", "sub/b": b"b\n"}, folder=folder)
    top = tmp_path / "r"
    write(top, {"other.txt": b"o\n", "libs [x]/ep2/a.txt": b"2\n"})
    git(top, "add", "-A")
    git(top, "commit", "-qm", "others")
    write(top, {"other.txt": b"edited\n", f"{folder}/sub/b": b"edited\n"})
    before = state(top)
    with committed_tree(project) as checkout:
        assert {p.name for p in checkout.directory.rglob("*")} == {"a.txt", "sub", "b"}
        assert checkout.uncommitted == ("sub/b",)
        (checkout.directory / "a.txt").write_bytes(b"3\n")
        done = commit_branch(checkout, "upgrade", "m")
    assert done.files_changed == ("a.txt",)
    assert state(top) == before
    assert stored(top, "upgrade", f"{folder}/a.txt") == b"3\n"
    assert stored(top, "upgrade", "libs [x]/ep2/a.txt") == b"2\n"
    assert stored(top, "upgrade", "other.txt") == b"o\n"


def test_a_file_becomes_a_directory_and_back(tmp_path: Path) -> None:
    project = repository(tmp_path / "r", {"x": b"x\n", "y/z": b"z\n"})

    def change(there: Path) -> None:
        (there / "x").unlink()
        (there / "y/z").unlink()
        (there / "y").rmdir()
        write(there, {"x/inside": b"i\n", "y": b"y\n"})

    assert commit(project, change).files_changed == ("x", "x/inside", "y", "y/z")
    assert set(tree(project, "upgrade")) == {"x/inside", "y"}
    assert git(project, "fsck", "--strict") == ""


def test_no_filter_of_the_repository_has_a_part(tmp_path: Path, home: Path) -> None:
    project = repository(tmp_path / "r", {"a.txt": b"one\n", "crlf.txt": b"x\r\n"})
    pointer = b"version https://git-lfs.example/spec/v1\noid sha256:00\nsize 3\n"
    write(project, {"big.lfs": pointer})
    git(project, "add", "-A")
    git(project, "commit", "-qm", "pointer")
    for key in ("filter.lfs.smudge", "filter.lfs.clean"):
        git(project, "config", key, "tr a-z A-Z")
    git(project, "config", "core.autocrlf", "true")
    text = b"* text=auto eol=crlf\n*.lfs filter=lfs\n*.txt ident\n"
    (project / ".git/info/attributes").write_bytes(text)

    def change(there: Path) -> None:
        assert (there / "big.lfs").read_bytes() == pointer
        assert (there / "a.txt").read_bytes() == b"one\n"
        assert (there / "crlf.txt").read_bytes() == b"x\r\n"
        write(there, {"crlf.txt": b"x\r\ny\r\n", "b.lfs": b"new $Id$\n", "b.txt": b"$Id: 1 $\r\n"})

    done = commit(project, change)
    assert done.files_changed == ("b.lfs", "b.txt", "crlf.txt")
    assert stored(project, "upgrade", "crlf.txt") == b"x\r\ny\r\n"
    assert stored(project, "upgrade", "b.lfs") == b"new $Id$\n"
    assert stored(project, "upgrade", "b.txt") == b"$Id: 1 $\r\n"


def test_no_hook_runs(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    trace = tmp_path / "trace"
    hooks = project / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        *("pre-commit", "commit-msg", "post-commit", "reference-transaction"),
        *("post-index-change", "prepare-commit-msg", "fsmonitor-watchman"),
    ):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >>'{trace}'\nexit 1\n")
        (hooks / name).chmod(0o755)
    git(project, "config", "core.fsmonitor", str(hooks / "fsmonitor-watchman"))
    assert commit(project, lambda there: (there / "a.txt").unlink()).branch == "upgrade"
    assert not trace.exists()


def test_a_linked_work_tree_with_a_detached_head_will_do(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    git(project, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = tmp_path / "linked"
    write(linked, {"a.txt": b"linked\n"})
    git(linked, "commit", "-qam", "linked")
    before = state(linked), state(project)
    done = commit(linked, lambda there: write(there, {"b": b"b\n"}))
    assert (state(linked), state(project)) == before
    assert git(project, "rev-parse", "upgrade^") == git(linked, "rev-parse", "HEAD")
    assert done.files_changed == ("b",)


def test_a_shallow_clone_with_a_sparse_checkout_and_a_locked_index_will_do(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin", {"ep/a": b"a\n", "ep/s/b": b"b\n", "else/c": b"c\n"})
    write(origin, {"ep/a": b"a2\n"})
    git(origin, "commit", "-qam", "second")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{origin}", "clone")
    clone = tmp_path / "clone"
    git(clone, "sparse-checkout", "set", "--sparse-index", "ep/s")
    assert not (clone / "else").exists()
    (clone / ".git/index.lock").touch()
    before = state(clone)

    def change(there: Path) -> None:
        assert (there / "a").read_bytes() == b"a2\n"
        write(there, {"a": b"a3\n", "s/n": b"n\n"})

    done = commit(clone / "ep", change)
    assert done.uncommitted == ()
    assert state(clone) == before
    (clone / ".git/index.lock").unlink()
    entries = tree(clone, "upgrade")
    assert set(entries) == {"ep/a", "ep/s/b", "ep/s/n", "else/c"}
    assert done.files_changed == ("a", "s/n")


def test_a_split_index_stays_as_it_is(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    git(project, "config", "core.splitIndex", "true")
    git(project, "update-index", "--split-index")
    before = state(project)
    assert any(name.startswith("sharedindex") for name in os.listdir(project / ".git"))
    assert commit(project, lambda there: (there / "a.txt").unlink()).branch == "upgrade"
    assert state(project) == before


def test_a_repository_of_sha256_will_do(tmp_path: Path) -> None:
    project = repository(tmp_path / "r", NAMES, "--object-format=sha256")
    before = state(project)
    done = commit(project, lambda there: write(there, {"a.txt": b"2\n", "new": b""}))
    assert len(done.id) == 64
    assert done.files_changed == ("a.txt", "new")
    assert state(project) == before
    assert commit(project, lambda there: None, "none").branch == ""


def test_submodules_stay_what_they_are(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"i": b"i\n"})
    project = repository(tmp_path / "r", {"a": b"a\n"})
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "m")
    git(project, "commit", "-qam", "submodule")
    before = state(project)
    with committed_tree(project) as checkout:
        assert list((checkout.directory / "m").iterdir()) == []
        (checkout.directory / "m").rmdir()  # as a tool that tidies up would
        (checkout.directory / "a").write_bytes(b"b\n")
        done = commit_branch(checkout, "upgrade", "m")
        write(checkout.directory, {"m/new": b"n\n"})
        with pytest.raises(UsageError, match="m/new lies in the submodule m"):
            commit_branch(checkout, "other", "m")
    assert done.files_changed == ("a",)
    assert tree(project, "upgrade")["m"] == tree(project, "HEAD")["m"]
    assert state(project) == before


def test_ignored_files_that_are_new_are_committed_too(tmp_path: Path) -> None:
    project = repository(tmp_path / "r", {".gitignore": b"*.lock\n.epforge/\n"})
    done = commit(project, lambda there: write(there, {"epforge.lock": b"{}", ".epforge/b": b"b"}))
    assert done.files_changed == (".epforge/b", "epforge.lock")


def test_what_a_command_left_for_itself_is_not_committed(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    done = commit(project, lambda there: write(there, {".epforge/next/journal.json": b"{}"}))
    assert done.branch == ""


def test_the_commit_is_on_what_was_read_though_head_moves(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    first = git(project, "rev-parse", "HEAD")
    with committed_tree(project) as checkout:
        git(project, "commit", "-q", "--allow-empty", "-m", "meanwhile")
        (checkout.directory / "a.txt").write_bytes(b"2\n")
        commit_branch(checkout, "upgrade", "m")
    assert git(project, "rev-parse", "upgrade^") == first


def test_the_caller_s_git_variables_are_not_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path / "r")
    other = repository(tmp_path / "other", {"o": b"o\n"})
    before = state(project), state(other)
    with monkeypatch.context() as inside_a_hook:
        inside_a_hook.setenv("GIT_DIR", str(other / ".git"))
        inside_a_hook.setenv("GIT_WORK_TREE", str(other))
        inside_a_hook.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
        inside_a_hook.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git/objects"))
        done = commit(project, lambda there: write(there, {"new": b"n\n"}))
    assert (state(project), state(other)) == before
    assert git(project, "rev-parse", "upgrade") == done.id


def test_replaced_objects_are_not_heard(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    other = git(project, "hash-object", "-w", "--stdin", stdin=b"replaced\n")
    git(project, "replace", git(project, "rev-parse", "HEAD:a.txt"), other)
    with committed_tree(project) as checkout:
        assert (checkout.directory / "a.txt").read_bytes() == b"one\n"
        assert commit_branch(checkout, "upgrade", "m").branch == ""
