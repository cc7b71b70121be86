"""The pages of reference are made from the model and from the commands, and leave nothing out."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import typer
from cli_project import call

from epforge.blueprint import json_schema, parse
from epforge.blueprint.examples import EXAMPLES, blueprint, examples
from epforge.blueprint.nodes import Node, Sequence, Table
from epforge.blueprint.reference import Key, keys
from epforge.blueprint.shape import BlueprintShape
from epforge.cli.main import VERBS, app
from epforge.cli.make_reference import PLACE, pages
from epforge.cli.show.reference import Parameter, Verb, verbs

REPOSITORY = Path(__file__).resolve().parents[2]
AGAIN = "run: python -m epforge.cli.make_reference"
SENTENCE = re.compile(r"[A-Za-z`\\\[].*[^\s.,;:]\.", re.S)

ALL = verbs(typer.main.get_command(app))
PARAMETERS = [
    pytest.param(each, id=f"{' '.join(verb.words)} {each.usage}")
    for verb in ALL
    for each in verb.parameters
]


@pytest.mark.parametrize("name", sorted(pages()))
def test_the_page_is_what_is_made_of_the_code(name: str) -> None:
    path = REPOSITORY / PLACE / name
    assert path.read_text(encoding="utf-8") == pages()[name], f"{path} is out of date; {AGAIN}"


@pytest.mark.parametrize("key", keys(), ids=lambda key: key.path)
def test_a_key_has_a_sentence_and_a_value(key: Key) -> None:
    assert SENTENCE.fullmatch(key.sentence), f"{key.path}: {key.sentence!r}"
    assert key.type
    assert 1 <= key.since <= 1, "an edition that there is not"


def test_keys_of_every_level_are_listed() -> None:
    paths = [key.path for key in keys()]
    assert len(paths) == len(set(paths))
    assert {path for path in paths if path.isidentifier()} == set(BlueprintShape.model_fields)
    assert {"vendor.pci_id", "devices[].match.vendor_id", "custom_ops[].attributes.*.type"} < set(
        paths
    )


def test_bounds_of_numbers_are_told_to_readers_and_editors() -> None:
    values = {key.path: key.type for key in keys()}
    assert values["vendor.pci_id"] == "integer from 0 to 65535"
    assert values["devices[].match.vendor_id"] == "integer from 0 to 4294967295"
    assert values["devices[].match.device_ids"] == "list of integers from 0 to 4294967295"
    match = json_schema()["$defs"]["MatchShape"]["properties"]
    assert match["vendor_id"]["maximum"] == match["device_ids"]["items"]["maximum"] == 2**32 - 1


def paths(node: Node, here: str = "") -> set[str]:
    """The paths of a blueprint's keys, as the reference spells them; of mappings with free keys,
    a ``*`` as well as the keys."""
    if isinstance(node, Sequence):
        return {here}.union(*(paths(item, f"{here}[]") for item in node.items))
    if not isinstance(node, Table):
        return {here}
    below = [
        paths(value, f"{here}.{step}".lstrip("."))
        for key, value in node.entries.items()
        for step in (key, "*")
    ]
    return {here}.union(*below)


def test_every_key_is_in_an_example() -> None:
    shown = set[str]()
    for name in BlueprintShape.model_fields:
        for example in examples(name):
            there = paths(parse(blueprint(example), "example.yaml").root)
            assert name in there, f"the example of {name} does not have it"
            shown |= there
    assert set(EXAMPLES) == set(BlueprintShape.model_fields)
    missing = [key.path for key in keys() if key.path not in shown]
    assert not missing, "no example has: " + ", ".join(missing)


def test_the_examples_of_keys_are_right(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "examples/house-style/house", tmp_path / "house")
    files = []
    for name in EXAMPLES:
        for number, example in enumerate(examples(name)):
            files.append(tmp_path / f"{name}-{number}.yaml")
            files[-1].write_text(blueprint(example), encoding="utf-8")
    result = call("check", *files)
    assert result.exit_code == 0, result.output
    assert result.stdout.count(": fine") == len(files), result.output


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_an_option_and_an_argument_have_a_sentence(parameter: Parameter) -> None:
    assert SENTENCE.fullmatch(parameter.sentence), f"{parameter.usage}: {parameter.sentence!r}"
    value = parameter.usage.split()[-1]
    named = value.startswith("-") or "|" in value or not value.islower()
    assert named, f"{parameter.usage}: its value has no name; give it a metavar"


@pytest.mark.parametrize("verb", ALL, ids=lambda verb: " ".join(verb.words))
def test_a_verb_has_prose_and_an_example(verb: Verb) -> None:
    assert SENTENCE.fullmatch(verb.prose[0]), verb.prose[0]
    assert verb.group or verb.examples, "its help has no example, in a paragraph that starts \\b"
    for line in verb.examples:
        assert " ".join(verb.words) in line


def test_every_verb_is_in_the_reference() -> None:
    assert [verb.words[1] for verb in ALL if len(verb.words) == 2] == list(VERBS)
    page = pages()["cli.md"]
    for verb in ALL:
        assert re.search(rf"^#+ {' '.join(verb.words)}$", page, re.M)
        for each in verb.parameters:
            written = each.usage.replace("|", "\\|")
            assert f"| `{written}` | " in page
