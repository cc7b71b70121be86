"""Rung `conformance`: ONNX's own tests of the operators that a library claims."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from projects import Project, built, expanded
from toys import manifest, toy
from typer.testing import CliRunner

from epforge.assets import assets_dir
from epforge.cli.main import app
from epforge.errors import UsageError
from epforge.report import json_schema
from epforge.validate import USUAL, Check, Limits, Outcome, Report, Rung, validate
from epforge.validate.conformance.lists import exclusions
from epforge.validate.worker import node_tests

ALONE = [Rung.CONFORMANCE]

# One operator is right, one is wrong, one is wrong in a type, one crashes in a test, one never
# comes back from one, one takes only some nodes, and one is a stub.
MISBEHAVING = """\
epforge: 1
name: contoso-npu
vendor: Contoso
types: [float32, int8]
ops:
  - {op: ImageDecoder, kernel: yours, types: {T1: [uint8], T2: [uint8]}}
  - Add
  - Clip
  - Dropout
  - Max
  - Mul
  - Relu
  - Softmax
"""
FAULTS = {
    "relu": "if (inputs[0].size() > 0) { outputs[0].data<uint8_t>()[0] = 77; return Status(); }",
    "add": """if (inputs[0].dtype == DType::kInt8 && inputs[0].size() > 0) {
    for (int64_t i = 0; i < outputs[0].size(); ++i) outputs[0].data<int8_t>()[i] = 77;
    return Status();
  }""",
    "max": "if (inputs.size() == 1) __builtin_trap();",
    "mul": """for (volatile int forever = 1; inputs[0].shape.size() == 3 &&
                                 inputs[1].shape.size() == 1 && forever == 1;) {
  }""",
}
REFUSED = """  if (node.InputCount() > 2) return NotImplemented("only inference is implemented");
"""


@pytest.fixture(scope="module")
def misbehaving(project_of: Callable[..., Project]) -> Project:
    """The project whose operators are wrong, each in its way."""
    files = {file.path: file.content.decode() for file in expanded(MISBEHAVING).files}
    changes = {}
    for name, fault in FAULTS.items():
        path = f"src/gen/kernels/{name}.cc"
        start = re.search(r"^Status Compute\([^{]*\{\n", files[path], re.M)
        assert start is not None
        text = files[path]
        changes[path] = f"{text[: start.end()]}  {fault}\n{text[start.end() :]}"
    path = "src/gen/kernels/dropout.cc"
    before, read, after = files[path].partition("  attrs.tells_kept = ")
    assert read
    changes[path] = before + REFUSED + read + after
    return project_of(MISBEHAVING, changes=changes)


@pytest.fixture(scope="module")
def found(misbehaving: Project) -> Report:
    """What the rung finds in it."""
    return validate(misbehaving.library, rungs=ALONE, limits=Limits(stall_s=8))


def line(report: Report, name: str) -> Check:
    lines = [c for c in report.checks if (c.rung, c.name) == (Rung.CONFORMANCE, name)]
    assert len(lines) == 1, [(c.rung, c.name, c.detail) for c in report.checks]
    return lines[0]


def outcomes(check: Check) -> dict[str, Outcome]:
    """How ONNX's tests of an operator ended, by name."""
    return {c.label: c.outcome for c in check.cases if c.label.startswith("test_")}


def table(report: Report) -> Mapping[str, Any]:
    (found,) = report.conformance
    return found


def of_op(report: Report, op: str) -> Mapping[str, Any]:
    (found,) = [each for each in table(report)["ops"] if each["op"] == op]
    row: Mapping[str, Any] = found
    return row


def test_it_is_climbed_only_when_it_is_asked_for() -> None:
    assert Rung.CONFORMANCE not in USUAL


@pytest.mark.lab
def test_operators_pass_onnx_s_tests_and_a_model_of_each_version(found: Report) -> None:
    clip = line(found, "Clip")
    assert clip.outcome is Outcome.PASSED
    assert re.fullmatch(
        r"12 of 12 node tests; since 6 11 12 13 x 2 types: \d+ models", clip.detail
    ), clip.detail
    assert set(outcomes(line(found, "Softmax")).values()) == {Outcome.PASSED}
    row = of_op(found, "Clip")
    assert row["node_tests"]["all"] == row["denominator"] == row["passed"] == 12
    assert row["left_out"] == 12  # the function's body
    assert sum(each["cases"] for each in row["rows"]) == 12 + row["models"]["all"]
    assert {each["since"] for each in row["rows"]} == {6, 11, 12, 13}


