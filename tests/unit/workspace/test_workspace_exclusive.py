"""One command at a time in a project, with real processes that are in step by pipes."""

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import epforge
from epforge.errors import ExitStatus
from epforge.workspace import File, Owner, Tool, publish
from epforge.workspace.exclusive import BusyError, exclusive

HOLD = """
import sys
from pathlib import Path
from epforge.workspace.exclusive import exclusive
def notify(text):
    print(text, flush=True)
with exclusive(Path(sys.argv[1]), wait=float(sys.argv[2]), notify=notify):
    print("held", flush=True)
    sys.stdin.readline()
print("left", flush=True)
"""
PUBLISH = """
import sys
from pathlib import Path
from epforge.workspace import File, Owner, Tool, publish
def step(name):
    if name == "commit":
        print("held", flush=True)
        sys.stdin.readline()
files = [File(f"{name}.h", b"first", Owner.GENERATED) for name in "ab"]
publish(Path(sys.argv[1]), files, tool=Tool("1", "f" * 64), blueprint=b"first", step=step)
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and modes")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(epforge.__file__).parents[1])}
Process = subprocess.Popen[str]


@contextmanager
def running(code: str, *args: object, under: tuple[str, ...] = ()) -> Iterator[Process]:
    """Another command."""
    with subprocess.Popen(
        [*under, sys.executable, "-c", code, *map(str, args)],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: Process) -> str:
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 30)[0], "it does not come"
    return process.stdout.readline().strip()


def let_go(process: Process) -> None:
    """Lets a holder leave."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_the_second_says_once_whom_it_waits_for_and_comes_in_when_the_first_has_left(
    tmp_path: Path,
) -> None:
    said = []
    with running(HOLD, tmp_path, 0) as first:
        assert line_of(first) == "held"

        def notify(text: str) -> None:
            said.append(text)
            let_go(first)

        with exclusive(tmp_path, notify=notify):
            assert line_of(first) == "left"
    (text,) = said
    assert text.startswith(f"another epforge works in {tmp_path}")
    assert text.endswith("; waiting")
    if Path("/proc/locks").exists():
        assert f"(pid {first.pid})" in text


def test_who_has_waited_long_enough_is_told_what_to_do(tmp_path: Path) -> None:
    with running(HOLD, tmp_path, 0) as first:
        assert line_of(first) == "held"
        with (
            pytest.raises(
                BusyError, match=r"another epforge works in .*; waited for 0 s"
            ) as caught,
            exclusive(tmp_path, wait=0),
        ):
            pass
        assert caught.value.cure == "Wait until it has ended, or end it, then try again."
        assert caught.value.exit_status is ExitStatus.MISSING
        let_go(first)
        assert line_of(first) == "left"
    with exclusive(tmp_path, wait=0):
        pass


def test_the_lock_of_a_killed_command_is_gone(tmp_path: Path) -> None:
    with running(HOLD, tmp_path, 0) as first:
        assert line_of(first) == "held"
        with exclusive(tmp_path, notify=lambda text: first.send_signal(signal.SIGKILL)):
            assert first.wait() == -signal.SIGKILL


def test_no_file_appears_and_nothing_is_touched(tmp_path: Path) -> None:
    before = tmp_path.stat()
    with exclusive(tmp_path):
        assert list(tmp_path.iterdir()) == []
    after = tmp_path.stat()
    assert (after.st_mtime_ns, after.st_ctime_ns) == (before.st_mtime_ns, before.st_ctime_ns)


def test_a_directory_that_may_only_be_read_can_be_held(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with exclusive(tmp_path):
            pass
    finally:
        tmp_path.chmod(0o700)


def test_another_project_is_not_held(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with running(HOLD, tmp_path / "a", 0) as first:
        assert line_of(first) == "held"
        with exclusive(tmp_path / "b", wait=0):
            pass


def test_one_project_under_two_names_is_one(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with running(HOLD, tmp_path / "a", 0) as first:
        assert line_of(first) == "held"
        with pytest.raises(BusyError), exclusive(tmp_path / "b", wait=0):
            pass


def test_a_command_that_holds_the_project_may_ask_again(tmp_path: Path) -> None:
    with exclusive(tmp_path):
        with exclusive(tmp_path, wait=0):
            pass
        with running(HOLD, tmp_path, 60) as second:
            assert line_of(second).endswith(f"(pid {os.getpid()}); waiting")
    with running(HOLD, tmp_path, 0) as third:
        assert line_of(third) == "held"


def test_a_directory_that_was_replaced_meanwhile_is_held_and_not_the_old_one(
    tmp_path: Path,
) -> None:
    project = tmp_path / "p"
    project.mkdir()
    with running(HOLD, project, 0) as first:
        assert line_of(first) == "held"

        def replace(text: str) -> None:
            project.rename(tmp_path / "old")
            project.mkdir()

        with exclusive(project, notify=replace), running(HOLD, project, 0) as third:
            assert line_of(third) != "held"


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
@pytest.mark.parametrize("error", ["ENOLCK", "EBADF", "EOPNOTSUPP"])
def test_a_file_system_without_locks_is_written_all_the_same(tmp_path: Path, error: str) -> None:
    under = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=flock:error={error}")
    with running(HOLD, tmp_path, 0, under=under) as process:
        assert line_of(process) == "held"
        let_go(process)
        assert line_of(process) == "left"


def test_two_publications_at_once_come_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    with running(PUBLISH, tmp_path / "p") as first:
        assert line_of(first) == "held"
        said = []

        def notify(text: str) -> None:
            said.append(text)
            let_go(first)

        files = [File(f"{name}.h", b"second", Owner.GENERATED) for name in "ac"]
        publish(tmp_path / "p", files, tool=Tool("2", "f" * 64), blueprint=b"second", notify=notify)
        assert len(said) == 1  # else the first would wait for ever
        assert first.wait(30) == 0
    names = {path.name: path.read_bytes() for path in (tmp_path / "p").glob("*.h")}
    assert names == {"a.h": b"second", "c.h": b"second"}
