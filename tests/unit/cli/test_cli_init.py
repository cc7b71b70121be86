"""`init` from answers: what it writes, what it says, what it refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from cli_project import asked, call, tree

from epforge.blueprint import load
from epforge.resolve import analyse
from epforge.resolve.model import Blueprint
from epforge.starter.questions import defaults

OURS = {".copier-answers.yml", "blueprint.yaml", "epforge.schema.json"}
#: Words that YAML, a template, a shell or a terminal may take for something else.
VENDORS = [
    "Contoso",
    "no",
    "null",
    "~",
    "1.30",
    "0x10",
    "12:30",
    "2026-01-01",
    "- a",
    "a: b",
    "# none",
    "a # b",
    "{a: b}",
    "[a, b]",
    "&a *a !!str",
    "it's",
    "''",
    'a "quoted" one',
    "back\\slash \\n",
    "{{ name }} {% if x %} {# y #}",
    "$(id) `id` %PATH%",
    "Müller & Söhne Großgeräte",
    "株式会社コントソ",
    "🧪 Lab",
    "%TAG ! tag:x",
    "@at `tick`",
    "...",
    "---",
    "a" * 128,
]


def made(directory: Path) -> Blueprint:
    """The blueprint of a repository; there is nothing to say against it."""
    found = analyse(load(directory / "blueprint.yaml"))
    assert (found.errors, found.warnings, found.unsupported) == ((), (), ())
    assert found.blueprint is not None
    return found.blueprint


def init(directory: Path, *args: str) -> Any:
    result = call("init", directory, *args)
    assert result.exit_code == 0, result.output
    return result


def test_a_repository_holds_a_right_blueprint_its_schema_and_the_answers(tmp_path: Path) -> None:
    init(tmp_path / "my-ep", "--vendor", "Contoso")
    assert set(tree(tmp_path)) == {f"my-ep/{name}" for name in OURS}
    blueprint = made(tmp_path / "my-ep")
    assert (blueprint.names.name.kebab, blueprint.vendor.name) == ("my-ep", "Contoso")
    assert [op.label for op in blueprint.ops] == ["Add", "MatMul", "Mul", "Relu"]
    text = (tmp_path / "my-ep/blueprint.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=./epforge.schema.json\n")
    schema = json.loads((tmp_path / "my-ep/epforge.schema.json").read_text(encoding="utf-8"))
    assert schema == json.loads(call("schema").stdout)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_vendor_is_what_was_answered(tmp_path: Path, vendor: str) -> None:
    init(tmp_path / "my-ep", "--vendor", vendor)
    assert made(tmp_path / "my-ep").vendor.name == vendor
    assert asked("init", tmp_path / "my-ep", "--vendor", vendor)["answers"]["vendor"] == vendor


@pytest.mark.parametrize(
    ("args", "seen"),
    [
        ([], ("kernel-registry", "host", "cpu", "none")),
        (["--device", "npu"], ("kernel-registry", "host", "npu", "none")),
        (["--device", "gpu", "--memory", "device"], ("kernel-registry", "host", "gpu", "arena")),
        (["--device", "cuda"], ("kernel-registry", "cuda", "gpu", "arena")),
        (["--paradigm", "virtual"], ("virtual", "host", "npu", "none")),
        (["--paradigm", "compiled", "--device", "npu"], ("compiled", "host", "npu", "none")),
    ],
)
def test_every_answer_is_a_right_blueprint(
    tmp_path: Path, args: list[str], seen: tuple[str, ...]
) -> None:
    init(tmp_path / "my-ep", "--vendor", "Contoso", *args)
    blueprint = made(tmp_path / "my-ep")
    (device,) = blueprint.devices
    assert seen == (blueprint.paradigm, blueprint.runtime, device.type, blueprint.memory.default)


def test_all_answers_are_in_the_blueprint(tmp_path: Path) -> None:
    given = {
        "name": "Acme_Chip2",
        "vendor": "Acme",
        "device": "npu",
        "vendor-id": "0xB357",
        "paradigm": "compiled",
        "types": "float32,int64",
        "license": "MIT",
        "ops": "Relu, Add\tcom.microsoft::Gelu",
    }
    args = [text for name, value in given.items() for text in (f"--{name}", value)]
    init(tmp_path / "my-ep", "--no-save-compiled", *args)
    blueprint = made(tmp_path / "my-ep")
    (device,) = blueprint.devices
    assert device.match.vendor_id == 0xB357
    assert [dtype.text for dtype in blueprint.types] == ["float32", "int64"]
    assert [op.label for op in blueprint.ops] == ["Add", "Relu", "com.microsoft::Gelu"]
    assert (blueprint.license, blueprint.has_contexts) == ("MIT", False)
    assert blueprint.names.ep == "AcmeChip2ExecutionProvider"


@pytest.mark.parametrize(
    ("folder", "name"),
    [("npu2", "npu2"), ("My NPU", "My-NPU"), ("class", "class-ep"), ("Größe", "Grosse")],
)
def test_the_name_follows_from_the_directory(tmp_path: Path, folder: str, name: str) -> None:
    answers = asked("init", tmp_path / folder, "--vendor", "Contoso", "--dry-run")["answers"]
    assert answers["name"].casefold() in {name.casefold(), "groe", "gro-e"}


def test_the_current_directory_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here-ep").mkdir()
    monkeypatch.chdir(tmp_path / "here-ep")
    result = call("init", "--vendor", "Contoso")
    assert result.exit_code == 0, result.output
    assert made(tmp_path / "here-ep").names.name.kebab == "here-ep"
    assert "  epforge scaffold . --build --validate\n  git init\n" in result.stdout


@pytest.mark.parametrize("command", [["init", "--vendor", "Contoso"], ["templates", "starter"]])
def test_the_commands_to_go_on_with_are_those_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    place = tmp_path / "repository"
    begun, usual = f"git -C {place} init", asked(*command, place)["next"]
    assert begun in usual
    (place / ".git").mkdir()
    (tmp_path / "bin").mkdir()
    assert asked(*command, place)["next"] == [each for each in usual if each != begun]
    (place / ".git").rmdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    without = asked(*command, place)["next"]
    (install,) = (each for each in without if each not in usual)
    assert install in {"apt install git", "xcode-select --install", "winget install Git.Git"}
    assert without[without.index(install) + 1] == begun
    without.remove(install)
    assert without == usual


def test_help_names_the_defaults() -> None:
    text = "".join(call("init", "--help").stdout.split())
    for name, default in defaults().items():
        if isinstance(default, str) and default:
            said = default.replace(" ", "")
            ways = (f"bydefault{said}.", f"{said}(thedefault)", f"{said}(noneyet,thedefault)")
            assert any(way in text for way in ways), name


def test_what_is_missing_is_named_and_nothing_is_asked(tmp_path: Path) -> None:
    for args in ([], ["--defaults"], ["--from", "cuda"]):
        result = call("init", tmp_path / "my-ep", *args)
        assert result.exit_code == 2
        assert "--vendor is missing" in result.stderr
        assert f"epforge init {tmp_path / 'my-ep'} --vendor Contoso" in result.stderr
    assert "--vendor is missing" in asked("init", tmp_path / "my-ep")["error"]["message"]
    assert tree(tmp_path) == {}


WRONG = [
    ("name", "class", "C++ keyword"),
    ("name", "a b", "write a-b"),
    ("name", "x\nops: []", "one line"),
    ("name", "tensorrt", "built in"),
    ("vendor", " ", "cannot name a vendor"),
    ("vendor", "a\x1b[31mb", "one line"),
    ("device", "npuu", "did you mean npu"),
    ("license", "Apache 2", "SPDX"),
    ("license", "MIT # mine", "more than a value"),
    ("license", "MIT\nlayout: NHWC", "one line"),
    ("types", "float33", "did you mean float32"),
    ("ops", "Rel", "did you mean Relu"),
    ("ops", "Relu] #", "more than a value"),
    ("ops", "{op: Relu}", "op"),
    ("vendor-id", "0x1}  # {", "more than a value"),
    ("vendor-id", "0xZZ", "integer"),
]


@pytest.mark.parametrize(("option", "value", "said"), WRONG)
def test_an_answer_that_cannot_be_is_refused(
    tmp_path: Path, option: str, value: str, said: str
) -> None:
    more = ["--device", "npu"] if option == "vendor-id" else []
    rest = [] if option == "vendor" else ["--vendor", "Contoso"]
    result = call("init", tmp_path / "my-ep", *more, *rest, f"--{option}", value)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"epforge: --{option}: ")
    assert said.casefold() in result.stderr.casefold()
    assert "\x1b" not in result.stderr
    assert tree(tmp_path) == {}


def test_all_wrong_answers_are_named_at_once(tmp_path: Path) -> None:
    args = ["--vendor", "", "--license", "foo bar", "--ops", "Rel", "--memory", "device"]
    error = asked("init", tmp_path / "my-ep", *args)["error"]
    assert [row["option"] for row in error["answers"]] == [
        *("--vendor", "--memory", "--ops", "--license")
    ]
    assert all(row["text"] and row["cure"] for row in error["answers"])
    assert all(row["option"] in error["message"] for row in error["answers"])
    assert error["exit_status"] == 2
    assert tree(tmp_path) == {}


@pytest.mark.parametrize(
    "args",
    [
        ["--device", "cpu", "--vendor-id", "0x1"],
        ["--save-compiled"],
        ["--device", "cuda", "--paradigm", "compiled"],
        ["--from", "cuda", "--device", "npu"],
        ["--from", "cuda", "--ops", "Relu"],
        ["--from", "cuda", "--from-model", "m.onnx"],
        ["--from-model", "m.onnx", "--ops", "Relu"],
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path: Path, args: list[str]) -> None:
    result = call("init", tmp_path / "my-ep", "--vendor", "Contoso", *args)
    assert result.exit_code == 2
    assert args[-2 if len(args) > 1 else -1] in result.stderr
    assert tree(tmp_path) == {}


def test_the_preview_says_what_will_be(tmp_path: Path) -> None:
    args = ["init", tmp_path / "my-ep", "--vendor", "Contoso", "--ops", "Relu,ImageDecoder"]
    result = call(*args, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "1 operator with a kernel: Relu\n" in result.stdout
    assert "1 stub to be written by you, on the CPU before that: ImageDecoder\n" in result.stdout
    assert "nothing was written" in result.stdout
    data = asked(*args, "--dry-run")
    assert (data["kernels"], data["stubs"], data["dry_run"]) == (["Relu"], ["ImageDecoder"], True)
    assert tree(tmp_path) == {}
    assert asked(*args) == {**data, "dry_run": False}
    rows = json.loads(call("plan", tmp_path / "my-ep", "--json").stdout)["files"]
    assert data["project"] == {
        owner: [row["path"] for row in rows if row["owner"] == owner]
        for owner in ("generated", "shared", "yours")
    }
    for command in data["next"]:
        assert f"  {command}\n" in result.stdout


def test_files_of_others_stay_and_those_in_the_way_of_the_project_are_named(
    tmp_path: Path,
) -> None:
    others = {".git/config": "[core]\n", "README.md": "mine\n", "notes.txt": "mine\n"}
    for path, text in others.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    result = init(tmp_path, "--vendor", "Contoso", "--name", "my-ep")
    assert "In the way of that, to be moved before: README.md\n" in result.stdout
    assert {path: tree(tmp_path)[path].decode() for path in others} == others
    assert set(tree(tmp_path)) == OURS | set(others)


@pytest.mark.parametrize("name", sorted(OURS))
def test_no_file_is_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine\n")
    error = asked("init", tmp_path, "--vendor", "Contoso")["error"]
    assert error["files"] == [name]
    assert asked("init", tmp_path, "--vendor", "Contoso", "--dry-run")["error"] == error
    assert tree(tmp_path) == {name: b"mine\n"}


def test_the_same_again_changes_nothing(tmp_path: Path) -> None:
    init(tmp_path / "my-ep", "--vendor", "Contoso")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    data = asked("init", tmp_path / "my-ep", "--vendor", "Contoso")
    assert (data["written"], set(data["present"])) == ([], OURS)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_project_is_not_begun_anew(tmp_path: Path) -> None:
    init(tmp_path / "my-ep", "--vendor", "Contoso")
    assert call("scaffold", tmp_path / "my-ep").exit_code == 0
    before = tree(tmp_path)
    result = call("init", tmp_path / "my-ep", "--vendor", "Contoso")
    assert result.exit_code == 2
    assert "is a project of epforge already" in result.stderr
    assert tree(tmp_path) == before


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a file system that is closed")
def test_a_directory_that_cannot_be_written_is_an_error_of_the_machine() -> None:
    for place in ("/proc/self/fdinfo", "/proc/self/my-ep"):  # to root as well
        result = call("init", place, "--vendor", "Contoso", "--name", "my-ep")
        assert result.exit_code == 4, result.output
        assert "Nothing was changed" in result.stderr


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    result = call("init", tmp_path / "file", "--vendor", "Contoso")
    assert result.exit_code == 2
    assert "is not a directory" in result.stderr
