"""``epforge add``: an operator, a device or an option more, in the blueprint and in the project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.main import make_app
from epforge.cli.options import (
    AdoptOption,
    DiscardOption,
    DryRunOption,
    OnConflictOption,
    OursOption,
    TheirsOption,
    TrustOption,
)
from epforge.cli.output import finish, print_lines, warn
from epforge.workspace.outcome import OnConflict

if TYPE_CHECKING:
    from epforge.verbs.add import AddResult

app = make_app()

ProjectOption = Annotated[
    Path | None,
    typer.Option(
        "--project",
        help="The project, or a directory that holds its blueprint; by default this one.",
        metavar="DIR",
        autocompletion=complete.directories,
    ),
]
FileOption = Annotated[
    Path | None,
    typer.Option(
        "--file",
        help="A blueprint that has no project yet.",
        metavar="FILE",
        autocompletion=complete.files(*complete.BLUEPRINTS),
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def _group() -> None:
    """Adds to a blueprint, and to the project that is made from it.

    The entry is written in the style of the list that it goes into; everything else in
    blueprint.yaml stays as it is, comments too. Then the project is brought up to date as by
    `regenerate`: files of yours and your lines in shared files stay.

    \b
        epforge add op Softmax Gelu --project my-ep
        epforge add option effort --type int --range 0:3 --project my-ep
    """


@app.command("op")
def add_op(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Relu, or domain::Op.", metavar="OP", autocompletion=complete.operators
        ),
    ],
    types: Annotated[
        list[str] | None,
        typer.Option(
            help="Element types: of the main type constraint, or with its name in front; "
            "may be repeated.",
            metavar="[T=]TYPE,...",
            autocompletion=complete.types,
        ),
    ] = None,
    models: Annotated[
        str | None, typer.Option(help="Opsets of models: '13', '13-20', '>=13'.", metavar="RANGE")
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            help="generated, or yours.",
            metavar="WHOSE",
            autocompletion=complete.words("generated", "yours"),
        ),
    ] = None,
    project: ProjectOption = None,
    file: FileOption = None,
    on_conflict: OnConflictOption = OnConflict.STOP,
    ours: OursOption = None,
    theirs: TheirsOption = None,
    adopt: AdoptOption = None,
    discard: DiscardOption = None,
    trust: TrustOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Adds operators.

    One that is listed already is left as it is, and it is no error. With --models, another entry
    for other opsets is added.

    \b
        epforge add op Softmax --types float32,float64 --project my-ep
        epforge add op com.microsoft::BiasGelu --kernel yours --file blueprint.yaml
    """
    from epforge.verbs import add

    done = add.add_op(
        names,
        types=types or (),
        models=models,
        kernel=kernel,
        project=project,
        file=file,
        on_conflict=on_conflict,
        ours=ours or (),
        theirs=theirs or (),
        adopt=adopt or (),
        discard=discard or (),
        trust=trust,
        dry_run=dry_run,
        progress=warn,
    )
    finish(done, lambda: _show(done), as_json=as_json)


