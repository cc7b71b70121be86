"""``epforge scaffold``: from a blueprint to a project, and on request to a proven library."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.show.wording import quoted
from epforge.errors import UsageError

if TYPE_CHECKING:
    from epforge.workspace import Outcome


def command(
    file: Annotated[
        Path,
        typer.Argument(help="The blueprint, or a directory with blueprint.yaml.", metavar="FILE"),
    ],
    directory: Annotated[
        Path | None,
        typer.Argument(
            help="Where the project goes; left out, the directory with the blueprint.yaml.",
            metavar="DIR",
        ),
    ] = None,
    build: Annotated[bool, typer.Option("--build", help="Build the library too.")] = False,
    validate: Annotated[
        bool, typer.Option("--validate", help="Build, then prove that the library works.")
    ] = False,
    ort_sdk: Annotated[
        Path | None, typer.Option(help="ONNX Runtime's headers, for --build.", metavar="DIR")
    ] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Let overlays run code.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Expands a blueprint into a complete project.

    Everything is rendered in memory first and published in one step: after an error, the directory
    is as it was. With --build the library is built, with --validate it is also run on real models,
    with the CPU provider switched off, and its numbers are checked.

    The directory may hold other files, such as those of `epforge init` and of git: they stay as
    they are, and where one is in the way, nothing is written. A directory that holds a project
    already is brought up to date as by `regenerate`, if the project's own blueprint.yaml is the
    one that is expanded.

    \b
        epforge scaffold my-ep --build --validate
        epforge scaffold blueprint.yaml my-ep
    """
    from epforge.cli.change.proving import prove
    from epforge.cli.show.outcome import exit_if_conflicts, outcome_data, show

    file, directory = places(file, directory)
    outcome = scaffold(file, directory, trust=trust)
    if not as_json:
        show(directory, outcome)
    ready = not outcome.open
    proof = prove(
        directory,
        build=build and ready,
        validate=validate and ready,
        ort_sdk=ort_sdk,
        quiet=as_json,
    )
    if as_json:
        owners = Counter(entry.owner.value for entry in outcome.lock.files.values())
        summary = outcome_data(directory, outcome) | {
            "owners": dict(sorted(owners.items())),
            "written": [each.path for each in outcome.actions if each.after is not None],
            "removed": [each.path for each in outcome.actions if each.after is None],
        }
        typer.echo(json.dumps(summary | proof.to_json(), indent=2))
    exit_if_conflicts(outcome)
    proof.check()
    if not as_json:
        typer.echo(_next_step(directory, build, validate))


def places(file: Path, directory: Path | None) -> tuple[Path, Path]:
    """The blueprint, and the directory that its project goes to.

    Args:
        file: a blueprint, or a directory that holds a ``blueprint.yaml``.
        directory: where the project goes; None: into that directory.

    Raises:
        UsageError: one of the two cannot be told.
    """
    from epforge.cli.change.rewriting import BLUEPRINT, finish_crashed

    if file.is_dir():
        finish_crashed(file)
        if not (file / BLUEPRINT).is_file():
            raise UsageError(
                f"{file} has no {BLUEPRINT}",
                f"Name a blueprint, or make one: epforge init {quoted(file)}",
            )
        return file / BLUEPRINT, file if directory is None else directory
    if directory is None:
        raise UsageError(
            f"it is not said where the project of {file} goes",
            f"Name a directory: epforge scaffold {quoted(file)} DIR",
        )
    return file, directory


def scaffold(file: Path, directory: Path, *, trust: bool = False) -> Outcome:
    """Expands ``file`` into ``directory``; brings a project of the same blueprint up to date.

    Raises:
        UsageError: it is no directory, or holds the project of another blueprint.
        InTheWayError: files of others lie where the project has some.
        BlockedError: the owner of the project has to decide first.
    """
    from epforge.cli.change.decisions import again
    from epforge.cli.change.expanding import change_of
    from epforge.cli.change.project import expand, read
    from epforge.cli.change.rewriting import finish_crashed, rewrite
    from epforge.workspace import Request, State, check_target, publish

    if check_target(directory) is State.OURS:
        finish_crashed(directory)
    _, blueprint = read(file)
    if check_target(directory) is State.OURS:
        _check_same(directory, blueprint.text)
        retry = again(("epforge", "regenerate", str(directory)), Request(), trust=trust)
        return rewrite(directory, None, Request(), trust=trust, retry=retry).outcome
    expansion = expand(blueprint, root=file.parent, trust=trust)
    return publish(directory, expansion.files, **change_of(expansion, Request()))


def _check_same(directory: Path, text: str) -> None:
    """The project's own blueprint rules it: no other one may be laid over it."""
    from epforge.cli.change.rewriting import BLUEPRINT, lock_of

    own = directory / BLUEPRINT
    if own.is_file() and own.read_bytes().removeprefix(b"\xef\xbb\xbf") != text.encode():
        lock_of(directory)
        raise UsageError(
            f"{directory} holds a project that was made from another blueprint",
            f"Edit {own} and run: epforge regenerate {quoted(directory)}",
        )


def _next_step(directory: Path, built: bool, validated: bool) -> str:
    if validated:
        return f"Next: {directory / 'README.md'} says how to use it from Python and C++."
    return f"Next: epforge {'validate' if built else 'build'} {quoted(directory)}"
