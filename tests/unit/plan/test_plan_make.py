"""The plan as a whole: order, uniqueness, what every project has."""

import pytest
from blueprints import example

from epforge.names import Identifier
from epforge.plan import FileSpec, Owner, make_plan
from epforge.plan.make import collect
from epforge.resolve.model import Blueprint


def spec(path: str) -> FileSpec:
    return FileSpec(path, "t", Owner.GENERATED, {}, "a test")


def test_files_are_sorted_by_the_bytes_of_their_paths() -> None:
    plan = collect([spec("b"), spec("a/b"), spec("B"), spec("a-b"), spec("é")])
    assert [file.path for file in plan.files] == ["B", "a-b", "a/b", "b", "é"]


def test_two_files_at_one_path_are_a_fault() -> None:
    with pytest.raises(RuntimeError, match="two parts of the plan want a"):
        collect([spec("a"), spec("b"), spec("a")])


def plan_of(blueprint: Blueprint) -> dict[str, FileSpec]:
    return {file.path: file for file in make_plan(blueprint).files}


def test_the_blueprint_is_copied_as_it_was_written() -> None:
    text = "epforge: 1   # a comment  \r\nname: contoso-npu\nvendor: C\nops: [Relu]\n\n\n"
    file = plan_of(example(text=text))["blueprint.yaml"]
    assert file.params["content"] == text.encode()
    assert file.owner is Owner.YOURS


def test_every_file_knows_the_namespace_its_reason_and_a_real_template() -> None:
    from epforge.assets import assets_dir

    for file in make_plan(example()).files:
        assert file.params["ns"] == Identifier("contoso_npu")
        assert file.reason
        assert not file.template or (assets_dir("templates") / file.template).is_file(), file


def test_licences_other_than_ours_are_named_not_invented() -> None:
    assert plan_of(example())["LICENSE"].template == "plugin/licenses/Apache-2.0.txt"
    other = plan_of(example(license="LicenseRef-Contoso"))["LICENSE"]
    assert other.template == "plugin/licenses/notice.txt"
    assert other.params["license"] == "LicenseRef-Contoso"


def test_the_same_blueprint_gives_the_same_plan() -> None:
    assert make_plan(example()) == make_plan(example())
