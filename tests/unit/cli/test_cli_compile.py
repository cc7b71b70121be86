"""Compiling models, as far as it goes without a library: arguments and configurations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compiling_code import module
from typer.testing import CliRunner

from epforge.cli.main import app
from epforge.verbs.compile_worker import CompileRequest

run = CliRunner().invoke
outputs = module("_outputs")
config = module("_plugin_config")
command = module("_compile_command")
compiling = module("compiling")
CompileError = outputs.CompileError


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x3a\x02\x0a\x00")  # a graph with one node that says nothing of itself
    return path


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "lib.so"
    path.write_text("no library")
    return path


# KEY|VALUE


@pytest.mark.parametrize(
    ("texts", "pairs"),
    [
        ([], {}),
        (["a|1 b|2"], {"a": "1", "b": "2"}),
        (["a|1", " b|2\n c|x|y "], {"a": "1", "b": "2", "c": "x|y"}),
        (["a|"], {"a": ""}),
    ],
)
def test_pairs(texts: list[str], pairs: dict[str, str]) -> None:
    assert config.parse_pairs(texts, "-i") == pairs


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["a|1 b"], "b is not KEY|VALUE"),
        (["|1"], "|1 has no key"),
        (["a|1 a|1"], "a is given twice"),
        (["effort|1", "effort|2"], "effort is given twice"),
    ],
)
def test_what_is_no_pair_is_named(texts: list[str], says: str) -> None:
    with pytest.raises(CompileError) as caught:
        config.parse_pairs(texts, "-C")
    assert caught.value.message == f"-C: {says}"
    assert caught.value.status == 2


@pytest.mark.parametrize(
    ("entry", "embed", "share", "says"),
    [
        ("ep.context_enable|0", False, False, "ep.context_enable cannot be 0"),
        ("ep.context_enable|", False, False, "ep.context_enable cannot be empty"),
        ("ep.context_embed_mode|1", False, False, "say --embed"),
        ("ep.context_embed_mode|0", True, False, "say --embed"),
        ("ep.context_file_path|x.onnx", False, False, "say --output"),
        ("ep.share_ep_contexts|1", False, False, "say --share-weights"),
        ("ep.share_ep_contexts|0", False, True, "say --share-weights"),
        ("ep.stop_share_ep_contexts|1", False, True, "the last of the models gets it"),
    ],
)
def test_entries_that_contradict_are_refused(
    entry: str, embed: bool, share: bool, says: str
) -> None:
    pairs = config.parse_pairs([entry], "-C")
    with pytest.raises(CompileError, match="cannot be") as caught:
        config.session_entries(pairs, embed, share)
    assert says in caught.value.message
    assert caught.value.status == 2


def test_entries_that_agree_are_left_to_the_compilation() -> None:
    same = {"ep.context_enable": "1", "ep.context_embed_mode": "1", "ep.share_ep_contexts": "0"}
    assert config.session_entries({**same, "ep.x": "7"}, True, False) == {"ep.x": "7"}


def test_only_the_last_model_ends_the_sharing() -> None:
    assert config.sharing_entries(False) == {"ep.share_ep_contexts": "1"}
    assert set(config.sharing_entries(True)) == {
        "ep.share_ep_contexts",
        "ep.stop_share_ep_contexts",
    }


def test_what_is_embedded_is_not_shared() -> None:
    with pytest.raises(CompileError, match="embedded"):
        compiling.Settings(embed=True, share_weights=True).checked()


# The configuration file


GOOD: dict[str, Any] = {
    "ep_library_registration_name": "contoso",
    "ep_library_path": "../build/libcontoso.so",
    "selected_ep_name": "ContosoExecutionProvider",
}


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "plugin_ep.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_configuration_is_read_relative_to_itself(tmp_path: Path) -> None:
    found = config.read_config(written(tmp_path, GOOD))
    assert found.registration == "contoso"
    assert found.library == tmp_path / "../build/libcontoso.so"
    assert (found.ep, found.indices, found.options) == (GOOD["selected_ep_name"], (), {})


def test_devices_may_be_chosen_by_number(tmp_path: Path) -> None:
    content = {**GOOD, "selected_ep_device_indices": [2, 0], "default_ep_options": {"k": "v"}}
    del content["selected_ep_name"]
    found = config.read_config(written(tmp_path, content))
    assert (found.ep, found.indices, found.options) == ("", (2, 0), {"k": "v"})


def test_the_example_of_the_errors_is_right(tmp_path: Path) -> None:
    assert config.read_config(written(tmp_path, config.EXAMPLE)).registration == "contoso"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        ("[]", "not an object"),
        ("null", "not an object"),
        ('{"ep_library_path": "a", "ep_library_path": "b"}', "'ep_library_path' is there twice"),
        ("[" * 100_000, "recursion"),
        (f'{{"x": "{"y" * (1 << 20)}"}}', "larger than 1048576 bytes"),
        ({**GOOD, "selected_ep": "x"}, "no key 'selected_ep'"),
        (
            {"ep_library_path": "a", "selected_ep_name": "b"},
            "'ep_library_registration_name' is mis",
        ),
        ({"ep_library_registration_name": "a"}, "'ep_library_path' is missing"),
        ({**GOOD, "ep_library_path": ""}, "'ep_library_path' is not a text"),
        ({**GOOD, "ep_library_path": "a\0b"}, "'ep_library_path' is not a text"),
        ({**GOOD, "ep_library_registration_name": 3}, "'ep_library_registration_name' is not a"),
        ({**GOOD, "selected_ep_device_indices": [0]}, "exactly one of"),
        ({k: v for k, v in GOOD.items() if k != "selected_ep_name"}, "exactly one of"),
        ({**GOOD, "selected_ep_name": None}, "'selected_ep_name' is not a text"),
        ({**GOOD, "default_ep_options": []}, "'default_ep_options' is not an object of texts"),
        (
            {**GOOD, "default_ep_options": {"a": 1}},
            "'default_ep_options' is not an object of texts",
        ),
        ({**GOOD, "default_ep_options": {"": "1"}}, "'default_ep_options' has a key that is empty"),
    ],
)
def test_a_wrong_configuration_is_explained_with_a_right_one(
    tmp_path: Path, content: object, says: str
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(CompileError) as caught:
        config.read_config(path)
    assert says in caught.value.message
    assert str(path) in caught.value.message
    assert config.EXAMPLE in caught.value.cure
    assert caught.value.status == 2


@pytest.mark.parametrize("indices", [[], [-1], [True], ["0"], [0, 0], [0.0], 0, None])
def test_wrong_device_numbers(tmp_path: Path, indices: object) -> None:
    content = {**GOOD, "selected_ep_device_indices": indices}
    del content["selected_ep_name"]
    with pytest.raises(CompileError, match="'selected_ep_device_indices' is not a list"):
        config.read_config(written(tmp_path, content))


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="No such file"):
        config.read_config(tmp_path / "none.json")


def test_a_configuration_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(b'{"\xff": 1}')
    with pytest.raises(CompileError, match="not a plugin configuration"):
        config.read_config(path)


# The verb


def test_the_request_has_the_fields_of_the_code_that_is_asked() -> None:
    ours = set(CompileRequest.__dataclass_fields__)
    assert ours | {"token"} == set(command.Request.__dataclass_fields__)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-i", "effort"], "effort is not KEY|VALUE"),
        (["-i", "a|1", "-i", "a|2"], "a is given twice"),
        (["-C", "ep.context_enable|0"], "ep.context_enable cannot be 0"),
        (["--embed", "--share-weights"], "embedded cannot be shared"),
        (["-p", "CONFIG"], "is not a plugin configuration"),
        (["none.onnx"], "none.onnx does not exist"),
    ],
)
def test_a_wrong_call(
    model: Path, library: Path, tmp_path: Path, arguments: list[str], says: str
) -> None:
    path = written(tmp_path, {})
    given = [str(path) if argument == "CONFIG" else argument for argument in arguments]
    call = ["compile", str(model), "--library", str(library), *given]
    result = run(app, call)
    assert result.exit_code == 2
    assert says in result.stderr
    answer = json.loads(run(app, [*call, "--json"]).stdout)["error"]
    assert answer["exit_status"] == 2
    assert says in answer["message"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lib.so", "model.onnx", "plugin_ep.json"]


def test_what_is_no_library_and_what_is_not_there(model: Path, library: Path) -> None:
    result = run(app, ["compile", str(model), "--library", str(library)])
    assert result.exit_code == 1
    assert "cannot be registered" in result.stderr
    result = run(app, ["compile", str(model), "--library", str(library.with_name("no.so"))])
    assert result.exit_code == 2
    assert "is not there" in result.stderr


def test_project_and_library_exclude_each_other(model: Path, library: Path) -> None:
    result = run(app, ["compile", str(model.parent), str(model), "--library", str(library)])
    assert result.exit_code == 2
    assert "not both" in result.stderr


def test_a_project_without_a_model(tmp_path: Path) -> None:
    result = run(app, ["compile", str(tmp_path)])
    assert result.exit_code == 2
    assert "no model" in result.stderr


def test_a_project_that_is_not_built(tmp_path: Path, model: Path) -> None:
    blueprint = tmp_path / "b.yaml"
    blueprint.write_text("{epforge: 1, name: contoso-npu, vendor: Contoso, ops: [Relu]}\n")
    assert run(app, ["scaffold", str(blueprint), str(tmp_path / "out")]).exit_code == 0
    result = run(app, ["compile", str(tmp_path / "out"), str(model)])
    assert result.exit_code == 2
    assert "epforge build" in result.stderr


def test_every_project_has_a_configuration_for_the_runtime_s_own_tools(tmp_path: Path) -> None:
    for virtual, name in (("never", "contoso-npu"), ("allowed", "contoso-npu.virtual")):
        blueprint = tmp_path / f"{virtual}.yaml"
        blueprint.write_text(
            "{epforge: 1, name: contoso-npu, vendor: Contoso, ops: [Relu], "
            f"devices: [{{name: npu, type: npu, virtual: {virtual}}}]}}\n"
        )
        out = tmp_path / virtual
        assert run(app, ["scaffold", str(blueprint), str(out)]).exit_code == 0
        found = config.read_config(out / "packaging/plugin_ep.json")
        assert found.registration == name
        assert found.library.resolve() == out / "build/release/libonnxruntime_ep_contoso_npu.so"
        assert found.ep == "ContosoNpuExecutionProvider"
