"""An operator, a device or an option more, in a blueprint and in its project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.change.adding import (
    Added,
    Entries,
    add_entries,
    device_entry,
    op_entries,
    option_entry,
)
from epforge.verbs.change.decisions import again, request_of
from epforge.verbs.change.diffs import diff_of
from epforge.verbs.change.outcome import exit_status, outcome_data
from epforge.verbs.change.rewriting import (
    BLUEPRINT,
    blueprint_of,
    check_resolved,
    finish_crashed,
    is_begun,
    lock_of,
    rewrite,
)
from epforge.verbs.types import FORMAT, AnyPath, Names, Progress, names, silent
from epforge.workspace.outcome import Action, ActionKind, OnConflict, Request

if TYPE_CHECKING:
    from epforge.workspace.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class AddResult:
    """What was, or in a dry run would be, added.

    Args:
        blueprint: the file, as the caller called it.
        added: names of the entries that were not there.
        present: where the others are: by name, ``file:line``.
        dry_run: was nothing written?
        remarks: what else changes by that, a sentence each.
        diff: the change of the blueprint.
        directory: the project; None for a blueprint without one.
        outcome: what happens to the project; None if nothing was to be added, or there is none.
        retry: the command that the ways out of a conflict are added to.
    """

    blueprint: Path
    added: tuple[str, ...]
    present: Mapping[str, str]
    dry_run: bool
    remarks: tuple[str, ...]
    diff: str = ""
    directory: Path | None = None
    outcome: Outcome | None = None
    retry: tuple[str, ...] = ()

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK if self.outcome is None else exit_status(self.outcome)

    def to_json(self) -> dict[str, Any]:
        project = {}
        if self.outcome is not None and self.directory is not None:
            project = outcome_data(self.directory, self.outcome)
        return {
            "format": FORMAT,
            "added": list(self.added),
            "present": dict(self.present),
            "dry_run": self.dry_run,
            "remarks": list(self.remarks),
            **project,
            "blueprint": str(self.blueprint),
            "diff": self.diff,
        }


def add_op(
    op: Names,
    *,
    types: Names = (),
    models: str | None = None,
    kernel: str | None = None,
    project: AnyPath | None = None,
    file: AnyPath | None = None,
    on_conflict: OnConflict | str = OnConflict.STOP,
    ours: Names = (),
    theirs: Names = (),
    adopt: Names = (),
    discard: Names = (),
    trust: bool = False,
    dry_run: bool = False,
    progress: Progress = silent,
) -> AddResult:
    """Adds operators; `epforge add op`.

    Args:
        op: ``Relu`` or ``domain::Op``; one or several.
        types: element types with commas between them, of the operators' main type constraint, or
            with ``T1=`` in front of the constraint of that name.
        models: opsets that models may use: ``13``, ``13-20``, ``>=13``.
        kernel: ``generated`` or ``yours``.
        project: the project, or a directory that holds its blueprint; by default this one.
        file: a blueprint that has no project yet, instead.
        on_conflict: what to do where the owner and epforge changed the same lines.
        ours: in these files the owner's lines win.
        theirs: in these files epforge's lines win.
        adopt: generated files whose edits are kept; ``all`` for all of them.
        discard: generated files whose edits are given up; ``all`` for all of them.
        trust: overlays may run code.
        dry_run: decide, and write nothing.
        progress: told when another command works there, and is waited for.

    Raises:
        UsageError: an entry of that name is there and says something else, or the call is wrong.
        BlueprintErrors: the blueprint is wrong, or would be.
        BlockedError: the owner has to decide first; nothing was written.
        OpenConflictsError: conflicts of an earlier command are not resolved.
    """
    wanted = names(op)
    listed = names(types)
    options = {"types": list(listed), "models": models, "kernel": kernel}
    return _add(
        op_entries(wanted, listed, models, kernel),
        _Call("op", wanted, options, project, file, trust, dry_run, progress),
        request_of(on_conflict, ours, theirs, adopt, discard),
    )


def add_device(
    name: str,
    *,
    type: str,
    vendor_id: str | None = None,
    device_id: Names = (),
    virtual: bool = False,
    software: bool = False,
    ep: str | None = None,
    metadata: Names = (),
    project: AnyPath | None = None,
    file: AnyPath | None = None,
    on_conflict: OnConflict | str = OnConflict.STOP,
    ours: Names = (),
    theirs: Names = (),
    adopt: Names = (),
    discard: Names = (),
    trust: bool = False,
    dry_run: bool = False,
    progress: Progress = silent,
) -> AddResult:
    """Adds a device. It comes last: hardware goes to the first that it matches;
    `epforge add device`.

    Args:
        name: a short name, unique in the project.
        type: ``cpu``, ``gpu`` or ``npu``.
        vendor_id: the PCI vendor id, as it is written: ``0xB357``.
        device_id: device ids, as they are written.
        virtual: a virtual one may stand in for it.
        software: the machine's CPU may stand in for it.
        ep: the execution provider that offers it.
        metadata: entries that applications see, ``KEY=VALUE``.
        project: the project, or a directory that holds its blueprint; by default this one.
        file: a blueprint that has no project yet, instead.
        on_conflict: what to do where the owner and epforge changed the same lines.
        ours: in these files the owner's lines win.
        theirs: in these files epforge's lines win.
        adopt: generated files whose edits are kept; ``all`` for all of them.
        discard: generated files whose edits are given up; ``all`` for all of them.
        trust: overlays may run code.
        dry_run: decide, and write nothing.
        progress: told when another command works there, and is waited for.

    Raises:
        UsageError: an entry of that name is there and says something else, or the call is wrong.
        BlueprintErrors: the blueprint is wrong, or would be.
        BlockedError: the owner has to decide first; nothing was written.
        OpenConflictsError: conflicts of an earlier command are not resolved.
    """
    allowed = {"virtual": virtual, "software": software}
    policies = [key for key, wanted in allowed.items() if wanted]
    ids, pairs = names(device_id), names(metadata)
    entry = device_entry(name, type, vendor_id, ids, policies, ep, pairs)
    options = {
        "type": type,
        "vendor-id": vendor_id,
        "device-id": list(ids),
        **allowed,
        "ep": ep,
        "metadata": list(pairs),
    }
    return _add(
        lambda source: [entry],
        _Call("device", (name,), options, project, file, trust, dry_run, progress),
        request_of(on_conflict, ours, theirs, adopt, discard),
    )


def add_option(
    name: str,
    *,
    type: str | None = None,
    default: str | None = None,
    range: str | None = None,
    choices: str | None = None,
    excludes: str | None = None,
    dynamic: bool = False,
    doc: str = "",
    project: AnyPath | None = None,
    file: AnyPath | None = None,
    on_conflict: OnConflict | str = OnConflict.STOP,
    ours: Names = (),
    theirs: Names = (),
    adopt: Names = (),
    discard: Names = (),
    trust: bool = False,
    dry_run: bool = False,
    progress: Progress = silent,
) -> AddResult:
    """Adds a provider option; `epforge add option`.

    Args:
        name: its name.
        type: ``int``, ``float``, ``bool``, ``string`` or ``enum``.
        default: its value where nobody sets it, as it is written.
        range: ``LOWEST:HIGHEST``.
        choices: the values of an enum, with commas between them.
        excludes: options that cannot be set beside it, with commas between them.
        dynamic: it may be changed while a session lives.
        doc: one sentence for users.
        project: the project, or a directory that holds its blueprint; by default this one.
        file: a blueprint that has no project yet, instead.
        on_conflict: what to do where the owner and epforge changed the same lines.
        ours: in these files the owner's lines win.
        theirs: in these files epforge's lines win.
        adopt: generated files whose edits are kept; ``all`` for all of them.
        discard: generated files whose edits are given up; ``all`` for all of them.
        trust: overlays may run code.
        dry_run: decide, and write nothing.
        progress: told when another command works there, and is waited for.

    Raises:
        UsageError: an entry of that name is there and says something else, or the call is wrong.
        BlueprintErrors: the blueprint is wrong, or would be.
        BlockedError: the owner has to decide first; nothing was written.
        OpenConflictsError: conflicts of an earlier command are not resolved.
    """
    entry = option_entry(name, type, range, choices, default, excludes, dynamic, doc)
    options = {
        "type": type,
        "default": default,
        "range": range,
        "choices": choices,
        "excludes": excludes,
        "dynamic": dynamic,
        "doc": doc or None,
    }
    return _add(
        lambda source: [entry],
        _Call("option", (name,), options, project, file, trust, dry_run, progress),
        request_of(on_conflict, ours, theirs, adopt, discard),
    )


@dataclass(frozen=True)
class _Call:
    """What all of them are called with; ``options`` are those of the one that was called."""

    verb: str
    names: tuple[str, ...]
    options: Mapping[str, Any]
    project: AnyPath | None
    file: AnyPath | None
    trust: bool
    dry_run: bool
    progress: Progress

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
        return (*words, "--project", str(Path(self.project or ".")))


def _add(entries: Entries, call: _Call, request: Request) -> AddResult:
    if call.file is None:
        project = Path(call.project or ".")
        if is_begun(project):
            return _in_file(project / BLUEPRINT, entries, call)
        return _in_project(project, entries, call, request)
    if call.project is not None:
        raise UsageError("--project and --file exclude each other", "Leave one of them out.")
    return _in_file(Path(call.file), entries, call)


def _in_project(project: Path, entries: Entries, call: _Call, request: Request) -> AddResult:
    path = project / BLUEPRINT
    if not call.dry_run:
        finish_crashed(project, call.progress)
    check_resolved(project, lock_of(project))
    added = add_entries(blueprint_of(project).text, str(path), entries)
    if not added.new:
        return _result(path, added, call)
    retry = again(call.command, request, trust=call.trust)
    outcome = rewrite(
        *(project, lambda text: add_entries(text, str(path), entries).text, request),
        trust=call.trust,
        dry_run=call.dry_run,
        retry=retry,
        notify=call.progress,
    ).outcome
    diff = "".join(diff_of(each) for each in outcome.actions if each.path == BLUEPRINT)
    return _result(path, added, call, diff=diff, directory=project, outcome=outcome, retry=retry)


def _in_file(path: Path, entries: Entries, call: _Call) -> AddResult:
    from epforge.blueprint import load
    from epforge.workspace import LOCK, replace_file

    if path.name == BLUEPRINT and (path.parent / LOCK).exists():
        raise UsageError(
            f"{path} is the blueprint of a project",
            f"Leave --file out, and add --project {path.parent}",
        )
    before = load(path).text.whole
    added = add_entries(before, str(path), entries)
    if not added.new:
        return _result(path, added, call)
    change = Action(path.name, ActionKind.UPDATE, before.encode(), added.text.encode())
    if not call.dry_run:
        replace_file(path, before.encode(), added.text.encode())
    return _result(path, added, call, diff=diff_of(change))


def _result(path: Path, added: Added, call: _Call, **more: Any) -> AddResult:
    return AddResult(
        blueprint=path,
        added=added.new,
        present=added.present,
        dry_run=call.dry_run,
        remarks=added.notes,
        **more,
    )
