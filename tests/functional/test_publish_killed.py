"""A kill, or an error, at every call that changes the file system while a project is written."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from cli_project import scaffolded, tree
from compiled import WARNINGS
from compilers import needed

import epforge
from epforge.errors import ExitStatus

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloads a library into Python")
SUPPORT = Path(__file__).parents[1] / "support"
PYTHONPATH = str(Path(epforge.__file__).parents[1])
WORKERS = min(2, os.cpu_count() or 1)
# What fails, and why a call may do so: a full disk, no right to write, a disk that may be read.
ERRORS = [errno.ENOSPC, errno.EACCES, errno.EROFS]
Row = dict[str, Any]


@pytest.fixture(scope="module")
def interposer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that counts calls, and ends the process at one of them."""
    library = tmp_path_factory.mktemp("interposer") / "change_points.so"
    flags = ["-std=c++17", "-O1", "-shared", "-fPIC", *WARNINGS, "-ldl"]
    source = SUPPORT / "change_points.cc"
    subprocess.run([needed("g++"), source, *flags, "-o", library], check=True)
    return library


@pytest.fixture
def folder() -> Iterator[Path]:
    """A directory in memory where there is one: thousands of files are made and removed."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        yield Path(name)


def rows(
    interposer: Path, folder: Path, what: str, start: str, *, error: int = 0, step: int = 1
) -> tuple[int, list[Row]]:
    """How many points there are, and what came of every one (or of every ``step``-th)."""

    def part(first: int) -> list[Row]:
        place = folder / f"{first}"
        numbers = (error, 1 + step * first, step * WORKERS)
        arguments = (SUPPORT / "change_points.py", place, what, start, *numbers)
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            env={**os.environ, "LD_PRELOAD": str(interposer), "PYTHONPATH": PYTHONPATH},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    with ThreadPoolExecutor(WORKERS) as pool:
        parts = list(pool.map(part, range(WORKERS)))
    total = parts[0][0]["total"]
    found = [row for head, *tail in parts for row in tail]
    if what != "recover":  # not every kill leaves something to recover from
        assert len(found) == len(range(1, total + 1, step))
    return total, found


def check_kills(found: list[Row]) -> None:
    """Old or new after the next command, and no claim that is not so."""
    for row in found:
        assert row["killed"], row
        assert row["recovered"] in ("old", "new"), row
        assert row["repeated"] == "new", row
        assert row["told"] in {"old": ("drift", "pending"), "new": ("in sync", "pending")}.get(
            row["now"], ("pending",)
        ), row


def check_failures(found: list[Row]) -> None:
    """Old, with a cure and the status for what the machine does not allow; or done all the same."""
    for row in found:
        assert row["beside"] == [], row
        assert row["repeated"] == "new" or row["said"] is None, row
        if row["said"] is None:
            assert row["now"] == row["recovered"] == "new", row
            continue
        _, message, cure, status = row["said"]
        assert status == ExitStatus.MISSING, row
        assert cure, row
        if "everything is written" in message:
            assert (row["now"], row["recovered"]) == ("new", "new"), row
        else:
            assert "Nothing was changed" in cure, row
            assert (row["now"], row["recovered"]) == ("old", "old"), row


def test_a_kill_at_every_call_of_an_update_leaves_old_or_new(
    interposer: Path, folder: Path
) -> None:
    total, found = rows(interposer, folder, "kill", "ours")
    assert total >= 100
    check_kills(found)
    assert {row["recovered"] for row in found} == {"old", "new"}


@pytest.mark.parametrize(("start", "step"), [("empty", 7), ("other", 7), ("absent", 7)])
def test_a_kill_while_a_project_is_made_leaves_nothing_or_all(
    interposer: Path, folder: Path, start: str, step: int
) -> None:
    total, found = rows(interposer, folder, "kill", start, step=step)
    assert total >= 50
    check_kills(found)
    if start == "absent":  # at once, before any other command
        assert {row["now"] for row in found} <= {"old", "new"}


def test_a_kill_of_the_recovery_itself_loses_nothing(interposer: Path, folder: Path) -> None:
    _, found = rows(interposer, folder, "recover", "ours", step=115)
    assert len(found) > 30
    check_kills(found)


def test_an_error_of_a_call_leaves_the_old_tree_and_says_what_to_do(
    interposer: Path, folder: Path
) -> None:
    _, found = rows(interposer, folder, "fail", "ours", error=errno.ENOSPC, step=8)
    check_failures(found)
    assert {row["now"] for row in found} == {"old", "new"}


@pytest.mark.lab
@pytest.mark.parametrize("start", ["empty", "other", "absent"])
def test_a_kill_at_every_call_while_a_project_is_made(
    interposer: Path, folder: Path, start: str
) -> None:
    check_kills(rows(interposer, folder, "kill", start)[1])


@pytest.mark.lab
@pytest.mark.parametrize("start", ["ours", "empty", "other"])
def test_a_kill_at_every_call_of_every_recovery(interposer: Path, folder: Path, start: str) -> None:
    check_kills(rows(interposer, folder, "recover", start)[1])


@pytest.mark.lab
@pytest.mark.parametrize("start", ["ours", "empty", "other", "absent"])
@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.__getitem__)
def test_an_error_of_every_call(interposer: Path, folder: Path, start: str, error: int) -> None:
    check_failures(rows(interposer, folder, "fail", start, error=error)[1])


def epforge_call(*args: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "epforge", *map(str, args)],
        env={**os.environ, "PYTHONPATH": PYTHONPATH, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.lab
def test_a_kill_at_every_call_of_the_real_command(interposer: Path, folder: Path) -> None:
    (folder / "first").mkdir()
    project = scaffolded(folder / "first")
    blueprint = project / "blueprint.yaml"
    blueprint.write_text(blueprint.read_text().replace("[Relu, Add]", "[Relu, Mul]"))
    old = tree(project)
    done = shutil.copytree(project, folder / "done")
    log = folder / "log"
    watched = {"LD_PRELOAD": str(interposer)}
    below = {**watched, "CHANGES_BELOW": str(done), "CHANGES_LOG": str(log)}
    assert epforge_call("regenerate", done, **below).returncode == 0
    new = tree(done)
    points = log.read_text().splitlines()
    assert len(points) >= 100

    def outcome(at: int) -> Iterator[str]:
        place = shutil.copytree(project, folder / f"{at}")
        target = {**watched, "CHANGES_BELOW": str(place), "CHANGES_AT": str(at)}
        killed = epforge_call("regenerate", place, **target)
        if killed.returncode != -signal.SIGKILL:
            yield f"ended with {killed.returncode}: {killed.stderr}"
        if epforge_call("status", place).returncode == 0 and tree(place) != new:
            yield "status says that it is in sync"
        again = epforge_call("regenerate", place)
        if again.returncode or tree(place) != new:
            yield f"the next command: {again.returncode}: {again.stderr}"
        shutil.rmtree(place)

    with ThreadPoolExecutor() as pool:
        found = pool.map(lambda at: list(outcome(at)), range(1, len(points) + 1))
        wrong = [
            (point, problem)
            for point, problems in zip(points, found, strict=True)
            for problem in problems
        ]
    assert wrong == []
    assert old != new
