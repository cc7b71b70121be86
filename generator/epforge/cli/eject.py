"""``epforge eject``: a generated kernel becomes yours."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.main import make_app
from epforge.errors import UsageError

if TYPE_CHECKING:
    from epforge.resolve.model import Blueprint, Op

app = make_app()


@app.callback()
def _group() -> None:
    """Makes a generated part of a project yours to edit.

    \b
        epforge eject op Relu --project my-ep
    """


@app.command("op")
def eject_op(
    op: Annotated[str, typer.Argument(help="Relu, or domain::Op.", metavar="OP")],
    project: Annotated[Path, typer.Option(help="The project.", metavar="DIR")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Moves an op's kernel from src/gen/kernels to src/kernels, where it is yours.

    blueprint.yaml gets `kernel: yours` for the op, its comments and layout stay. From then on
    epforge never touches the kernel again, and its fixes no longer reach it. If generated files
    were edited, nothing happens and they are named.

    \b
        epforge eject op Relu --project my-ep
    """
    from epforge.blueprint import parse
    from epforge.blueprint.edit import take_over
    from epforge.cli.project import expand, read, tool
    from epforge.resolve import resolve_supported
    from epforge.resolve.model import KernelSource
    from epforge.workspace import publish, read_lock, recover

    recover(project)
    if read_lock(project) is None:
        raise UsageError(f"{project} is not a project of epforge", "Name it with --project DIR.")
    path = project / "blueprint.yaml"
    source, before = read(path)
    found = _find(before, op)
    if found.kernel is KernelSource.YOURS:
        raise UsageError(f"{op} is yours already: see src/kernels/")
    text = take_over(source, found.domain, found.op)
    after = resolve_supported(parse(text, str(path)))
    if not _only_differs_in(before, after, found):
        raise UsageError(
            f"{path} cannot be edited safely for {op}", "Write `kernel: yours` for it by hand."
        )
    done = publish(
        project,
        expand(after).files,
        tool=tool(),
        blueprint=text.encode(),
        edits={"blueprint.yaml"},
    )
    if as_json:
        summary = {"written": done.written, "removed": done.removed, "kept": done.kept}
        typer.echo(json.dumps(summary, indent=2))
        return
    yours = [name for name in done.written if name.startswith("src/kernels/")]
    typer.echo(f"{op} is yours now: {', '.join(yours) or 'src/kernels/ had it already'}")


def _find(blueprint: Blueprint, text: str) -> Op:
    domain, _, name = text.rpartition("::")
    domain = "" if domain == "ai.onnx" else domain
    for op in blueprint.ops:
        if (op.domain, op.op) == (domain, name):
            return op
    known = ", ".join(f"{op.domain}::{op.op}" if op.domain else op.op for op in blueprint.ops)
    raise UsageError(f"the blueprint does not list {text}", f"It lists {known}.")


def _only_differs_in(before: Blueprint, after: Blueprint, op: Op) -> bool:
    """Did the edit change what it was meant to, and nothing else?"""
    from epforge.resolve.model import KernelSource
    from epforge.resolve.services import CustomKernel

    own = op.custom and dataclasses.replace(op.custom, kernel=CustomKernel.YOURS)
    ejected = dataclasses.replace(op, kernel=KernelSource.YOURS, custom=own)
    ops = tuple(ejected if item == op else item for item in before.ops)
    customs = tuple(own if own and item == op.custom else item for item in before.custom_ops)
    wanted = dataclasses.replace(before, ops=ops, custom_ops=customs, text=after.text)
    return _comparable(wanted) == _comparable(after)


def _comparable(blueprint: Blueprint) -> Blueprint:
    """Without what is made from custom operators: NaN in their samples equals nothing."""
    ops = tuple(
        dataclasses.replace(item, row=None) if item.custom else item for item in blueprint.ops
    )
    return dataclasses.replace(blueprint, ops=ops)
