"""Makes the kernels of a project without the rest of it, for tests that compile only those."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path

from epforge.names import Identifier, Name, SemVer
from epforge.ops import families, schemas
from epforge.ops.model import DType, FamilyRow, SchemaVersion
from epforge.plan.kernels import files
from epforge.plan.make import collect
from epforge.render import render
from epforge.resolve.model import (
    Blueprint,
    KernelSource,
    Memory,
    MemoryKind,
    Names,
    Op,
    OpVersion,
    OrtRange,
    Paradigm,
    Runtime,
    Vendor,
)
from epforge.resolve.optypes import HALVES, is_widened

#: Of each kind of element type one or two: what runs with sanitizers is compiled for these.
CHECKED_TYPES = (DType.FLOAT32, DType.INT32, DType.INT64, DType.UINT8, DType.BOOL)

_BY_ONNX = {
    "float": DType.FLOAT32,
    "double": DType.FLOAT64,
    **{d.text: d for d in DType if d not in (DType.FLOAT32, DType.FLOAT64)},
}


def make_op(
    op: str,
    types: Iterable[DType] | None = None,
    *,
    domain: str = "",
    kernel: KernelSource | None = None,
) -> Op:
    """The op with all its family offers, or narrowed to ``types``; a stub without a family.

    What is converted for a kernel that computes in float32 has to be among ``types``.
    """
    schema = schemas.find(domain, op)
    assert schema is not None, op
    row = families.row(domain, op)
    wanted = set(types) if types is not None else set(DType)
    since = row.since if row else (schema.versions[-1].since,)
    versions = []
    for version in schema.versions:
        if version.since in since:
            narrowed = {
                c: _narrow(row, c, version, wanted, types is not None) for c in version.constraints
            }
            versions.append(OpVersion(version, narrowed))
    name = Name.parse(f"{domain} {op}")
    source = kernel or (KernelSource.GENERATED if row else KernelSource.YOURS)
    return Op(domain, op, name, tuple(versions), source, row)


def _narrow(
    row: FamilyRow | None,
    constraint: str,
    version: SchemaVersion,
    wanted: set[DType],
    named: bool,
) -> tuple[DType, ...]:
    allowed = {
        _BY_ONNX[text.removeprefix("tensor(").rstrip(")")]
        for text in version.constraints[constraint]
        if text.startswith("tensor(") and text.removeprefix("tensor(").rstrip(")") in _BY_ONNX
    }
    able = set(row.types.get(constraint, ())) if row else allowed
    if row and is_widened(row, constraint) and named:
        able |= set(HALVES)
    # A constraint of one type, such as the bool of a comparison, is not narrowed further.
    chosen = allowed & able & wanted or (allowed & able) - set(HALVES)
    return tuple(d for d in DType if d in chosen)


def make_blueprint(ops: Iterable[Op]) -> Blueprint:
    """A blueprint of nothing but ``ops``."""
    name = Name.parse("acme-npu")
    return Blueprint(
        edition=1,
        names=Names(
            name=name,
            namespace=name.snake,
            ep=Identifier("AcmeNpuExecutionProvider"),
            library=Identifier("onnxruntime_ep_acme_npu"),
            distribution="onnxruntime-ep-acme-npu",
            package=Identifier("onnxruntime_ep_acme_npu"),
            macro=name.screaming,
        ),
        version=SemVer(0, 1, 0),
        vendor=Vendor("Acme", 0),
        license="Apache-2.0",
        paradigm=Paradigm.KERNEL_REGISTRY,
        ort=OrtRange((1, 24, 4), 27),
        runtime=Runtime.HOST,
        devices=(),
        memory=Memory(MemoryKind.NONE, MemoryKind.NONE, MemoryKind.NONE, False),
        types=(DType.FLOAT32,),
        ops=tuple(sorted(ops, key=lambda op: (op.domain, op.op))),
        options=(),
        python_min=(3, 11),
        targets=("linux-x64",),
        text="",
    )


def write_kernels(directory: Path, ops: Iterable[Op]) -> Mapping[str, Path]:
    """Renders the kernels of ``ops`` into ``directory``; returns the files by their paths."""
    return write_kernels_of(directory, make_blueprint(ops))


def write_kernels_of(directory: Path, blueprint: Blueprint) -> Mapping[str, Path]:
    """Renders the kernels of a project into ``directory``; returns the files by their paths."""
    specs = files(blueprint)
    shared = {"ns": blueprint.names.namespace}
    plan = collect(dataclasses.replace(s, params={**shared, **s.params}) for s in specs)
    written = {}
    for path, rendered in render(plan).items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(rendered.content)
        written[path] = target
    return written
