"""``epforge scaffold``: from a blueprint to a project, and on request to a proven library."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epforge.cli.wording import count, quoted
from epforge.errors import UsageError

if TYPE_CHECKING:
    from epforge.build import BuildResult
    from epforge.validate import Report


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
    summary = scaffold(file, directory)
    if not as_json:
        typer.echo(_written(directory, summary))
        for path in summary["absent"]:
            typer.echo(f"{path} is yours and is gone; it is not written again", err=True)
    report = None
    if build or validate:
        built = _build(directory, ort_sdk, quiet=as_json)
        summary["build"] = built.to_json()
        if validate:
            report = _validate(built, quiet=as_json)
            summary["validation"] = report.to_json()
    if as_json:
        typer.echo(json.dumps(summary, indent=2))
    if report is not None and not report.passed:
        raise typer.Exit(int(report.exit_status))
    if not as_json:
        typer.echo(_next_step(directory, build, validate))


def _build(directory: Path, ort_sdk: Path | None, *, quiet: bool) -> BuildResult:
    from epforge.build import build
    from epforge.cli.build import summary_of
    from epforge.cli.progress import progress

    with progress(quiet=quiet) as show:
        built = build(directory, sdk=ort_sdk, progress=show)
    if not quiet:
        typer.echo(summary_of(built))
    return built


def _validate(built: BuildResult, *, quiet: bool) -> Report:
    from epforge.cli.progress import progress
    from epforge.cli.validate import show_report
    from epforge.validate import validate

    with progress(quiet=quiet) as show:
        report = validate(built.library, progress=show)
    if not quiet:
        show_report(report)
    return report


def scaffold(file: Path, directory: Path) -> dict[str, Any]:
    """Expands ``file`` into ``directory``; returns what was done, ready for JSON."""
    from epforge.cli.project import expand, read, tool
    from epforge.workspace import State, check_target, publish

    state = check_target(directory)
    _, blueprint = read(file)
    text = blueprint.text.encode()
    if state is State.OURS:
        _check_same(directory, text)
    files = expand(blueprint).files
    done = publish(directory, files, tool=tool(), blueprint=text)
    return {
        "directory": str(directory),
        "created": done.created,
        "owners": dict(sorted(Counter(item.owner.value for item in files).items())),
        "written": list(done.written),
        "removed": list(done.removed),
        "kept": list(done.kept),
        "absent": list(done.absent),
    }


def _written(directory: Path, summary: dict[str, Any]) -> str:
    owners = summary["owners"]
    total = f"{sum(owners.values())} files"
    parts = ", ".join(f"{count} {owner}" for owner, count in owners.items())
    written, removed = len(summary["written"]), len(summary["removed"])
    if summary["created"]:
        what = total
    elif written or removed:
        what = f"{count(written, 'file')} written, {removed} removed, {total} in all"
    else:
        what = f"up to date, {total}"
    return f"{directory}: {what} ({parts})"


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


def _next_step(directory: Path, built: bool, validated: bool) -> str:
    if validated:
        return f"Next: {directory / 'README.md'} says how to use it from Python and C++."
    return f"Next: epforge {'validate' if built else 'build'} {quoted(directory)}"
