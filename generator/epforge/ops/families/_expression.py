"""Operators that an expression computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from epforge.ops.expression import Expression, Formal
from epforge.ops.families._expression_samples import Signature, samples
from epforge.ops.model import DType, FamilyRow


@dataclass(frozen=True)
class Formulas:
    """What a row of the family ``expression`` has under ``params["formulas"]``.

    Args:
        inputs: of the operator.
        outputs: (name, type) of each.
        attributes: (name, kind) of each: "int", "float", "bool" or what no expression can name.
        compute: the expression of each output by its name.
    """

    inputs: tuple[Formal, ...]
    outputs: tuple[tuple[str, str], ...]
    attributes: tuple[tuple[str, str], ...]
    compute: Mapping[str, Expression]


def expression_row(
    *,
    domain: str,
    op: str,
    since: int,
    inputs: tuple[tuple[str, str, str], ...],
    outputs: tuple[tuple[str, str], ...],
    types: Mapping[str, tuple[DType, ...]],
    attributes: tuple[tuple[str, str, object], ...],
    compute: Mapping[str, Expression],
) -> FamilyRow:
    """The row of a custom operator with an expression per output.

    Args:
        domain: of the operator.
        op: its name.
        since: its version.
        inputs: (name, type, option) of each: the type is a type variable or an element type, the
            option "single", "optional" or "variadic".
        outputs: (name, type) of each.
        types: the element types of each type variable.
        attributes: (name, kind, default) of each; without a default, None.
        compute: the checked expression of each output.
    """
    formals = tuple(Formal(name, type_, option) for name, type_, option in inputs)
    kinds = tuple((name, kind) for name, kind, _ in attributes)
    signature = Signature(formals, outputs, dict(types), attributes, compute)
    return FamilyRow(
        op=op,
        family="expression",
        since=(since,),
        types=dict(types),
        params={"header": "op", "formulas": Formulas(formals, outputs, kinds, compute)},
        samples=samples(signature),
        domain=domain,
    )
