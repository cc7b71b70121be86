"""The ladder on libraries that are right, and on ones that are wrong in one known way."""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from toys import EP, OPS, manifest, toy

from epforge.report import json_schema, page, parse
from epforge.shim import build_shim
from epforge.validate import Check, Instruments, Limits, Outcome, Report, Rung, validate

QUICK = Limits(stall_s=6)


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return manifest(tmp_path / "claims.json")


def line(report: Report, rung: Rung, name: str) -> Check:
    found = [check for check in report.checks if (check.rung, check.name) == (rung, name)]
    assert len(found) == 1, [(c.rung, c.name, c.detail) for c in report.checks]
    return found[0]


def _is_as_the_schema_says(report: Report) -> None:
    data = json.loads(json.dumps(report.to_json()))
    jsonschema.Draft202012Validator(json_schema()).validate(data)
    back = parse(data, "the report")
    assert back.environment.library.compilers
    assert back.environment.library.sha256
    assert {time.rung for time in back.timings} == {check.rung for check in back.checks}
    for row in back.ops:
        claimed = row.types["float32"]
        assert (claimed.status, claimed.claimed) == ("passed", True), row
    assert {row.op for row in back.ops} == set(OPS)
    # Every case that is a model of an operator has its cells.
    assert sum(cell.cases.get("passed", 0) for row in back.ops for cell in row.types.values()) > 50
    assert back.partitions
    assert page(back).startswith(b"<!doctype html>")


def test_a_good_library_passes_every_check(claims: Path) -> None:
    told: list[Check] = []
    report = validate(toy(), claims, on_check=told.append)
    assert report.passed, report.summary
    assert sorted(map(id, told)) == sorted(map(id, report.checks)), "each is told of once"
    _is_as_the_schema_says(report)
    assert all(check.outcome is Outcome.PASSED for check in report.checks), report.checks
    assert report.ep == EP
    assert {check.name for check in report.checks if check.rung is Rung.OPS} >= set(OPS)


def test_without_a_manifest_its_ops_are_found_out() -> None:
    report = validate(toy())
    assert report.passed, report.summary
    assert report.manifest is None
    for op, versions in OPS.items():
        detail = line(report, Rung.OPS, op).detail
        assert f"since {' '.join(map(str, versions))}; float32" in detail


def test_a_virtual_device_is_offered_under_its_suffix_only(tmp_path: Path) -> None:
    claims = manifest(tmp_path / "m.json", virtual=True, device_types=["npu"])
    report = validate(toy("VIRTUAL_ONLY"), claims)
    assert report.passed, report.summary
    assert ".virtual" in line(report, Rung.LOAD, "devices").detail


def test_a_virtual_device_must_say_that_it_is_one(tmp_path: Path) -> None:
    claims = manifest(tmp_path / "m.json", virtual=True, device_types=["npu"])
    report = validate(toy("VIRTUAL_ONLY", "FAULT_UNMARKED"), claims)
    assert "is_virtual" in line(report, Rung.LOAD, "devices").detail
    assert line(report, Rung.LOAD, "devices").outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("fault", "rung", "name", "outcome", "says"),
    [
        ("NO_RELEASE_EXPORT", "static", "exports", "failed", "ReleaseEpFactory is not exported"),
        ("EXTRA_EXPORT", "static", "exports", "failed", "toy_internal_counter"),
        ("GET_PROVIDER", "static", "exports", "failed", "GetProvider"),
        ("LINKS_RUNTIME", "static", "needs", "failed", "OrtGetApiBase"),
        ("CRASH_REGISTER", "load", "register", "crashed", "SIGABRT"),
        ("HANG_REGISTER", "load", "register", "timed out", "no progress"),
        ("OTHER_ERROR", "load", "register", "failed", "the driver is asleep"),
        ("NO_DEVICES", "load", "devices", "failed", "none is offered"),
        ("STDERR", "load", "stderr", "failed", "hello from the library"),
        ("SETENV", "load", "surroundings", "failed", "environment variable TOY_WAS_HERE is new"),
        ("STDOUT", "load", "surroundings", "failed", "writes to stdout: toy says hello"),
        ("OPTIONS_IGNORED", "load", "options", "failed", "epforge_unknown is accepted"),
        ("EXIT_CRASH", "load", "register", "crashed", "SIGABRT"),
        ("CRASH_COMPUTE", "ops", "Add", "crashed", "SIGSEGV"),
        ("HANG_COMPUTE", "ops", "Add", "timed out", "no progress"),
        ("WRONG", "ops", "Relu", "failed", "expected 0"),
        ("NO_EMPTY", "ops", "Mul", "failed", "output data pointer is null"),
        ("TAKES_DOUBLE", "ops", "Relu", "failed", "taken, but not declared"),
    ],
)
def test_a_fault_is_found_where_it_is(
    fault: str, rung: str, name: str, outcome: str, says: str, claims: Path
) -> None:
    report = validate(toy(f"FAULT_{fault}"), claims, limits=QUICK)
    assert not report.passed
    assert int(report.exit_status) == 1
    found = line(report, Rung(rung), name)
    assert found.outcome == outcome, found
    assert says in found.detail
    assert f"{rung} {name}" in report.summary
    lower = [c for c in report.checks if c.rung < Rung(rung) and c.outcome.bad]
    assert not lower, lower


