"""Calls that the command line and `import epforge` both can make, in many states."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli_project import (
    BLUEPRINT,
    Change,
    add_an_op,
    appended,
    call,
    clash,
    copied,
    deleted,
    replaced,
    written,
)

import epforge
from epforge.verbs.schema import json_schema

GENERATED = "src/abi/ep.cc"
EDITED = appended(GENERATED, "// mine\n")
WRONG = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu, Addd]\nlayot: NCHW\n"
WARNED = BLUEPRINT.replace("[Relu, Add]", "[Relu, Relu, Add]")


@dataclass(frozen=True)
class Asked:
    """One question, in both ways.

    Args:
        verb: whose answer it is.
        state: what is special about it.
        args: of the command line, behind the verb.
        ask: the same by a function, or what it raises.
        before: what happens to the project first.
        status: the exit status.
    """

    verb: str
    state: str
    args: Callable[[Path], list[Any]]
    ask: Callable[[Path], Any]
    before: tuple[Change, ...] = ()
    status: int = 0

    @property
    def name(self) -> str:
        return f"{self.verb}: {self.state}"


def in_conflict(project: Path) -> None:
    """Leaves markers in README.md."""
    add_an_op(project)
    clash(project)
    assert call("regenerate", project, "--on-conflict", "markers").exit_code == 3


def wrong(project: Path) -> None:
    (project / "wrong.yaml").write_text(WRONG)


def alone(project: Path) -> None:
    """A blueprint without a project, and the same with doubts."""
    (project / "alone.yaml").write_text(BLUEPRINT)
    (project / "warned.yaml").write_text(WARNED)


def own_templates(project: Path) -> None:
    place = project / "own"
    assert call("templates", "eject", "plugin/README.md", "--to", place).exit_code == 0
    appended("own/plugin/README.md", "mine\n")(project)
    written("own/plugin/nothing.md", b"?")(project)


def _file(name: str) -> Callable[[Path], list[Any]]:
    return lambda root: [root / name]


PROJECTS = [
    Asked("init", "new", lambda p: [p / "repo", "--vendor", "Contoso", "--ops", "Relu"],
          lambda p: epforge.init_repository(
              p / "repo", answers={"vendor": "Contoso", "ops": "Relu"})),
    Asked("init", "list", lambda p: ["--list"], lambda p: epforge.list_ready()),
    Asked("check", "fine", _file("blueprint.yaml"),
          lambda p: epforge.check_blueprint(p / "blueprint.yaml")),
    Asked("check", "resolved", lambda p: [p / "blueprint.yaml", "--resolved"],
          lambda p: epforge.check_blueprint(p / "blueprint.yaml", resolved=True)),
    Asked("check", "wrong", _file("wrong.yaml"),
          lambda p: epforge.check_blueprint(p / "wrong.yaml"), (wrong,), 2),
    Asked("check", "mended", lambda p: [p / "wrong.yaml", "--fix"],
          lambda p: epforge.check_blueprint(p / "wrong.yaml", fix=True), (wrong,)),
    Asked("check", "no YAML", _file("blueprint.yaml"),
          lambda p: epforge.check_blueprint(str(p / "blueprint.yaml")),
          (written("blueprint.yaml", b"a: [1\n"),), 2),
    Asked("plan", "blueprint", _file("alone.yaml"),
          lambda p: epforge.plan_project(p / "alone.yaml"), (alone,)),
    Asked("plan", "project", lambda p: [p, "--diff"],
          lambda p: epforge.plan_project(p, diff=True), (add_an_op,)),
    Asked("plan", "conflict", lambda p: [p], epforge.plan_project, (add_an_op, clash), 3),
    Asked("scaffold", "new", lambda p: [p / "alone.yaml", p / "new"],
          lambda p: epforge.scaffold_project(p / "alone.yaml", p / "new"), (alone,)),
    Asked("regenerate", "nothing to do", lambda p: [p], epforge.regenerate_project),
    Asked("regenerate", "preview", lambda p: [p, "--dry-run"],
          lambda p: epforge.regenerate_project(p, dry_run=True), (add_an_op,)),
    Asked("regenerate", "restored", lambda p: [p, "--restore", "README.md"],
          lambda p: epforge.regenerate_project(p, restore="README.md"), (deleted("README.md"),)),
    Asked("regenerate", "markers", lambda p: [p, "--on-conflict", "markers"],
          lambda p: epforge.regenerate_project(p, on_conflict="markers"), (add_an_op, clash), 3),
    Asked("upgrade", "project", lambda p: [p, "--ort", "1.28"],
          lambda p: epforge.upgrade_project(p, ort="1.28")),
    Asked("upgrade", "file", lambda p: ["--file", p / "alone.yaml", "--ort", "1.28"],
          lambda p: epforge.upgrade_blueprint(p / "alone.yaml", ort="1.28"), (alone,)),
    Asked("status", "in sync", lambda p: [p], epforge.project_status),
    Asked("status", "drift", lambda p: [p], epforge.project_status, (EDITED,), 1),
    Asked("status", "conflicts", lambda p: [p], epforge.project_status, (in_conflict,), 3),
    Asked("resolve", "nothing", lambda p: ["--project", p],
          lambda p: epforge.resolve_conflicts(project=p)),
    Asked("resolve", "left", lambda p: ["--project", p],
          lambda p: epforge.resolve_conflicts(project=p), (in_conflict,), 3),
    Asked("resolve", "theirs", lambda p: ["README.md", "--theirs", "--project", p],
          lambda p: epforge.resolve_conflicts("README.md", theirs=True, project=p), (in_conflict,)),
    Asked("add op", "project", lambda p: ["Sub", "Add", "--project", p],
          lambda p: epforge.add_op(["Sub", "Add"], project=p)),
    Asked("add op", "there already", lambda p: ["Relu", "--project", p],
          lambda p: epforge.add_op("Relu", project=p)),
    Asked("add device", "file",
          lambda p: ["npu", "--type", "npu", "--virtual", "--file", p / "alone.yaml"],
          lambda p: epforge.add_device("npu", type="npu", virtual=True, file=p / "alone.yaml"),
          (alone,)),
    Asked("add option", "preview",
          lambda p: ["effort", "--type", "int", "--range", "0:3", "--dry-run", "--project", p],
          lambda p: epforge.add_option(
              "effort", type="int", range="0:3", dry_run=True, project=p)),
    Asked("eject op", "project", lambda p: ["Relu", "--project", p],
          lambda p: epforge.eject_op("Relu", project=p)),
    Asked("templates list", "all", lambda p: [], lambda p: epforge.list_templates()),
    Asked("templates show", "one", lambda p: ["plugin/README.md"],
          lambda p: epforge.show_template("plugin/README.md")),
    Asked("templates eject", "one", lambda p: ["plugin/README.md", "--to", p / "own"],
          lambda p: epforge.eject_templates("plugin/README.md", to=p / "own")),
    Asked("templates diff", "changed", lambda p: [p / "own"],
          lambda p: epforge.diff_templates(p / "own"), (own_templates,), 1),
    Asked("templates starter", "copier", lambda p: [p / "starter"],
          lambda p: epforge.export_starter(p / "starter")),
    Asked("doctor", "blueprint", lambda p: [p / "blueprint.yaml"],
          lambda p: epforge.diagnose(p / "blueprint.yaml")),
    Asked("ops list", "one domain", lambda p: ["--domain", "com.microsoft"],
          lambda p: epforge.list_ops(domain="com.microsoft")),
    Asked("ops show", "one", lambda p: ["Resize"], lambda p: epforge.show_op("Resize")),
    Asked("ops coverage", "all", lambda p: [], lambda p: epforge.ops_coverage()),
    Asked("sdk list", "here", lambda p: [], lambda p: epforge.list_sdks()),
    Asked("api show", "release", lambda p: ["--ort", "1.24"],
          lambda p: epforge.show_api(ort="1.24")),
    Asked("api show", "struct", lambda p: ["OrtEp"], lambda p: epforge.show_api("OrtEp")),
    Asked("api show", "member", lambda p: ["OrtEp.Compile"],
          lambda p: epforge.show_api("OrtEp.Compile")),
    Asked("api keys", "of a scope", lambda p: ["session"], lambda p: epforge.api_keys("session")),
    Asked("api diff", "gains", lambda p: ["1.24", "1.27"],
          lambda p: epforge.diff_api("1.24", "1.27")),
    Asked("schema", "of a verb", lambda p: ["--of", "check"],
          lambda p: epforge.json_schema("check")),
    Asked("schema", "list", lambda p: ["--list"], lambda p: epforge.list_schemas()),
]  # fmt: skip

ERRORS = [
    Asked("init", "no vendor", lambda p: [p / "repo"],
          lambda p: epforge.init_repository(p / "repo"), (), 2),
    Asked("plan", "wrong blueprint", _file("wrong.yaml"),
          lambda p: epforge.plan_project(p / "wrong.yaml"), (wrong,), 2),
    Asked("regenerate", "blocked", lambda p: [p], epforge.regenerate_project,
          (add_an_op, clash), 3),
    Asked("regenerate", "edited", lambda p: [p], epforge.regenerate_project,
          (add_an_op, EDITED, replaced(GENERATED, "Ep", "Eq")), 3),
    Asked("regenerate", "open conflicts", lambda p: [p], epforge.regenerate_project,
          (in_conflict,), 3),
    Asked("scaffold", "in the way", lambda p: [p / "alone.yaml", p / "there"],
          lambda p: epforge.scaffold_project(p / "alone.yaml", p / "there"),
          (alone, written("there/CMakeLists.txt", b"mine")), 2),
    Asked("status", "no project", lambda p: [p / "src"],
          lambda p: epforge.project_status(p / "src"), (), 2),
    Asked("sdk verify", "absent", lambda p: [p / "nowhere"],
          lambda p: epforge.verify_sdk(p / "nowhere"), (), 4),
    Asked("add op", "unknown", lambda p: ["Rellu", "--project", p],
          lambda p: epforge.add_op("Rellu", project=p), (), 2),
]  # fmt: skip


def asked_twice(question: Asked, project: Path, place: Path) -> tuple[Any, dict[str, Any]]:
    """What a function returns, or raises, and what the command line prints in the same state."""
    answers: list[Any] = []
    for way in (_by_function, _by_command):
        shutil.rmtree(place, ignore_errors=True)
        copied(project, place)
        for change in question.before:
            change(place)
        answers.append(way(question, place))
    return answers[0], answers[1]


def _by_function(question: Asked, place: Path) -> Any:
    try:
        return question.ask(place)
    except epforge.EpforgeError as error:
        return error


def _by_command(question: Asked, place: Path) -> dict[str, Any]:
    result = call(*question.verb.split(), *question.args(place), "--json")
    assert result.exit_code == question.status, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def check_schema(data: Any, of: str) -> None:
    """Raises when data is not what the schema says, or has keys that it does not list."""
    import jsonschema

    schema = dict(json_schema(of).schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(data)
    strict = deepcopy(schema)
    for part in _parts(strict):
        if part.get("additionalProperties") is True and "properties" in part:
            part["additionalProperties"] = False
    jsonschema.Draft202012Validator(strict).validate(data)


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from _parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _parts(value)
