"""A resolved blueprint written as a blueprint: every default and every derived name spelt out.

What comes out is itself a blueprint, and resolves to the same meaning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from epforge.ops.model import DType
from epforge.resolve.model import Blueprint, Device, Op, Option, OptionType, OpVersion
from epforge.resolve.opsets import opsets_of
from epforge.resolve.optypes import schema_types
from epforge.resolve.services import Compile, CustomOp, Features, Overlay

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./+-]*(::[A-Za-z0-9_]+)?")
_WORDS_TO_QUOTE = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_WIDTH = 100


def resolved_data(bp: Blueprint) -> dict[str, Any]:
    """The blueprint with everything in it, as data for JSON, keys in the language's order."""
    names = bp.names
    data: dict[str, Any] = {
        "epforge": bp.edition,
        "name": names.name.kebab,
        "names": {
            "ep": str(names.ep),
            "library": str(names.library),
            "distribution": names.distribution,
        },
        "version": str(bp.version),
        "vendor": {"name": bp.vendor.name, "pci_id": bp.vendor.pci_id},
        "license": bp.license,
        "paradigm": bp.paradigm.value,
        "ort": {"min": bp.ort.minimum_text, "target": f"1.{bp.ort.target}"},
        "runtime": bp.runtime.value,
        "devices": [_device(device) for device in bp.devices],
        "memory": {
            "default": bp.memory.default.value,
            "host_accessible": bp.memory.host_accessible.value,
            "read_only": bp.memory.read_only.value,
            "streams": bp.memory.streams,
        },
        "types": _types(bp.types),
        "ops": [entry for op in _listed(bp) for entry in _op(op)],
        "custom_ops": [_custom_op(op) for op in bp.custom_ops],
        "layout": bp.layout.value,
        "options": [_option(option) for option in bp.options],
        "features": _features(bp.features),
        "runtime_libs": list(bp.runtime_libs),
        "system_libs": list(bp.system_libs),
        "python": {
            "min": ".".join(map(str, bp.python_min)),
            "native": bp.native.value,
            "distributions": [{"suffix": suffix} for suffix in bp.distributions],
        },
        "targets": list(bp.targets),
        "overlays": [_overlay(overlay) for overlay in bp.overlays],
    }
    if bp.compile is not None:
        data["compile"] = _compile(bp.compile)
    if bp.cuda is not None:
        data["cuda"] = {"architectures": list(bp.cuda.architectures)}
    if bp.torch is not None:
        data["torch"] = _given(legacy=bp.torch.legacy, dynamo=bp.torch.dynamo)
    return data


def _overlay(overlay: Overlay) -> dict[str, Any]:
    return _given(**{overlay.kind.value: overlay.place}, data=dict(overlay.data) or None)


def _listed(bp: Blueprint) -> list[Op]:
    """The operators that ``ops`` names."""
    return [op for op in bp.claimed if op.custom is None and (op.compiled or not bp.compiles)]


def _given(**entries: Any) -> dict[str, Any]:
    return {key: value for key, value in entries.items() if value is not None}


def _types(types: tuple[DType, ...]) -> list[str]:
    return [dtype.text for dtype in types]


def _device(device: Device) -> dict[str, Any]:
    match = device.match
    return {
        "name": str(device.name),
        "type": device.type.value,
        "match": {
            **_given(vendor_id=match.vendor_id),
            "device_ids": list(match.device_ids),
            "metadata": dict(match.metadata),
        },
        "virtual": device.virtual.value,
        "ep": str(device.ep),
        "software": "allowed" if device.software else "never",
        "metadata": dict(device.metadata),
    }


def _op(op: Op) -> list[dict[str, Any]]:
    """The entries of an operator: one per run of versions that one range and one set of types say
    all of."""
    sinces = _all_sinces(op)
    entries: list[dict[str, Any]] = []
    for run in _runs(op, sinces):
        low = run[0].schema.since
        last = opsets_of(sinces, run[-1].schema.since).high
        entries.append(
            {
                "op": f"{op.domain}::{op.op}" if op.domain else op.op,
                "types": {name: _types(types) for name, types in _union(run).items()},
                "models": f">={low}"
                if last is None
                else str(low)
                if last == low
                else f"{low}-{last}",
                "kernel": op.kernel.value,
            }
        )
    return entries


def _all_sinces(op: Op) -> tuple[int, ...]:
    from epforge.ops import schemas

    schema = schemas.find(op.domain, op.op)
    assert schema is not None  # resolve has found it
    return tuple(version.since for version in schema.versions)


