"""``epforge doctor``: what is missing here, and what a blueprint, a library or a model needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.show.progress import progress
from epforge.errors import ExitStatus, UsageError

if TYPE_CHECKING:
    from epforge.doctor.model import Checkup
    from epforge.doctor.subject import Subject


def command(
    subject: Annotated[
        Path | None,
        typer.Argument(
            help="A blueprint, a project's directory, a plugin library or an ONNX model; without "
            "it this machine is looked at.",
            metavar="[BLUEPRINT|PROJECT|LIB|MODEL]",
            show_default=False,
        ),
    ] = None,
    library: Annotated[
        list[Path] | None,
        typer.Option(
            help="For a model: a library that the application registers, a plugin EP or a "
            "custom-op library; may be repeated, in the order in which a session gets them.",
            metavar="LIB",
        ),
    ] = None,
    project: Annotated[
        list[Path] | None,
        typer.Option(
            help="For a model: a project or blueprint whose libraries could be registered; may be "
            "repeated.",
            metavar="DIR|BLUEPRINT",
        ),
    ] = None,
    ask: Annotated[
        bool,
        typer.Option(
            "--ask/--no-ask",
            help="For a model: load the libraries, in a process of their own, and ask which nodes "
            "they take; otherwise what they claim has to do.",
        ),
    ] = True,
    time_limit: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds without progress until it hangs.", metavar="SECONDS"),
    ] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Says what is missing, why it matters, and the one command that cures it.

    Without an argument it looks at this machine: compiler, headers, onnxruntime and what else
    there is of it, CUDA, cache, network as pip is configured. Of a blueprint or project it says
    what that needs here; of a library whether it loads here, and what it lacks; of a model which
    nodes an execution provider takes, why not the others, and who can run what is compiled.
    Foreign code runs in processes of its own. Exit status 1 when something would fail, 4 when
    something is missing on this machine; warnings and notes alone are 0.

    \b
        epforge doctor
        epforge doctor my-ep
        epforge doctor libother_ep.so
        epforge doctor model.onnx --project my-ep
    """
    from epforge.doctor.subject import Subject, what_is

    what = what_is(subject) if subject is not None else None
    if (library or project) and what is not Subject.MODEL:
        raise UsageError("--library and --project go with a model", "Name it: MODEL.onnx.")
    if what is Subject.MODEL:
        from epforge.cli.doctor_model import examine

        assert subject is not None
        status = examine(
            subject,
            library or [],
            project or [],
            ask=ask,
            time_limit=time_limit,
            as_json=as_json,
        )
    else:
        with progress(quiet=as_json) as show:
            found = _examined(subject, what, show)
        _print(found, as_json)
        status = found.exit_status
    if status is not ExitStatus.OK:
        raise typer.Exit(int(status))


def _examined(subject: Path | None, what: Subject | None, show: Callable[[str], None]) -> Checkup:
    from epforge.doctor.subject import Subject

    if subject is None:
        from epforge.doctor import machine

        return machine.examine(show)
    if what is Subject.LIBRARY:
        from epforge.doctor import library
        from epforge.verbs.inspect import layouts

        return library.examine(subject, layouts(), show)
    if what is Subject.PROJECT:
        return _project(subject, show)
    from epforge.doctor import blueprint

    return blueprint.examine(subject, show)


def _project(root: Path, show: Callable[[str], None]) -> Checkup:
    """The blueprint in a project, what `status` says of the project, and its build."""
    from epforge.doctor import project
    from epforge.errors import EpforgeError
    from epforge.verbs.status import project_status

    show("comparing the project with its blueprint")
    try:
        found = project_status(root)
    except EpforgeError as error:
        lines = [error.message.splitlines()[0]]
        drift = project.drift(root, int(error.exit_status), lines, "")
    else:
        lines = [f"{each.path} {each.text}" for each in found.findings]
        drift = project.drift(root, int(found.exit_status), lines, found.cure)
    return project.examine(root, drift, show)


def _print(found: Checkup, as_json: bool) -> None:
    from epforge.cli.show.checkup import lines
    from epforge.verbs.wording import printable

    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    for line in lines(found):
        typer.echo(printable(line))
