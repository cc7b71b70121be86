"""Makes the snapshot of operator schemas in ``ops/data`` from the installed packages.

Run ``python -m epforge.ops.make_schemas`` after changing the pinned versions of ``onnx`` or
``onnxruntime``; the test of the snapshot fails until the data and the packages agree again.

The '' domain comes from ``onnx`` (all versions), com.microsoft and what ONNX Runtime adds to ''
from ``onnxruntime``, whose wheel is the only place that publishes them.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterable
from typing import Any

from epforge.ops.schemas import SNAPSHOTS, data_path

#: Operators that only ONNX Runtime itself puts into a graph.
_INTERNAL = frozenset({"MemcpyFromHost", "MemcpyToHost"})
_OPTIONS = {"Single": "", "Optional": "?", "Variadic": "*"}


def main() -> None:
    """Writes one file per snapshot and says how much it holds."""
    for name in SNAPSHOTS:
        snapshot = take(name)
        path = data_path(name)
        path.write_text(dump(snapshot), encoding="utf-8")
        versions = sum(map(len, snapshot["ops"].values()))
        print(f"{path.name}: {len(snapshot['ops'])} operators, {versions} versions")


def take(name: str) -> dict[str, Any]:
    """The snapshot of that name as the installed packages have it now.

    Raises KeyError for an unknown one.
    """
    import onnx
    import onnx.defs

    domain = SNAPSHOTS[name]
    of_onnx = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain == domain]
    opset = onnx.defs.onnx_opset_version() if not domain else 1
    if name == "onnx.json":
        source = {"package": "onnx", "version": onnx.__version__}
        return {"source": source, "opset": opset, **_pack(of_onnx)}

    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    known = {schema.name for schema in of_onnx} | _INTERNAL
    found = (
        s for s in state.get_all_operator_schema() if s.domain == domain and s.name not in known
    )
    source = {"package": "onnxruntime", "version": onnxruntime.__version__}
    return {"source": source, "opset": opset, **_pack(found)}


def dump(snapshot: dict[str, Any]) -> str:
    """The text of a data file: one operator per line, so that a diff shows what changed."""
    types = ",\n".join(_compact(entry) for entry in snapshot["types"])
    ops = ",\n".join(f"{_compact(op)}: {_compact(v)}" for op, v in snapshot["ops"].items())
    head = f'"source": {_compact(snapshot["source"])},\n"opset": {snapshot["opset"]}'
    return f'{{\n{head},\n"types": [\n{types}\n],\n"ops": {{\n{ops}\n}}\n}}\n'


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _pack(schemas: Iterable[Any]) -> dict[str, Any]:
    ops: dict[str, list[list[Any]]] = {}
    types: dict[tuple[str, ...], int] = {}
    for schema in sorted(schemas, key=lambda s: (s.name, s.since_version)):
        constraints = {}
        for constraint in schema.type_constraints:
            allowed = tuple(sorted(constraint.allowed_type_strs))
            constraints[constraint.type_param_str] = types.setdefault(allowed, len(types))
        ops.setdefault(schema.name, []).append(
            [
                schema.since_version,
                [_parameter(p) for p in schema.inputs],
                [_parameter(p) for p in schema.outputs],
                [schema.min_input, schema.max_input, schema.min_output, schema.max_output],
                [_attribute(schema.attributes[name]) for name in sorted(schema.attributes)],
                dict(sorted(constraints.items())),
                int(schema.deprecated),
            ]
        )
    return {"types": [list(allowed) for allowed in types], "ops": ops}


def _parameter(parameter: Any) -> str:
    """``X T``, with ``?`` for an optional and ``*`` for a variadic one."""
    type_str = getattr(parameter, "type_str", None) or parameter.typeStr
    return f"{parameter.name} {type_str}{_OPTIONS[parameter.option.name]}"


def _attribute(attribute: Any) -> list[Any]:
    """Name and kind (``!`` when required), then the default value where there is one."""
    kind = attribute.type.name.lower() + ("!" if attribute.required else "")
    default = _default(attribute)
    return [attribute.name, kind] if default is None else [attribute.name, kind, default]


def _default(attribute: Any) -> object | None:
    import onnx

    proto = getattr(attribute, "default_value", None)
    if proto is None:
        proto = onnx.AttributeProto.FromString(attribute._default_value)
    if proto.type == onnx.AttributeProto.UNDEFINED:
        return None
    return _plain(onnx.helper.get_attribute_value(proto))


def _plain(value: Any) -> object:
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, float):
        return _shortest(value)
    if isinstance(value, int):
        return value
    return [_plain(item) for item in value]


def _shortest(value: float) -> float:
    """The shortest decimal that rounds to the same float32: 0.01, not 0.009999999776482582."""
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        if ctypes.c_float(short).value == value:
            return short
    return value


if __name__ == "__main__":
    main()
