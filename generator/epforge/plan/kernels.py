"""The kernels of a project: one pair of files per op, their helpers, the table, their test."""

from __future__ import annotations

from epforge.ops.model import SMALL
from epforge.plan import control_flow, custom_ops, layout, packing
from epforge.plan.kernel_samples import calls
from epforge.plan.kernel_table import has_masks, table_view
from epforge.plan.kernel_view import (
    ORDINARY_OPERANDS,
    KernelView,
    TypeView,
    enumerator,
    kernel_view,
)
from epforge.plan.model import FileSpec, Owner
from epforge.plan.once import once
from epforge.resolve.model import Blueprint, Op, Runtime
from epforge.resolve.optypes import HALVES
from epforge.resolve.services import Layout

__all__ = ["KernelView", "files", "kernel_view"]

#: Types that C++ only has the bits of.
_BITS = frozenset(map(enumerator, (*HALVES, *SMALL)))
#: Support files behind kernels that get 16-bit floats as float32.
WIDENING = ("halves.cc", "halves.h", "widened.cc", "widened.h")
_API = ("exec.h", "kernel.h", "node.h", "status.cc", "status.h", "tensor.h")


@once
def files(blueprint: Blueprint) -> tuple[FileSpec, ...]:
    """Everything in the project that computes or says what is computed."""
    return (
        *(
            _mirrored(
                f"src/gen/api/{name}",
                "the interface between kernels and the rest",
                compiled=blueprint.compiles,
                cuda=_on_cuda(blueprint),
                small_types=blueprint.has_small_types,
                **custom_ops.switches(blueprint),
                **packing.switches(blueprint),
            )
            for name in _API
        ),
        *(
            [_mirrored("src/gen/api/cuda_libraries.h", "what kernels have of NVIDIA's libraries")]
            if _on_cuda(blueprint)
            else []
        ),
        *(
            [_mirrored("src/gen/api/kernel_call.h", "a call of a kernel that a queue makes later")]
            if blueprint.memory.streams
            else []
        ),
        *(spec for op in _all(blueprint) for spec in _op(blueprint, op)),
        *_support(blueprint),
        *_table(blueprint),
        *_tests(blueprint),
    )


def _all(blueprint: Blueprint) -> tuple[Op, ...]:
    """The operators that there are kernels for."""
    return (*blueprint.ops, *layout.converted(blueprint))


def _mirrored(path: str, reason: str, **params: object) -> FileSpec:
    return FileSpec(path, f"plugin/{path}", Owner.GENERATED, params, reason)


def _op(blueprint: Blueprint, op: Op) -> list[FileSpec]:
    view = kernel_view(op)
    if op.row is None:
        header = source = "stub"
        reason = f"{view.label} is yours to write: no kernel family implements it"
    else:
        header, source = str(op.row.params.get("header", op.row.family)), op.row.family
        reason = f"kernel of {view.label}, family {op.row.family}"
        if view.yours:
            reason = f"{view.label} is yours, begun from the family {op.row.family}"
        if view.expression is not None:
            reason = f"kernel of {view.label}, from its expression"
            if view.yours:
                reason = f"{view.label} is yours, begun from its expression"
    files = [(".h", f"{header}.h"), (".cc", f"{source}.cc")]
    if _on_cuda(blueprint):
        own = op.row is not None and op.row.params.get("cuda_template")
        files[1] = (".cu", f"{source}.cu" if own else f"{source}.cc")
    if view.expression is not None:
        files.append(("_function.h", "expression_function.h"))
    if custom_ops.has_cuda(blueprint, op):
        files += [("_cuda.h", "cuda.h"), (".cu", f"{source}.cu")]
    folder = "src/kernels" if view.yours else "src/gen/kernels"
    owner = Owner.YOURS if view.yours else Owner.GENERATED
    packed = bool(packing.switches(blueprint)["packing"]) and packing.packs(op)
    params = {"k": view, "cuda": _on_cuda(blueprint), "packs": packed}
    params["small_types"] = blueprint.has_small_types
    return [
        FileSpec(f"{folder}/{view.stem}{suffix}", f"kernels/{template}", owner, params, reason)
        for suffix, template in files
    ]


def _support(blueprint: Blueprint) -> list[FileSpec]:
    users: dict[str, list[Op]] = {}
    most = ORDINARY_OPERANDS
    for op in _all(blueprint):
        view = kernel_view(op)
        if view.expression is not None:
            most = max(most, view.expression.operands)
        for name in view.cuda_support if _on_cuda(blueprint) else view.support:
            users.setdefault(name, []).append(op)
        for name in WIDENING if any(op.widened(version) for version in op.versions) else ():
            users.setdefault(name, []).append(op)
    for op in blueprint.control_flow:
        for name in control_flow.SUPPORT if op.op == "Scan" else ():
            users.setdefault(name, []).append(op)
    return [
        _mirrored(
            f"src/gen/kernels/support/{name}",
            f"used by {_listed({op.op for op in ops})}",
            types=_types(ops),
            operands=most,
            small_types=blueprint.has_small_types,
            channels_last=blueprint.layout is Layout.NHWC,
            **packing.switches(blueprint),
        )
        for name, ops in sorted(users.items())
    ]


def _on_cuda(blueprint: Blueprint) -> bool:
    return blueprint.runtime is Runtime.CUDA


def _types(ops: list[Op]) -> tuple[TypeView, ...]:
    """The element types that any of the kernels computes with, whose C++ types differ."""
    found = {v.enumerator: v for op in ops for v in kernel_view(op).t if v.enumerator not in _BITS}
    return tuple(found[name] for name in sorted(found))


def _listed(names: set[str]) -> str:
    first, *others = sorted(names)
    return f"{first} and {len(others)} more" if others else first


def _table(blueprint: Blueprint) -> list[FileSpec]:
    reason = "which kernels there are"
    return [
        _mirrored("src/gen/kernel_table.h", reason, nhwc=blueprint.layout is Layout.NHWC),
        _mirrored(
            "src/gen/kernel_table.cc",
            reason,
            table=table_view(blueprint),
            compiled=blueprint.compiles,
            masks=has_masks(blueprint),
            nhwc=blueprint.layout is Layout.NHWC,
        ),
    ]


def _tests(blueprint: Blueprint) -> list[FileSpec]:
    reason = "runs the kernels without ONNX Runtime"
    return [
        _mirrored("tests/cpp/check.h", reason),
        _mirrored(
            "tests/cpp/kernel_harness.h",
            reason,
            halves=blueprint.has_halves,
            compiled=blueprint.compiles,
            **custom_ops.switches(blueprint),
            **packing.switches(blueprint),
        ),
        _mirrored("tests/cpp/kernels_test.cc", reason, ops=calls(blueprint)),
    ]
