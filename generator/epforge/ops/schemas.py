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

#: Domains that have a snapshot, and the file of each.
DATA_FILES: Mapping[str, str] = {ONNX: "onnx.json", MICROSOFT: "com_microsoft.json"}

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
    if domain not in DATA_FILES:
        return None
    return _schema(domain, op)


def names(domain: str) -> tuple[str, ...]:
    """The operators of a domain, sorted; empty for a domain without a snapshot."""
    return tuple(_load(domain)["ops"]) if domain in DATA_FILES else ()


def domains() -> tuple[str, ...]:
    """The domains that have a snapshot."""
    return tuple(DATA_FILES)


def source(domain: str) -> tuple[str, str]:
    """Which package, in which version, a domain's schemas are from: ("onnx", "1.23.2").

    Raises KeyError for a domain without a snapshot.
    """
    entry = _load(domain)["source"]
    return entry["package"], entry["version"]


def data_path(domain: str) -> Path:
    """The file that holds a domain's snapshot. Raises KeyError for a domain without one."""
    return Path(__file__).parent / "data" / DATA_FILES[domain]


@cache
def _load(domain: str) -> Any:
    return json.loads(data_path(domain).read_text(encoding="utf-8"))


@cache
def _schema(domain: str, op: str) -> OpSchema | None:
    snapshot = _load(domain)
    packed = snapshot["ops"].get(op)
    if packed is None:
        return None
    return OpSchema(domain, op, tuple(_version(entry, snapshot["types"]) for entry in packed))


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
