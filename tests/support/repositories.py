"""Real git repositories, and everything in them that must not change."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from epforge.workspace.branch import Commit, commit_branch, committed_tree

NAMES = {
    "a.txt": b"one\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "bin": bytes(range(256)),
    "empty": b"",
    "sub/deep/b.txt": b"b\n",
    "with space": b"s\n",
    'a\nnew line "and" \\ more': b"n\n",
    "umlaut-ä": b"u\n",
    os.fsdecode(b"not-utf8-\xff"): b"x\n",
}


def git(place: Path, *arguments: str, stdin: bytes = b"") -> str:
    result = subprocess.run(
        ["git", *arguments], cwd=place, input=stdin, capture_output=True, check=True
    )
    return os.fsdecode(result.stdout).rstrip("\n")


def write(place: Path, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)


def repository(
    place: Path, content: dict[str, bytes] = NAMES, *options: str, folder: str = ""
) -> Path:
    """A repository with one commit; returns the project, which is in ``folder``."""
    place.mkdir()
    git(place, "init", "-q", *options)
    write(place / folder, content)
    git(place, "add", "-A")
    git(place, "commit", "-qm", "first")
    return place / folder


def commit(
    project: Path, change: Callable[[Path], object], name: str = "upgrade", message: str = "m"
) -> Commit:
    """Changes a project on a branch of its own."""
    with committed_tree(project) as checkout:
        change(checkout.directory)
        return commit_branch(checkout, name, message)


def state(top: Path, without: str = "refs/heads/upgrade") -> dict[str, object]:
    """Everything of a work tree and its repository that must not change, with the times."""
    found: dict[str, object] = {}
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top).as_posix()
        if name == ".git" or name.startswith(".git/"):
            continue
        status = path.lstat()
        content = b"" if path.is_symlink() or not path.is_file() else path.read_bytes()
        found[name] = (status.st_mode, status.st_mtime_ns, hashlib.sha256(content).digest())
    folder = Path(git(top, "rev-parse", "--absolute-git-dir"))
    for name in ("index", "HEAD", "config", "logs/HEAD", "FETCH_HEAD", "ORIG_HEAD"):
        path = folder / name
        if path.exists():
            found[f".git/{name}"] = (path.stat().st_mtime_ns, path.read_bytes())
    found["files of .git"] = sorted(path.name for path in folder.iterdir() if path.name != "logs")
    refs = git(top, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    found["refs"] = [line for line in refs if line.split()[0] != without]
    return found


def tree(top: Path, revision: str) -> dict[str, str]:
    """The entries of a revision: path to mode and object."""
    rows = git(top, "ls-tree", "-rz", "--full-tree", revision).split("\0")[:-1]
    return {path: meta for meta, path in (row.split("\t", 1) for row in rows)}


def stored(top: Path, revision: str, path: str) -> bytes:
    return subprocess.run(
        ["git", "cat-file", "blob", f"{revision}:{path}"], cwd=top, capture_output=True, check=True
    ).stdout
