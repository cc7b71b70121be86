"""The kernel table as its template sees it: rows, and the type rules they share."""

from __future__ import annotations

from dataclasses import dataclass

from epforge.names import Identifier, Safe
from epforge.ops.model import DType, SchemaVersion
from epforge.plan.kernel_view import MASK_BITS, enumerator, kernel_view, mask
from epforge.resolve.model import Blueprint, KernelSource, Op

_SHORT_LIST = 3


@dataclass(frozen=True)
class TypesView:
    """A list of element types that rules share."""

    name: Identifier
    types: tuple[Identifier, ...]


@dataclass(frozen=True)
class RulesView:
    """The rules of one or more rows: (constraint, list of types)."""

    name: Identifier
    rules: tuple[tuple[str, Identifier], ...]


@dataclass(frozen=True)
class RowView:
    """One row of the table."""

    domain: str
    op: str
    since: int
    rules: Identifier | None
    rule_count: int
    needed_inputs: Safe
    output_count: int
    host_inputs: Safe
    host_outputs: Safe
    ready: Safe
    attrs: Identifier


@dataclass(frozen=True)
class TableView:
    """Everything in ``kernel_table.cc``."""

    headers: tuple[Safe, ...]
    types: tuple[TypesView, ...]
    rules: tuple[RulesView, ...]
    rows: tuple[RowView, ...]


def table_view(blueprint: Blueprint) -> TableView:
    """The table of the blueprint's ops, sorted by domain, op and version."""
    lists: dict[tuple[DType, ...], TypesView] = {}
    rules: list[RulesView] = []
    rows: list[RowView] = []
    ops = sorted(blueprint.ops, key=lambda op: (op.domain, op.op))
    for op in ops:
        shared: dict[tuple[tuple[str, Identifier], ...], RulesView] = {}
        for version in op.versions:
            own = tuple(
                (constraint, _list(lists, types).name)
                for constraint, types in version.types.items()
                if types
            )
            if own and own not in shared:
                suffix = str(version.schema.since) if shared else ""
                shared[own] = RulesView(Identifier(f"k{kernel_view(op).op}Rules{suffix}"), own)
                rules.append(shared[own])
            rows.append(_row(op, version.schema, shared.get(own)))
    headers = tuple(sorted(kernel_view(op).header for op in ops))
    return TableView(headers, tuple(lists.values()), tuple(rules), tuple(rows))


def _list(lists: dict[tuple[DType, ...], TypesView], types: tuple[DType, ...]) -> TypesView:
    if types not in lists:
        short = len(types) <= _SHORT_LIST
        name = "".join(enumerator(d)[1:] for d in types) if short else f"Types{len(lists)}"
        lists[types] = TypesView(Identifier(f"k{name}"), tuple(map(enumerator, types)))
    return lists[types]


def _row(op: Op, schema: SchemaVersion, rules: RulesView | None) -> RowView:
    view = kernel_view(op)
    yours = op.kernel is KernelSource.YOURS
    return RowView(
        domain=op.domain,
        op=op.op,
        since=schema.since,
        rules=rules.name if rules else None,
        rule_count=len(rules.rules) if rules else 0,
        needed_inputs=mask(_needed(schema)),
        output_count=min(schema.max_outputs, MASK_BITS),
        host_inputs=Safe(f"kHostInputs{view.op}") if yours else view.host_inputs,
        host_outputs=mask(op.row.host_outputs if op.row else ()),
        ready=Safe(f"kReady{view.op}" if yours else "true"),
        attrs=view.attrs,
    )


def _needed(schema: SchemaVersion) -> tuple[int, ...]:
    """Positions of inputs that must be there; of a variadic one as many as the schema wants."""
    single = [i for i, p in enumerate(schema.inputs) if p.option == "single"]
    if schema.inputs and schema.inputs[-1].option == "variadic":
        single += range(len(schema.inputs) - 1, schema.min_inputs)
    return tuple(single)
