"""The options by which an owner decides about files, the same for every verb that writes."""

from __future__ import annotations

from typing import Annotated

import typer

from epforge.workspace.outcome import OnConflict

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
