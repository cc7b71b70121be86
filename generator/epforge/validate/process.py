"""Runs foreign code in a process of its own, bounded, and says how that process ended."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.validate.worker.records import parse

_ROOT = Path(__file__).resolve().parents[2]  # the directory that holds the package epforge
_POLL_S = 0.02
_running: set[subprocess.Popen[bytes]] = set()
_stopping = threading.Event()  # set while `workers` takes back what it started
_LOG_LINE = re.compile(r"(\x1b\[[0-9;]*m)?\d{4}-\d\d-\d\d [\d:.]+ \[[VIWEF]:onnxruntime:")
# What debuggers print that libraries call in their last moment.
_TRACE = re.compile(
    r"#\d+ |\d+\t|\[(Inferior|New LWP|Thread)|Using host lib|__\w+ \(|0x[0-9a-f]+ in "
)
_DYING = re.compile(r"assert|abort|panic|terminat|fatal|error|what\(\)|fail", re.IGNORECASE)
_RESET = "\x1b[m"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_WINDOWS_FAULTS = {
    0xC0000005: "access violation",
    0xC0000409: "abort",
    0xC00000FD: "stack overflow",
}


@dataclass(frozen=True)
class Limits:
    """What a worker may use.

    Args:
        stall_s: seconds without a sign of progress until it is ended.
        memory_mb: MiB of private memory; 0 for no bound.
        computing: seconds of computing in all, on all cores, for each second of ``stall_s``.
    """

    stall_s: float = 60.0
    memory_mb: int = 16 * 1024
    computing: int = 20

    def job(self) -> dict[str, int]:
        seconds = int(self.stall_s * self.computing) + 60
        return {"limit_mb": self.memory_mb, "limit_cpu_s": seconds}


@dataclass(frozen=True)
class WorkerRun:
    """How one worker process went.

    Args:
        records: what it said, in order.
        finished: it said that its work is done.
        returncode: of the process; negative is a signal on POSIX.
        timed_out: it was ended because nothing moved for too long.
        stderr: everything that was written there, by whatever code.
        step: what it had begun and not ended: where it died, hung or met an error.
        place: the callback of the library in which a signal ended it, if that is known.
    """

    records: tuple[Mapping[str, Any], ...]
    finished: bool
    returncode: int
    timed_out: bool
    stderr: str
    step: str
    seconds: float
    place: str = ""

    def named(self, record: str) -> list[Mapping[str, Any]]:
        """The records of one name."""
        return [item for item in self.records if item["record"] == record]

    @property
    def signal(self) -> str:
        """SIGSEGV, ...; empty when no signal (or Windows exception) ended the process."""
        if self.timed_out:
            return ""
        if self.returncode < 0:
            try:
                return signal.Signals(-self.returncode).name
            except ValueError:
                return f"signal {-self.returncode}"
        return _WINDOWS_FAULTS.get(self.returncode, "")

    @property
    def fault(self) -> str:
        """In words, how the process ended: "SIGSEGV: last words"; empty after a clean end."""
        if self.timed_out:
            return "no progress for too long; ended"
        if self.signal:
            place = f" in {self.place}" if self.place else ""
            return f"{self.signal}{place}{self._last_words()}"
        if self.returncode:
            return f"exit status {self.returncode}{self._last_words()}"
        return "" if self.finished else "ended early"

    @property
    def ended(self) -> str:
        """`fault`, and what the process was at."""
        if not self.fault:
            return ""
        if self.finished:
            return f"at process exit: {self.fault}"
        return f"{self.step}: {self.fault}" if self.step else self.fault

    def _last_words(self) -> str:
        lines = [_COLOUR.sub("", line).strip() for line in self.stray]
        said = [line for line in lines if not _TRACE.match(line)]
        dying = [line for line in said if _DYING.search(line)] or said
        return f": {dying[-1][:300]}" if dying else ""

    @property
    def stray(self) -> tuple[str, ...]:
        """Lines on stderr that are not ORT's log."""
        return tuple(line for line in self._lines[1] if line.strip())

    @property
    def log(self) -> tuple[str, ...]:
        """ORT's log lines, without colours, time and place in the source; of a message of several
        lines the first."""
        return tuple(_COLOUR.sub("", line).split("] ", 1)[-1] for line in self._lines[0])

    @property
    def _lines(self) -> tuple[list[str], list[str]]:
        """What ORT logged, and everything else. A message in colour ends where that does, be it
        lines later."""
        log: list[str] = []
        stray: list[str] = []
        message: list[str] | None = None
        for line in self.stderr.splitlines():
            if message is not None:
                message.append(line)
                message = None if _RESET in line else message
            elif _LOG_LINE.match(line):
                log.append(line)
                message = [] if line.startswith("\x1b") and _RESET not in line else None
            else:
                stray.append(line)
        return log, stray + (message or [])  # one that does not end is none


