"""The rows of the families beyond the elementwise ones, against the schemas."""

from __future__ import annotations

import pytest

from epforge.assets import assets_dir
from epforge.ops import families, schemas
from epforge.ops.families import conv, matmul, movement, normalisation, reduction
from epforge.ops.model import FamilyRow

ROWS = [row for module in (conv, matmul, movement, normalisation, reduction) for row in module.ROWS]
BY_OP = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
#: The versions that there is no kernel for: they differ in what their inputs mean.
LEFT_OUT = {
    "Dropout": {1, 6},
    "Gemm": {1, 6},
    "GroupNormalization": {18},
    "LpPool": {1},
    "Pad": {1},
    "Reshape": {1},
    "Split": {1},
    "Tile": {1},
}


@BY_OP
def test_a_row_covers_every_version_that_is_not_left_out(row: FamilyRow) -> None:
    schema = schemas.find("", row.op)
    assert schema is not None
    known = {version.since for version in schema.versions}
    assert set(row.since) == known - LEFT_OUT.get(row.op, set())
    assert list(row.since) == sorted(row.since)


@BY_OP
def test_host_positions_and_constraints_are_those_of_the_schema(row: FamilyRow) -> None:
    schema = schemas.find("", row.op)
    assert schema is not None
    versions = [version for version in schema.versions if version.since in row.since]
    most_inputs = max(version.max_inputs for version in versions)
    most_outputs = max(version.max_outputs for version in versions)
    assert all(position < most_inputs for position in row.host_inputs)
    assert all(position < most_outputs for position in row.host_outputs)
    named = {name for version in versions for name in version.constraints}
    assert set(row.types) == named


@BY_OP
def test_templates_and_support_files_are_there(row: FamilyRow) -> None:
    templates = assets_dir("templates")
    header = row.params.get("header", row.family)
    assert (templates / "kernels" / f"{row.family}.cc").is_file()
    assert (templates / "kernels" / f"{header}.h").is_file()
    support = row.params.get("support", ())
    assert isinstance(support, tuple)
    for name in support:
        assert (templates / "plugin/src/gen/kernels/support" / str(name)).is_file()
    assert len(set(support)) == len(support)


@BY_OP
def test_every_version_has_a_sample(row: FamilyRow) -> None:
    for since in row.since:
        assert any(not sample.since or since in sample.since for sample in row.samples)


def test_shapes_and_axes_are_read_on_the_host() -> None:
    for op, inputs in {
        "Reshape": (1,),
        "Slice": (1, 2, 3, 4),
        "ReduceSum": (1,),
        "ConstantOfShape": (0,),
        "Gather": (),
    }.items():
        row = families.row("", op)
        assert row is not None
        assert row.host_inputs == inputs