@app.command("device")
def add_device(
    name: Annotated[
        str, typer.Argument(help="A short name, unique in the project.", metavar="NAME")
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--type",
            help="cpu, gpu or npu.",
            metavar="TYPE",
            autocompletion=complete.words("cpu", "gpu", "npu"),
        ),
    ],
    vendor_id: Annotated[str | None, typer.Option(help="PCI vendor id.", metavar="ID")] = None,
    device_id: Annotated[
        list[str] | None, typer.Option(help="Device id; may be repeated.", metavar="ID")
    ] = None,
    virtual: Annotated[
        bool, typer.Option("--virtual", help="A virtual one may stand in for it.")
    ] = False,
    software: Annotated[
        bool, typer.Option("--software", help="The machine's CPU may stand in for it.")
    ] = False,
    ep: Annotated[
        str | None, typer.Option(help="The execution provider that offers it.", metavar="NAME")
    ] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(help="An entry that applications see; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    project: ProjectOption = None,
    file: FileOption = None,
    on_conflict: OnConflictOption = OnConflict.STOP,
    ours: OursOption = None,
    theirs: TheirsOption = None,
    adopt: AdoptOption = None,
    discard: DiscardOption = None,
    trust: TrustOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Adds a device. It comes last: hardware goes to the first device that it matches.

    \b
        epforge add device npu --type npu --vendor-id 0xB357 --device-id 0x1001 --project my-ep
    """
    from epforge.verbs import add

    done = add.add_device(
        name,
        type=kind,
        vendor_id=vendor_id,
        device_id=device_id or (),
        virtual=virtual,
        software=software,
        ep=ep,
        metadata=metadata or (),
        project=project,
        file=file,
        on_conflict=on_conflict,
        ours=ours or (),
        theirs=theirs or (),
        adopt=adopt or (),
        discard=discard or (),
        trust=trust,
        dry_run=dry_run,
        progress=warn,
    )
    finish(done, lambda: _show(done), as_json=as_json)


@app.command("option")
def add_option(
    name: Annotated[str, typer.Argument(help="The key as applications write it.", metavar="NAME")],
    kind: Annotated[
        str | None,
        typer.Option("--type", help="int, float, bool, string or enum.", metavar="TYPE"),
    ] = None,
    default: Annotated[
        str | None, typer.Option(help="The value when it is not set.", metavar="VALUE")
    ] = None,
    limits: Annotated[
        str | None, typer.Option("--range", help="Of a number.", metavar="LOWEST:HIGHEST")
    ] = None,
    choices: Annotated[
        str | None, typer.Option(help="The values of an enum.", metavar="A,B,...")
    ] = None,
    excludes: Annotated[
        str | None, typer.Option(help="Options that cannot be set beside it.", metavar="A,B,...")
    ] = None,
    dynamic: Annotated[
        bool, typer.Option("--dynamic", help="It may be changed while a session lives.")
    ] = False,
    doc: Annotated[str, typer.Option(help="One sentence for users.", metavar="TEXT")] = "",
    project: ProjectOption = None,
    file: FileOption = None,
    on_conflict: OnConflictOption = OnConflict.STOP,
    ours: OursOption = None,
    theirs: TheirsOption = None,
    adopt: AdoptOption = None,
    discard: DiscardOption = None,
    trust: TrustOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Adds a provider option.

    \b
        epforge add option effort --type int --range 0:3 --default 1 --project my-ep
        epforge add option log --choices error,info --doc "What is logged." --project my-ep
    """
    from epforge.verbs import add

    done = add.add_option(
        name,
        type=kind,
        default=default,
        range=limits,
        choices=choices,
        excludes=excludes,
        dynamic=dynamic,
        doc=doc,
        project=project,
        file=file,
        on_conflict=on_conflict,
        ours=ours or (),
        theirs=theirs or (),
        adopt=adopt or (),
        discard=discard or (),
        trust=trust,
        dry_run=dry_run,
        progress=warn,
    )
    finish(done, lambda: _show(done), as_json=as_json)


def _show(done: AddResult) -> None:
    from epforge.cli.show.outcome import show

    print_lines(_lines(done))
    if done.outcome is not None and done.directory is not None:
        show(done.directory, done.outcome, would=done.dry_run, retry=done.retry)


def _lines(done: AddResult) -> Sequence[str]:
    end = "" if done.added else "; nothing to do" if len(done.present) == 1 else ""
    lines = [f"{name} is listed already: {place}{end}" for name, place in done.present.items()]
    if not done.added:
        return lines if end else [*lines, "nothing to do"]
    if done.dry_run:
        lines += done.diff.splitlines()
    else:
        lines.append(f"{', '.join(done.added)} added to {done.blueprint}")
    return [*lines, *(f"note: {remark}" for remark in done.remarks)]
