"""What the generated project's own tests feed to each of its ops.

A case is one node: its attributes and its inputs. It says nothing of element types; the test runs
it once per combination of types that the library registers. An op that is in no table gets inputs
of equal shapes, which fits whatever works element by element.

A module of this package has the cases of related ops as ``TABLE``, and those of com.microsoft as
``MICROSOFT``; a new module is found by being there.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache

from epforge.plan.cases.model import SHAPES, Case, Json
from epforge.plan.custom_cases import custom_cases
from epforge.resolve.model import Blueprint, Op
from epforge.resolve.services import Layout

__all__ = ["Json", "op_cases"]


@cache
def _tables() -> Mapping[tuple[str, str], tuple[Case, ...]]:
    """The cases by domain and op."""
    found: dict[tuple[str, str], tuple[Case, ...]] = {}
    for each in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{each.name}")
        for domain, name in (("", "TABLE"), ("com.microsoft", "MICROSOFT")):
            for op, cases in getattr(module, name, {}).items():
                if (domain, op) in found:
                    raise RuntimeError(f"two tables have cases of {op}")
                found[domain, op] = cases
    return found


def op_cases(blueprint: Blueprint) -> list[dict[str, Json]]:
    """The cases of a blueprint's ops as JSON values, in the order of its ops.

    Versions whose inputs have the same types share a row.
    """
    converts = blueprint.layout is Layout.NHWC
    return [
        _row(op, case, types, since)
        for op in blueprint.ops
        for case in _cases(op)
        if not (converts and case.channels_first)
        for types, since in _versions(op, case).items()
    ]


def _cases(op: Op) -> tuple[Case, ...]:
    if op.custom is not None:
        outputs = len(op.custom.outputs)
        found = custom_cases(op.custom)
        return tuple(Case(case.inputs, case.attributes, outputs=outputs) for case in found)
    known = _tables().get((op.domain, op.op))
    if known is not None:
        return known
    count = min(version.schema.min_inputs for version in op.versions)
    return tuple(Case([shape] * count) for shape in SHAPES)


def _versions(op: Op, case: Case) -> dict[tuple[str, ...], list[int]]:
    """The since-versions that the case is legal for, by the types that its inputs have there."""
    first, last = case.since
    found: dict[tuple[str, ...], list[int]] = {}
    for version in op.versions:
        schema = version.schema
        if first <= schema.since <= last and len(case.inputs) <= schema.max_inputs:
            formal = [parameter.type_str for parameter in schema.inputs]
            types = tuple(formal[min(i, len(formal) - 1)] for i in range(len(case.inputs)))
            found.setdefault(types, []).append(schema.since)
    return found


def _row(op: Op, case: Case, types: Sequence[str], since: list[int]) -> dict[str, Json]:
    row: dict[str, Json] = {
        "domain": op.domain,
        "op": op.op,
        "since": list(since),
        "inputs": [_input(*each) for each in zip(case.inputs, types, strict=True)],
    }
    if case.attributes:
        row["attributes"] = dict(case.attributes)
    if case.outputs != 1:
        row["outputs"] = case.outputs
    if case.one_type:
        row["one_type"] = case.one_type is True or list(case.one_type or ())
    return row


def _input(given: Sequence[int] | Mapping[str, Json] | None, type_str: str) -> Json:
    if given is None:
        return None
    spec: dict[str, Json] = dict(given) if isinstance(given, Mapping) else {"shape": list(given)}
    return {**spec, "type": type_str}
