"""What a verb prints with ``--json`` is what its function returns, and what its schema says."""

from pathlib import Path
from typing import Any

import pytest
from answers import ERRORS, PROJECTS, Asked, asked_twice, check_schema
from cli_project import call, scaffolded

import epforge


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scaffolded(tmp_path_factory.mktemp("project"))


@pytest.mark.parametrize("question", PROJECTS, ids=lambda each: each.name)
def test_an_answer_is_the_same_in_both_ways_and_as_its_schema_says(
    question: Asked, project: Path, tmp_path: Path
) -> None:
    result, printed = asked_twice(question, project, tmp_path / "npu")
    assert not isinstance(result, Exception), result
    assert result.to_json() == printed
    assert int(result.exit_status) == question.status
    assert printed["format"] == 1
    check_schema(printed, question.verb)


@pytest.mark.parametrize("question", ERRORS, ids=lambda each: each.name)
def test_an_error_is_the_same_in_both_ways_and_as_its_schema_says(
    question: Asked, project: Path, tmp_path: Path
) -> None:
    error, printed = asked_twice(question, project, tmp_path / "npu")
    assert isinstance(error, epforge.EpforgeError)
    body = printed["error"]
    assert body["exit_status"] == int(error.exit_status) == question.status
    assert body["cure"] == error.cure
    assert {**body, **error.details()} == body
    assert printed["format"] == 1
    check_schema(printed, "error")


def test_nothing_is_printed_by_functions(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    epforge.plan_project(project)
    epforge.regenerate_project(project)
    epforge.list_sdks()
    assert capfd.readouterr() == ("", "")


def test_progress_is_told_to_who_asks(project: Path, tmp_path: Path) -> None:
    told: list[Any] = []
    done = epforge.scaffold_project(
        project / "blueprint.yaml", tmp_path / "npu", on_written=told.append
    )
    assert [each.outcome for each in told] == [done.outcome]


def test_one_name_is_as_good_as_a_list_of_one(project: Path) -> None:
    one = epforge.plan_project(project, "README.md")
    assert one.to_json() == epforge.plan_project(str(project), ["README.md"]).to_json()


def test_a_wrong_choice_names_those_that_there_are(project: Path) -> None:
    with pytest.raises(epforge.UsageError) as error:
        epforge.regenerate_project(project, on_conflict="mine")
    assert "markers" in error.value.cure


def test_every_schema_can_be_asked_for_by_its_verb() -> None:
    for name in epforge.list_schemas().schemas:
        result = call("schema", "--of", name)
        assert result.exit_code == 0, result.output
        assert '"$schema": "https://json-schema.org/draft/2020-12/schema"' in result.stdout


def test_a_schema_of_nothing_names_the_nearest() -> None:
    result = call("schema", "--of", "ops lst")
    assert result.exit_code == 2
    assert "Did you mean ops list?" in result.stderr
    assert call("schema", "--of", "check", "--list").exit_code == 2
