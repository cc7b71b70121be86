"""The options by which an owner decides about files, the same for every verb that writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from epforge.workspace.outcome import OnConflict, Request

OnConflictOption = Annotated[
    OnConflict,
    typer.Option(
        "--on-conflict",
        help="Where you and epforge changed the same lines: stop and write nothing, write both "
        "with markers, or take one side.",
    ),
]
OursOption = Annotated[
    list[str] | None,
    typer.Option("--ours", help="In this file your lines win; may be repeated.", metavar="PATH"),
]
TheirsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--theirs", help="In this file epforge's lines win; may be repeated.", metavar="PATH"
    ),
]
AdoptOption = Annotated[
    list[str] | None,
    typer.Option(
        "--adopt",
        help="Keep your edit of this generated file: it is merged from now on; may be repeated.",
        metavar="PATH|all",
    ),
]
DiscardOption = Annotated[
    list[str] | None,
    typer.Option(
        "--discard",
        help="Give up your edit of this generated file; may be repeated.",
        metavar="PATH|all",
    ),
]


TrustOption = Annotated[bool, typer.Option("--trust", help="Let overlays run code.")]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would happen, and write nothing.")
]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="List every file and note.")]


def request_of(
    on_conflict: OnConflict = OnConflict.STOP,
    ours: list[str] | None = None,
    theirs: list[str] | None = None,
    adopt: list[str] | None = None,
    discard: list[str] | None = None,
    refresh: list[str] | None = None,
    restore: list[str] | None = None,
) -> Request:
    """The options as a request."""
    return Request(
        on_conflict=on_conflict,
        ours=frozenset(ours or ()),
        theirs=frozenset(theirs or ()),
        adopt=frozenset(adopt or ()),
        discard=frozenset(discard or ()),
        refresh=frozenset(refresh or ()),
        restore=frozenset(restore or ()),
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