def environment(runtime_dir: Path | None, preload: tuple[str, ...] = ()) -> dict[str, str]:
    """The environment of a worker: the wanted runtime and this epforge come first."""
    env = dict(os.environ)
    paths = [str(runtime_dir)] if runtime_dir else []
    if _ROOT.name not in ("site-packages", "dist-packages"):  # a checkout
        paths.append(str(_ROOT))
    paths += filter(None, [env.get("PYTHONPATH", "")])
    env["PYTHONPATH"] = os.pathsep.join(paths)
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    env["PYTHONUTF8"] = "1"
    env.setdefault("ORT_DISABLE_TELEMETRY", "1")  # it writes to the home directory
    # glibc fills memory that is allocated or freed: what is never set, or read too late, is found.
    env.setdefault("MALLOC_PERTURB_", "165")
    if preload:
        env["LD_PRELOAD"] = " ".join(preload)
        env["ASAN_OPTIONS"] = ":".join(
            filter(None, [env.get("ASAN_OPTIONS", ""), "detect_leaks=0"])
        )
    return env


def run_worker(
    job: Mapping[str, object],
    limits: Limits,
    runtime_dir: Path | None = None,
    preload: tuple[str, ...] = (),
) -> WorkerRun:
    """Runs one job to its end and returns how it went; never raises for what the worker does.

    Args:
        job: what the worker is to do; see the modules in `worker`.
        runtime_dir: directory that holds the onnxruntime package to use; this Python's if None.
        preload: libraries the loader must load first (sanitizer runtimes).
    """
    with tempfile.TemporaryDirectory(prefix="epforge-validate-") as scratch:
        folder = Path(scratch)
        job_path, records, stderr = folder / "job.json", folder / "records", folder / "stderr"
        given = {
            **job,
            **limits.job(),
            "runtime_dir": str(runtime_dir) if runtime_dir else None,
            "stderr": str(stderr),
        }
        job_path.write_text(json.dumps(given), encoding="utf-8")
        records.touch()
        command = [
            *(sys.executable, "-P", "-m", "epforge.validate.worker", str(job_path), str(records)),
        ]
        env = environment(runtime_dir, preload)
        return run_recorded(command, records, stderr, folder, env, limits.stall_s)


def run_recorded(
    command: Sequence[str],
    records: Path,
    stderr: Path,
    cwd: Path,
    env: Mapping[str, str],
    stall_s: float,
) -> WorkerRun:
    """Runs a program that writes records to its end; never raises for what it does.

    Args:
        records: the file that it writes to; it exists. It hangs when that stops growing.
        stderr: the file that its stderr goes to.
        stall_s: seconds without a sign of progress until it is ended.
    """
    started = time.monotonic()
    with stderr.open("wb") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
        )
        _running.add(process)
        try:
            if _stopping.is_set():  # it started while the others were being ended
                _end(process)
            timed_out = _wait(process, records, stall_s)
        finally:
            _running.discard(process)
    text = stderr.read_text(encoding="utf-8", errors="replace")
    said = parse(records.read_text(encoding="utf-8", errors="replace"))
    return WorkerRun(
        records=tuple(said),
        finished=any(item["record"] == "done" for item in said),
        returncode=process.returncode,
        timed_out=timed_out,
        stderr=text,
        step=_open_step(said),
        seconds=time.monotonic() - started,
    )


@contextlib.contextmanager
def workers(jobs: int) -> Iterator[ThreadPoolExecutor]:
    """Threads to run workers from. When the block is left by an exception, Ctrl-C above all, the
    workers end with it instead of being waited for."""
    pool = ThreadPoolExecutor(jobs)
    try:
        yield pool
    except BaseException:
        _stopping.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for process in tuple(_running):
            _end(process)
        raise
    finally:
        pool.shutdown()
        _stopping.clear()


def _open_step(records: list[dict[str, object]]) -> str:
    steps: list[str] = []
    for item in records:
        if item["record"] == "begin":
            steps.append(str(item["step"]))
        elif item["record"] == "end" and steps:
            steps.pop()
    return steps[-1] if steps else ""


def _wait(process: subprocess.Popen[bytes], records: Path, stall_s: float) -> bool:
    """Waits for the end; ends the process when its records stop growing. True if it had to."""
    size, moved = -1, time.monotonic()
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_S)
                return False
            now = records.stat().st_size
            if now != size:
                size, moved = now, time.monotonic()
            elif time.monotonic() - moved > stall_s:
                return True
    finally:
        if process.poll() is None:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
