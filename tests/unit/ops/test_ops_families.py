"""Every row of every family against the schemas and the templates that it names."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from device_kernels import cuda_blueprint
from jinja2 import Environment
from kernel_project import make_blueprint, make_op

from epforge.assets import assets_dir
from epforge.names import Identifier, Safe
from epforge.ops import families, schemas
from epforge.ops.model import FamilyRow, Value
from epforge.plan.kernels import files
from epforge.render.environment import make_environment
from epforge.resolve.model import Blueprint, Op

_ROWS = families.rows()
_INCLUDE = re.compile(r'#include "(gen/kernels/[\w./]+)"')

#: Versions newer than a row's oldest that its kernel leaves out, and why.
_LEFT_OUT = {
    ("BitShift", 28): "adds signed integers",
    ("Cast", 28): "adds types only, none of which the kernel has",
    ("Mod", 28): "defines the remainder by zero",
    ("Scatter", 11): "is deprecated: no model can have it",
    ("Upsample", 10): "says that there is no such operator any more",
}


@pytest.fixture(params=_ROWS, ids=lambda row: row.op)
def row(request: pytest.FixtureRequest) -> FamilyRow:
    found: FamilyRow = request.param
    return found


@pytest.fixture(scope="module")
def environment() -> Environment:
    return make_environment(assets_dir("templates"))


def test_versions_are_the_schemas(row: FamilyRow) -> None:
    schema = schemas.find(row.domain, row.op)
    assert schema is not None
    existing = {version.since for version in schema.versions}
    assert set(row.since) <= existing
    assert list(row.since) == sorted(row.since)
    skipped = {since for since in existing if since > min(row.since)} - set(row.since)
    assert all((row.op, since) in _LEFT_OUT for since in skipped), skipped


def test_types_are_the_schemas(row: FamilyRow) -> None:
    schema = schemas.find(row.domain, row.op)
    assert schema is not None
    versions = [version for version in schema.versions if version.since in row.since]
    known = {name for version in versions for name in version.constraints}
    assert set(row.types) <= known
    for name, types in row.types.items():
        allowed = {t for v in versions for t in v.constraints.get(name, ())}
        spelled = {"float32": "float", "float64": "double"}
        for dtype in types:
            assert f"tensor({spelled.get(dtype.text, dtype.text)})" in allowed, (name, dtype)


def test_positions_are_the_schemas(row: FamilyRow) -> None:
    schema = schemas.find(row.domain, row.op)
    assert schema is not None
    versions = [version for version in schema.versions if version.since in row.since]
    assert all(i < max(v.max_inputs for v in versions) for i in row.host_inputs)
    assert all(i < max(v.max_outputs for v in versions) for i in row.host_outputs)


def test_there_are_samples_for_every_version(row: FamilyRow) -> None:
    covered = {since for s in row.samples for since in (s.since or row.since)}
    assert covered == set(row.since)


def test_samples_hold_as_many_numbers_as_their_shapes_say(row: FamilyRow) -> None:
    for sample in row.samples:
        for value in (*sample.inputs, *sample.outputs):
            if isinstance(value, Value):
                count = 1
                for dim in value.shape:
                    count *= dim
                assert len(value.data) == count


@pytest.mark.parametrize("blueprint_of", [make_blueprint, cuda_blueprint])
def test_a_kernel_alone_has_all_that_it_includes_and_no_more(
    row: FamilyRow, environment: Environment, blueprint_of: Callable[[list[Op]], Blueprint]
) -> None:
    """Rendered without formatting: what is included depends on the row."""
    specs = files(blueprint_of([make_op(row.op, domain=row.domain)]))
    texts = {
        spec.path: environment.get_template(spec.template).render(
            **spec.params, banner=Safe("// test"), ns=Identifier("test")
        )
        for spec in specs
        if spec.path.startswith("src/gen/kernels/")
    }
    kernels = {path for path in texts if "/support/" not in path}
    assert _reached(texts, kernels) == set(texts)


def _reached(texts: dict[str, str], paths: set[str]) -> set[str]:
    """With everything that the files include, and the source behind each header."""
    found = set(paths)
    for path in paths:
        assert path in texts, f"{path} is included and not there"
        found |= {f"src/{header}" for header in _INCLUDE.findall(texts[path])}
        stem = path.removesuffix(".h")
        found |= {f"{stem}.cc", f"{stem}.cu"} & set(texts)
    return found if found == paths else _reached(texts, found)


def test_an_op_is_found_by_domain_and_name() -> None:
    relu = families.row("", "Relu")
    assert relu is not None
    assert (relu.family, relu.since) == ("unary", (6, 13, 14))
    assert families.row("", "NoSuchOp") is None
    assert families.row("com.nobody", "Relu") is None


def test_no_two_rows_are_of_one_op() -> None:
    assert len({(row.domain, row.op) for row in _ROWS}) == len(_ROWS)