def test_nothing_is_loaded_after_a_missing_export(claims: Path) -> None:
    """FR 1: named by `static`, before ORT is touched, even if asked to go on."""
    report = validate(toy("FAULT_NO_RELEASE_EXPORT"), claims, keep_going=True)
    assert report.runtimes == ()
    assert line(report, Rung.LOAD, "all").outcome is Outcome.NOT_CHECKED


@pytest.mark.lab
def test_keep_going_climbs_on(claims: Path) -> None:
    stopped = validate(toy("FAULT_STDERR"), claims)
    assert line(stopped, Rung.OPS, "all").outcome is Outcome.NOT_CHECKED
    report = validate(toy("FAULT_STDERR"), claims, keep_going=True)
    assert not report.passed
    assert line(report, Rung.OPS, "Relu").outcome is Outcome.PASSED


def test_a_crash_in_one_case_does_not_hide_the_others(claims: Path) -> None:
    report = validate(toy("FAULT_CRASH_EMPTY"), claims)
    check = line(report, Rung.OPS, "Add")
    crashed = [case for case in check.cases if case.outcome is Outcome.CRASHED]
    assert crashed
    assert all("0" in case.label for case in crashed)
    after = check.cases[check.cases.index(crashed[0]) + 1 :]
    assert any(case.outcome is Outcome.PASSED for case in after)


def test_an_op_that_is_declared_but_never_taken_fails(tmp_path: Path) -> None:
    ops = [{"domain": "", "op": "Sin", "since": 7, "ready": True, "types": {"T": ["float32"]}}]
    report = validate(toy(), manifest(tmp_path / "m.json", ops=ops))
    check = line(report, Rung.OPS, "Sin")
    assert check.outcome is Outcome.FAILED
    assert "declared, but not taken" in check.detail


def test_a_stub_must_not_be_taken_and_is_tested_once_it_is_ready(tmp_path: Path) -> None:
    def claim(op: str) -> dict[str, object]:
        return {"domain": "", "op": op, "since": 14, "ready": False, "types": {"T": ["float32"]}}

    stub = {**claim("Sin"), "since": 7}
    report = validate(toy(), manifest(tmp_path / "m.json", ops=[claim("Relu"), stub]))
    assert report.passed, report.summary
    assert "stub" in line(report, Rung.OPS, "Sin").detail
    assert "models right" in line(report, Rung.OPS, "Relu").detail
    wrong = validate(toy("FAULT_WRONG"), manifest(tmp_path / "m.json", ops=[claim("Relu")]))
    assert line(wrong, Rung.OPS, "Relu").outcome is Outcome.FAILED


def test_an_op_without_a_case_is_not_a_pass(tmp_path: Path) -> None:
    relu = {"domain": "", "op": "Relu", "since": 14, "ready": True, "types": {"T": ["float32"]}}
    ops = [{**relu, "domain": "org.example", "op": "Odd", "since": 1}, relu]
    report = validate(toy(), manifest(tmp_path / "m.json", ops=ops))
    check = line(report, Rung.OPS, "org.example::Odd")
    assert check.outcome is Outcome.NOT_CHECKED
    assert "no case" in check.detail


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("ep", "OtherExecutionProvider", "the manifest says 'OtherExecutionProvider'"),
        ("vendor", "Other", "vendor is 'Toy'"),
        ("version", "0.2.0", "version is '0.1.0'"),
        ("device_types", ["gpu"], "device type cpu"),
    ],
)
def test_the_library_must_be_what_its_manifest_says(
    key: str, value: object, says: str, tmp_path: Path
) -> None:
    report = validate(toy(), manifest(tmp_path / "m.json", **{key: value}), rungs=[Rung.LOAD])
    check = line(report, Rung.LOAD, "manifest")
    assert check.outcome is Outcome.FAILED
    assert says in check.detail


