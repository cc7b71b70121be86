"""``epforge doctor``: will a model find the operators that it asks for?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.errors import UsageError
from epforge.verbs.wording import count

if TYPE_CHECKING:
    from epforge.validate.models import Diagnosis, Offer


def command(
    model: Annotated[Path, typer.Argument(help="The ONNX model.", metavar="MODEL")],
    library: Annotated[
        list[Path] | None,
        typer.Option(
            help="A library that the application registers: a plugin EP or a custom-op library; "
            "may be repeated, in the order in which a session gets them.",
            metavar="LIB",
        ),
    ] = None,
    project: Annotated[
        list[Path] | None,
        typer.Option(
            help="A project or blueprint whose libraries could be registered; may be repeated.",
            metavar="DIR|BLUEPRINT",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Says why a model's custom operators are not found, and what to do about it.

    Looks at every node that is not ONNX's or ONNX Runtime's own, in subgraphs and functions, too:
    domain, version, inputs, attributes, element types, and which library has it. What a library
    offers is in the manifest beside it. Nothing of the model or the libraries is run. Exit
    status 1 when ONNX Runtime would not load or run the model; warnings alone are 0.

    \b
        epforge doctor model.onnx --library libcontoso_npu_custom_ops.so
        epforge doctor model.onnx --project contoso-npu
    """
    from epforge.validate.models import judge, library_offer, read_model
    from epforge.verbs.wording import printable

    facts = read_model(model)
    offers = [library_offer(path) for path in library or []]
    offers += [offer for path in project or [] for offer in _project(path)]
    diagnosis = judge(facts, offers)
    if as_json:
        data = {
            "format": 1,
            "model": str(model),
            **diagnosis.to_json(),
            "unknown": [offer.file for offer in offers if not offer.known],
            "untyped": diagnosis.untyped,
        }
        typer.echo(json.dumps(data, indent=2))
    else:
        for line in _lines(model, diagnosis, offers):
            typer.echo(printable(line))
    if not diagnosis.fine:
        raise typer.Exit(1)


def _project(path: Path) -> tuple[Offer, ...]:
    """What could be registered of a project's directory, or of a blueprint."""
    from epforge.validate.models import project_offers, read_manifest

    if path.is_dir():
        manifest = path / "src/gen/manifest.json"
        if not manifest.is_file():
            raise UsageError(
                f"{path}: not a project that epforge made", "Make one: epforge scaffold"
            )
        return project_offers(read_manifest(manifest), str(manifest))
    from epforge.plan import shell
    from epforge.verbs.change.project import read

    _, blueprint = read(path)
    return project_offers(shell.manifest(blueprint), str(path))


def _lines(model: Path, diagnosis: Diagnosis, offers: list[Offer]) -> Iterator[str]:
    for offer in offers:
        if not offer.known:
            yield f"note: {offer.file} is a {offer.kind} without a manifest: its ops are unknown"
    for finding in diagnosis.findings:
        yield f"{finding.severity}: {finding.line}"
        yield f"  {finding.hint}"
    if diagnosis.untyped and diagnosis.domains:
        yield f"note: element types only as the model states them: {diagnosis.untyped}"
    for domain in diagnosis.domains:
        if domain.fine and domain.by:
            version = f" version {domain.version}" if domain.version is not None else ""
            yield f"ok: {domain.domain}{version}, {count(domain.nodes, 'node')}: {domain.by}"
    if not diagnosis.domains and not diagnosis.findings:
        yield f"ok: {model}: no node of a custom domain; there is nothing to register"
