"""A change as a commit on a new branch; the work tree, the index and HEAD are not touched.

The project is laid out as HEAD has it in a temporary directory, changed there, and committed from
there with git's plumbing: no hook, filter or attribute of the repository has a part in it.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from epforge.errors import MissingError, UsageError
from epforge.workspace.git import Git, GitError, object_id
from epforge.workspace.journal import NEXT, write_file

_EXECUTABLE, _PLAIN, _LINK, _SUBMODULE = "100755", "100644", "120000", "160000"
_HAS_LINKS = os.name != "nt"  # there making one is a privilege; they stay as they are


@dataclass(frozen=True)
class Checkout:
    """A project as HEAD has it, in a directory of its own.

    Args:
        directory: the project; to be changed at will.
        project: the user's own directory, which stays as it is.
        commit: what HEAD was.
        prefix: the project's folder in the repository, with a slash at its end; empty at the top.
        uncommitted: paths of the project whose state in the user's directory is not HEAD's, so
            that it has no part in this. Relative to the project.
    """

    directory: Path
    project: Path
    commit: str
    prefix: str
    uncommitted: tuple[str, ...]
    entries: dict[str, _Entry] = field(repr=False)
    scratch: Path = field(repr=False)


@dataclass(frozen=True)
class Commit:
    """A change that was committed.

    Args:
        id: the commit; if nothing changed, the one that HEAD is.
        branch: the new branch; empty if nothing changed, and none was made.
        files_changed: relative to the project, sorted.
        uncommitted: see `Checkout`.
    """

    id: str
    branch: str
    files_changed: tuple[str, ...]
    uncommitted: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Entry:
    mode: str
    id: str


@contextmanager
def committed_tree(project: Path) -> Iterator[Checkout]:
    """Lays out a project as HEAD has it; what the repository stores, byte for byte.

    Files keep their executable bits, links are links, a submodule is an empty directory.

    Args:
        project: a directory inside a git work tree, at any depth.

    Yields:
        the checkout; its directory is gone afterwards.

    Raises:
        UsageError: it is in no work tree, nothing of it is committed, or the commit has paths
            that cannot be written here.
        MissingError: there is no git, or it fails.
    """
    place = Path(os.path.abspath(project))
    git = Git(place)
    commit, prefix = _head(git, project)
    entries = _tree(git, commit, prefix)
    if not entries:
        raise UsageError(f"nothing of {project} is committed", "Commit the project first.")
    with tempfile.TemporaryDirectory(prefix="epforge-branch-") as scratch:
        # Under the project's own name, in case a message shows it.
        directory = Path(scratch, "tree", place.name or "project")
        directory.mkdir(parents=True)
        with Path(scratch, "blobs").open("w+b") as blobs:
            _write_out(git, directory, entries, blobs)
        Path(scratch, "blobs").unlink()
        uncommitted = _uncommitted(git, prefix)
        yield Checkout(directory, place, commit, prefix, uncommitted, entries, Path(scratch))


def check_branch(checkout: Checkout, name: str) -> None:
    """Checks that a branch can be made, before any work goes into it.

    Raises:
        UsageError: it is no name for a branch, or there is such a branch.
        MissingError: git does not know who commits.
    """
    git = Git(checkout.project)
    # git would take @{-1} as well, for the branch of before.
    checked = git.call(["check-ref-format", "--branch", name]) if _may_name(name) else None
    if checked is None or checked.returncode or os.fsdecode(checked.stdout).rstrip("\n") != name:
        raise UsageError(f"{name!r} cannot be the name of a branch", "Choose another name.")
    if not git.call(["show-ref", "--verify", "--quiet", f"refs/heads/{name}"]).returncode:
        raise UsageError(
            f"there is a branch {name} already",
            f"Choose another name, or delete it: git branch -D {name}",
        )
    for role in ("AUTHOR", "COMMITTER"):
        if git.call(["var", f"GIT_{role}_IDENT"]).returncode:
            raise MissingError(
                "git does not know who you are, and a commit needs an author",
                'Run: git config --global user.name "YOUR NAME" && '
                "git config --global user.email YOU@EXAMPLE.COM",
            )


def commit_branch(checkout: Checkout, name: str, message: str) -> Commit:
    """Commits the present state of a checkout on top of its commit, as a new branch.

    Files that the checkout had and has no more are removed; new ones are added, whether the
    repository ignores such files or not. The commit is not signed.

    Args:
        checkout: as `committed_tree` gave it.
        name: the branch, without ``refs/heads/``.
        message: of the commit.

    Returns:
        the commit. If nothing changed, no branch is made.

    Raises:
        UsageError: see `check_branch`; or a file was written into a submodule.
        MissingError: see `check_branch`; or git fails.
    """
    check_branch(checkout, name)
    git = Git(checkout.project, {"GIT_INDEX_FILE": str(checkout.scratch / "index")})
    found, fresh = _present(checkout)
    changed = sorted(
        path
        for path in checkout.entries.keys() | found.keys()
        if checkout.entries.get(path) != found.get(path)
    )
    if not changed:
        return Commit(checkout.commit, "", (), checkout.uncommitted)
    _store(git, fresh)
    git.run(["read-tree", checkout.commit])
    git.run(["update-index", "-z", "--index-info"], _index_info(checkout, found, changed))
    tree = git.line(["write-tree"])
    commit = git.line(
        ["commit-tree", "--no-gpg-sign", tree, "-p", checkout.commit, "-F", "-"],
        message.strip().encode() + b"\n",
    )
    nothing = "0" * len(commit)  # there must be no such branch
    made = git.call(
        ["update-ref", "-m", "branch: made by epforge", f"refs/heads/{name}", commit, nothing]
    )
    if made.returncode:  # another command was faster, or a/b where a is a branch
        said = made.stderr.decode(errors="replace").strip()
        raise UsageError(f"the branch {name} cannot be made: {said}", "Choose another name.")
    return Commit(commit, name, tuple(changed), checkout.uncommitted)


def _may_name(name: str) -> bool:
    """Can git be asked about the name?"""
    try:
        return not name.startswith("-") and b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def _head(git: Git, project: Path) -> tuple[str, str]:
    """HEAD's commit, and the project's folder in the repository."""
    if not project.is_dir():
        raise UsageError(f"{project} is not a directory")
    inside = git.call(["rev-parse", "--is-inside-work-tree"])
    if inside.returncode or inside.stdout.strip() != b"true":
        said = inside.stderr.decode(errors="replace").strip()
        if inside.returncode and "not a git repository" not in said:
            raise GitError(f"git cannot use the repository of {project}: {said}")
        raise UsageError(
            f"{project} is not in the work tree of a git repository",
            "Run git init there and commit the project, or leave --branch out.",
        )
    _check_own(git, project)
    head = git.call(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    if head.returncode:
        raise UsageError(f"the repository of {project} has no commit", "Commit the project first.")
    return head.stdout.decode().strip(), git.line(["rev-parse", "--show-prefix"])


def _check_own(git: Git, project: Path) -> None:
    """Refuses a repository that does not know this work tree.

    A `.git` that is a file, or a link, names any repository of the machine as the one to write to.
    A repository that lies elsewhere for a reason, for a linked work tree or a submodule, names the
    work tree in turn.
    """
    top = git.line(["rev-parse", "--show-toplevel"])
    place = os.path.realpath(git.line(["rev-parse", "--absolute-git-dir"]))
    common = git.line(["rev-parse", "--git-common-dir"])  # relative to where git runs
    common = os.path.realpath(os.path.join(git.directory, common))
    own = os.path.join(os.path.realpath(top), ".git")
    if place == common:
        # Where there is such a setting, git has found the work tree by it.
        if place == own or not git.call(["config", "--get", "core.worktree"]).returncode:
            return
    elif os.path.dirname(place) == os.path.join(common, "worktrees"):
        with suppress(OSError):
            back = os.fsdecode(Path(place, "gitdir").read_bytes().rstrip(b"\r\n"))
            if os.path.realpath(os.path.join(place, back)) == own:
                return
    raise UsageError(
        f"the repository of {project} is {place}, which does not know of this work tree",
        f"If it is yours: git config core.worktree {shlex.quote(top)}",
    )


def _tree(git: Git, commit: str, prefix: str) -> dict[str, _Entry]:
    """What a commit has below a folder."""
    folder = prefix.removesuffix("/")
    if folder:
        kind = git.call(["cat-file", "-t", f"{commit}:{folder}"])
        if kind.stdout.strip() != b"tree":
            return {}
    listed = git.run(["ls-tree", "-r", "-z", "--full-tree", f"{commit}:{folder}"])
    entries = {}
    for row in listed.split(b"\0")[:-1]:
        meta, _, name = row.partition(b"\t")
        mode, _, identity = meta.decode().split()
        entries[os.fsdecode(name)] = _Entry(mode, identity)
    for path in entries:
        # git's own commands make no such names; a tree that was made to do harm can have them.
        if any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/")):
            raise UsageError(f"the commit has a path that must not be written: {path!r}")
    return entries


def _write_out(git: Git, directory: Path, entries: dict[str, _Entry], blobs: IO[bytes]) -> None:
    """Writes the files of a tree; ``blobs`` is an empty file for git to put their contents in."""
    wanted = {path: entry for path, entry in entries.items() if entry.mode != _SUBMODULE}
    batch = ["cat-file", "--batch"]
    git.checked(
        batch,
        git.call(batch, "".join(f"{e.id}\n" for e in wanted.values()).encode(), blobs),
    )
    blobs.seek(0)
    links: list[tuple[str, bytes]] = []
    try:
        for path, entry in wanted.items():
            content = _next_blob(blobs, entry, path)
            if entry.mode == _LINK:
                links.append((path, content))
            else:
                write_file(directory / path, content, entry.mode == _EXECUTABLE)
        for path, entry in entries.items():
            if entry.mode == _SUBMODULE:
                (directory / path).mkdir(parents=True)
        # After everything else, so that nothing is written through one.
        for path, target in links if _HAS_LINKS else ():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).symlink_to(os.fsdecode(target))
    except (FileExistsError, NotADirectoryError, ValueError) as error:
        raise UsageError(
            f"the commit has {path!r} and a path that is the same to this machine: {error}"
        ) from error


def _next_blob(blobs: IO[bytes], entry: _Entry, path: str) -> bytes:
    header = blobs.readline().decode().split()
    if header[:2] != [entry.id, "blob"]:
        raise GitError(
            f"git has no content for {path}: {' '.join(header)}",
            "A partial clone fetches what it lacks by: git archive --output=/dev/null HEAD",
        )
    content = blobs.read(int(header[2]))
    blobs.read(1)
    return content


def _uncommitted(git: Git, prefix: str) -> tuple[str, ...]:
    """What the user's directory has otherwise than HEAD, as ``git status`` sees it."""
    listed = git.without_drivers().run(  # where times differ, it compares contents
        [
            *("status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"),
            *("--ignore-submodules=dirty", "--", "."),
        ]
    )
    paths = (os.fsdecode(row[3:]) for row in listed.split(b"\0")[:-1])
    return tuple(sorted(path.removeprefix(prefix) for path in paths))


