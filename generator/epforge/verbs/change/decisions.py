"""What an owner decides about files, the same for every verb that writes."""

from __future__ import annotations

from collections.abc import Sequence

from epforge.verbs.types import Names, choice, names
from epforge.workspace.outcome import OnConflict, Request


def request_of(
    on_conflict: OnConflict | str = OnConflict.STOP,
    ours: Names | None = None,
    theirs: Names | None = None,
    adopt: Names | None = None,
    discard: Names | None = None,
    refresh: Names | None = None,
    restore: Names | None = None,
) -> Request:
    """The options as a request.

    Raises:
        UsageError: ``on_conflict`` is none of its words.
    """
    return Request(
        on_conflict=choice(OnConflict, on_conflict, "on-conflict"),
        ours=frozenset(names(ours)),
        theirs=frozenset(names(theirs)),
        adopt=frozenset(names(adopt)),
        discard=frozenset(names(discard)),
        refresh=frozenset(names(refresh)),
        restore=frozenset(names(restore)),
    )


def again(
    command: Sequence[str], request: Request, *, branch: str | None = None, trust: bool = False
) -> tuple[str, ...]:
    """The command that was given, with all that was decided by it.

    The ways out of a conflict are added to it, so that nothing is lost when it is run.

    Args:
        command: the verb and what it was called with.
        request: what was decided.
        branch: the branch that was asked for.
        trust: whether overlays may run code.
    """
    words = list(command)
    for option in ("ours", "theirs", "adopt", "discard", "refresh", "restore"):
        for path in sorted(getattr(request, option)):
            words += [f"--{option}", path]
    if request.on_conflict is not OnConflict.STOP:
        words += ["--on-conflict", request.on_conflict.value]
    if branch is not None:
        words += ["--branch", branch]
    return (*words, "--trust") if trust else tuple(words)
