"""``epforge templates``: epforge's own templates, to be replaced one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.main import make_app
from epforge.cli.output import finish, print_lines
from epforge.verbs.starter import StarterFormat
from epforge.verbs.wording import printable

app = make_app()

_SAID = {
    "same": "the same as epforge's",
    "changed": "changed",
    "old": "epforge's has changed since it was ejected",
    "unrecorded": "changed; of which text of epforge's is not known",
    "unknown": "epforge has no such template",
}


@app.callback()
def _group() -> None:
    """Shows epforge's templates, and copies them out for you to change.

    `starter` is about the one behind `epforge init`, the others are about those of projects.
    A blueprint names the directory of yours: `overlays: [{templates: ./house-style/templates}]`.

    \b
        epforge templates eject plugin/README.md --to house-style/templates
    """


@app.command("list")
def list_templates(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Lists all templates.

    \b
        epforge templates list
    """
    from epforge.verbs import templates

    found = templates.list_templates()
    finish(found, lambda: print_lines(found.templates), as_json=as_json)


@app.command("show")
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="Such as plugin/README.md.", metavar="NAME", autocompletion=complete.templates
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prints the text of a template.

    \b
        epforge templates show plugin/README.md
    """
    from epforge.verbs.templates import show_template

    found = show_template(name)
    finish(found, lambda: typer.echo(found.text, nl=False), as_json=as_json)


@app.command("eject")
def eject(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Such as plugin/README.md.", metavar="NAME", autocompletion=complete.templates
        ),
    ],
    to: Annotated[
        Path,
        typer.Option(
            "--to", help="Your templates.", metavar="DIR", autocompletion=complete.directories
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Copies templates out, for you to change.

    Each gets the same path in DIR. ejected.json beside them keeps the hash of epforge's text, so
    that `templates diff` can tell when epforge's has changed since.

    \b
        epforge templates eject plugin/README.md --to house-style/templates
    """
    from epforge.verbs.templates import eject_templates

    done = eject_templates(names, to=to)
    lines = (f"{path} is yours to change" for path in done.written)
    finish(done, lambda: print_lines(lines), as_json=as_json)


@app.command("diff")
def diff(
    directory: Annotated[
        Path,
        typer.Argument(help="Your templates.", metavar="DIR", autocompletion=complete.directories),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Shows how your templates differ from epforge's, and which of epforge's changed since.

    Exit status 1 if one was ejected from a text that epforge has no more, or stands for none.

    \b
        epforge templates diff house-style/templates
    """
    from epforge.verbs.templates import diff_templates

    found = diff_templates(directory)

    def show() -> None:
        for each in found.templates:
            typer.echo(printable(f"{each.name}: {_SAID[each.state]}"))
            typer.echo(printable(each.diff), nl=False)

    finish(found, show, as_json=as_json)


@app.command("starter")
def starter(
    directory: Annotated[
        Path, typer.Argument(help="Where it goes: absent, or with other files.", metavar="DIR")
    ],
    format_: Annotated[
        StarterFormat,
        typer.Option("--format", help="copier or cookiecutter: whose template.", metavar="TOOL"),
    ] = StarterFormat.COPIER,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Writes out the starter behind `epforge init`, for a repository of templates of your own.

    In a git repository with tags, `copier copy` makes repositories from it and `copier update`
    brings them up to date. As a template of cookiecutter it asks the same questions and makes the
    same files. No file is overwritten.

    \b
        epforge templates starter ep-starter
        epforge templates starter ep-starter --format cookiecutter
    """
    from epforge.verbs.starter import export_starter

    done = export_starter(directory, format=format_)

    def show() -> None:
        print_lines(str(directory / path) for path in done.written)
        typer.echo("Next:")
        print_lines(f"  {command}" for command in done.next)

    finish(done, show, as_json=as_json)
