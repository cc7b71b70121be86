"""Which operators are compiled and which have kernels in the registry, where a project compiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from epforge.blueprint.source import BlueprintSource
from epforge.ops.model import PACKED, DType
from epforge.resolve.findings import Findings
from epforge.resolve.model import Op, OpVersion
from epforge.resolve.opnames import split_op
from epforge.resolve.services import Compile


def compiled_ops(source: BlueprintSource, compiling: Compile) -> frozenset[tuple[str, str] | None]:
    """The operators that groups have, by domain and name. Those of a pattern are compiled, whether
    it is found or not."""
    compiled = {split_op(entry.op) for entry in source.shape.ops}
    compiled |= {split_op(entry.op) for entry in source.shape.custom_ops}
    for pattern in compiling.patterns:
        compiled.update(pattern.match)
    return frozenset(compiled)


def resolve_roles(
    ops: tuple[Op, ...], compiling: Compile, source: BlueprintSource
) -> tuple[Op, ...]:
    """The operators with their roles."""
    compiled = compiled_ops(source, compiling)
    return tuple(
        replace(
            op,
            compiled=(op.domain, op.op) in compiled,
            registered=(op.domain, op.op) in compiling.also_kernels,
        )
        for op in ops
    )


def without_packed(ops: tuple[Op, ...], compiling: Compile, found: Findings) -> tuple[Op, ...]:
    """The operators without the types whose elements share a byte: no group has a value of them.

    Types that an entry asks for by itself are noted.
    """
    compiled = compiled_ops(found.source, compiling)
    noted = set()
    for index, entry in enumerate(found.source.shape.ops):
        for constraint, texts in (entry.types or {}).items():
            for place, text in enumerate(texts):
                if DType.parse(text) in PACKED:
                    what = f"{text} in compiled groups ({constraint} of {entry.op})"
                    found.later(("ops", index, "types", constraint, place), what)
                    noted.add(split_op(entry.op))
    kept: list[Op] = []
    for op in ops:
        versions = op.versions
        if (op.domain, op.op) in compiled:
            versions = tuple(filter(None, map(_narrowed, versions)))
        if versions:
            kept.append(replace(op, versions=versions))
        elif (op.domain, op.op) not in noted:
            found.later(("types",), f"elements that share a byte in compiled groups ({op.label})")
    return tuple(kept)


def _narrowed(version: OpVersion) -> OpVersion | None:
    """The version for whole bytes; None where nothing is left of a constraint."""
    types: Mapping[str, tuple[DType, ...]] = {
        constraint: tuple(dtype for dtype in group if dtype not in PACKED)
        for constraint, group in version.types.items()
    }
    return replace(version, types=types) if all(types.values()) else None
