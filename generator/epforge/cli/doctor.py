"""``epforge doctor``: what is missing here, and what a blueprint, a library or a model needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish, print_lines


def command(
    subject: Annotated[
        Path | None,
        typer.Argument(
            help="A blueprint, a project's directory, a plugin library or an ONNX model; without "
            "it this machine is looked at.",
            metavar="BLUEPRINT|PROJECT|LIB|MODEL",
            show_default=False,
            autocompletion=complete.files(
                *complete.BLUEPRINTS, *complete.LIBRARIES, *complete.MODELS
            ),
        ),
    ] = None,
    library: Annotated[
        list[Path] | None,
        typer.Option(
            help="For a model: a library that the application registers, a plugin EP or a "
            "custom-op library; may be repeated, in the order in which a session gets them.",
            metavar="LIB",
            autocompletion=complete.files(*complete.LIBRARIES),
        ),
    ] = None,
    project: Annotated[
        list[Path] | None,
        typer.Option(
            help="For a model: a project or blueprint whose libraries could be registered; may be "
            "repeated.",
            metavar="DIR|BLUEPRINT",
            autocompletion=complete.files(*complete.BLUEPRINTS),
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
    from epforge.cli.show.checkup import lines
    from epforge.cli.show.progress import progress
    from epforge.verbs.doctor import diagnose

    with progress(quiet=as_json) as show:
        found = diagnose(
            subject,
            library=library,
            project=project,
            ask=ask,
            time_limit=time_limit,
            progress=show,
        )
    finish(found, lambda: print_lines(lines(found)), as_json=as_json)
