"""Legal but hostile text in a blueprint: every file of the project still is what it should be."""

import ast
import json
import subprocess
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from epforge.cli.main import app

TEXTS = [
    'x"; rm -rf ~ #',
    "*/ } #error /* \\",
    "${HOME} $<CONFIG> @VAR@ ]] a;b",
    "<%= 7 %> {{ 7 }} %> ${{ secrets.x }}",
    "`id` <script>alert(1)</script> [l](javascript:x) |",
    "Grüße 漢字 \U0001f600 ' ''' \"\"\"",
    "key: value # not a comment, - not a list",
    "??/ trigraph ??=",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_project_survives_its_texts(tmp_path: Path, text: str) -> None:
    quoted = json.dumps(text, ensure_ascii=False)
    blueprint = tmp_path / "b.yaml"
    blueprint.write_text(
        f"epforge: 1\nname: acme-npu\nvendor: {{name: {quoted}}}\nops: [Relu]\n"
        f"options:\n"
        f"  - {{name: mode, type: string, default: {quoted}, doc: {quoted}}}\n"
        f"  - {{name: level, type: int, range: [0, 3], default: 1, doc: {quoted}}}\n"
    )
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["scaffold", str(blueprint), str(out)])
    assert result.exit_code == 0, result.output

    for path in out.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"))
    for path in [*out.rglob("*.json"), out / "epforge.lock"]:
        json.loads(path.read_text(encoding="utf-8"))
    for path in out.rglob("*.yml"):
        YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    manifest = json.loads((out / "src/gen/manifest.json").read_text(encoding="utf-8"))
    assert manifest["vendor"] == text
    assert manifest["options"][0]["default"] == text
    metadata = tomllib.loads((out / "pyproject.toml").read_text(encoding="utf-8"))
    assert metadata["project"]["authors"] == [{"name": text}]

    for path in sorted((out / "src/gen").glob("*.cc")):
        flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        done = subprocess.run(
            ["c++", *flags, "-I", str(out / "src"), str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
