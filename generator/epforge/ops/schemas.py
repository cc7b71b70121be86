"""Operator schemas: a snapshot of what one pinned ``onnx`` and ``onnxruntime`` publish.

The snapshot is data beside this module, so what epforge generates does not depend on the packages
that happen to be installed. `epforge.ops.make_schemas` makes it; a test compares the two.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from epforge.ops.model import Attribute, OpSchema, Parameter, SchemaVersion

ONNX = ""
MICROSOFT = "com.microsoft"

#: Newest opset of the '' domain in the snapshot.
ONNX_OPSET = 28

#: The snapshots by the names of their files, and the domain of each. ONNX Runtime has operators of
#: its own in ONNX's domain; what ``onnx`` publishes comes first.
SNAPSHOTS: Mapping[str, str] = {
    "onnx.json": ONNX,
    "onnxruntime.json": ONNX,
    "com_microsoft.json": MICROSOFT,
}

_OPTIONS = {"?": "optional", "*": "variadic"}


def find(domain: str, op: str) -> OpSchema | None:
    """The schema of an operator in all its versions.

    Args:
        domain: "" for ai.onnx, or a domain such as "com.microsoft".
        op: the operator's type, as spelled in a model.

    Returns:
        None when the snapshot has no such domain or operator.

    Source: the packages named in `source`.
    """
    found = (_schema(snapshot, op) for snapshot in _snapshots(domain))
    return next((schema for schema in found if schema is not None), None)


def names(domain: str) -> tuple[str, ...]:
    """The operators of a domain, sorted; empty for a domain without a snapshot."""
    return tuple(sorted(op for snapshot in _snapshots(domain) for op in _load(snapshot)["ops"]))


def domains() -> tuple[str, ...]:
    """The domains that have a snapshot."""
    return tuple(dict.fromkeys(SNAPSHOTS.values()))


def publisher(domain: str, op: str) -> str:
    """The package that an operator's schema is from: "onnx" or "onnxruntime"; empty without one."""
    for snapshot in _snapshots(domain):
        if op in _load(snapshot)["ops"]:
            return source(snapshot)[0]
    return ""


def source(snapshot: str) -> tuple[str, str]:
    """Which package, in which version, a snapshot's schemas are from: ("onnx", "1.23.2")."""
    entry = _load(snapshot)["source"]
    return entry["package"], entry["version"]


def data_path(snapshot: str) -> Path:
    """The file that holds a snapshot."""
    return Path(__file__).parent / "data" / snapshot


def _snapshots(domain: str) -> list[str]:
    return [snapshot for snapshot, holds in SNAPSHOTS.items() if holds == domain]


@cache
def _load(snapshot: str) -> Any:
    return json.loads(data_path(snapshot).read_text(encoding="utf-8"))


@cache
def _schema(snapshot: str, op: str) -> OpSchema | None:
    data = _load(snapshot)
    packed = data["ops"].get(op)
    if packed is None:
        return None
    versions = tuple(_version(entry, data["types"]) for entry in packed)
    return OpSchema(SNAPSHOTS[snapshot], op, versions)


def _version(packed: list[Any], types: list[list[str]]) -> SchemaVersion:
    since, inputs, outputs, arity, attributes, constraints, deprecated = packed
    min_inputs, max_inputs, min_outputs, max_outputs = arity
    return SchemaVersion(
        since=since,
        inputs=tuple(map(_parameter, inputs)),
        outputs=tuple(map(_parameter, outputs)),
        min_inputs=min_inputs,
        max_inputs=max_inputs,
        min_outputs=min_outputs,
        max_outputs=max_outputs,
        attributes=tuple(map(_attribute, attributes)),
        constraints={name: tuple(types[index]) for name, index in constraints.items()},
        deprecated=bool(deprecated),
    )


def _parameter(packed: str) -> Parameter:
    name, type_str = packed.split(" ", 1)
    option = _OPTIONS.get(type_str[-1], "single")
    return Parameter(name, type_str.rstrip("?*"), option)


def _attribute(packed: list[Any]) -> Attribute:
    name, kind, *default = packed
    return Attribute(name, kind.rstrip("!"), kind.endswith("!"), default[0] if default else None)
