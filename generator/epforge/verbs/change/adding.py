"""What ``add`` adds to a blueprint: entries, whether they are there already, the text with them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from epforge.blueprint import BlueprintSource, parse
from epforge.blueprint.edits import Value, add_item, verbatim
from epforge.blueprint.edits.values import texts
from epforge.blueprint.edits.verified import signature, texts_of
from epforge.blueprint.nodes import Node
from epforge.errors import UsageError
from epforge.resolve import resolve, resolve_supported


@dataclass(frozen=True)
class Entry:
    """An entry of one of the lists of a blueprint.

    Args:
        key: the list: ops, devices, options.
        name: what the entry is called in it.
        value: how it is written.
        again: may there be another entry of that name, as of an operator for other opsets?
    """

    key: str
    name: str
    value: Value
    again: bool = False


@dataclass(frozen=True)
class Added:
    """A blueprint with entries added.

    Args:
        text: the blueprint.
        new: names of the entries that were not there.
        present: where the others are: by name, ``file:line``.
        notes: what else changes by that, a sentence each.
    """

    text: str
    new: tuple[str, ...]
    present: dict[str, str]
    notes: tuple[str, ...] = ()


_FIRST_DEVICE = (
    "the blueprint listed no devices, so there was the default one; the list takes its place"
)
Entries = Callable[[BlueprintSource], Sequence[Entry]]


def add_entries(text: str, file: str, entries: Entries) -> Added:
    """Adds entries to a blueprint.

    Args:
        text: the blueprint, with its byte order mark if it has one.
        file: its name, for messages.
        entries: makes the entries; gets the blueprint as it is.

    Raises:
        BlueprintErrors: the blueprint is wrong, or would be.
        UsageError: an entry of that name is there and says something else, or the list has to be
            edited by hand.
    """
    source = parse(text, file)
    resolve(source)
    new: list[str] = []
    present: dict[str, str] = {}
    notes: list[str] = []
    for entry in entries(source):
        place = _present(source, entry)
        if place:
            present[entry.name] = place
            continue
        if entry.key == "devices" and not source.has("devices"):
            notes.append(_FIRST_DEVICE)
        text = add_item(source, (entry.key,), entry.value, keep_sorted=entry.key != "devices")
        source = parse(text, file)
        new.append(entry.name)
    if new:
        # Its lines are not in the file yet: the report must not point there.
        resolve_supported(parse(text, f"{file} (as it would be)"))
    return Added(text, tuple(new), present, tuple(notes))


def _present(source: BlueprintSource, entry: Entry) -> str:
    """Where an entry is that says the same; empty if there is none.

    Raises:
        UsageError: there is one of that name that says something else.
    """
    wanted = _as_table(texts(entry.value))
    for key in ("ops", "custom_ops") if entry.key == "ops" else (entry.key,):
        for index, node in enumerate(getattr(source.node(key), "items", ())):
            said = _as_table(_said(node))
            if said.get("op", said.get("name")) != entry.name:
                continue
            span = source.span(key, index)
            place = f"{source.file}:{span.line}"
            if said == wanted or wanted == {"op": entry.name}:
                return place
            if entry.again and key == entry.key:
                continue
            text = f"{place}: {entry.name} is listed already, as another entry"
            raise UsageError(text, _other(entry, source.file))
    return ""


def _other(entry: Entry, file: str) -> str:
    if entry.key != "ops":
        return "Edit that entry, or choose another name."
    if _wants_kernel(entry):
        project = Path(file).parent
        command = shlex.join(["epforge", "eject", "op", entry.name, "--project", str(project)])
        return f"Edit that entry. In a project, this makes its kernel yours: {command}"
    return "Edit that entry; --models RANGE adds one for other opsets."


def _wants_kernel(entry: Entry) -> bool:
    return isinstance(entry.value, dict) and entry.value.get("kernel") == "yours"


def _said(node: Node) -> object:
    return texts_of(signature(node))


def _as_table(said: object) -> dict[str, object]:
    """An entry as a table; operators may be a single name, with or without their domain."""
    table = dict(said) if isinstance(said, dict) else {"op": said}
    if "op" in table:
        table["op"] = str(table["op"]).removeprefix("ai.onnx::")
    return table


def op_entries(
    names: Sequence[str], types: Sequence[str], models: str | None, kernel: str | None
) -> Entries:
    """Operators of ONNX and of ONNX Runtime.

    Args:
        names: ``Relu`` or ``domain::Op``.
        types: element types, separated by commas, of the operator's main type constraint, or with
            ``T1=`` in front of the constraint of that name.
        models: opsets that models may use.
        kernel: generated or yours.
    """

    def entries(source: BlueprintSource) -> list[Entry]:
        return [_op_entry(source, name, types, models, kernel) for name in dict.fromkeys(names)]

    return entries


def _op_entry(
    source: BlueprintSource, name: str, types: Sequence[str], models: str | None, kernel: str | None
) -> Entry:
    from epforge.resolve.findings import Findings
    from epforge.resolve.opnames import find_schema, split_op
    from epforge.resolve.optypes import main_constraint

    label, main = name, None
    if split_op(name) not in {split_op(entry.op) for entry in source.shape.custom_ops}:
        found = Findings(source)
        schema = find_schema(name, ("ops",), "add op", found)
        if schema is None:
            error = found.errors[-1]
            raise UsageError(error.message, error.hint or f"Expected: {error.expected}.")
        label = f"{schema.domain}::{schema.name}" if schema.domain else schema.name
        main = main_constraint(schema.versions[-1])
    table: dict[str, Value] = {"op": label}
    if types:
        table["types"] = _types(types, main, label)
    if models is not None:
        table["models"] = models
    if kernel is not None:
        table["kernel"] = kernel
    return Entry("ops", label, table if len(table) > 1 else label, again=models is not None)


def _types(given: Sequence[str], main: str | None, label: str) -> dict[str, Value]:
    table: dict[str, Value] = {}
    for each in given:
        name, equals, listed = each.rpartition("=")
        if not equals and main is None:
            raise UsageError(f"--types: {label} has no type constraint", "Leave --types out.")
        table[name if equals else str(main)] = words(listed)
    return table


def words(text: str) -> list[str]:
    """``a, b`` as a list."""
    return [word.strip() for word in text.split(",")]


def device_entry(
    name: str,
    kind: str,
    vendor_id: str | None,
    device_ids: Sequence[str],
    policies: Sequence[str],
    provider: str | None,
    metadata: Sequence[str],
) -> Entry:
    """A device.

    Args:
        kind: cpu, gpu or npu.
        vendor_id, device_ids: which hardware it is.
        policies: of ``virtual`` and ``software``, those that are allowed.
        provider: the execution provider that offers it.
        metadata: ``KEY=VALUE``.
    """
    table: dict[str, Value] = {"name": name, "type": kind}
    match: dict[str, Value] = {}
    if vendor_id is not None:
        match["vendor_id"] = verbatim(vendor_id)
    if device_ids:
        match["device_ids"] = [verbatim(number) for number in device_ids]
    if match:
        table["match"] = match
    table |= dict.fromkeys(policies, "allowed")
    if provider is not None:
        table["ep"] = provider
    if metadata:
        table["metadata"] = dict(map(_pair, metadata))
    return Entry("devices", name, table)


def _pair(text: str) -> tuple[str, Value]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UsageError(f"--metadata {text}: not KEY=VALUE", "Such as os_driver_version=1.0.0.0.")
    return key, value


def option_entry(
    name: str,
    kind: str | None,
    limits: str | None,
    choices: str | None,
    default: str | None,
    excludes: str | None,
    dynamic: bool,
    doc: str,
) -> Entry:
    """A provider option; texts as given on the command line.

    Raises:
        UsageError: ``limits`` are not two values with a colon between them.
    """
    table: dict[str, Value] = {"name": name}
    if kind is not None:
        table["type"] = kind
    if limits is not None:
        low, colon, high = limits.partition(":")
        if not colon or not low or not high:
            raise UsageError(f"--range {limits}: not LOWEST:HIGHEST", "Such as 0:3.")
        table["range"] = [verbatim(low), verbatim(high)]
    if choices is not None:
        table["choices"] = words(choices)
    if default is not None:
        is_text = kind in ("string", "enum") or choices is not None
        table["default"] = default if is_text else verbatim(default)
    if excludes is not None:
        table["excludes"] = words(excludes)
    if dynamic:
        table["dynamic"] = True
    if doc:
        table["doc"] = doc
    return Entry("options", name, table)
