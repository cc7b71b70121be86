"""Changes on a branch that cannot be: each with its reason, and nothing is touched."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from repositories import commit, git, repository, state, write

from epforge.errors import EpforgeError, ExitStatus, MissingError, UsageError
from epforge.workspace.branch import Checkout, check_branch, commit_branch, committed_tree

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    "name",
    ["-d", "--help", "", "a..b", "a b", "HEAD", "@{-1}", "a.lock", "a\nb", "a\0b", "\udfff~"],
)
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    project = repository(tmp_path / "r")
    git(project, "checkout", "-qb", "second")
    with (
        committed_tree(project) as checkout,
        pytest.raises(UsageError, match="cannot be the name of a branch") as caught,
    ):
        check_branch(checkout, name)
    assert caught.value.cure


def test_a_branch_that_is_there_is_refused_and_stays(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    git(project, "branch", "upgrade")
    git(project, "branch", "a/b")
    before = state(project, without="")

    def change(there: Path) -> None:
        (there / "a.txt").unlink()

    with pytest.raises(UsageError, match="there is a branch upgrade already") as caught:
        commit(project, change)
    assert "git branch -D upgrade" in caught.value.cure
    with pytest.raises(UsageError, match="the branch a cannot be made"):
        commit(project, change, "a")
    with pytest.raises(UsageError, match="the branch a/b/c cannot be made"):
        commit(project, change, "a/b/c")
    assert state(project, without="") == before


def test_a_branch_that_another_command_makes_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path / "r")
    first = git(project, "rev-parse", "HEAD")
    tool = tmp_path / "bin/git"
    tool.parent.mkdir()
    real = shutil.which("git")
    tool.write_text(
        f'#!/bin/sh\ncase "$*" in *commit-tree*) {real} branch upgrade;; esac\nexec {real} "$@"\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(UsageError, match="the branch upgrade cannot be made"):
        commit(project, lambda there: (there / "a.txt").unlink())
    assert git(project, "rev-parse", "upgrade") == first


def test_without_an_identity_the_cure_is_the_command(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path / "r")
    # git would make an address of the account's and the machine's name.
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n")
    monkeypatch.setenv("EMAIL", "ada@machine.example.com")
    with pytest.raises(MissingError, match="does not know who you are") as caught:
        commit(project, lambda there: (there / "a.txt").unlink())
    assert "git config --global user.email" in caught.value.cure
    assert git(project, "branch", "--list", "upgrade") == ""


def bare(place: Path) -> Path:
    git(repository(place / "r"), "clone", "-q", "--bare", ".", "../bare")
    return place / "bare"


def unborn(place: Path) -> Path:
    (place / "r").mkdir()
    git(place / "r", "init", "-q")
    write(place / "r", {"a": b"a\n"})
    return place / "r"


def untracked(place: Path) -> Path:
    write(repository(place / "r"), {"ep/a": b"a\n"})
    return place / "r/ep"


def plain(place: Path) -> Path:
    write(place, {"ep/a": b"a\n"})
    return place / "ep"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (bare, "is not in the work tree of a git repository"),
        (plain, "is not in the work tree of a git repository"),
        (lambda place: repository(place / "r") / ".git", "is not in the work tree"),
        (unborn, "has no commit"),
        (untracked, "nothing of .* is committed"),
        (lambda place: place / "absent", "is not a directory"),
    ],
    ids=["bare", "none", "inside .git", "unborn", "untracked", "absent"],
)
def test_where_nothing_is_committed_there_is_no_branch(
    tmp_path: Path, make: Callable[[Path], Path], message: str
) -> None:
    with pytest.raises(UsageError, match=message), committed_tree(make(tmp_path)):
        pass


def hostile(place: Path, name: bytes) -> Path:
    """A project whose commit has a tree with a name that git's own commands refuse."""
    project = repository(place / "r")
    blob = git(project, "hash-object", "-w", "--stdin", stdin=b"evil\n")
    row = b"100644 " + name + b"\0" + bytes.fromhex(blob)
    tree = git(project, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=row)
    made = git(project, "commit-tree", "-m", "evil", tree)
    git(project, "update-ref", "refs/heads/evil", made)
    git(project, "symbolic-ref", "HEAD", "refs/heads/evil")
    return project


@pytest.mark.parametrize("name", [b"..", b".git", b".GIT", b"a/../../../b"])
def test_a_tree_that_leads_out_is_refused(tmp_path: Path, name: bytes) -> None:
    with pytest.raises(EpforgeError), committed_tree(hostile(tmp_path, name)):
        pass


def test_nothing_is_written_through_a_link_of_a_hostile_tree(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    target = tmp_path / "target"
    target.mkdir()
    link = git(project, "hash-object", "-w", "--stdin", stdin=os.fsencode(target))
    blob = git(project, "hash-object", "-w", "--stdin", stdin=b"evil\n")
    inner = b"100644 evil\0" + bytes.fromhex(blob)
    folder = git(project, "hash-object", "-w", "-t", "tree", "--stdin", stdin=inner)
    rows = b"120000 x\0" + bytes.fromhex(link) + b"40000 x\0" + bytes.fromhex(folder)
    top = git(project, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=rows)
    git(project, "update-ref", "HEAD", git(project, "commit-tree", "-m", "evil", top))
    with pytest.raises(UsageError), committed_tree(project):
        pass
    assert list(target.iterdir()) == []


def test_without_git_the_cure_is_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path / "r")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent / "nowhere"))
    with pytest.raises(MissingError, match="git is not installed") as caught:
        commit(project, lambda there: None)
    assert caught.value.exit_status is ExitStatus.MISSING


def test_what_git_says_is_in_the_message(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    blob = git(project, "rev-parse", "HEAD:a.txt")
    (project / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(MissingError, match=r"git has no content for a\.txt"):
        commit(project, lambda there: None)


def test_a_link_that_changed_is_refused(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    with committed_tree(project) as checkout:
        relink(checkout)
        with pytest.raises(UsageError, match="became a symbolic link"):
            commit_branch(checkout, "upgrade", "m")


def relink(checkout: Checkout) -> None:
    (checkout.directory / "a.txt").unlink()
    (checkout.directory / "a.txt").symlink_to("empty")