def test_no_devices_can_be_allowed(claims: Path) -> None:
    report = validate(toy("FAULT_NO_DEVICES"), claims, allow_no_devices=True)
    assert report.passed, report.summary
    assert line(report, Rung.LOAD, "devices").outcome is Outcome.NOT_CHECKED
    assert line(report, Rung.OPS, "all").outcome is Outcome.NOT_CHECKED


def test_the_reason_for_no_devices_is_shown(claims: Path) -> None:
    report = validate(toy("FAULT_NO_DEVICES", "LOGS_REASON"), claims)
    assert "no device of this vendor here" in line(report, Rung.LOAD, "devices").detail


def test_a_library_that_kills_its_loader_is_a_result() -> None:
    report = validate(toy(source="hostile.c"))
    check = line(report, Rung.LOAD, "register")
    assert check.outcome is Outcome.CRASHED
    assert "SIGABRT" in check.detail


def test_only_some_ops(claims: Path) -> None:
    report = validate(toy(), claims, only=["Mul"])
    names = {check.name for check in report.checks if check.rung is Rung.OPS}
    assert names == {"Mul", "rounds"}


@pytest.mark.parametrize("moment", ["at once", "when the library is loaded"])
def test_an_interrupt_ends_the_workers_too(claims: Path, moment: str) -> None:
    library = toy("FAULT_HANG_REGISTER", "INTERRUPTED")
    command = [sys.executable, "-m", "epforge", "validate", "--time-limit", "600"]
    command += ["--library", str(library), "--manifest", str(claims)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        # What a shell starts in the background ignores interrupts, and its children inherit that.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stderr is not None
    assert b"loading" in process.stderr.readline()
    while moment != "at once" and not users_of(library):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) != 0
    assert b"Traceback" not in process.stderr.read()
    assert not users_of(library)


def test_a_worker_that_starts_during_an_interrupt_ends_too() -> None:
    library = toy("FAULT_HANG_REGISTER", "INTERRUPTED_LATE")
    # The worker's process begins only when the ones that ran have been ended already.
    code = f"""
import subprocess, threading
from concurrent.futures import ThreadPoolExecutor

ended = threading.Event()

class Late(subprocess.Popen):
    def __init__(self, *args, **options):
        ended.wait()
        super().__init__(*args, **options)

class Pool(ThreadPoolExecutor):
    def shutdown(self, wait=True, **options):
        if wait:
            ended.set()
        super().shutdown(wait, **options)

subprocess.Popen = Late
from epforge.validate import process
process.ThreadPoolExecutor = Pool

job = {{"job": "register", "library": {str(library)!r}, "names": ["late"]}}
with process.workers(1) as pool:
    future = pool.submit(process.run_worker, job, process.Limits(stall_s=600))
    while not future.running():
        pass
    raise KeyboardInterrupt
"""
    done = subprocess.run(
        [sys.executable, "-c", code], timeout=60, capture_output=True, check=False
    )
    assert b"KeyboardInterrupt" in done.stderr
    assert not users_of(library)


def users_of(library: Path) -> list[str]:
    """The processes that have a library in memory."""
    found = []
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            text = maps.read_text()
        except OSError:  # it ended meanwhile
            continue
        if str(library) in text:
            found.append(maps.parent.name)
    return found


def test_an_op_that_is_not_declared_is_no_pass(claims: Path) -> None:
    report = validate(toy(), claims, rungs=(Rung.OPS,), only=("Relu", "Reul"))
    assert not report.passed
    assert (
        "Reul: not declared; declared are Relu, Add, Mul" in line(report, Rung.OPS, "claims").detail
    )


def test_a_path_is_found_in_whatever_encoding_epforge_runs(tmp_path: Path) -> None:
    place = tmp_path / "pröject"
    place.mkdir()
    library = place / "libtoy.so"
    shutil.copy(toy(), library)
    manifest(place / "libtoy.so.manifest.json")
    command = [sys.executable, "-m", "epforge", "validate", "--library", library, "--rung", "load"]
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        command, env={**os.environ, **ascii_only}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("fault", "rung", "name", "where"),
    [
        ("CRASH_REGISTER", Rung.LOAD, "register", "CreateEpFactories"),
        ("CRASH_COMPUTE", Rung.OPS, "Add", "OrtKernelImpl.Compute"),
    ],
)
def test_a_crash_is_said_to_be_where_the_shim_saw_it(
    fault: str, rung: Rung, name: str, where: str, claims: Path
) -> None:
    instruments = Instruments(shim=build_shim)
    report = validate(
        toy(f"FAULT_{fault}"), claims, rungs=[rung], limits=QUICK, instruments=instruments
    )
    found = line(report, rung, name)
    assert found.outcome is Outcome.CRASHED
    assert f" in {where}" in found.detail
