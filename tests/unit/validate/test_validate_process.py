"""How a worker's end is told, and what counts as its own noise."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from epforge.errors import UsageError
from epforge.validate.process import Limits, WorkerRun, environment, run_worker
from epforge.validate.runtime import find_runtime
from epforge.validate.worker.records import Records, parse


def ended(**changes: object) -> WorkerRun:
    usual: dict[str, object] = {
        "records": (),
        "finished": False,
        "returncode": 0,
        "timed_out": False,
        "stderr": "",
        "step": "",
        "seconds": 0.1,
    }
    return WorkerRun(**{**usual, **changes})  # type: ignore[arg-type]


def test_a_signal_is_named_with_the_step_and_the_last_words() -> None:
    log = "2026-01-01 00:00:00.1 [W:onnxruntime:Default, a.cc:1 F] later\n"
    run = ended(returncode=-signal.SIGSEGV, step="run", stderr="terminate called\n" + log)
    assert run.signal == "SIGSEGV"
    assert run.ended == "run: SIGSEGV: terminate called"
    assert ended(returncode=-signal.SIGABRT, finished=True).ended == "at process exit: SIGABRT"
    assert ended(returncode=0xC0000005).signal == "access violation"


def test_the_last_words_are_the_library_s_not_its_debugger_s() -> None:
    said = "a.c:7: GGML_ASSERT(n > 0) failed\n#0  0x0000 in raise () at raise.c\n"
    more = (
        "360\t../csu/libc-start.c: No such file or directory.\n[Inferior 1 (process 9) detached]\n"
    )
    run = ended(returncode=-signal.SIGABRT, stderr=f"INFO starting\n{said}{more}INFO ReleaseEp\n")
    assert run.fault == "SIGABRT: a.c:7: GGML_ASSERT(n > 0) failed"


def test_other_ends() -> None:
    assert ended(finished=True).ended == ""
    assert "ended early" in ended().ended
    assert "exit status 3" in ended(returncode=3).ended
    hung = ended(returncode=-signal.SIGKILL, timed_out=True, step="run")
    assert hung.signal == ""
    assert "no progress" in hung.ended


def test_ort_log_lines_are_no_noise() -> None:
    text = (
        "\x1b[0;93m2026-11-29 17:14:01.5 [W:onnxruntime:Default, x.cc:1 F] careful\x1b[m\n"
        "The requested API version [99] is not available\n\n"
    )
    run = ended(stderr=text)
    assert run.stray == ("The requested API version [99] is not available",)
    assert run.log == ("careful",)


def test_a_message_in_colour_may_have_several_lines() -> None:
    head = "\x1b[1;31m2026-11-29 17:14:01.5 [E:onnxruntime:, x.cc:1 F] first"
    run = ended(stderr=f"{head}\nsecond\n\n\x1b[m\nmine\n")
    assert run.log == ("first",)
    assert run.stray == ("mine",)
    torn = ended(stderr=f"{head}\nterminate called\n")
    assert torn.stray == ("terminate called",)


def test_records_survive_a_torn_last_line(tmp_path: Path) -> None:
    with Records(tmp_path / "r") as records:
        records.write("runtime", version="1")
        with records.step("a"):
            records.write("case", label="x")
    text = (tmp_path / "r").read_text() + '{"record": "be'
    assert [item["record"] for item in parse(text)] == ["runtime", "begin", "case", "end"]


def test_a_worker_finds_the_wanted_packages_first() -> None:
    env = environment(Path("/some/runtime"))
    assert env["PYTHONPATH"].startswith("/some/runtime")
    assert "LD_PRELOAD" not in environment(None)
    preloaded = environment(None, ("/l/libasan.so",))
    assert preloaded["LD_PRELOAD"] == "/l/libasan.so"
    assert "detect_leaks=0" in preloaded["ASAN_OPTIONS"]


def test_a_directory_without_onnxruntime_is_no_runtime(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no package onnxruntime"):
        find_runtime(str(tmp_path))
    with pytest.raises(UsageError, match="neither a version"):
        find_runtime("newest")
    with pytest.raises(UsageError, match="neither a version"):
        find_runtime("1.24.4; rm -rf /")


def test_the_wrong_runtime_is_not_used_in_silence(tmp_path: Path) -> None:
    run = run_worker({"job": "baseline", "library": ""}, Limits(), tmp_path)
    assert not run.finished
    assert "holds no onnxruntime" in run.stderr
    assert str(tmp_path) in run.ended


def test_a_worker_does_not_import_from_the_callers_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "onnxruntime.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    run = run_worker({"job": "baseline", "library": ""}, Limits())
    assert run.ended == ""
    assert run.named("devices")
