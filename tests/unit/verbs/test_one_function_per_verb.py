"""What the command line can be asked, a program can ask of `import epforge`."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import typer

import epforge
from epforge.cli.main import app

FUNCTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "init": (epforge.init_repository, epforge.list_ready),
    "check": (epforge.check_blueprint,),
    "schema": (epforge.json_schema, epforge.list_schemas),
    "plan": (epforge.plan_project,),
    "scaffold": (epforge.scaffold_project,),
    "regenerate": (epforge.regenerate_project,),
    "upgrade": (epforge.upgrade_project, epforge.upgrade_blueprint, epforge.newer_release),
    "status": (epforge.project_status,),
    "resolve": (epforge.resolve_conflicts,),
    "add op": (epforge.add_op,),
    "add device": (epforge.add_device,),
    "add option": (epforge.add_option,),
    "eject op": (epforge.eject_op,),
    "templates list": (epforge.list_templates,),
    "templates show": (epforge.show_template,),
    "templates eject": (epforge.eject_templates,),
    "templates diff": (epforge.diff_templates,),
    "templates starter": (epforge.export_starter,),
    "build": (epforge.build_project,),
    "validate": (epforge.validate_library,),
    "inspect": (epforge.inspect_library,),
    "report show": (epforge.read_report,),
    "report render": (epforge.render_report,),
    "report diff": (epforge.diff_reports,),
    "compile": (epforge.compile_models,),
    "doctor": (epforge.diagnose,),
    "ops list": (epforge.list_ops,),
    "ops show": (epforge.show_op,),
    "ops coverage": (epforge.ops_coverage,),
    "ops from-model": (epforge.ops_from_model,),
    "sdk list": (epforge.list_sdks,),
    "sdk install": (epforge.install_sdk,),
    "sdk path": (epforge.find_sdk,),
    "sdk verify": (epforge.verify_sdk,),
    "api show": (epforge.show_api,),
    "api keys": (epforge.api_keys,),
    "api diff": (epforge.diff_api,),
}
# Options that are about what is printed, and by which function they are there as another one.
PRINTING = {
    *("--json", "--help"),
    *("plan --verbose", "regenerate --verbose", "upgrade --verbose", "status --verbose"),
    "ops coverage --markdown",
    *("schema --output", "schema --list", "schema --report", "schema --inspection"),
    *("upgrade --file", "upgrade --check"),
    *("init --list", "init --defaults"),
}
# Options of one letter only, or with the name of a keyword, and what they are called.
# The questions of `init` are one parameter.
QUESTIONS = {
    *("name", "vendor", "device", "vendor_id", "memory", "paradigm", "save_compiled", "types"),
    *("ops", "license"),
}
SHORT = {"--from": "blueprint", "-i": "provider_options", "-C": "session_options", "-p": "config"}


def commands() -> Iterator[tuple[str, Any]]:
    """Every verb, those of groups with the group's name, and its command."""
    root: Any = typer.main.get_command(app)
    context = root.make_context("epforge", [], resilient_parsing=True)
    for name in root.list_commands(context):
        verb = root.get_command(context, name)
        if not hasattr(verb, "commands"):
            yield name, verb
            continue
        for each in verb.commands:
            yield f"{name} {each}", verb.commands[each]


def options() -> Iterator[tuple[str, str]]:
    for verb, command in commands():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                names = [*parameter.opts, *parameter.secondary_opts]
                yield verb, next((n for n in names if n.startswith("--")), names[0])


def test_every_verb_has_a_function() -> None:
    assert {verb for verb, _ in commands()} == FUNCTIONS.keys()


@pytest.mark.parametrize(("verb", "option"), list(options()))
def test_every_option_has_a_parameter(verb: str, option: str) -> None:
    if {option, f"{verb} {option}"} & PRINTING:
        return
    name = SHORT.get(option, option.removeprefix("--").replace("-", "_"))
    name = "answers" if verb == "init" and name in QUESTIONS else name
    parameters = [inspect.signature(function).parameters for function in FUNCTIONS[verb]]
    found = [each[name] for each in parameters if name in each]
    assert found, f"{verb} {option}: no parameter {name}"
    if (verb, name) not in (("sdk verify", "ort"), ("schema", "of")):
        assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in found)


def test_what_is_only_about_printing_is_there() -> None:
    there = {*options()}
    for entry in PRINTING - {"--json", "--help"}:
        verb, _, option = entry.rpartition(" ")
        assert (verb, option) in there, entry


def test_every_verb_can_answer_in_json() -> None:
    assert {verb for verb, option in options() if option == "--json"} == FUNCTIONS.keys()