def _present(checkout: Checkout) -> tuple[dict[str, _Entry], dict[str, Path]]:
    """The checkout's state as entries of a tree, and the files whose content may be new to git."""
    found = {}
    fresh = {}
    old = checkout.entries
    for path, place in _files(checkout.directory):
        before = old.get(path)
        if place.is_symlink():
            entry = _Entry(_LINK, object_id(os.fsencode(os.readlink(place)), checkout.commit))
            if entry != before:
                raise UsageError(f"{path} became a symbolic link, which epforge does not commit")
        else:
            entry = _Entry(_mode(place, before), object_id(place.read_bytes(), checkout.commit))
            if before is None or before.id != entry.id:
                fresh[path] = place
        found[path] = entry
    for path, entry in old.items():
        if entry.mode == _SUBMODULE and path not in found:
            inside = next((name for name in found if name.startswith(f"{path}/")), None)
            if inside is not None:
                raise UsageError(f"{inside} lies in the submodule {path}", "Change it there.")
            found[path] = entry
        elif entry.mode == _LINK and not _HAS_LINKS and path not in found:
            found[path] = entry
    return found, fresh


def _files(directory: Path) -> Iterator[tuple[str, Path]]:
    """The files and links below a directory; not what the workspace has there for a while."""
    for folder, folders, names in os.walk(directory):
        here = Path(folder)
        links = [name for name in folders if (here / name).is_symlink()]
        for name in (*names, *links):
            path = (here / name).relative_to(directory).as_posix()
            if not path.startswith(f"{NEXT}/"):
                yield path, here / name


def _mode(place: Path, before: _Entry | None) -> str:
    if os.name == "nt":  # there a file has no such bit: what the commit says holds
        return _EXECUTABLE if before and before.mode == _EXECUTABLE else _PLAIN
    return _EXECUTABLE if place.stat().st_mode & 0o100 else _PLAIN


def _store(git: Git, files: dict[str, Path]) -> None:
    """Gives git the contents of files, as they are."""
    if files:
        names = b"".join(_c_quoted(os.fsencode(place)) + b"\n" for place in files.values())
        git.run(["hash-object", "-w", "--no-filters", "--stdin-paths"], names)


def _c_quoted(path: bytes) -> bytes:
    """A path in quotes: a line of it may then hold a newline."""
    plain = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + plain + b'"'


def _index_info(checkout: Checkout, found: dict[str, _Entry], changed: Iterable[str]) -> bytes:
    nothing = _Entry("0", "0" * len(checkout.commit))
    return b"".join(
        f"{entry.mode} {entry.id}\t".encode() + os.fsencode(checkout.prefix + path) + b"\0"
        for entry, path in ((found.get(path, nothing), path) for path in changed)
    )
