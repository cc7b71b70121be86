"""Custom operators: their schemas, their domains, and the library that has them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epforge.names import Identifier, Safe
from epforge.ops.model import DType
from epforge.plan import services
from epforge.plan.kernel_table import has_masks, table_view
from epforge.plan.kernel_view import enumerator, kernel_view
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, Op
from epforge.resolve.services import CustomKernel, CustomLibrary, CustomOp, CustomParameter

#: Sources that the plugin is not made of: the entry of the other library, and its kernel table.
_LIBRARY_ONLY = ("src/abi/register_custom_ops.cc", "src/gen/custom_op_table.cc")

# Beside each pair NAME.{h,cc} in src/abi: why it is there.
_ABI = {
    "custom_op": "a custom operator as ORT calls it",
    "custom_op_domains": "the domains of the custom operators",
    "custom_op_shapes": "the shapes that custom operators make",
}
_EXPORTS = {
    "custom_ops.def": "what the library of the custom operators exports, for Windows",
    "custom_ops.lds": "what the library of the custom operators exports, for Linux",
    "custom_ops.exp": "what the library of the custom operators exports, for macOS",
}


@dataclass(frozen=True)
class ParameterView:
    """One entry of a list of inputs or outputs."""

    name: str
    constraint: str
    dtype: Identifier
    optional: bool
    variadic: bool


@dataclass(frozen=True)
class ParametersView:
    """The inputs or the outputs of an operator."""

    name: Identifier
    entries: tuple[ParameterView, ...]


@dataclass(frozen=True)
class CustomOpView:
    """One row of the table of schemas."""

    domain: str
    op: str
    since: int
    inputs: Identifier | None
    input_count: int
    outputs: Identifier
    output_count: int
    elementwise: bool
    computed: bool
    cuda_attrs: Identifier | None
    cuda_ready: Identifier | None


def switches(blueprint: Blueprint) -> Mapping[str, object]:
    """What the templates ask: which of the parts here a project has, and what attributes."""
    kinds = {attribute.kind for op in blueprint.ops for attribute in op.attributes}
    return {
        "custom_ops": bool(blueprint.custom_ops),
        "custom_library": blueprint.custom_library is not None,
        "cuda_library": _with_cuda(blueprint),
        "masks": has_masks(blueprint),
        "bool_attributes": "bool" in kinds,
        "strings_attributes": "strings" in kinds,
        "tensor_attributes": "tensor" in kinds,
    }


def files(blueprint: Blueprint, params: Mapping[str, object]) -> list[FileSpec]:
    """The files; those of a project that compiles include the check of signatures, too.

    Args:
        blueprint: the blueprint.
        params: what the templates of the shell are given.
    """
    specs: list[FileSpec] = []
    if has_masks(blueprint):
        specs += [
            _file(f"src/gen/api/signature.{suffix}", params, "checks a node's element types")
            for suffix in ("h", "cc")
        ]
    if not blueprint.custom_ops:
        return specs
    table = {**params, **_schemas(blueprint)}
    reason = "the schemas of the custom operators"
    specs += [_file(f"src/gen/custom_ops.{suffix}", table, reason) for suffix in ("h", "cc")]
    for name, why in _ABI.items():
        specs += [_file(f"src/abi/{name}.{suffix}", params, why) for suffix in ("h", "cc")]
    if blueprint.custom_library is not None:
        specs += _library(blueprint, params)
    return specs


def claims(blueprint: Blueprint) -> list[Mapping[str, object]]:
    """The custom operators as the manifest lists them: schemas, and what they compute."""
    return [_claim(custom) for custom in blueprint.custom_ops]


def is_library_only(blueprint: Blueprint, path: str) -> bool:
    """Whether a source belongs to the library of the custom operators and not to the plugin.

    Device code is the plugin's where the device is CUDA's, and the library's elsewhere.
    """
    return path in _LIBRARY_ONLY or (path.endswith(".cu") and blueprint.cuda is None)


def library_sources(blueprint: Blueprint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the library of the custom operators is compiled from: (C++, CUDA), sorted."""
    ops = [op for op in blueprint.ops if op.custom is not None]
    sources = {
        *_LIBRARY_ONLY,
        *(f"src/abi/{name}.cc" for name in ("bridge", "kernel_adapter", "node_reader", *_ABI)),
        *(f"src/gen/api/{name}.cc" for name in ("signature", "status")),
        "src/gen/custom_ops.cc",
        *services.kernel_sources(blueprint),
        *(f"src/{_stem(op)}.cc" for op in ops),
    }
    for op in ops:
        support = kernel_view(op).support
        sources |= {f"src/gen/kernels/support/{name}" for name in support if name.endswith(".cc")}
    cuda = {f"src/{_stem(op)}.cu" for op in ops if has_cuda(blueprint, op)}
    return tuple(sorted(sources)), tuple(sorted(cuda))


def has_cuda(blueprint: Blueprint, op: Op) -> bool:
    """Does the library of the custom operators have a CUDA kernel of ``op``, or room for one?"""
    return _with_cuda(blueprint) and op.custom is not None


