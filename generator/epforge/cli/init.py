"""``epforge init``: a repository that holds a blueprint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish, print_lines, warn
from epforge.verbs.wording import one_line

if TYPE_CHECKING:
    from epforge.verbs.init import InitResult


def command(
    directory: Annotated[
        Path, typer.Argument(help="The repository: absent, or with other files.", metavar="DIR")
    ] = Path(),
    name: Annotated[
        str | None,
        typer.Option(help="Name of the project; by default that of DIR.", metavar="NAME"),
    ] = None,
    vendor: Annotated[
        str | None,
        typer.Option(help="Who makes the device or the kernels; has no default.", metavar="NAME"),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="cpu (none yet, the default), npu, gpu (simulated at first) or cuda.",
            metavar="KIND",
            autocompletion=complete.words("cpu", "npu", "gpu", "cuda"),
        ),
    ] = None,
    vendor_id: Annotated[
        str | None,
        typer.Option(help="PCI vendor id of an npu or gpu, such as 0xB357.", metavar="ID"),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="Where an npu or gpu has tensors: host (the default) or device.",
            metavar="WHERE",
            autocompletion=complete.words("host", "device"),
        ),
    ] = None,
    paradigm: Annotated[
        str | None,
        typer.Option(
            help="kernel-registry (the default), compiled or virtual.",
            metavar="PARADIGM",
            autocompletion=complete.words("kernel-registry", "compiled", "virtual"),
        ),
    ] = None,
    save_compiled: Annotated[
        bool | None,
        typer.Option(
            "--save-compiled/--no-save-compiled",
            help="Save what is compiled in models that load without compiling; by default.",
            show_default=False,
        ),
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(
            help="Element types, such as float32,int64; by default float32.",
            metavar="TYPES",
            autocompletion=complete.types,
        ),
    ] = None,
    ops: Annotated[
        str | None,
        typer.Option(
            help="Operators; by default Relu,Add,Mul,MatMul.",
            metavar="OPS",
            autocompletion=complete.operator_list,
        ),
    ] = None,
    license_: Annotated[
        str | None,
        typer.Option("--license", help="SPDX identifier; by default Apache-2.0.", metavar="ID"),
    ] = None,
    from_model: Annotated[
        list[Path] | None,
        typer.Option(
            help="Take the operators of this ONNX model; may be repeated.",
            metavar="MODEL",
            autocompletion=complete.files(*complete.MODELS),
        ),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Begin with a ready blueprint, or a file.",
            metavar="NAME|FILE",
            autocompletion=complete.ready,
        ),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the ready blueprints, and stop.")
    ] = False,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Ask nothing: what is not given has its default.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would come of it; write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; ask nothing.")] = False,
) -> None:
    """Makes a repository that holds a blueprint, for editors and people.

    What the options do not say is asked on a terminal, each question with what it means; elsewhere
    it has its default. Before anything is written you see the files, the operators, which of them
    are stubs, and the commands to go on with. No file is overwritten. The blueprint begins with
    nothing, with the operators of models, or with a blueprint that is there.

    \b
        epforge init my-ep --vendor Contoso --ops Relu,Add,MatMul
        epforge init my-ep --vendor Contoso --from-model detector.onnx
        epforge init my-ep --vendor Contoso --from cuda
    """
    if list_:
        _list(as_json)
        return
    from epforge.cli.asking import ask, can_ask
    from epforge.cli.show.starting import end_lines, preview_lines
    from epforge.verbs.init import init_repository

    given = {
        "name": name,
        "vendor": vendor,
        "device": device,
        "vendor_id": vendor_id,
        "memory": memory,
        "paradigm": paradigm,
        "save_compiled": save_compiled,
        "types": types,
        "ops": ops,
        "license": license_,
    }
    asking = not (defaults or as_json) and can_ask()
    settled: list[bool] = []

    def confirm(result: InitResult) -> bool:
        if not as_json:
            print_lines(preview_lines(result))
        settled.append(not asking or dry_run or typer.confirm("Write it?", default=True))
        return settled[-1]

    try:
        done = init_repository(
            directory,
            answers={key: value for key, value in given.items() if value is not None},
            from_model=from_model,
            blueprint=from_,
            dry_run=dry_run,
            ask=ask if asking else None,
            confirm=confirm,
            progress=warn,
            warn=lambda text: warn(one_line(text)),
        )
    except (KeyboardInterrupt, typer.Abort):
        if settled != [True] and not as_json:
            warn("\nnothing was written")
        raise KeyboardInterrupt from None
    finish(done, lambda: print_lines(end_lines(done)), as_json=as_json)


def _list(as_json: bool) -> None:
    from epforge.cli.show.starting import ready_lines
    from epforge.verbs.init import list_ready

    found = list_ready()
    finish(found, lambda: print_lines(ready_lines(found.blueprints)), as_json=as_json)
