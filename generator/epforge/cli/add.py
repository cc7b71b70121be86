"""``epforge add``: an operator, a device or an option more, in the blueprint and in the project."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epforge.cli.change.decisions import (
    AdoptOption,
    DiscardOption,
    DryRunOption,
    OnConflictOption,
    OursOption,
    TheirsOption,
    TrustOption,
    again,
    request_of,
)
from epforge.cli.main import make_app, printable
from epforge.errors import UsageError
from epforge.workspace.outcome import Action, ActionKind, OnConflict, Request

if TYPE_CHECKING:
    from epforge.cli.change.adding import Added, Entries

app = make_app()

ProjectOption = Annotated[
    Path | None,
    typer.Option("--project", help="The project; by default this directory.", metavar="DIR"),
]
FileOption = Annotated[
    Path | None,
    typer.Option("--file", help="A blueprint that has no project yet.", metavar="FILE"),
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
    names: Annotated[list[str], typer.Argument(help="Relu, or domain::Op.", metavar="OP")],
    types: Annotated[
        list[str] | None,
        typer.Option(
            help="Element types: of the main type constraint, or with its name in front; "
            "may be repeated.",
            metavar="[T=]TYPE,...",
        ),
    ] = None,
    models: Annotated[
        str | None, typer.Option(help="Opsets of models: '13', '13-20', '>=13'.", metavar="RANGE")
    ] = None,
    kernel: Annotated[
        str | None, typer.Option(help="generated, or yours.", metavar="WHOSE")
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
    from epforge.cli.change.adding import op_entries

    options = {"types": types, "models": models, "kernel": kernel}
    _run(
        op_entries(names, types or (), models, kernel),
        _Call("op", tuple(names), options, project, file, trust, dry_run, as_json),
        request_of(on_conflict, ours, theirs, adopt, discard),
    )


@app.command("device")
def add_device(
    name: Annotated[
        str, typer.Argument(help="A short name, unique in the project.", metavar="NAME")
    ],
    kind: Annotated[str, typer.Option("--type", help="cpu, gpu or npu.", metavar="TYPE")],
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
    from epforge.cli.change.adding import device_entry

    allowed = {"virtual": virtual, "software": software}
    policies = [key for key, wanted in allowed.items() if wanted]
    entry = device_entry(name, kind, vendor_id, device_id or (), policies, ep, metadata or ())
    options = {
        "type": kind,
        "vendor-id": vendor_id,
        "device-id": device_id,
        **allowed,
        "ep": ep,
        "metadata": metadata,
    }
    _run(
        lambda source: [entry],
        _Call("device", (name,), options, project, file, trust, dry_run, as_json),
        request_of(on_conflict, ours, theirs, adopt, discard),
    )


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
    from epforge.cli.change.adding import option_entry

    entry = option_entry(name, kind, limits, choices, default, excludes, dynamic, doc)
    options = {
        "type": kind,
        "default": default,
        "range": limits,
        "choices": choices,
        "excludes": excludes,
        "dynamic": dynamic,
        "doc": doc or None,
    }
    _run(
        lambda source: [entry],
        _Call("option", (name,), options, project, file, trust, dry_run, as_json),
        request_of(on_conflict, ours, theirs, adopt, discard),
    )


@dataclass(frozen=True)
class _Call:
    """What all of them are called with; ``options`` are those of the one that was called."""

    verb: str
    names: tuple[str, ...]
    options: dict[str, Any]
    project: Path | None
    file: Path | None
    trust: bool
    dry_run: bool
    as_json: bool

    @property
    def command(self) -> tuple[str, ...]:
        """The command without what it decides about files."""
        words = ["epforge", "add", self.verb, *self.names]
        for option, value in self.options.items():
            if value is True:
                words.append(f"--{option}")
            elif value not in (None, False):
                for each in value if isinstance(value, list) else [value]:
                    words += [f"--{option}", each]
        return (*words, "--project", str(self.project or Path()))


def _run(entries: Entries, call: _Call, request: Request) -> None:
    if call.file is not None:
        if call.project is not None:
            raise UsageError("--project and --file exclude each other", "Leave one of them out.")
        _in_file(call.file, entries, call)
    else:
        _in_project(call.project or Path(), entries, call, request)


def _in_project(project: Path, entries: Entries, call: _Call, request: Request) -> None:
    from epforge.cli.change.adding import add_entries
    from epforge.cli.change.rewriting import (
        BLUEPRINT,
        blueprint_of,
        check_resolved,
        finish_crashed,
        lock_of,
        rewrite,
    )
    from epforge.cli.show.diffs import diff_of
    from epforge.cli.show.outcome import exit_if_conflicts, outcome_data, show

    path = project / BLUEPRINT
    if not call.dry_run:
        finish_crashed(project)
    check_resolved(project, lock_of(project))
    added = add_entries(blueprint_of(project).text, str(path), entries)
    if not added.new:
        _say(call, added, {"blueprint": str(path), "diff": ""})
        return
    retry = again(call.command, request, trust=call.trust)
    outcome = rewrite(
        *(project, lambda text: add_entries(text, str(path), entries).text, request),
        trust=call.trust,
        dry_run=call.dry_run,
        retry=retry,
    ).outcome
    diff = "".join(diff_of(each) for each in outcome.actions if each.path == BLUEPRINT)
    data = outcome_data(project, outcome) | {"blueprint": str(path), "diff": diff}
    _say(call, added, data)
    if not call.as_json:
        show(project, outcome, would=call.dry_run, retry=retry)
    exit_if_conflicts(outcome)


def _in_file(path: Path, entries: Entries, call: _Call) -> None:
    from epforge.blueprint import load
    from epforge.cli.change.adding import add_entries
    from epforge.cli.change.rewriting import BLUEPRINT
    from epforge.cli.show.diffs import diff_of
    from epforge.workspace import LOCK

    if path.name == BLUEPRINT and (path.parent / LOCK).exists():
        raise UsageError(
            f"{path} is the blueprint of a project",
            f"Leave --file out, and add --project {path.parent}",
        )
    before = load(path).text.whole
    added = add_entries(before, str(path), entries)
    if not added.new:
        _say(call, added, {"blueprint": str(path), "diff": ""})
        return
    change = Action(path.name, ActionKind.UPDATE, before.encode(), added.text.encode())
    if not call.dry_run:
        _replace(path.resolve(), added.text.encode())
    _say(call, added, {"blueprint": str(path), "diff": diff_of(change)})


def _replace(path: Path, content: bytes) -> None:
    """Writes a file anew, all of it or nothing."""
    import os
    import secrets
    import shutil

    new = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        new.write_bytes(content)
        shutil.copymode(path, new)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def _say(call: _Call, added: Added, data: dict[str, Any]) -> None:
    if call.as_json:
        summary = {
            "added": list(added.new),
            "present": added.present,
            "dry_run": call.dry_run,
            "remarks": list(added.notes),
        }
        typer.echo(json.dumps(summary | data, indent=2))
        return
    for line in _lines(call, added, data):
        typer.echo(printable(line))


def _lines(call: _Call, added: Added, data: dict[str, Any]) -> Sequence[str]:
    end = "" if added.new else "; nothing to do" if len(added.present) == 1 else ""
    lines = [f"{name} is listed already: {place}{end}" for name, place in added.present.items()]
    if not added.new:
        return lines if end else [*lines, "nothing to do"]
    if call.dry_run:
        lines += str(data["diff"]).splitlines()
    else:
        lines.append(f"{', '.join(added.new)} added to {data['blueprint']}")
    return [*lines, *(f"note: {note}" for note in added.notes)]
