"""What every verb shares that writes to a project: from its blueprint to its files."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.errors import UsageError
from epforge.verbs.change.expanding import STYLE_PATH, Project, change_of, expand_project
from epforge.verbs.wording import quoted
from epforge.workspace import (
    LOCK,
    ConflictsError,
    Lock,
    OpenConflictsError,
    Outcome,
    PendingError,
    Request,
    preview,
    publish,
    read_lock,
    recover,
)
from epforge.workspace.disk import look
from epforge.workspace.exclusive import exclusive
from epforge.workspace.journal import NEXT
from epforge.workspace.staging import writing

if TYPE_CHECKING:
    from epforge.resolve.model import Blueprint
    from epforge.workspace.branch import Commit

BLUEPRINT = "blueprint.yaml"
_INPUTS = (BLUEPRINT, LOCK, STYLE_PATH)  # what is read before the project is locked
_TRIES = 5
# What a blueprint shall be: a text, or a text made from the one that is there.
NewText = str | Callable[[str], str] | None


@dataclass(frozen=True)
class Rewritten:
    """What a rewrite did, or would do.

    Args:
        outcome: actions, conflicts, notes.
        before: the blueprint that the project had.
        after: the one that it has now.
        branch: the commit, if it was made for a branch.
    """

    outcome: Outcome
    before: Blueprint
    after: Blueprint
    branch: Commit | None = None


@dataclass(frozen=True)
class _Call:
    """The arguments of `rewrite` that are passed on."""

    text: NewText
    request: Request
    trust: bool
    dry_run: bool
    retry: tuple[str, ...]
    notify: Callable[[str], None]


class _ChangedError(Exception):
    """Another command was faster: what was read is not there any more."""


def rewrite(
    project: Path,
    text: NewText,
    request: Request,
    *,
    trust: bool = False,
    dry_run: bool = False,
    branch: str | None = None,
    message: str = "",
    retry: tuple[str, ...] = (),
    notify: Callable[[str], None] = lambda _: None,
) -> Rewritten:
    """Makes a project what its blueprint says, all or nothing.

    Args:
        project: its directory.
        text: what its blueprint shall be from now on, or a function that makes it from the text
            that is there, so that two commands at once lose nothing; None: what it is.
        request: what the owner allows beyond what is safe; paths as the owner wrote them.
        trust: overlays may run code.
        dry_run: decide, and write nothing.
        branch: leave the work tree alone; commit on this new branch what becomes of HEAD.
        message: of that commit.
        retry: the command that the ways out of a conflict are added to.
        notify: told when another command works there, and is waited for.

    Raises:
        BlockedError: the owner has to decide first; nothing was written.
        OpenConflictsError: conflicts of an earlier command are not resolved.
        UsageError: it is not a project, or the request names what it does not have.
        BlueprintErrors: the blueprint cannot be expanded.
        PendingError: in a dry run: a command has crashed there.
    """
    call = _Call(text, request, trust, dry_run, retry, notify)
    if branch is not None:
        return _on_branch(project, call, branch, message)
    return _rewrite(project, project, call)


def lock_of(project: Path) -> Lock:
    """The lock of a project. Raises UsageError if there is none."""
    lock = read_lock(project)
    if lock is None:
        raise UsageError(
            f"{project} is not a project of epforge: it has no {LOCK}",
            f"Make it: epforge scaffold {quoted(project)}"
            if is_begun(project)
            else "Name a project's directory, or make one: epforge scaffold BLUEPRINT DIR",
        )
    return lock


def is_begun(directory: Path) -> bool:
    """Holds a directory a blueprint of which no project has been made yet?"""
    made = (directory / LOCK, (directory / NEXT).parent)
    return (directory / BLUEPRINT).is_file() and not any(map(os.path.lexists, made))


def blueprint_file(path: Path) -> Path:
    """The blueprint that is meant: a file, or the one in a directory.

    Raises:
        UsageError: the directory has none.
    """
    if not path.is_dir():
        return path
    if not (path / BLUEPRINT).is_file():
        raise UsageError(
            f"{path} has no {BLUEPRINT}",
            f"Name a blueprint, or make one: epforge init {quoted(path)}",
        )
    return path / BLUEPRINT


def check_resolved(project: Path, lock: Lock) -> None:
    """Raises UnresolvedError if there are conflicts that an earlier command has left.

    Args:
        project: the project, as its owner calls it.
        lock: its lock.
    """
    if lock.conflicts:
        from epforge.verbs.change.blocked import UnresolvedError

        raise UnresolvedError(project, tuple(sorted(lock.conflicts)))


def finish_crashed(project: Path, notify: Callable[[str], None] = lambda _: None) -> None:
    """Finishes or drops what a crashed command has left, so that what is read next holds.

    Args:
        project: its directory.
        notify: told when another command works there, and is waited for.

    Raises:
        EditedError: files were edited since the crash.
        WriteError: the machine does not let us write.
    """
    if (project / NEXT).is_dir():
        root = project.resolve()
        with writing(root), exclusive(root, notify=notify):
            recover(root)


def blueprint_of(project: Path, name: Path | None = None) -> Blueprint:
    """The blueprint of a project, resolved.

    Args:
        project: its directory.
        name: how its owner calls it, if it lies elsewhere.

    Raises:
        UsageError: it has none.
        BlueprintErrors: it cannot be expanded.
    """
    from epforge.blueprint import parse
    from epforge.blueprint.text import read_text
    from epforge.resolve import resolve_supported

    shown = (name or project) / BLUEPRINT
    if not (project / BLUEPRINT).is_file():
        raise UsageError(f"{shown} is missing", "Restore it from version control.")
    return resolve_supported(parse(read_text(project / BLUEPRINT).whole, str(shown)))


def _on_branch(project: Path, call: _Call, branch: str, message: str) -> Rewritten:
    from epforge.workspace.branch import check_branch, commit_branch, committed_tree

    lock_of(project)
    with committed_tree(project) as checkout:
        check_branch(checkout, branch)
        if BLUEPRINT in checkout.uncommitted:
            raise UsageError(
                f"{project / BLUEPRINT} has changes that are not committed, and --branch starts "
                "from what is",
                "Commit them, or leave --branch out.",
            )
        done = _rewrite(checkout.directory, project, call)
        if call.dry_run:
            return done
        commit = commit_branch(checkout, branch, message or "epforge regenerate")
        return dataclasses.replace(done, branch=commit)


def _rewrite(place: Path, name: Path, call: _Call) -> Rewritten:
    """Rewrites what lies in ``place`` and is called ``name``."""
    for _ in range(_TRIES):
        try:
            return _rewrite_once(place, name, call)
        except _ChangedError:
            if isinstance(call.text, str):
                break  # it was made from a text that is not there any more
    raise UsageError(f"{name} was changed by another command meanwhile", "Run it again.")


def _rewrite_once(place: Path, name: Path, call: _Call) -> Rewritten:
    if not call.dry_run:
        finish_crashed(place, call.notify)
    seen = [look(place, path) for path in _INPUTS]
    lock = lock_of(place)
    check_resolved(name, lock)
    before = _before(place, name, call)
    after, request = _changed(before, name, call)
    project = Project(place, name, lock, call.trust)
    expansion, request = expand_project(project, after, request)
    change = change_of(expansion, request)

    def check(step: str) -> None:
        del step
        if [look(place, path) for path in _INPUTS] != seen:
            raise _ChangedError

    try:
        if call.dry_run:
            outcome = preview(place, expansion.files, **change)
        else:
            outcome = publish(
                place, expansion.files, step=_once(check), notify=call.notify, **change
            )
    except ConflictsError as error:
        from epforge.verbs.change.blocked import BlockedError

        raise BlockedError(name, error.outcome, call.retry) from error
    except OpenConflictsError as error:
        from epforge.verbs.change.blocked import UnresolvedError

        raise UnresolvedError(name, error.paths) from error
    except PendingError as error:
        command = shlex.join(["epforge", "regenerate", str(name)])
        cure = f"The next command that writes there waits for it, or finishes it: {command}"
        raise PendingError(error.message, cure) from error
    return Rewritten(outcome, before, after)


def _before(place: Path, name: Path, call: _Call) -> Blueprint:
    """The blueprint that the project has; one of an older edition as the new text reads it."""
    from epforge.blueprint import BlueprintErrors, parse
    from epforge.blueprint.text import read_text
    from epforge.resolve import resolve_supported

    try:
        return blueprint_of(place, name)
    except BlueprintErrors as error:
        codes = {found.code for found in error.diagnostics}
        if codes != {"edition"} or call.text is None or isinstance(call.text, str):
            raise
    text = read_text(place / BLUEPRINT).whole
    migrated = resolve_supported(parse(call.text(text), str(name / BLUEPRINT)))
    return dataclasses.replace(migrated, text=text)


def _changed(before: Blueprint, name: Path, call: _Call) -> tuple[Blueprint, Request]:
    """The blueprint that there shall be, and the request that allows to write it."""
    if call.text is None:
        return before, call.request
    from epforge.blueprint import parse
    from epforge.resolve import resolve_supported

    text = call.text if isinstance(call.text, str) else call.text(before.text)
    if text == before.text:
        return before, call.request
    after = resolve_supported(parse(text, str(name / BLUEPRINT)))
    edits = call.request.edits | {BLUEPRINT}
    return after, dataclasses.replace(call.request, edits=edits)


def _once(check: Callable[[str], None]) -> Callable[[str], None]:
    """Calls ``check`` the first time only: the project is locked from then on."""
    todo = [check]

    def step(name: str) -> None:
        if todo:
            todo.pop()(name)

    return step
