"""``epforge scaffold``: from a blueprint to a project, and on request to a proven library."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from epforge.errors import ExitStatus, UsageError


def command(
    file: Annotated[Path, typer.Argument(help="The blueprint.", metavar="FILE")],
    directory: Annotated[
        Path, typer.Argument(help="Where the project goes: absent or empty.", metavar="DIR")
    ],
    build: Annotated[bool, typer.Option("--build", help="Build the library too.")] = False,
    validate: Annotated[
        bool, typer.Option("--validate", help="Build, then prove that the library works.")
    ] = False,
    ort_sdk: Annotated[
        Path | None, typer.Option(help="ONNX Runtime's headers, for --build.", metavar="DIR")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Expands a blueprint into a complete project.

    Everything is rendered in memory first and published in one step: after an error, the directory
    is as it was. With --build the library is built, with --validate it is also run on real models,
    with the CPU provider switched off, and its numbers are checked.

    A directory that holds a project already is brought up to date if the project's own
    blueprint.yaml is the one that is expanded; your files stay, and an edit of a generated file is
    refused, not lost.

    \b
        epforge scaffold blueprint.yaml my-ep --build --validate
    """
    say = _quiet if as_json else _say
    summary = scaffold(file, directory, say)
    status = ExitStatus.OK
    if build or validate:
        from epforge.cli.prove import build_project, validate_library

        built = build_project(directory, ort_sdk, say)
        summary["build"] = built.to_json()
        if validate:
            report = validate_library(built.library, say)
            summary["validation"] = report.to_json()
            status = report.exit_status
    if as_json:
        typer.echo(json.dumps(summary, indent=2))
    elif status is ExitStatus.OK:
        _next_steps(directory, build or validate, validate)
    if status is not ExitStatus.OK:
        raise typer.Exit(int(status))


def scaffold(file: Path, directory: Path, say: Any) -> dict[str, Any]:
    """Expands ``file`` into ``directory``; returns what was done, ready for JSON."""
    from epforge.cli.project import expand, read, tool
    from epforge.workspace import State, check_target, publish

    state = check_target(directory)
    _, blueprint = read(file)
    text = blueprint.text.encode()
    if state is State.OURS:
        _check_same(directory, text)
    expansion = expand(blueprint)
    done = publish(directory, expansion.files, tool=tool(), blueprint=text)
    owners = Counter(item.owner.value for item in expansion.files)
    parts = ", ".join(f"{owners[name]} {name}" for name in sorted(owners))
    total = len(expansion.files)
    if done.created:
        say(f"{directory}: {total} files ({parts})")
    elif done.written or done.removed:
        say(
            f"{directory}: {len(done.written)} files written, {len(done.removed)} removed, "
            f"of {total} ({parts})"
        )
    else:
        say(f"{directory}: up to date, {total} files ({parts})")
    return {
        "directory": str(directory),
        "created": done.created,
        "owners": dict(sorted(owners.items())),
        "written": list(done.written),
        "removed": list(done.removed),
        "kept": list(done.kept),
    }


def _check_same(directory: Path, text: bytes) -> None:
    """The project's own blueprint rules it: no other one may be laid over it."""
    from epforge.workspace import recover

    recover(directory)
    own = directory / "blueprint.yaml"
    if not own.is_file():
        if (directory / "epforge.lock").exists():
            raise UsageError(f"{own} is missing", "Restore it from version control.")
    elif own.read_bytes() != text:
        raise UsageError(
            f"{directory} holds a project that was made from another blueprint",
            f"Edit {own} and expand that one, or choose another directory.",
        )


def _next_steps(directory: Path, built: bool, validated: bool) -> None:
    if not built:
        typer.echo(f"Next: epforge build {directory}")
    elif not validated:
        typer.echo(f"Next: epforge validate {directory}")
    else:
        typer.echo(f"Next: {directory / 'README.md'} says how to use it from Python and C++.")


def _say(text: str) -> None:
    typer.echo(text)


def _quiet(text: str) -> None:
    """With --json, only the summary is printed."""
