"""A custom operator as the operator that the rest of the project implements."""

from __future__ import annotations

from epforge.names import Name
from epforge.ops.model import Attribute, DType, FamilyRow, OpSchema, Parameter, SchemaVersion
from epforge.resolve.model import KernelSource, Op, OpVersion
from epforge.resolve.services import CustomAttribute, CustomKernel, CustomOp, CustomParameter

_ONNX_NAMES = {DType.FLOAT32: "float", DType.FLOAT64: "double"}
_MANY = 2**31 - 1  # what ONNX writes for any number


def as_op(custom: CustomOp) -> Op:
    """The operator with its one version. Not for one whose kernel is elsewhere."""
    return Op(
        domain=custom.domain,
        op=str(custom.op),
        name=Name.parse(f"{custom.domain} {custom.op}"),
        versions=(OpVersion(schema_version(custom), dict(custom.types)),),
        kernel=KernelSource.GENERATED
        if custom.kernel is CustomKernel.GENERATED
        else KernelSource.YOURS,
        row=_row(custom),
        custom=custom,
    )


def as_schema(custom: CustomOp) -> OpSchema:
    """The schema, in its one version."""
    return OpSchema(custom.domain, str(custom.op), (schema_version(custom),))


def schema_version(custom: CustomOp) -> SchemaVersion:
    """The schema as ONNX would have it."""
    variadic = any(p.option == "variadic" for p in custom.inputs)
    needed = [i + 1 for i, p in enumerate(custom.inputs) if p.option != "optional"]
    return SchemaVersion(
        since=custom.version,
        inputs=tuple(_parameter(p, custom) for p in custom.inputs),
        outputs=tuple(_parameter(p, custom) for p in custom.outputs),
        min_inputs=max(needed, default=0),
        max_inputs=_MANY if variadic else len(custom.inputs),
        min_outputs=len(custom.outputs),
        max_outputs=len(custom.outputs),
        attributes=tuple(map(_attribute, custom.attributes)),
        constraints={
            variable: tuple(map(_tensor, dtypes)) for variable, dtypes in custom.types.items()
        },
    )


def _parameter(parameter: CustomParameter, custom: CustomOp) -> Parameter:
    fixed = parameter.type not in custom.types
    kind = _tensor(DType.parse(parameter.type)) if fixed else parameter.type
    return Parameter(str(parameter.name), kind, parameter.option)


def _tensor(dtype: DType) -> str:
    return f"tensor({_ONNX_NAMES.get(dtype, dtype.text)})"


def _attribute(attribute: CustomAttribute) -> Attribute:
    default = list(attribute.default) if isinstance(attribute.default, tuple) else attribute.default
    if attribute.type == "floats" and isinstance(default, list):
        default = [float(item) for item in default]
    if attribute.type == "float" and default is not None and not isinstance(default, list):
        default = float(default)
    return Attribute(str(attribute.name), attribute.type, default is None, default)


def _row(custom: CustomOp) -> FamilyRow | None:
    if custom.compute is None:
        return None
    from epforge.ops.families._expression import expression_row

    return expression_row(
        domain=custom.domain,
        op=str(custom.op),
        since=custom.version,
        inputs=tuple((str(p.name), p.type, p.option) for p in custom.inputs),
        outputs=tuple((str(p.name), p.type) for p in custom.outputs),
        types=custom.types,
        attributes=tuple((str(a.name), a.type, a.default) for a in custom.attributes),
        compute=custom.compute,
    )
