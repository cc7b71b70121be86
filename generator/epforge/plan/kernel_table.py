"""The kernel table as its template sees it: rows, and the type rules they share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from epforge.names import Identifier, Safe
from epforge.ops.model import DType, Parameter, SchemaVersion
from epforge.plan import layout
from epforge.plan.kernel_view import MASK_BITS, enumerator, kernel_view, mask
from epforge.resolve.model import Blueprint, KernelSource, Op, OpVersion
from epforge.resolve.optypes import tensor_type
from epforge.resolve.services import Native

_SHORT_LIST = 3


@dataclass(frozen=True)
class TypesView:
    """A list of element types that rules share."""

    name: Identifier
    types: tuple[Identifier, ...]


@dataclass(frozen=True)
class RuleView:
    """The element types of some positions; no constraint where the schema fixes the type."""

    constraint: str
    types: Identifier
    count: int
    inputs: Safe
    outputs: Safe


@dataclass(frozen=True)
class RulesView:
    """The rules that one or more rows share."""

    name: Identifier
    rules: tuple[RuleView, ...]


@dataclass(frozen=True)
class WidenedView:
    """The inputs and outputs of a row whose 16-bit floats are converted, as masks."""

    inputs: Safe
    outputs: Safe
    host_inputs: Safe


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
    compiled: bool
    registered: bool
    needed_outputs: Safe
    attrs: Identifier
    widened: WidenedView | None


@dataclass(frozen=True)
class TableView:
    """Everything in ``kernel_table.cc``."""

    headers: tuple[Safe, ...]
    types: tuple[TypesView, ...]
    rules: tuple[RulesView, ...]
    rows: tuple[RowView, ...]

    @property
    def widens(self) -> bool:
        """Is there a row that converts 16-bit floats?"""
        return any(row.widened for row in self.rows)


def has_masks(blueprint: Blueprint) -> bool:
    """Do the rows say which positions a type rule is about? They do where something other than ONNX
    Runtime checks the types of nodes."""
    separate = blueprint.native is Native.SEPARATE
    return blueprint.compiles or bool(blueprint.custom_ops) or separate


def table_view(blueprint: Blueprint, only: Iterable[Op] | None = None) -> TableView:
    """The table of the blueprint's ops, sorted by domain, op and version.

    Args:
        blueprint: the blueprint.
        only: the ops that the table has; None: all.
    """
    lists: dict[tuple[DType, ...], TypesView] = {}
    rules: list[RulesView] = []
    rows: list[RowView] = []
    fixed = has_masks(blueprint)
    every = (*blueprint.ops, *layout.converted(blueprint)) if only is None else only
    ops = sorted(every, key=lambda op: (op.domain, op.op))
    for op in ops:
        shared: dict[tuple[RuleView, ...], RulesView] = {}
        for version in op.versions:
            own = tuple(_rules(op, version, lists, fixed=fixed))
            if own and own not in shared:
                suffix = str(version.schema.since) if shared else ""
                shared[own] = RulesView(Identifier(f"k{kernel_view(op).op}Rules{suffix}"), own)
                rules.append(shared[own])
            rows.append(_row(op, version, shared.get(own)))
    headers = tuple(sorted(kernel_view(op).header for op in ops))
    return TableView(headers, tuple(lists.values()), tuple(rules), tuple(rows))


def _rules(
    op: Op, version: OpVersion, lists: dict[tuple[DType, ...], TypesView], *, fixed: bool
) -> Iterator[RuleView]:
    """The rules of one version: per constraint and, with ``fixed``, per type that the schema fixes.

    The registry knows fixed types from the schema; what compiles has no schema to ask. A constraint
    that older runtimes do not know is no name for the registry.
    """
    schema = version.schema
    newer = op.row.newer if op.row else ()
    for constraint, types in version.types.items():
        if types and (fixed or constraint not in newer):
            name = "" if constraint in newer else constraint
            yield _rule(name, constraint, types, schema, lists)
    if not fixed:
        return
    parameters = (*schema.inputs, *schema.outputs)
    for text in dict.fromkeys(parameter.type_str for parameter in parameters):
        dtype = tensor_type(text)
        if dtype is not None:
            yield _rule("", text, (dtype,), schema, lists)


def _rule(
    constraint: str,
    type_str: str,
    types: tuple[DType, ...],
    schema: SchemaVersion,
    lists: dict[tuple[DType, ...], TypesView],
) -> RuleView:
    return RuleView(
        constraint=constraint,
        types=_list(lists, types).name,
        count=len(types),
        inputs=mask(_positions((type_str,), schema.inputs)),
        outputs=mask(_positions((type_str,), schema.outputs)),
    )


def _positions(type_strs: Collection[str], parameters: Sequence[Parameter]) -> tuple[int, ...]:
    """Where parameters of these types stand; a variadic one goes on to the last bit of a mask."""
    found: list[int] = []
    for index, parameter in enumerate(parameters):
        if parameter.type_str in type_strs:
            last = MASK_BITS if parameter.option == "variadic" else index + 1
            found += range(index, last)
    return tuple(found)


def _list(lists: dict[tuple[DType, ...], TypesView], types: tuple[DType, ...]) -> TypesView:
    if types not in lists:
        short = len(types) <= _SHORT_LIST
        name = "".join(enumerator(d)[1:] for d in types) if short else f"Types{len(lists)}"
        lists[types] = TypesView(Identifier(f"k{name}"), tuple(map(enumerator, types)))
    return lists[types]


def _row(op: Op, version: OpVersion, rules: RulesView | None) -> RowView:
    view = kernel_view(op)
    schema = version.schema
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
        compiled=op.compiled,
        registered=op.registered,
        needed_outputs=mask(tuple(i for i, p in enumerate(schema.outputs) if p.option == "single")),
        attrs=view.attrs,
        widened=_widened(op, version),
    )


def _widened(op: Op, version: OpVersion) -> WidenedView | None:
    constraints = op.widened(version)
    if not constraints:
        return None
    schema = version.schema
    host_inputs = op.row.host_inputs if op.row else ()
    inputs = _positions(constraints, schema.inputs)
    return WidenedView(
        inputs=mask(inputs),
        outputs=mask(_positions(constraints, schema.outputs)),
        host_inputs=mask(tuple(i for i in inputs if i in host_inputs)),
    )


def _needed(schema: SchemaVersion) -> tuple[int, ...]:
    """Positions of inputs that must be there; of a variadic one as many as the schema wants."""
    single = [i for i, p in enumerate(schema.inputs) if p.option == "single"]
    if schema.inputs and schema.inputs[-1].option == "variadic":
        single += range(len(schema.inputs) - 1, schema.min_inputs)
    return tuple(single)
