"""A new user's first hour, on a machine that has nothing but Python: what README says, word for
word, first without a compiler, then with one."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from empty_machine import EmptyMachine, empty_machine

REPOSITORY = Path(__file__).resolve().parents[2]
CLONE = "/home/alice/epforge"
# Where files may appear: in the clone (which has the environment and the project), in epforge's
# cache, and in pip's own.
CHOSEN = re.compile(r"/home/alice/(epforge|\.cache/epforge|\.cache/pip)/|/home/alice/\.cache/$")

pytestmark = pytest.mark.lab


def first_session() -> list[str]:
    """README's commands of the first session, as they stand there."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    block = next(block for block in blocks if "epforge scaffold" in block)
    return block.splitlines()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmptyMachine]:
    with empty_machine(tmp_path_factory.mktemp("new-user")) as made:
        yield made


def clone(machine: EmptyMachine) -> None:
    """What `git clone` leaves, without git."""
    place = machine.root / CLONE.lstrip("/")
    for left in (place, machine.home / ".cache"):
        shutil.rmtree(left, ignore_errors=True)
    place.mkdir()
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, capture_output=True, check=True,
    ).stdout.decode().split("\0")  # fmt: skip
    for name in filter(None, files):
        if (REPOSITORY / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, place / name)
    machine.adopt(place)


@pytest.mark.parametrize("compiler", ["none", "g++"])
def test_the_first_session_is_what_readme_says_and_leaves_nothing_elsewhere(
    compiler: str, machine: EmptyMachine, record_property: pytest.FixtureRequest
) -> None:
    if compiler == "g++":
        install = "apt-get -qq update && apt-get -qq install --yes --no-install-recommends g++"
        done = machine.run(install, root=True)
        assert done.returncode == 0, done.stdout + done.stderr
    there = machine.run("command -v g++ c++ clang++ cc gcc || true").stdout.split()
    assert bool(there) is (compiler == "g++")
    clone(machine)
    before = machine.listing()
    started, said = time.monotonic(), ""
    for line in first_session():
        done = machine.run(line, CLONE)
        said = done.stdout + done.stderr
        assert done.returncode == 0, f"$ {line}\n{said[-6000:]}"
    print(f"compiler: {compiler}; from nothing to green in {time.monotonic() - started:.0f} s")
    assert re.search(r"^passed: .*\d+ models run", said, re.M), said[-6000:]
    assert ("zig" in said) is (compiler == "none")
    after = machine.listing()
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert changed
    assert sorted(name for name in changed if not CHOSEN.match(name)) == []
