"""Operator schemas inside a worker, from the installed onnx."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

_SPELLING = {"float": "float32", "double": "float64"}
ORT_LOWEST = 7  # ORT guarantees nothing for models of older opsets


def find(domain: str, op: str, since: int) -> Any | None:
    """The schema of exactly that since-version, or None if onnx has none (com.microsoft)."""
    import onnx

    try:
        schema = onnx.defs.get_schema(op, since, domain)
    except onnx.defs.SchemaError:
        return None
    return schema if schema.since_version == since else None


@cache
def _history() -> dict[tuple[str, str], list[int]]:
    import onnx

    found: dict[tuple[str, str], list[int]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        found.setdefault((schema.domain, schema.name), []).append(schema.since_version)
    return {key: sorted(since) for key, since in found.items()}


def versions(domain: str, op: str) -> list[int]:
    """All since-versions of an op, oldest first."""
    return _history().get((domain, op), [])


def opsets(domain: str, op: str, since: int, newest: int) -> list[int]:
    """Opsets whose models use that since-version: the lowest that ORT cares for and the highest.

    Args:
        newest: highest opset of the runtime. The list is empty when it does not reach ``since``.
    """
    if domain:
        return [since]
    following = [version for version in versions(domain, op) if version > since]
    high = min(following[0] - 1 if following else newest, newest)
    low = max(since, min(ORT_LOWEST, high))
    return sorted({low, high}) if low <= high else []


def tensor_type(type_str: str) -> str:
    """float32 for ``tensor(float)``; empty for what is no tensor type."""
    match = re.fullmatch(r"tensor\((\w+)\)", type_str)
    return _SPELLING.get(match[1], match[1]) if match else ""


def binds(schema: Any, constraint: str, inputs: Sequence[int], outputs: int) -> bool:
    """Does a node with these inputs, and so many outputs, settle that type constraint?"""
    formal = list(schema.inputs)
    given = [formal[min(index, len(formal) - 1)] for index in inputs if formal]
    return any(one.type_str == constraint for one in (*given, *list(schema.outputs)[:outputs]))


def constraints(schema: Any) -> dict[str, tuple[str, ...]]:
    """Per type constraint of a schema the tensor element types it allows."""
    found = {}
    for constraint in schema.type_constraints:
        allowed = tuple(filter(None, map(tensor_type, constraint.allowed_type_strs)))
        if allowed:
            found[constraint.type_param_str] = allowed
    return found
