"""A repository that came from somewhere runs nothing, and names no other one to write to."""

import os
import shutil
from pathlib import Path

import pytest
from repositories import commit, git, repository, state, write

from epforge.errors import EpforgeError, MissingError, UsageError
from epforge.workspace.git import Git, git_program

pytestmark = pytest.mark.usefixtures("home")


def remove(there: Path) -> None:
    (there / "a.txt").unlink()


def trap(tmp_path: Path) -> tuple[Path, str]:
    """A file that is not there, and a command that makes it."""
    return tmp_path / "trapped", f"touch '{tmp_path}/trapped'; cat"


@pytest.mark.parametrize("driver", ["x", "a.b=c", "Lfs"])
@pytest.mark.parametrize("key", ["clean", "process"])
def test_no_filter_runs_though_contents_have_to_be_compared(
    tmp_path: Path, driver: str, key: str
) -> None:
    project = repository(tmp_path / "r", {"a.txt": b"one\n", "b.txt": b"two\n"})
    trapped, command = trap(tmp_path)
    git(project, "config", f"filter.{driver}.{key}", command)
    git(project, "config", f"filter.{driver}.required", "true")
    write(project, {".git/info/attributes": f"* filter={driver}\n".encode()})
    os.utime(project / "b.txt", (1, 1))
    assert commit(project, remove).uncommitted == ()
    assert not trapped.exists()


def test_the_user_s_own_filters_say_what_is_committed(tmp_path: Path, home: Path) -> None:
    upper = '[filter "up"]\n\tclean = tr A-Z a-z\n\tsmudge = tr a-z A-Z\n'
    (home / ".gitconfig").write_text((home / ".gitconfig").read_text() + upper)
    project = repository(tmp_path / "r", {".gitattributes": b"b.txt filter=up\n", "a.txt": b"1"})
    write(project, {"b.txt": b"TWO\n"})
    git(project, "add", "-A")
    git(project, "commit", "-qm", "b")
    os.utime(project / "b.txt", (1, 1))
    assert commit(project, remove).uncommitted == ()


@pytest.mark.parametrize(
    "config",
    [
        {"remote.origin.url": "ext::sh -c {}", "protocol.ext.allow": "always"},
        {"remote.origin.url": "ssh://host/x", "core.sshCommand": "{}"},
        {"remote.origin.url": "../r", "remote.origin.uploadpack": "{}"},
    ],
    ids=["ext", "ssh", "uploadpack"],
)
def test_nothing_is_fetched_for_what_is_missing(tmp_path: Path, config: dict[str, str]) -> None:
    project = repository(tmp_path / "r")
    trapped = tmp_path / "trapped"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch '{trapped}'\n")
    script.chmod(0o755)
    of_a_partial_clone = {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
    }
    for key, value in (of_a_partial_clone | config).items():
        git(project, "config", key, value.format(script))
    blob = git(project, "rev-parse", "HEAD:a.txt")
    (project / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(MissingError, match=r"no content for a\.txt") as caught:
        commit(project, remove)
    assert "git archive" in caught.value.cure
    assert not trapped.exists()


def leads_to(kind: str, project: Path, victim: Path) -> None:
    """Has a project name the repository of another one as its own."""
    shutil.rmtree(project / ".git")
    if kind == "file":
        (project / ".git").write_text(f"gitdir: {victim}/.git\n")
    elif kind == "link":
        (project / ".git").symlink_to(victim / ".git")
    else:
        write(project, {".git/HEAD": b"ref: refs/heads/x\n"})
        (project / ".git/commondir").write_text(f"{victim}/.git\n")
        (project / ".git/gitdir").write_text(f"{project}/.git\n")
        (project / ".git/HEAD").write_text(git(victim, "rev-parse", "HEAD") + "\n")


@pytest.mark.parametrize("kind", ["file", "link", "commondir"])
def test_no_branch_is_made_in_a_repository_that_does_not_know_the_project(
    tmp_path: Path, kind: str
) -> None:
    victim = repository(tmp_path / "victim")
    project = repository(tmp_path / "r")
    leads_to(kind, project, victim)
    before = state(victim, without="")
    with pytest.raises(UsageError, match="does not know of this work tree"):
        commit(project, remove)
    assert state(victim, without="") == before


def test_a_repository_elsewhere_that_knows_the_project_will_do(tmp_path: Path) -> None:
    project = repository(tmp_path / "r")
    (project / ".git").rename(tmp_path / "elsewhere")
    (project / ".git").write_text(f"gitdir: {tmp_path}/elsewhere\n")
    with pytest.raises(UsageError) as caught:
        commit(project, remove)
    cure = caught.value.cure.removeprefix("If it is yours: git ")
    assert cure == f"config core.worktree {project}"
    git(project, *cure.split())
    assert commit(project, remove).branch == "upgrade"


def test_a_git_in_the_project_is_not_the_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = git_program()
    trapped, command = trap(tmp_path)
    (tmp_path / "git").write_text(f"#!/bin/sh\n{command}\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (".", ""):
        monkeypatch.setenv("PATH", os.pathsep.join([path, os.environ["PATH"]]))
    assert git_program() == real
    Git(tmp_path).call(["version"])
    monkeypatch.setenv("PATH", f".{os.pathsep}bin")
    with pytest.raises(EpforgeError, match="git is not installed"):
        Git(tmp_path).call(["version"])
    assert not trapped.exists()
