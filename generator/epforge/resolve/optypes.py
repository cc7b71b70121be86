"""Element types of an operator: what schema, kernel family and blueprint allow together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from epforge.ops.model import SMALL, DType, FamilyRow, SchemaVersion

Types = Mapping[str, tuple[DType, ...]]

_TENSORS = {
    "float": DType.FLOAT32,
    "double": DType.FLOAT64,
    **{dtype.text: dtype for dtype in DType if dtype not in (DType.FLOAT32, DType.FLOAT64)},
}

#: The 16-bit floats: an operator has them only where its blueprint names them.
HALVES = (DType.FLOAT16, DType.BFLOAT16)
_FLOATS = (DType.FLOAT32, DType.FLOAT64, *HALVES)
_ONLY_NAMED = (*HALVES, *SMALL)


def tensor_type(text: str) -> DType | None:
    """The element type of ``tensor(int64)``; None for anything else."""
    is_tensor = text.startswith("tensor(") and text.endswith(")")
    return _TENSORS.get(text[7:-1]) if is_tensor else None


def schema_types(version: SchemaVersion, constraint: str) -> tuple[DType, ...]:
    """The element types that a schema allows for a constraint, in DType's order."""
    names = version.constraints.get(constraint, ())
    found = {tensor_type(name) for name in names}
    return tuple(dtype for dtype in DType if dtype in found)


def is_widened(row: FamilyRow, constraint: str) -> bool:
    """Does the kernel take 16-bit floats as float32, because that is what the family computes in?

    Rows that list a 16-bit float themselves move its elements as they are.
    """
    types = row.types.get(constraint, ())
    return DType.FLOAT32 in types and not any(dtype in types for dtype in HALVES)


def widened_constraints(row: FamilyRow | None, types: Types) -> tuple[str, ...]:
    """The constraints whose 16-bit floats, which ``types`` has, the kernel takes as float32."""
    return tuple(
        constraint
        for constraint, group in types.items()
        if row is not None
        and is_widened(row, constraint)
        and any(dtype in HALVES for dtype in group)
    )


def kernel_types(row: FamilyRow, constraint: str) -> tuple[DType, ...] | None:
    """What a generated kernel takes; None where the row leaves it to the schema."""
    types = row.types.get(constraint)
    return (*types, *HALVES) if types and is_widened(row, constraint) else types


def allowed_types(
    version: SchemaVersion,
    row: FamilyRow | None,
    wanted: Collection[DType] = (),
    *,
    widens: bool = True,
) -> Types:
    """Per constraint, what the schema allows and the family's kernel can handle.

    16-bit floats and the small types are left out unless the blueprint wants them, or a schema has
    nothing else. Constraints that no tensor type meets (sequences, for instance) are left out.

    Args:
        version: of the schema.
        row: the family's; None: there is no family, which restricts nothing.
        wanted: element types that the blueprint names.
        widens: whether 16-bit floats are converted for kernels that compute in float32.
    """
    found: dict[str, tuple[DType, ...]] = {}
    for constraint in version.constraints:
        types = schema_types(version, constraint)
        able = types
        if row is not None:
            kernel = kernel_types(row, constraint) if widens else row.types.get(constraint)
            able = tuple(dtype for dtype in types if kernel is None or dtype in kernel)
        allowed = tuple(dtype for dtype in able if dtype not in _ONLY_NAMED or dtype in wanted)
        if types:
            found[constraint] = allowed if allowed or row is not None else able
    return found


def main_constraint(version: SchemaVersion) -> str | None:
    """The constraint that the blueprint's ``types`` narrow: T, or else the first input's, or else
    the first output's. None when nothing is generic.

    Where it has integers alone, which come with scales that are floats, it is the scales' instead:
    those are what the operator computes in. None where the schema fixes them.
    """
    generic = [
        parameter.type_str
        for parameter in (*version.inputs, *version.outputs)
        if parameter.type_str in version.constraints
    ]
    if not generic:
        return None
    first = "T" if "T" in version.constraints else generic[0]
    if _has_floats(version, first):
        return first
    for parameter in version.inputs:
        if parameter.name.endswith("_scale") and _has_floats(version, parameter.type_str):
            return parameter.type_str if parameter.type_str in version.constraints else None
    return first


def _has_floats(version: SchemaVersion, type_str: str) -> bool:
    """Is an ordinary float among the types of a constraint, or is it the fixed type?"""
    names = version.constraints.get(type_str, (type_str,))
    return any(tensor_type(name) in _FLOATS for name in names)


def beyond_tensors(version: SchemaVersion) -> str | None:
    """Why a kernel of one tensor interface cannot implement this version, or None."""
    if any(attribute.kind in ("graph", "graphs") for attribute in version.attributes):
        return "operators with subgraphs"
    for parameter in (*version.inputs, *version.outputs):
        if parameter.option == "optional":
            continue
        kinds = version.constraints.get(parameter.type_str, (parameter.type_str,))
        if not any(kind.startswith("tensor(") for kind in kinds):
            return f"operators on {kinds[0].split('(')[0]} values"
    return None


def versions_of_stub(versions: Sequence[SchemaVersion]) -> tuple[SchemaVersion, ...]:
    """The versions that one stub can read: the newest, and those before it that look the same.

    Args:
        versions: of one operator, oldest first, none of them deprecated.
    """
    chosen: list[SchemaVersion] = []
    for version in reversed(versions):
        if not same_signature(version, versions[-1]):
            break
        chosen.append(version)
    return tuple(reversed(chosen))


def same_signature(one: SchemaVersion, other: SchemaVersion) -> bool:
    """Do two versions differ in nothing but element types?"""

    def shape(version: SchemaVersion) -> object:
        return (
            version.inputs,
            version.outputs,
            tuple(sorted((a.name, a.kind, a.required) for a in version.attributes)),
            tuple(version.constraints),
        )

    return shape(one) == shape(other)
