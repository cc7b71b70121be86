"""Merging texts, one or many, with the best engine that this machine has."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from epforge.errors import UsageError
from epforge.workspace.merge import git
from epforge.workspace.merge.diff3 import diff3, two_way
from epforge.workspace.merge.layout import Texts, is_binary, prepare
from epforge.workspace.merge.model import Engine, Favor, TextMerge
from epforge.workspace.merge.pieces import Piece, assemble

_VARIABLE = "EPFORGE_MERGE"
_HAS_MERGE_TREE = (2, 38)
_MOST_REMEMBERED = 256

Pieces = tuple[Piece, ...]


@dataclass(frozen=True)
class Job:
    """Three texts to merge; ``base`` is None if the two others come from no common text."""

    base: bytes | None
    ours: bytes
    theirs: bytes
    favor: Favor | None = None


def best_engine() -> Engine:
    """The best engine of this machine; the environment variable ``EPFORGE_MERGE`` overrides it.

    Raises:
        UsageError: the variable names no engine.
        GitError: the git on the PATH does not end.
    """
    wanted = os.environ.get(_VARIABLE)
    if wanted:
        if wanted not in list(Engine):
            raise UsageError(
                f"{_VARIABLE}={wanted} names no way to merge",
                f"Set it to one of {', '.join(Engine)}, or unset it.",
            )
        return Engine(wanted)
    program = shutil.which("git")
    found = git.version(os.path.abspath(program)) if program else (0, 0)
    if found == (0, 0):
        return Engine.PYTHON
    return Engine.MERGE_TREE if found >= _HAS_MERGE_TREE else Engine.MERGE_FILE


def merge_text(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    *,
    favor: Favor | None = None,
    engine: Engine | None = None,
) -> TextMerge:
    """Merges two texts that come from ``base``.

    The line ends and the byte order mark of ``ours`` are kept; they never conflict.

    Args:
        base: what both come from.
        ours: the user's text.
        theirs: epforge's text.
        favor: whose lines win where both changed the same ones; None: markers show both.
        engine: what merges; None: the best there is.

    Raises:
        ValueError: a text is binary; ask `is_binary` first.
        GitError: git fails or hangs.
        UsageError: ``EPFORGE_MERGE`` names no engine.
    """
    return merge_texts([Job(base, ours, theirs, favor)], engine)[0]


def merge_texts(jobs: Sequence[Job], engine: Engine | None = None) -> list[TextMerge]:
    """Merges many texts in one go; see `merge_text`."""
    for job in jobs:
        if any(is_binary(content) for content in (job.base or b"", job.ours, job.theirs)):
            raise ValueError("a binary file does not merge by lines")
    texts = [prepare(job.base or b"", job.ours, job.theirs) for job in jobs]
    found = [_without_engine(job, one) for job, one in zip(jobs, texts, strict=True)]
    rest = [index for index, known in enumerate(found) if known is None]
    for index, pieces in zip(rest, _pieces([texts[i] for i in rest], engine), strict=True):
        found[index] = assemble(texts[index], pieces, jobs[index].favor)
    return [merge for merge in found if merge is not None]


def _without_engine(job: Job, texts: Texts) -> TextMerge | None:
    """The merge, if it takes no comparing of three texts."""
    if job.ours == job.theirs or job.base == job.theirs:
        return TextMerge(job.ours)
    if job.base is None:
        return assemble(texts, two_way(texts), job.favor)
    if texts.ours in (texts.theirs, texts.base) or texts.base == texts.theirs:
        return TextMerge(texts.content(texts.theirs if texts.ours == texts.base else texts.ours))
    return None


# What was merged before: a tree first and then a file of it again, with and without a favour.
_remembered: dict[tuple[Engine, Texts], Pieces] = {}


def _pieces(many: Sequence[Texts], engine: Engine | None) -> list[Pieces]:
    """Has an engine merge what is not trivial, and not known."""
    if not many:
        return []
    chosen = engine or best_engine()
    known = [_remembered.get((chosen, texts)) for texts in many]
    rest = [texts for texts, pieces in zip(many, known, strict=True) if pieces is None]
    fresh = dict(zip(rest, _merge(rest, chosen), strict=True))
    for texts, pieces in fresh.items():
        _remembered[chosen, texts] = pieces
    while len(_remembered) > _MOST_REMEMBERED:
        del _remembered[next(iter(_remembered))]
    return [
        fresh[texts] if pieces is None else pieces
        for texts, pieces in zip(many, known, strict=True)
    ]


def _merge(many: Sequence[Texts], chosen: Engine) -> list[Pieces]:
    if not many:
        return []
    if chosen is Engine.PYTHON:
        return [tuple(diff3(texts)) for texts in many]
    if chosen is Engine.MERGE_FILE:
        return [git.merge_file(texts) for texts in many]
    return [
        git.merge_file(texts) if pieces is None else pieces
        for texts, pieces in zip(many, git.merge_tree(many), strict=True)
    ]
