"""`epforge report`, the files that `validate --report` writes, and the table that grows."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reports import HOSTILE, check, data, usual
from rich.console import Console
from typer.testing import CliRunner

from epforge.cli.main import app
from epforge.cli.show.checks import show_lines
from epforge.cli.show.ladder import Table, ladder
from epforge.errors import UsageError
from epforge.validate import Check, Outcome
from epforge.verbs import report_files

run = CliRunner().invoke


def written(path: Path, *checks: Check, **values: object) -> str:
    path.write_text(json.dumps(data(*checks, **values)), encoding="utf-8")
    return str(path)


@pytest.fixture
def usual_report(tmp_path: Path) -> str:
    return written(tmp_path / "usual.json", *usual())


def test_show_prints_what_validate_prints(usual_report: str) -> None:
    result = run(app, ["report", "show", usual_report])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("ToyExecutionProvider libtoy.so on onnxruntime 1.32.0 at 2026-")
    assert lines[3].split() == ["ops", "Relu", "CRASHED", "case", "2:", "SIGSEGV"]
    assert lines[-1].startswith("failed at ops Relu on 1.32.0; ops Odd on 1.32.0: ")


def test_show_does_not_command_the_terminal(tmp_path: Path) -> None:
    name = written(tmp_path / "x.json", check(HOSTILE, detail=HOSTILE), ep=HOSTILE, summary=HOSTILE)
    result = run(app, ["report", "show", name])
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\x00" not in result.stdout
    assert "<script" in result.stdout


def test_render_writes_a_page_and_xml(usual_report: str, tmp_path: Path) -> None:
    paths = [tmp_path / "a.html", tmp_path / "a.xml", tmp_path / "B.HTML"]
    result = run(app, ["report", "render", usual_report, *map(str, paths)])
    assert result.exit_code == 0, result.output
    assert paths[0].read_bytes().startswith(b"<!doctype html>")
    assert paths[2].read_bytes() == paths[0].read_bytes()
    assert ElementTree.parse(paths[1]).getroot().tag == "testsuites"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["usual.json", *(path.name for path in paths)]
    )


@pytest.mark.parametrize(
    ("name", "says"), [("a.txt", "suffix"), ("a", "suffix"), ("none/a.xml", "no such directory")]
)
def test_a_file_that_cannot_be_written_is_told_first(
    usual_report: str, tmp_path: Path, name: str, says: str
) -> None:
    good = tmp_path / "good.html"
    result = run(app, ["report", "render", usual_report, str(good), str(tmp_path / name)])
    assert result.exit_code == 2
    assert says in result.stderr
    assert not good.exists()


def test_validate_says_so_before_it_begins(tmp_path: Path) -> None:
    result = run(app, ["validate", "--library", "none.so", "--report", str(tmp_path / "a.pdf")])
    assert result.exit_code == 2
    assert f"--report {tmp_path / 'a.pdf'}: the suffix" in result.stderr


def test_a_place_that_is_a_directory_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(UsageError, match=r"a\.json"):
        report_files.write([tmp_path / "a.json"], data())
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_diff_says_what_is_worse(tmp_path: Path) -> None:
    before = written(tmp_path / "a.json", check("Relu"), check("Add", Outcome.FAILED))
    after = written(tmp_path / "b.json", check("Relu", Outcome.FAILED, detail="off\nby 1"))
    result = run(app, ["report", "diff", before, after])
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "newly failing: ops Relu on 1.32.0: passed -> failed: off by 1",
        "gone: ops Add on 1.32.0: failed: all right",
        "worse: something that was well is not known to be so any more",
    ]
    back = run(app, ["report", "diff", after, before])
    assert back.exit_code == 1  # Add fails, and was not there
    assert run(app, ["report", "diff", before, before]).stdout == "no outcome has changed\n"


def test_diff_for_programs(tmp_path: Path) -> None:
    before = written(tmp_path / "a.json", check("Relu", Outcome.FAILED))
    after = written(tmp_path / "b.json", check("Relu", runtime="1.33.0", seconds=9.0))
    result = run(app, ["report", "diff", "--json", before, after])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["worse"] is False
    assert found["runtimes"] == ["1.32.0", "1.33.0"]
    assert found["passing"] == [
        {
            "place": "ops Relu on 1.33.0",
            "before": "failed",
            "after": "passed",
            "detail": "all right",
        }
    ]
    assert found["slower"] == [{"place": "ops Relu", "before": 0.5, "after": 9.0}]


def test_diff_of_what_is_no_report_is_an_error_for_programs(tmp_path: Path) -> None:
    good, bad = written(tmp_path / "a.json", check("Relu")), tmp_path / "b.json"
    bad.write_text('{"format": 1, "checks": 7}', encoding="utf-8")
    result = run(app, ["report", "diff", "--json", good, str(bad)])
    assert result.exit_code == 2
    error = json.loads(result.stdout)["error"]
    assert error["message"].startswith(f"{bad}: ")
    assert error["cure"]


def test_the_schema_of_reports_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    assert run(app, ["schema", "--report", "-o", str(path)]).exit_code == 0
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert schema["title"] == "Report of epforge validate"
    assert "title" not in json.loads(run(app, ["schema"]).stdout) or (
        json.loads(run(app, ["schema"]).stdout)["title"] != schema["title"]
    )


def test_the_table_grows_and_shows_the_latest() -> None:
    table = Table()
    console = Console(
        file=io.StringIO(), width=70, height=8, force_terminal=True, color_system=None
    )

    def seen() -> list[str]:
        with console.capture() as capture:
            console.print(table)
        return [line.rstrip() for line in capture.get().splitlines()]

    assert "no check has ended yet" in seen()
    for number in range(9):
        table.add(check(f"Op{number}", detail="d" * 200, seconds=number / 4))
    table.add(check("Bad\x1b[2J", Outcome.CRASHED, detail=HOSTILE, seconds=0.0))
    table.tell("[10/12] Bad: crashed\x1b[2J")
    lines = seen()
    assert len(lines) <= 7
    assert lines[0].split() == ["rung", "check", "result", "detail", "seconds"]
    assert lines[1].startswith("ops   Op7")
    assert lines[1].endswith("1.75")
    assert "CRASHED" in lines[3]
    assert lines[4] == "10 checks: 9 passed, 1 crashed"
    assert lines[5].startswith("[10/12] Bad: crashed")
    assert not any("\x1b" in line for line in lines)


def test_off_a_terminal_only_the_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with ladder() as shown:
        shown.on_check(check("Relu"))
        shown.progress("[1/2] Relu: passed")
    assert capsys.readouterr().err == "[1/2] Relu: passed\n"
    with ladder(quiet=True) as shown:
        shown.progress("anything")
    assert capsys.readouterr().err == ""


def test_the_title_is_above_the_lines(capsys: pytest.CaptureFixture[str]) -> None:
    show_lines("the title", [check("Relu", detail="two\nlines")], ["more", "the verdict"], True)
    assert capsys.readouterr().out.splitlines() == [
        "the title",
        "ops  Relu  ok  two lines",
        "more",
        "the verdict",
    ]
