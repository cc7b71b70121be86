"""Libraries that are run in a program for their platform: in one for this machine as the plain
case, in those for Windows and for 64-bit Arm in the lab."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from cli_project import call
from compilers import needed
from cross_toys import cross_toy, headers, needed_target, of_target, of_this_machine
from onnx import TensorProto, helper
from projects import Project
from toys import EP, manifest, toy

from epforge.validate import Check, Limits, Outcome, Report, Rung, validate
from epforge.validate.cases.model import NUMPY
from epforge.validate.cross import find_target
from epforge.validate.cross.program import sources
from epforge.validate.cross.runner import running
from epforge.validate.worker import there
from epforge.validate.worker.ended import EndedError

TARGETS = ["windows-x64", "linux-arm64"]
FORMAT = "from clang_format import clang_format; clang_format()"
STYLE = "{BasedOnStyle: Google, Standard: c++17, ColumnLimit: 100}"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]


def line(report: Report, rung: Rung, name: str) -> Check:
    found = [check for check in report.checks if (check.rung, check.name) == (rung, name)]
    assert len(found) == 1, [(c.rung, c.name, c.detail) for c in report.checks]
    return found[0]


def one_node(op: str, types: list[int], domain: str = "") -> bytes:
    names = [f"i{index}" for index in range(len(types))]
    inputs = [helper.make_tensor_value_info(*pair, None) for pair in zip(names, types, strict=True)]
    output = helper.make_tensor_value_info("o", types[0], None)
    node = helper.make_node(op, names, ["o"], name="n", domain=domain)
    graph = helper.make_graph([node], "g", inputs, [output])
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


@contextmanager
def program(folder: Path) -> Iterator[there.There]:
    """The host program at work, in a process of this machine."""
    with of_this_machine().at_hand(lambda _: None) as runtime:
        assert runtime.host is not None
        with there.started(runtime.host.job(), folder) as found:
            yield found


def test_the_program_is_formatted_as_projects_are() -> None:
    files = sources()
    assert len(files) > 5
    for path in files:
        command = [sys.executable, "-c", FORMAT, f"--style={STYLE}", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize(
    "compiler",
    [
        "g++",
        pytest.param("clang++", marks=pytest.mark.lab),
        pytest.param("x86_64-w64-mingw32-g++-posix", marks=pytest.mark.lab),
        pytest.param("aarch64-linux-gnu-g++", marks=pytest.mark.lab),
    ],
)
def test_compilers_have_nothing_to_say_about_the_program(compiler: str) -> None:
    code = [str(path) for path in sources() if path.suffix == ".cc"]
    command = [needed(compiler), "-std=c++17", "-fsyntax-only", *WARNINGS]
    done = subprocess.run(
        [*command, "-isystem", str(headers()), *code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_values_of_every_type_pass_through_the_program(tmp_path: Path) -> None:
    """And so do shapes without elements, and none at all."""
    random = np.random.default_rng(7)
    with program(tmp_path) as host:
        for name, dtype in NUMPY.items():
            for shape in ((2, 3), (), (0, 3)):
                array = np.asarray(random.integers(0, 2, shape)).astype(dtype)
                if name == "string":
                    array = np.asarray(np.full(shape, "\u00fc\u4e2d" * 9, dtype=np.object_))
                number = helper.np_dtype_to_tensor_dtype(array.dtype)
                if name == "string":
                    number = TensorProto.STRING
                made, _ = host._open(one_node("Identity", [number]))
                (back,) = made.run(None, {"i0": array})
                assert back.dtype == array.dtype, name
                assert back.shape == shape, name
                assert (back == array).all(), name


def test_what_the_runtime_says_reaches_the_worker(tmp_path: Path) -> None:
    with program(tmp_path) as host:
        with pytest.raises(there.ToldError, match=r"ONNXRuntimeError\] : \d+ : INVALID_PROTOBUF"):
            host._open(b"no model")
        made, _ = host._open(one_node("Relu", [TensorProto.FLOAT]))
        with pytest.raises(there.ToldError, match="INVALID_ARGUMENT"):
            made.run(None, {"i0": np.zeros(3, dtype=np.int64)})
        (again,) = made.run(None, {"i0": np.array([-1, 2], dtype=np.float32)})
        assert again.tolist() == [0, 2]
        with pytest.raises(there.ToldError, match="not_there"):
            host.register("x", str(tmp_path / "not_there.so"))
        with pytest.raises(there.ToldError, match="no such command: dance"):
            host._tell("dance")


def test_names_with_any_characters_reach_the_program(tmp_path: Path) -> None:
    folder = tmp_path / "a b\t%\u00fc=;"
    folder.mkdir()
    library = shutil.copy(toy(), folder / "libtoy.so")
    with program(tmp_path) as host, host.registered("na\tme=\u00fc", str(library)):
        (device,) = host.devices(str(library))
        assert host.describe(device)["ep"] == EP
        assert host.mapped(str(library))


def test_a_crash_is_told_with_its_signal(tmp_path: Path) -> None:
    with pytest.raises(EndedError) as raised, program(tmp_path) as host:
        _compute(host, str(toy("FAULT_CRASH_COMPUTE")))
    assert raised.value.returncode == -signal.SIGSEGV
    assert not raised.value.at_exit


def _compute(host: there.There, library: str) -> None:
    host.register("toy", library)
    (device,) = host.devices(library)
    made = host.open_usual(one_node("Add", [TensorProto.FLOAT] * 2), device)
    values = np.ones(3, dtype=np.float32)
    made.run(None, {"i0": values, "i1": values})


def test_a_library_passes_in_the_program(minimal: Project) -> None:
    """By the checks, and with the cases, that it has in a worker."""
    runtime = of_this_machine()
    report = validate(minimal.library, runtimes=[runtime], target=runtime.target, only=["Relu"])
    assert report.passed, report.summary
    relu = line(report, Rung.OPS, "Relu")
    assert "since 6 13 14; float32; 26 models right, 12 undeclared left alone" in relu.detail
    for name in ("register", "devices", "manifest", "unload", "two names", "rounds", "exit"):
        assert line(report, Rung.LOAD, name).outcome is Outcome.PASSED
    for rung in (Rung.GRAPHS, Rung.CONTEXT):
        assert line(report, rung, "all").outcome is Outcome.NOT_CHECKED
    assert report.to_json()["target"] == runtime.target.name


def test_a_library_for_another_machine_is_only_looked_at(minimal: Project) -> None:
    report = validate(minimal.library, runtimes=[], target=of_target("macos-arm64").target)
    assert not report.passed
    assert "macos-arm64 loads mach-o" in line(report, Rung.STATIC, "file").detail


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["--target", "windows-x86"], "windows-x64, macos-arm64"),
        (["--target", "linux-x64", "--preset", "debug"], "Leave --preset away"),
        (["--target", "windows-x64"], "--target windows-x64"),
        (["--target", "macos-arm64"], "--target macos-arm64"),
    ],
)
def test_a_wrong_call_is_refused_with_what_is_right(
    arguments: list[str], cure: str, minimal: Project
) -> None:
    """The project is not built for any target, so a good call lacks that."""
    done = call("validate", minimal.root, *arguments)
    assert done.exit_code == 2
    assert cure in done.output


# ---- in the lab: other platforms


@pytest.mark.lab
@pytest.mark.parametrize("target", TARGETS)
def test_a_project_is_proved_for_another_platform(
    target: str, project_of: Callable[..., Project], repository: Path
) -> None:
    needed_target(target)
    text = (repository / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    project = project_of(text, preset=target)
    done = call("validate", project.root, "--target", target, "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["target"] == target
    outcomes = {(c["rung"], c["name"]): c["outcome"] for c in report["checks"]}
    for op in ("Relu", "Add", "Mul", "MatMul", "rounds"):
        assert outcomes["ops", op] == "passed"
    for name in ("register", "devices", "manifest", "unload", "two names", "rounds", "exit"):
        assert outcomes["load", name] == "passed"
    assert outcomes["graphs", "all"] == outcomes["context", "all"] == "not checked"
    assert report["case_counts"]["passed"] > 200


@pytest.mark.lab
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("fault", "rung", "name", "outcome", "says"),
    [
        ("NO_DEVICES", "load", "devices", "failed", "none is offered"),
        ("EXIT_CRASH", "load", "register", "crashed", "unregister epforge-check: "),
        ("STDERR", "load", "stderr", "failed", "hello from the library"),
        ("CRASH_COMPUTE", "ops", "Add", "crashed", "since 7, T=float32: (2,3) with (2,3): "),
        ("HANG_COMPUTE", "ops", "Add", "timed out", "no progress"),
        ("WRONG", "ops", "Relu", "failed", "expected 0"),
        ("TAKES_DOUBLE", "ops", "Relu", "failed", "taken, but not declared"),
    ],
)
def test_a_fault_is_found_where_it_is(
    fault: str, rung: str, name: str, outcome: str, says: str, target: str, tmp_path: Path
) -> None:
    library = cross_toy(needed_target(target), f"FAULT_{fault}")
    report = validate(
        library,
        manifest(tmp_path / "claims.json"),
        runtimes=[of_target(target)],
        target=of_target(target).target,
        limits=Limits(stall_s=20),
        only=[name] if rung == "ops" else [],
    )
    found = line(report, Rung(rung), name)
    assert found.outcome == outcome, found
    assert says in found.detail
    assert f"{rung} {name}" in report.summary
    assert not [c for c in report.failures if c is not found]


@pytest.mark.lab
@pytest.mark.parametrize("target", TARGETS)
def test_a_crash_in_one_case_does_not_hide_the_others(target: str, tmp_path: Path) -> None:
    library = cross_toy(needed_target(target), "FAULT_CRASH_EMPTY")
    claims = manifest(tmp_path / "claims.json")
    runtime = of_target(target)
    report = validate(library, claims, runtimes=[runtime], target=runtime.target, only=["Add"])
    cases = line(report, Rung.OPS, "Add").cases
    crashed = [case for case in cases if case.outcome is Outcome.CRASHED]
    assert crashed
    assert all("0" in case.label for case in crashed)
    assert any(case.outcome is Outcome.PASSED for case in cases[cases.index(crashed[0]) :])


@pytest.mark.lab
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["compiled", "virtual-memory", "strict-gpu"])
def test_other_kinds_of_projects_are_proved_too(
    name: str, target: str, project_of: Callable[..., Project], repository: Path
) -> None:
    needed_target(target)
    text = (repository / f"blueprints/{name}.yaml").read_text(encoding="utf-8")
    project = project_of(text, preset=target)
    runtime = of_target(target)
    report = validate(project.library, runtimes=[runtime], target=runtime.target)
    assert report.passed, [(c.rung, c.name, c.detail) for c in report.failures]
    assert any(c.rung is Rung.OPS and c.outcome is Outcome.PASSED for c in report.checks)


@pytest.mark.lab
def test_nothing_of_wine_is_left_running(tmp_path: Path) -> None:
    runtime = of_target(needed_target("windows-x64"))
    library = cross_toy("windows-x64")
    claims = manifest(tmp_path / "claims.json")
    validate(library, claims, runtimes=[runtime], target=runtime.target, rungs=[Rung.LOAD])
    with runtime.at_hand(lambda _: None) as ready:
        assert ready.host is not None
        prefix = ready.host.env["WINEPREFIX"]
        assert "DISPLAY" not in ready.host.env
    left = [pid for pid in os.listdir("/proc") if pid.isdigit() and _has(pid, prefix)]
    assert not left


@pytest.mark.lab
def test_a_windows_of_which_a_part_is_gone_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed_target("windows-x64")
    cache, scratch = tmp_path / "cache", tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("EPFORGE_CACHE", str(cache))
    monkeypatch.setenv("TMPDIR", str(scratch))
    place = cache / "targets/wine"
    (place / "drive_c").mkdir(parents=True)
    (place / "system.reg").write_text("WINE REGISTRY Version 2\n")
    with running(find_target("windows-x64"), lambda _: None) as runner:
        command = [*runner.command, "cmd", "/c", "ver"]
        done = subprocess.run(command, env=dict(runner.env), capture_output=True, check=False)
    assert b"Microsoft Windows" in done.stdout
    assert sorted(os.listdir(cache / "targets")) == ["wine", "wine.lock"]
    assert not list(scratch.iterdir())


def _has(pid: str, prefix: str) -> bool:
    try:
        return f"WINEPREFIX={prefix}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # it has ended meanwhile, or is somebody else's
        return False
