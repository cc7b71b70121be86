"""Rung `fuzz`: random graphs, on libraries that are right and on ones that are wrong in one way."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from projects import Project, built
from toys import COMPILED, compiled_manifest, manifest, toy, toy_site

from epforge.validate import USUAL, CaseResult, Check, Fuzzing, Outcome, Rung, fuzz, validate
from epforge.validate.process import Limits

#: Right everywhere but where both factors are one and the same value: a square.
SQUARE = ("const Tensor& b = inputs[1];", "const Tensor& b = inputs[1];\n  {}")
WRONG_SQUARE = (
    "if (a.raw == b.raw && a.shape.size() > 1) "
    'return Zip<float, float, float>("Mul", a, a, outputs[0], 1, '
    "[](float x, float y) { return x + y; }, exec);"
)


def fuzzed(library: Path, claims: Path | None, output: Path, cases: int, seed: int = 1) -> Check:
    site = dataclasses.replace(
        toy_site(library, claims), fuzzing=Fuzzing(seed, cases, output), limits=Limits(stall_s=30)
    )
    output.mkdir(exist_ok=True)
    return fuzz.random_graphs(site, output)


def bad(check: Check) -> list[CaseResult]:
    return [case for case in check.cases if case.outcome.bad]


def left(text: str) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """The model that a detail names, and what it is fed."""
    found = re.search(r"([^\s(]+\.onnx)\)", text)
    assert found, text
    path = Path(found[1])
    return onnx.load(path), dict(np.load(path.with_suffix(".npz")))


def test_it_is_only_climbed_when_somebody_asks() -> None:
    assert Rung.FUZZ in set(Rung) - set(USUAL)


def test_a_good_compiler_computes_every_graph(tmp_path: Path) -> None:
    claims = compiled_manifest(tmp_path / "claims.json")
    check = fuzzed(toy(source=COMPILED), claims, tmp_path / "found", 60)
    assert check.outcome is Outcome.PASSED, check.detail
    assert len(check.cases) > 50
    assert "graphs right" in check.detail
    assert list((tmp_path / "found").iterdir()) == []


def test_a_library_without_a_manifest_is_asked_what_it_takes(tmp_path: Path) -> None:
    check = fuzzed(toy(), None, tmp_path, 20)
    assert check.outcome is Outcome.PASSED, check.detail
    assert len(check.cases) > 15


@pytest.mark.parametrize(
    ("fault", "source", "outcome", "says", "most"),
    [
        ("WRONG", "toy_ep.c", Outcome.FAILED, "expected", 1),
        ("NO_EMPTY", "toy_ep.c", Outcome.FAILED, "it cannot be run", 1),
        ("CRASH_EMPTY", "toy_ep.c", Outcome.CRASHED, "SIG", 2),
        ("DROP_OUTPUTS", COMPILED, Outcome.FAILED, "never computed", 4),
        ("NO_MUL", COMPILED, Outcome.FAILED, "Mul is declared, but not taken", 1),
    ],
)
def test_a_fault_is_found_and_made_small(
    fault: str, source: str, outcome: Outcome, says: str, most: int, tmp_path: Path
) -> None:
    claims = (manifest if source == "toy_ep.c" else compiled_manifest)(tmp_path / "claims.json")
    check = fuzzed(toy(f"FAULT_{fault}", source=source), claims, tmp_path / "found", 30)
    assert check.outcome is outcome, check.detail
    found = [case for case in bad(check) if case.outcome is outcome]
    assert says in found[0].detail
    sizes = [len(left(case.detail)[0].graph.node) for case in found]
    assert min(sizes) <= most, [case.detail for case in found]


def test_the_same_seed_finds_the_same(tmp_path: Path) -> None:
    claims, library = manifest(tmp_path / "claims.json"), toy("FAULT_WRONG")
    first, again, other = (
        [case.label for case in bad(fuzzed(library, claims, tmp_path, 15, seed))]
        for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


@pytest.mark.lab
def test_a_wrong_kernel_that_no_single_node_shows(
    minimal: Project, repository: Path, tmp_path: Path
) -> None:
    """The other rungs never give an operator one value twice."""
    kernel = (minimal.root / "src/gen/kernels/mul.cc").read_text(encoding="utf-8")
    assert kernel.count(SQUARE[0]) == 1
    wrong = kernel.replace(SQUARE[0], SQUARE[1].format(WRONG_SQUARE))
    text = (repository / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    patched = built(text, changes={"src/gen/kernels/mul.cc": wrong})
    fuzzing = Fuzzing(0, 100, tmp_path)
    good = validate(minimal.library, rungs=[Rung.FUZZ], fuzzing=fuzzing)
    assert good.passed, good.summary
    report = validate(patched.library, rungs=[Rung.OPS, Rung.FUZZ], fuzzing=fuzzing)
    ops = [check for check in report.checks if check.rung is Rung.OPS]
    assert {check.outcome for check in ops} == {Outcome.PASSED}
    (graphs,) = (check for check in report.failures if check.rung is Rung.FUZZ)
    assert {case.detail.split(":")[0] for case in bad(graphs)} == {"Mul"}
    model, feeds = left(bad(graphs)[0].detail)
    (node,) = model.graph.node
    assert (node.op_type, node.input[0]) == ("Mul", node.input[1])
    assert len(feeds) <= 1


def test_the_verb_leaves_what_it_finds_in_a_directory(tmp_path: Path) -> None:
    claims = manifest(tmp_path / "claims.json")
    command = [sys.executable, "-m", "epforge", "validate", "--library", str(toy("FAULT_WRONG"))]
    command += ["--manifest", str(claims), "--rung", "fuzz", "--seed", "7", "--cases", "20"]
    command += ["--output", str(tmp_path / "found"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    (line,) = (c for c in json.loads(done.stdout)["checks"] if c["name"] == "graphs")
    assert line["outcome"] == "failed"
    names = {path.name for path in (tmp_path / "found").iterdir()}
    assert any(re.fullmatch(r"graph-7-\d+\.onnx", name) for name in names), names


@pytest.mark.lab(sampled=False)
@pytest.mark.parametrize(("name", "cases"), [("full", 5000), ("compiled", 3000)])
def test_many_graphs_on_projects(
    name: str, cases: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    project: Project = request.getfixturevalue(name)
    fuzzing = Fuzzing(1, cases, tmp_path)
    report = validate(project.library, rungs=[Rung.FUZZ], fuzzing=fuzzing)
    assert report.passed, [case.detail for check in report.failures for case in bad(check)]