def _runs(op: Op, sinces: tuple[int, ...]) -> list[list[OpVersion]]:
    runs: list[list[OpVersion]] = []
    for version in op.versions:
        if runs and _joins(runs[-1], version, sinces):
            runs[-1].append(version)
        else:
            runs.append([version])
    return runs


def _joins(run: list[OpVersion], version: OpVersion, sinces: tuple[int, ...]) -> bool:
    """Can one entry say what is said of ``run`` and of the version after it?"""
    if sinces.index(version.schema.since) != sinces.index(run[-1].schema.since) + 1:
        return False
    union = _union([*run, version])
    return all(
        tuple(t for t in schema_types(each.schema, name) if t in union[name]) == types
        for each in [*run, version]
        for name, types in each.types.items()
    )


def _union(run: list[OpVersion]) -> dict[str, tuple[DType, ...]]:
    found: dict[str, set[DType]] = {}
    for version in run:
        for name, types in version.types.items():
            found.setdefault(name, set()).update(types)
    return {name: tuple(t for t in DType if t in types) for name, types in found.items()}


def _custom_op(op: CustomOp) -> dict[str, Any]:
    texts = {name: expression.text for name, expression in (op.compute or {}).items()}
    return {
        "op": op.label,
        "version": op.version,
        "inputs": {str(parameter.name): parameter.spelling for parameter in op.inputs},
        "outputs": {str(parameter.name): parameter.spelling for parameter in op.outputs},
        "types": {name: _types(types) for name, types in op.types.items()},
        "attributes": {
            str(attribute.name): _given(
                type=attribute.type,
                default=list(attribute.default)
                if isinstance(attribute.default, tuple)
                else attribute.default,
            )
            for attribute in op.attributes
        },
        **_given(compute=(next(iter(texts.values())) if len(texts) == 1 else texts) or None),
        "grad": op.grad.value,
        "kernel": op.kernel.value,
    }


def _compile(compile_: Compile) -> dict[str, Any]:
    def spell(op: tuple[str, str]) -> str:
        return "::".join(part for part in op if part)

    return {
        "drop_constants": compile_.drop_constants,
        "max_group": compile_.max_group,
        "also_kernels": [spell(op) for op in compile_.also_kernels],
        "patterns": [
            {"name": str(pattern.name), "match": [spell(op) for op in pattern.match]}
            for pattern in compile_.patterns
        ],
    }


def _option(option: Option) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": option.name, "type": option.type.value}
    if option.minimum is not None:
        entry["range"] = [option.minimum, option.maximum]
    if option.type is OptionType.ENUM:
        entry["choices"] = list(option.choices)
    return entry | {
        "default": option.default,
        "excludes": list(option.excludes),
        "dynamic": option.dynamic,
        "doc": option.doc,
    }


def _features(features: Features) -> dict[str, Any]:
    return {
        "ep_context": {
            "embed": features.embed,
            "external": features.external,
            "share": features.share,
        },
        "weightless": features.weightless.value,
        "custom_op_library": features.custom_op_library.value,
        "profiler": features.profiler,
        "external_memory": features.external_memory,
        "graphics_interop": features.graphics_interop,
        "graph_capture": features.graph_capture,
        "resource_accounting": features.resource_accounting,
        "memory_capacity": features.memory_capacity,
    }


def resolved_yaml(bp: Blueprint) -> str:
    """`resolved_data` as YAML: one key per line, a list of mappings one entry per line."""
    lines: list[str] = []
    for key, value in resolved_data(bp).items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{key}:")
            for entry in value:
                lines += _entry(entry)
        elif isinstance(value, dict) and len(f"{key}: {_flow(value)}") > _WIDTH:
            lines.append(f"{key}:")
            lines += [f"  {_flow(name)}: {_flow(item)}" for name, item in value.items()]
        else:
            lines.append(f"{key}: {_flow(value)}")
    return "\n".join(lines) + "\n"


def _entry(entry: Mapping[str, Any]) -> list[str]:
    line = f"  - {_flow(entry)}"
    if len(line) <= _WIDTH:
        return [line]
    parts = [f"{_flow(key)}: {_flow(value)}" for key, value in entry.items()]
    return [f"  - {parts[0]}", *(f"    {part}" for part in parts[1:])]


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    plain = isinstance(value, str) and _PLAIN.fullmatch(value)
    if plain and value.lower() not in _WORDS_TO_QUOTE:
        return str(value)
    return json.dumps(value, ensure_ascii=False)