@pytest.mark.lab
def test_the_totals_are_those_of_the_operators(found: Report) -> None:
    totals = table(found)["totals"]
    for key in ("denominator", "claimed", "passed", "crashes", "left_out"):
        assert totals[key] == sum(each[key] for each in table(found)["ops"])
    assert totals["denominator"] - totals["passed"] == len(table(found)["not_passed"])


def test_what_is_left_to_others_is_refused_with_the_reason(found: Report) -> None:
    check = line(found, "Dropout")
    refused = [case for case in check.cases if "training" in case.label]
    assert len(refused) == 6
    assert all(case.outcome is Outcome.NOT_CHECKED for case in refused)
    assert all("only inference is implemented" in case.detail for case in refused)
    assert "6 refused: " in check.detail


def test_a_wrong_operator_fails_by_name(found: Report) -> None:
    check = line(found, "Relu")
    assert check.outcome is Outcome.FAILED
    assert outcomes(check) == {"test_relu": Outcome.FAILED}
    assert "conformance" in found.summary
    assert [each["test"] for each in table(found)["not_passed"] if each["op"] == "Relu"] == [
        "test_relu"
    ]


def test_an_operator_may_be_wrong_in_one_type_only(found: Report) -> None:
    ended = outcomes(line(found, "Add"))
    assert ended["test_add"] is Outcome.PASSED
    assert ended["test_add_int8"] is Outcome.FAILED
    rows = {(row["since"], row["types"]): row for row in of_op(found, "Add")["rows"]}
    assert rows[14, "T=float32"]["failed"] == 0
    assert rows[14, "T=int8"]["failed"] == 2
    assert rows[14, "T=int16"]["claimed"] is False
    assert rows[14, "T=int16"]["reasons"] == ["T=int16 is not claimed"]


def test_a_crash_is_no_failure_and_the_rest_goes_on(found: Report) -> None:
    check = line(found, "Max")
    assert check.outcome is Outcome.CRASHED
    assert check.detail.startswith("test_max_one_input: SIG")
    ended = outcomes(check)
    assert ended["test_max_one_input"] is Outcome.CRASHED
    assert ended["test_max_two_inputs"] is Outcome.PASSED
    assert ended["test_max_int8"] is Outcome.PASSED


def test_a_test_that_never_ends_is_ended_and_the_rest_goes_on(found: Report) -> None:
    check = line(found, "Mul")
    assert check.outcome is Outcome.TIMED_OUT
    ended = outcomes(check)
    assert ended.pop("test_mul_bcast") is Outcome.TIMED_OUT
    assert ended["test_mul"] is Outcome.PASSED
    assert table(found)["totals"]["crashes"] == 2  # this one, and that of Max


def test_a_stub_is_not_claimed(found: Report) -> None:
    check = line(found, "ImageDecoder")
    assert check.outcome is Outcome.NOT_CHECKED
    assert check.detail == "a stub that is not ready: not claimed"
    assert of_op(found, "ImageDecoder")["node_tests"]["all"] == 0


def test_an_excluded_test_may_fail_but_not_pass_and_must_exist(
    misbehaving: Project, tmp_path: Path
) -> None:
    more = tmp_path / "more.toml"
    text = '[Relu]\ntest_relu = "it is 77 here"\ntest_relu_odd = "gone"\n'
    more.write_text(f'{text}[Softmax]\ntest_softmax_axis_0 = "too hard"\n', encoding="utf-8")
    report = validate(
        misbehaving.library, rungs=ALONE, only=["Relu", "Softmax"], more_exclusions=more
    )
    assert outcomes(line(report, "Relu")) == {"test_relu": Outcome.NOT_CHECKED}
    assert "1 excluded: it is 77 here" in line(report, "Relu").detail
    assert line(report, "Softmax").outcome is Outcome.FAILED
    assert "test_softmax_axis_0: excluded, but passes: too hard" in line(report, "Softmax").detail
    assert line(report, "exclusions").outcome is Outcome.NOT_CHECKED
    assert line(report, "exclusions").detail == "unknown: onnx has no Relu: test_relu_odd"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[Relu", "cannot be read"),
        ("Relu = 1", "Relu is no table"),
        ("[Relu]\ntest_relu = ''", "test_relu has no reason"),
        (None, "cannot be read"),
    ],
)
def test_a_list_of_exclusions_must_be_one(text: str | None, says: str, tmp_path: Path) -> None:
    more = tmp_path / "more.toml"
    if text is not None:
        more.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        validate(tmp_path / "none.so", more_exclusions=more)


def test_any_library_can_be_asked(tmp_path: Path) -> None:
    report = validate(toy(), manifest(tmp_path / "m.json"), rungs=ALONE, only=["Add"])
    assert report.passed, report.summary
    assert outcomes(line(report, "Add"))["test_add"] is Outcome.PASSED
    assert outcomes(line(report, "Add"))["test_add_int8"] is Outcome.NOT_CHECKED


