"""JSON Schemas: of blueprints, and of what every verb prints with ``--json``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from operator import or_
from typing import Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.types import FORMAT

BLUEPRINT = "blueprint"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_POLICY = (
    "Readers ignore keys that they do not know: keys may be added. The number in `format` goes up "
    "when a key goes away, or changes its type or its meaning."
)
# By verb, the shapes in `epforge.verbs.shapes`. A verb has several where its answers differ.
_SHAPES: Mapping[str, tuple[str, ...]] = {
    "error": ("error.Error",),
    "init": ("starting.Init", "starting.ReadyList"),
    "check": ("blueprints.Check",),
    "schema": ("schemas.SchemaOf", "schemas.SchemaList"),
    "plan": ("blueprints.BlueprintPlan", "projects.ProjectPlan"),
    "scaffold": ("projects.Scaffold",),
    "regenerate": ("projects.Regenerate",),
    "upgrade": ("projects.Upgrade", "projects.UpgradeFile", "projects.UpgradeCheck"),
    "status": ("projects.Status",),
    "resolve": ("projects.Resolve",),
    "add op": ("projects.Add",),
    "add device": ("projects.Add",),
    "add option": ("projects.Add",),
    "eject op": ("projects.Eject",),
    "templates list": ("libraries.TemplateList",),
    "templates show": ("libraries.Template",),
    "templates eject": ("libraries.Written",),
    "templates diff": ("libraries.TemplateDiffs",),
    "templates starter": ("starting.Starter",),
    "build": ("libraries.Build",),
    "report render": ("libraries.Written",),
    "report diff": ("libraries.ReportDiff",),
    "compile": ("libraries.Compile",),
    "doctor": ("doctor.Checkup", "doctor.ModelCheckup"),
    "ops list": ("lookups.OpList",),
    "ops show": ("lookups.OpShow",),
    "ops coverage": ("lookups.Coverage",),
    "ops from-model": ("lookups.ModelOps",),
    "sdk list": ("lookups.SdkList",),
    "sdk install": ("lookups.SdkFound",),
    "sdk path": ("lookups.SdkFound",),
    "sdk verify": ("lookups.SdkVerify",),
    "api show": ("lookups.ApiShow", "lookups.ApiShowStruct", "lookups.ApiShowMember"),
    "api keys": ("lookups.ApiKeys",),
    "api diff": ("lookups.ApiDiff",),
}
# Those that have had a schema of their own before; `report show` prints what `validate` does.
_OWN = ("validate", "report show", "inspect")


@dataclass(frozen=True)
class SchemaResult:
    """A JSON Schema.

    Args:
        of: what it describes.
        schema: the schema.
    """

    of: str
    schema: Mapping[str, Any]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "of": self.of, "schema": dict(self.schema)}


@dataclass(frozen=True)
class SchemaList:
    """What there are schemas of."""

    schemas: tuple[str, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "schemas": list(self.schemas)}


def list_schemas() -> SchemaList:
    """What there are JSON Schemas of: ``blueprint``, ``error`` and the verbs;
    `epforge schema --list`."""
    verbs = sorted({*_SHAPES, *_OWN} - {"error"})
    return SchemaList((BLUEPRINT, "error", *verbs))


def json_schema(of: str = BLUEPRINT) -> SchemaResult:
    """The JSON Schema of blueprints, or of what a verb prints with ``--json``; `epforge schema`.

    Args:
        of: ``blueprint``, ``error``, or a verb: ``check``, ``ops list``.

    Raises:
        UsageError: there is no such verb.
    """
    of = " ".join(of.split())
    known = list_schemas().schemas
    if of not in known:
        near = difflib.get_close_matches(of, known, 1) or [n for n in known if n.startswith(of)]
        cure = f"Did you mean {near[0]}?" if near else "See: epforge schema --list"
        raise UsageError(f"there is no schema of {of!a}", cure)
    return SchemaResult(of, _made(of))


def _made(of: str) -> Mapping[str, Any]:
    if of == BLUEPRINT:
        from epforge.blueprint import json_schema as of_blueprints

        return of_blueprints()
    if of == "inspect":
        from epforge.validate.inspection import json_schema as of_inspections

        return of_inspections()
    if of in _OWN:
        from epforge.report import json_schema as of_reports

        return of_reports()
    return _of_shapes(of)


def _of_shapes(of: str) -> dict[str, Any]:
    from pydantic import TypeAdapter

    shapes = [_shape(name) for name in _SHAPES[of]]
    made = TypeAdapter(reduce(or_, shapes)).json_schema(by_alias=True)
    about = "An error, of any verb" if of == "error" else f"What epforge {of} prints"
    head = {
        "$schema": _DIALECT,
        "title": "epforge: error" if of == "error" else f"epforge {of} --json",
        "description": f"{about} with --json. {_POLICY}",
    }
    return head | {key: value for key, value in made.items() if key not in head}


def _shape(name: str) -> Any:
    module, _, kind = name.partition(".")
    return getattr(import_module(f"epforge.verbs.shapes.{module}"), kind)
