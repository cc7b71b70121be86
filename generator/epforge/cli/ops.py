"""``epforge ops``: which operators there are kernels for, and which ones models need."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Annotated

import typer

from epforge.cli.main import make_app, printable
from epforge.errors import UsageError

app = make_app(
    help="Shows which operators epforge has kernels for, and writes the 'ops' of a blueprint for "
    "the models that it is for."
)

_JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_DOMAIN = Annotated[
    str | None, typer.Option(help="Only this domain, such as ai.onnx or com.microsoft.")
]


@app.command("list")
def list_ops(
    domain: _DOMAIN = None,
    status: Annotated[
        str | None, typer.Option(help="Only these: implemented, stub or impossible.")
    ] = None,
    as_json: _JSON = False,
) -> None:
    """Lists the operators: their kernel family, versions and element types.

    \b
        epforge ops list --domain com.microsoft --status implemented
    """
    from epforge.cli.show import ops
    from epforge.resolve.catalogue import Status, entries

    if status is not None and status not in [each.value for each in Status]:
        known = ", ".join(Status)
        raise UsageError(f"--status {status}: there is no such status", f"One of: {known}.")
    found = [each for each in entries(_domain(domain)) if status in (None, each.status)]
    if as_json:
        typer.echo(json.dumps([ops.data(each) for each in found], indent=2))
        return
    for line in ops.table(found):
        typer.echo(line)


@app.command()
def show(
    op: Annotated[str, typer.Argument(help="Relu, or com.microsoft::BiasGelu.", metavar="OP")],
    as_json: _JSON = False,
) -> None:
    """Shows an operator: every version, its element types, inputs, outputs and attributes."""
    from epforge.cli.show import ops
    from epforge.ops import schemas
    from epforge.resolve.catalogue import entry
    from epforge.resolve.opnames import split_op

    parts = split_op(op)
    found = entry(*parts) if parts is not None else None
    schema = schemas.find(*parts) if parts is not None else None
    if found is None or schema is None:
        raise UsageError(f"{printable(op)}: there is no such operator", _meant(op))
    if as_json:
        typer.echo(json.dumps(ops.data(found), indent=2))
        return
    for line in ops.details(found, schema):
        typer.echo(line)


@app.command()
def coverage(
    domain: _DOMAIN = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            help="A report of 'epforge validate --rung conformance --report FILE'; its node tests "
            "are added to the table. May be repeated.",
            metavar="FILE",
        ),
    ] = None,
    as_json: _JSON = False,
    markdown: Annotated[bool, typer.Option(help="Print a page of Markdown.")] = False,
) -> None:
    """Counts what there is of each kernel family, and names what there is not.

    \b
        epforge ops coverage --report conformance.json
    """
    from epforge.cli.show import coverage as shown
    from epforge.resolve.catalogue import entries

    found = list(entries(_domain(domain)))
    tests = shown.read_reports(report or [])
    if as_json:
        typer.echo(json.dumps(shown.data(found, tests), indent=2))
        return
    for line in shown.page(found, tests) if markdown else shown.lines(found, tests):
        typer.echo(printable(line))


@app.command("from-model")
def from_model(
    model: Annotated[list[Path], typer.Argument(help="ONNX models.", metavar="MODEL...")],
    as_json: _JSON = False,
) -> None:
    """Writes the 'ops' of a blueprint for models: versions and element types as in their nodes.

    What has no kernel yet is a stub to be written; what cannot be had at all is a comment. Nodes in
    subgraphs and in functions of the models count, too. The models are read, never run.

    \b
        epforge ops from-model detector.onnx classifier.onnx > ops.yaml
    """
    from epforge.cli.show import wanted as shown
    from epforge.resolve.wanted import Use, wanted
    from epforge.validate.models import read_model

    facts = [read_model(path, everything=True) for path in model]
    found = wanted(
        Use(node.domain, node.op, node.version, node.inputs, node.outputs, node.count)
        for each in facts
        for node in each.nodes
        if not node.function  # what is in the function counts
    )
    if as_json:
        typer.echo(json.dumps(shown.data(found), indent=2))
        return
    for line in shown.block(found):
        typer.echo(printable(line))
    for path, each in zip(model, facts, strict=True):
        if each.untyped:
            note = f"note: {path}: element types only as the model states them: {each.untyped}"
            typer.echo(printable(note), err=True)
    typer.echo(printable(shown.summary(found)), err=True)


def _domain(text: str | None) -> str | None:
    """The domain as schemas have it. Raises UsageError for one without schemas."""
    from epforge.ops import schemas

    domain = "" if text == "ai.onnx" else text
    if domain is not None and domain not in schemas.domains():
        known = ", ".join(name or "ai.onnx" for name in schemas.domains())
        raise UsageError(
            f"--domain {printable(domain)}: its operators are not known", f"One of: {known}."
        )
    return domain


def _meant(op: str) -> str:
    from epforge.ops import schemas

    known = {
        f"{domain}::{name}" if domain else name
        for domain in schemas.domains()
        for name in schemas.names(domain)
    }
    close = difflib.get_close_matches(op, sorted(known), 1)
    return f"Did you mean {close[0]}?" if close else "epforge ops list has them all."
