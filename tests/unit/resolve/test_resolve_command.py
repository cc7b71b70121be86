"""``epforge check`` and ``epforge schema`` as commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import epforge
from epforge.assets import assets_dir
from epforge.blueprint import json_schema, parse
from epforge.resolve import analyse

FULL = Path(__file__).with_name("resolve_full.yaml")
GOOD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    home = Path(epforge.__file__).parents[1]
    return subprocess.run(
        [sys.executable, "-m", "epforge", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_good_blueprint(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(GOOD)
    done = run("check", "b.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "b.yaml: ContosoNpuExecutionProvider, 1 operator: fine\n"


def test_what_is_not_supported_yet_is_a_note(tmp_path: Path) -> None:
    done = run("check", str(FULL), cwd=tmp_path)
    assert done.returncode == 0
    assert f"{FULL}:23:26: note: not supported yet: float16" in done.stderr
    assert "1 note" in done.stdout


def test_resolved_is_a_blueprint(tmp_path: Path) -> None:
    done = run("check", str(FULL), "--resolved", cwd=tmp_path)
    assert done.returncode == 0
    assert analyse(parse(done.stdout)).errors == ()
    assert 'distributions: [{suffix: ""}]' in done.stdout


def test_json_of_a_good_one(tmp_path: Path) -> None:
    path = assets_dir("blueprints") / "minimal.yaml"
    body = json.loads(run("check", str(path), "--json", "--resolved", cwd=tmp_path).stdout)
    assert (body["ok"], body["errors"], body["diagnostics"]) == (True, 0, [])
    assert body["resolved"]["name"] == "contoso-npu"


@pytest.mark.parametrize(
    ("text", "code", "fix"),
    [
        (GOOD.replace("vendor", "vendro"), "unknown-key", "vendor"),
        (GOOD + "ops: []\n", "duplicate-key", None),
        (GOOD + "x: [\n", "yaml-syntax", "]"),
        ("", "empty", None),
    ],
)
def test_json_of_a_bad_one(text: str, code: str, fix: str | None, tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(text)
    done = run("check", "b.yaml", "--json", cwd=tmp_path)
    assert done.returncode == 2
    body = json.loads(done.stdout)
    assert (body["ok"], body["errors"]) == (False, 1)
    (entry,) = body["diagnostics"]
    assert (entry["file"], entry["code"]) == ("b.yaml", code)
    assert (entry["fix"] or {}).get("text") == fix


def test_a_missing_file(tmp_path: Path) -> None:
    done = run("check", "none.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "none.yaml does not exist" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "bad",
    [
        "paradigm: turtles",
        "version: x",
        "ops: [{op: Add, since: -1}]",
        "unknown: 1",
        "memory: {streams: on}",
        "compile: {max_group: 0755}",
        "name: again",
        "license: *nowhere",
    ],
)
def test_bad_answers_end_with_place_and_status_and_write_nothing(bad: str, tmp_path: Path) -> None:
    """FR 79, by YAML."""
    text = f"epforge: 1\nname: contoso-npu\nvendor: Contoso\n{bad}\n"
    (tmp_path / "b.yaml").write_text(text)
    for verb in (["check", "b.yaml"], ["scaffold", "b.yaml", "out"]):
        done = run(*verb, cwd=tmp_path)
        assert done.returncode == 2
        assert "b.yaml:4:" in done.stderr
        assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.yaml"]


def test_schema_prints_or_writes_the_same(tmp_path: Path) -> None:
    printed = run("schema", cwd=tmp_path)
    written = run("schema", "-o", "s.json", cwd=tmp_path)
    assert (printed.returncode, written.returncode) == (0, 0)
    assert (tmp_path / "s.json").read_text() == printed.stdout
    assert json.loads(printed.stdout) == json_schema()
    assert run("schema", "-o", "no/s.json", cwd=tmp_path).returncode == 2


def test_checking_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(GOOD)
    home = Path(epforge.__file__).parents[1]
    code = (
        "import sys; from pathlib import Path; from epforge.cli.check import check; "
        "check([Path('b.yaml')], False, False); "
        "print([m for m in ('onnx', 'onnxruntime', 'numpy', 'lief', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