def test_a_test_runs_as_one_of_the_newest_version_that_is_claimed(tmp_path: Path) -> None:
    def claim(op: str, since: int) -> Mapping[str, object]:
        types = {"T": ["float32"]}
        return {"domain": "", "op": op, "since": since, "ready": True, "types": types}

    claims = manifest(tmp_path / "m.json", ops=[claim("Add", 7), claim("Add", 13)])
    report = validate(toy(), claims, rungs=ALONE)
    check = line(report, "Add")
    assert outcomes(check)["test_add"] is Outcome.PASSED
    assert " (some as models of opset 13);" in check.detail
    rows = {(row["since"], row["types"]): row for row in of_op(report, "Add")["rows"]}
    assert rows[13, "T=float32"]["opset"] == 13
    assert rows[14, "T=int8"]["reasons"] == ["version 14 is not claimed"]


def test_the_report_is_a_file_and_the_totals_are_a_line(minimal: Project, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    command = [sys.executable, "-m", "epforge", "validate", str(minimal.root)]
    command += ["--rung", "conformance", "--op", "MatMul", "--report", str(target)]
    page = tmp_path / "report.html"
    command += ["--report", str(page)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    totals, verdict = result.stdout.splitlines()[-2:]
    assert re.fullmatch(
        r"node tests that the CPU EP passes: \d+ of \d+ passed \(\d+\.\d %\), 0 crashes", totals
    )
    assert verdict.startswith("passed")
    assert sorted(tmp_path.iterdir()) == [page, target]
    data = json.loads(target.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(json_schema()).validate(data)
    assert data["environment"]["blueprint_sha256"]
    (one,) = data["conformance"]
    numbers = one["totals"]
    assert f" {numbers['passed']} of {numbers['denominator']} passed" in totals
    shown = f"{numbers['passed']} of {numbers['denominator']} node tests that the CPU provider"
    assert shown in page.read_text(encoding="utf-8")


def test_a_report_s_place_is_looked_at_first(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "epforge", "validate", "nothing-here"]
    command += ["--report", str(tmp_path / "none" / "report.json")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "none/report.json: there is no such directory" in result.stderr


def test_coverage_counts_the_tests_of_a_report(found: Report, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps(found.to_json()), encoding="utf-8")
    result = CliRunner().invoke(app, ["ops", "coverage", "--json", "--report", str(report)])
    assert result.exit_code == 0, result.output
    (clip,) = (
        family
        for domain in json.loads(result.stdout)["domains"]
        for family in domain["families"]
        if "Clip" in family["ops"]
    )
    assert (clip["node_tests_passed"], clip["node_tests"]) == (12, 12)


@pytest.mark.lab
def test_the_whole_catalogue_passes_98_percent_of_what_the_cpu_provider_passes() -> None:
    text = (assets_dir("blueprints") / "full.yaml").read_text(encoding="utf-8")
    report = validate(built(text).library, rungs=ALONE)
    totals = table(report)["totals"]
    assert totals["percent"] >= 98, table(report)["not_passed"]
    assert totals["denominator"] > 1200
    assert totals["crashes"] == 0


@pytest.mark.lab
def test_every_operator_of_the_catalogue_passes(full: Project) -> None:
    report = validate(full.library, rungs=ALONE)
    assert report.passed, report.summary
    assert table(report)["totals"]["crashes"] == 0
    left = {each["standing"] for each in table(report)["not_passed"]}
    assert left <= {"refused"}


@pytest.mark.lab
def test_the_tests_of_an_operator_are_found_without_reading_all() -> None:
    cases = importlib.import_module("onnx.backend.test.case.node")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.walk_packages(cases.__path__, f"{cases.__name__}."):
            importlib.import_module(module.name)
    homes: dict[tuple[str, str], set[str]] = {}
    for case in cases._NodeTestCases:
        if len(case.model.graph.node) == 1 and "_expanded" not in case.name:
            (node,) = case.model.graph.node
            homes.setdefault((node.domain, node.op_type), set()).add(case.name)
    assert len(homes) > 190
    names = {case.name for case in cases._NodeTestCases}
    known = {test for tests in exclusions().values() for test in tests}
    assert known <= names
    code = "import sys; from epforge.validate.worker.node_tests import find\n"
    code += "print(*(test.name for test in find(*sys.argv[1:])[0]))"
    for (domain, op), tests in sorted(homes.items()):
        assert all(name.startswith("onnx.") for name in node_tests.module_names(op))
        command = [sys.executable, "-c", code, domain, op]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        assert set(result.stdout.split()) == tests, op