def _with_cuda(blueprint: Blueprint) -> bool:
    return blueprint.features.custom_op_library is CustomLibrary.CUDA


def _file(
    path: str, params: Mapping[str, object], reason: str, template: str | None = None
) -> FileSpec:
    return FileSpec(path, f"plugin/{template or path}", Owner.GENERATED, params, reason)


def _stem(op: Op) -> str:
    """``gen/kernels/com_contoso_clip``."""
    return kernel_view(op).header.removesuffix(".h")


def _claim(custom: CustomOp) -> Mapping[str, object]:
    """A custom operator's schema, and what it computes."""
    compute = custom.compute
    return {
        "domain": custom.domain,
        "op": custom.op,
        "version": custom.version,
        "inputs": [{"name": p.name, "type": p.type, "option": p.option} for p in custom.inputs],
        "outputs": [{"name": p.name, "type": p.type} for p in custom.outputs],
        "types": {name: [dtype.text for dtype in types] for name, types in custom.types.items()},
        "attributes": [
            {
                "name": attribute.name,
                "type": attribute.type,
                "default": attribute.default,
                "required": attribute.default is None,
            }
            for attribute in custom.attributes
        ],
        "elementwise": _elementwise(custom),
        "kernel": custom.kernel.value,
        "compute": compute and {name: each.text for name, each in compute.items()},
    }


def _elementwise(custom: CustomOp) -> bool:
    """Do the outputs have the shape of the inputs, broadcast? Whoever writes a kernel decides."""
    return custom.compute is not None and custom.kernel is not CustomKernel.YOURS


def _library(blueprint: Blueprint, params: Mapping[str, object]) -> list[FileSpec]:
    sources, cuda_sources = library_sources(blueprint)
    table = {
        "table": table_view(blueprint, [op for op in blueprint.ops if op.custom is not None]),
        "compiled": blueprint.compiles,
        "masks": True,
        "nhwc": False,
    }
    build = {
        **params,
        "macro": blueprint.names.macro,
        "library": blueprint.custom_library,
        "sources": sources,
        "cuda_sources": cuda_sources,
    }
    return [
        _file("src/abi/register_custom_ops.cc", params, "what the library of its own exports"),
        _file(
            "src/gen/custom_op_table.cc",
            table,
            "the kernels of the custom operators alone",
            "src/gen/kernel_table.cc",
        ),
        _file("cmake/gen/custom_ops.cmake", build, "the library of the custom operators"),
        *(_file(f"exports/{name}", {}, reason) for name, reason in _EXPORTS.items()),
    ]


def _schemas(blueprint: Blueprint) -> Mapping[str, object]:
    """The lists of parameters, each of them once, and the rows."""
    lists: dict[tuple[ParameterView, ...], ParametersView] = {}
    by_name = {(op.domain, op.op): op for op in blueprint.ops if op.custom is not None}
    rows: list[CustomOpView] = []
    headers: set[Safe] = set()
    for custom in sorted(blueprint.custom_ops, key=lambda op: (op.domain, op.op, op.version)):
        op = by_name.get((custom.domain, custom.op))
        cuda = op is not None and has_cuda(blueprint, op)
        if op is not None and cuda:
            headers.add(kernel_view(op).cuda_header)
        rows.append(
            CustomOpView(
                domain=custom.domain,
                op=custom.op,
                since=custom.version,
                inputs=_list(lists, custom, custom.inputs) if custom.inputs else None,
                input_count=len(custom.inputs),
                outputs=_list(lists, custom, custom.outputs),
                output_count=len(custom.outputs),
                elementwise=_elementwise(custom),
                computed=custom.kernel is not CustomKernel.ELSEWHERE,
                cuda_attrs=kernel_view(op).attrs if op is not None and cuda else None,
                cuda_ready=Identifier(f"kReadyCuda{kernel_view(op).op}")
                if op is not None and cuda
                else None,
            )
        )
    return {
        "parameters": tuple(lists.values()),
        "custom": tuple(rows),
        "cuda_headers": tuple(sorted(headers)),
    }


def _list(
    lists: dict[tuple[ParameterView, ...], ParametersView],
    custom: CustomOp,
    parameters: Sequence[CustomParameter],
) -> Identifier:
    entries = tuple(_parameter(custom, parameter) for parameter in parameters)
    if entries not in lists:
        lists[entries] = ParametersView(Identifier(f"kParameters{len(lists)}"), entries)
    return lists[entries].name


def _parameter(custom: CustomOp, parameter: CustomParameter) -> ParameterView:
    types = custom.types.get(parameter.type)
    fixed = types[0] if types is not None and len(types) == 1 else None
    if types is None:
        fixed = DType.parse(parameter.type)
    return ParameterView(
        name=parameter.name,
        constraint=parameter.type if types is not None else "",
        dtype=enumerator(fixed) if fixed is not None else Identifier("kUndefined"),
        optional=parameter.option == "optional",
        variadic=parameter.option == "variadic",
    )
