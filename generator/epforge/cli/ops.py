"""``epforge ops``: which operators there are kernels for, and which ones models need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.main import make_app
from epforge.cli.output import finish, print_lines, warn
from epforge.verbs.wording import one_line

app = make_app(
    help="Shows which operators epforge has kernels for, and writes the 'ops' of a blueprint for "
    "the models that it is for."
)

_JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_DOMAIN = Annotated[
    str | None,
    typer.Option(
        help="Only this domain, such as ai.onnx or com.microsoft.",
        metavar="DOMAIN",
        autocompletion=complete.domains,
    ),
]


@app.command("list")
def list_ops(
    domain: _DOMAIN = None,
    status: Annotated[
        str | None,
        typer.Option(
            help="Only these: implemented, stub or impossible.",
            metavar="STATUS",
            autocompletion=complete.words("implemented", "stub", "impossible"),
        ),
    ] = None,
    as_json: _JSON = False,
) -> None:
    """Lists the operators: their kernel family, versions and element types.

    \b
        epforge ops list --domain com.microsoft --status implemented
    """
    from epforge.cli.show import ops as shown
    from epforge.verbs import ops

    found = ops.list_ops(domain=domain, status=status)
    finish(found, lambda: print_lines(shown.table(found.ops)), as_json=as_json)


@app.command()
def show(
    op: Annotated[
        str,
        typer.Argument(
            help="Relu, or com.microsoft::BiasGelu.",
            metavar="OP",
            autocompletion=complete.operators,
        ),
    ],
    as_json: _JSON = False,
) -> None:
    """Shows an operator: every version, its element types, inputs, outputs and attributes.

    \b
        epforge ops show com.microsoft::BiasGelu
    """
    from epforge.cli.show import ops as shown
    from epforge.verbs.ops import show_op

    found = show_op(op)
    finish(found, lambda: print_lines(shown.details(found.op, found.schema)), as_json=as_json)


@app.command()
def coverage(
    domain: _DOMAIN = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            help="A report of 'epforge validate --rung conformance --report FILE'; its node tests "
            "are added to the table. May be repeated.",
            metavar="FILE",
            autocompletion=complete.files(".json"),
        ),
    ] = None,
    as_json: _JSON = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a page of Markdown.")] = False,
) -> None:
    """Counts what there is of each kernel family, and names what there is not.

    \b
        epforge ops coverage --report conformance.json
    """
    from epforge.cli.show import coverage as shown
    from epforge.verbs.coverage import ops_coverage

    found = ops_coverage(domain=domain, report=report or ())
    lines = shown.page if markdown else shown.lines
    finish(found, lambda: print_lines(lines(found)), as_json=as_json)


@app.command("from-model")
def from_model(
    model: Annotated[
        list[Path],
        typer.Argument(
            help="ONNX models.", metavar="MODEL...", autocompletion=complete.files(*complete.MODELS)
        ),
    ],
    as_json: _JSON = False,
) -> None:
    """Writes the 'ops' of a blueprint for models: versions and element types as in their nodes.

    What has no kernel yet is a stub to be written; what cannot be had at all is a comment. Nodes in
    subgraphs and in functions of the models count, too. The models are read, never run.

    \b
        epforge ops from-model detector.onnx classifier.onnx > ops.yaml
    """
    from epforge.cli.show import wanted as shown
    from epforge.starter.entries import block
    from epforge.verbs.ops import ops_from_model

    found = ops_from_model(model)

    def show() -> None:
        print_lines(block(found.ops))
        for file, why in found.untyped.items():
            warn(one_line(f"note: {file}: element types only as the model states them: {why}"))
        warn(one_line(shown.summary(found.ops)))

    finish(found, show, as_json=as_json)
