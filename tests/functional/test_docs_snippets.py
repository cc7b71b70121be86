"""Every block of code in the documents is run, compiled or parsed by somebody."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import onnx
import pytest
from documents import Block, blocks, commands, follow, shows, typed
from projects import expanded
from ruamel.yaml import YAML
from torch_venv import torch_python

from epforge.blueprint import parse
from epforge.blueprint.shape import BlueprintShape
from epforge.resolve import resolve_supported

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    REPOSITORY / "README.md",
    *sorted(REPOSITORY.glob("docs/*.md")),
    *sorted(REPOSITORY.glob("examples/*/README.md")),
]
# Files that a document has its reader save, and that a test of its own runs.
RUN_ELSEWHERE = {"custom-ops.md": "export.py"}
# Hooks and workflows, which test_organisation_files.py holds against their schemas.
NO_BLUEPRINTS = ("organisation.md",)
LANGUAGES = {"sh", "console", "cpp", "python", "yaml", "toml", ""}
BASE = {"epforge": 1, "name": "contoso-npu", "vendor": "Contoso", "ops": ["Relu"]}


def each(language: str) -> list[object]:
    return [
        pytest.param(page, block, id=f"{page.parent.name}/{page.name}-{number}")
        for page in PAGES
        for number, block in enumerate(blocks(page))
        if block.language == language
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_the_languages_of_blocks_are_those_that_are_looked_at(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= LANGUAGES
    fences = re.findall(r"^```", page.read_text(encoding="utf-8"), re.M)
    assert len(fences) == 2 * len(blocks(page)), "a block that is not found"


@pytest.mark.parametrize(("page", "block"), each(""))
def test_a_block_without_a_language_has_no_commands(page: Path, block: Block) -> None:
    """They would not be run."""
    assert not re.search(r"^(\$ |epforge |python3? |pip |git |cmake )", block.text, re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_a_file_that_is_saved_is_used(page: Path) -> None:
    """By a command further down: by its own name, or as a part of a project that is built."""
    found = blocks(page)
    for index, block in enumerate(found):
        if block.saved is None or RUN_ELSEWHERE.get(page.name) == block.saved:
            continue
        later = " ".join(command.text for rest in found[index + 1 :] for command in typed(rest))
        assert block.saved.split("/")[0] in later, block.saved


@pytest.mark.parametrize(("page", "block"), each("yaml"))
def test_yaml_is_a_blueprint_or_a_part_of_one(
    page: Path, block: Block, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.name in NO_BLUEPRINTS:
        return
    # Where the overlays lie that a part may name.
    monkeypatch.chdir(REPOSITORY / "examples/house-style")
    keys = YAML(typ="safe", pure=True).load(block.text).keys()
    assert keys <= BlueprintShape.model_fields.keys()
    base = [f"{key}: {value}\n" for key, value in BASE.items() if key not in keys]
    text = block.text if "epforge" in keys else "".join(base) + block.text
    resolve_supported(parse(text, "blueprint.yaml"))


@pytest.mark.lab
def test_the_export_from_pytorch_runs(tmp_path: Path) -> None:
    (block,) = (
        each for each in blocks(REPOSITORY / "docs/custom-ops.md") if each.saved == "export.py"
    )
    expansion = expanded((REPOSITORY / "blueprints/custom-ops.yaml").read_text(encoding="utf-8"))
    for file in expansion.files:
        if file.path.startswith("torch/"):
            (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file.path).write_bytes(file.content)
    done = subprocess.run(
        [torch_python(), "-c", block.text],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "torch")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    model = onnx.load(tmp_path / "exported.onnx")
    assert {"com.contoso"} < {entry.domain for entry in model.opset_import}


def test_output_that_is_shown_is_compared() -> None:
    assert shows(("a ... c", "...", "end"), "a b c\nmore\nmore\nend\n")
    assert shows(("...",), "")
    assert not shows(("a",), "a\nb\n")
    assert not shows(("a ... c",), "a b\n c\n")
    assert not shows(("...", "end"), "the end\n")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("```sh\nfalse\n```\n", "$ false"),
        ("```console\n$ false\n```\n", "$ false"),
        ("```console\n$ echo one\ntwo\n```\n", "printed:\none"),
        ("```cpp\nint x;\n```\n", "a file here says"),
        ("```python\nraise SystemExit(3)\n```\n", "python -"),
    ],
)
def test_a_document_that_is_wrong_is_found_out(text: str, wrong: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(AssertionError) as raised:
        follow(page, tmp_path)
    assert wrong in str(raised.value)


def test_a_document_is_followed_in_one_shell(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Save this as `there/a.cc`, please:\n\n```cpp\nint  x;\n```\n\n"
        "```sh\ncd there\ncat > b.txt <<'E'\n$HOME\nE\n```\n\n"
        "```console\n$ cat b.txt; false; echo $?\n$HOME\n1\n$ false | true\n$ cd ..\n```\n\n"
        "It says:\n\n```cpp\nint x;\n```\n"
    )
    assert next(iter(commands(page))).text == "cd there"
    follow(page, tmp_path)
    assert (tmp_path / "there/a.cc").read_text() == "int  x;\n"
