"""A new user's first hour, on a machine that has nothing but Python: what README and the first
guide say, word for word, without a compiler and without git, and with both."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from empty_machine import EmptyMachine, empty_machine

REPOSITORY = Path(__file__).resolve().parents[2]
CLONE = "/home/alice/epforge"
# Where files may appear: in the clone (which has the environment and the project), in epforge's
# cache, and in pip's own.
CHOSEN = r"/home/alice/(epforge|\.cache/epforge|\.cache/pip)/|/home/alice/\.cache/$"
# The guide goes on with programs of the user's own: onnxruntime and pytest keep files of theirs.
THEIRS = r"|/home/alice/\.cache/Microsoft/|/tmp/\.ses$|/tmp/pytest-of-alice/|/tmp/$"
BLOCK = re.compile(
    r"^(?:Save this as `([\w.]+)`:\n\n)?```(sh|console|python)\n(.*?)^```", re.M | re.S
)
GUIDE = REPOSITORY / "docs/first-ep.md"

pytestmark = pytest.mark.lab(sampled=False)


def readme() -> list[str]:
    """README's commands of the first session, as they stand there."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    blocks = [block for _, kind, block in BLOCK.findall(text) if kind == "sh"]
    return next(block for block in blocks if "epforge scaffold" in block).splitlines()


def guide() -> list[str]:
    """All that the first guide has its reader type, and the files that it has them save."""
    lines = []
    for name, kind, block in BLOCK.findall(GUIDE.read_text(encoding="utf-8")):
        if name:
            lines.append(f"printf %s {shlex.quote(block)} >{name}")
        elif kind == "sh":
            lines += block.splitlines()
        elif kind == "console":
            lines += [line.removeprefix("$ ") for line in block.splitlines() if line[:2] == "$ "]
    return lines


@dataclass(frozen=True)
class Equipped:
    """A machine, and what was installed on it; nothing if that is empty."""

    machine: EmptyMachine
    tools: str


@pytest.fixture(scope="module", params=["", "g++ git"], ids=["nothing", "g++ and git"])
def equipped(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Equipped]:
    with empty_machine(tmp_path_factory.mktemp("new-user")) as machine:
        if request.param:
            install = "apt-get -qq update && apt-get -qq install --yes --no-install-recommends"
            done = machine.run(f"{install} {request.param}", root=True)
            assert done.returncode == 0, done.stdout + done.stderr
        found = machine.run("command -v g++ c++ clang++ cc gcc git || true").stdout.split()
        assert bool(found) is bool(request.param)
        yield Equipped(machine, request.param)


def clone(machine: EmptyMachine) -> None:
    """What `git clone` leaves, without git."""
    place = machine.root / CLONE.lstrip("/")
    for left in (place, machine.home / ".cache"):
        shutil.rmtree(left, ignore_errors=True)
    place.mkdir()
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    )
    for name in filter(None, files.stdout.decode().split("\0")):
        if (REPOSITORY / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, place / name)
    machine.adopt(place)


@pytest.mark.parametrize("page", ["README.md", "docs/first-ep.md"])
def test_a_first_session_is_what_the_page_says_and_leaves_nothing_elsewhere(
    page: str, equipped: Equipped
) -> None:
    if not (REPOSITORY / page).is_file():
        pytest.skip(f"there is no {page}")
    machine = equipped.machine
    clone(machine)
    lines = readme() if page == "README.md" else guide()
    if not equipped.tools:
        lines = [line for line in lines if not line.startswith("git ")]
    assert any("--build --validate" in line for line in lines)
    before = machine.listing()
    started = time.monotonic()
    done = machine.run("\n".join(lines), CLONE)
    said = done.stdout + done.stderr
    print(f"{page}, {equipped.tools or 'nothing'}: to green in {time.monotonic() - started:.0f} s")
    assert done.returncode == 0, said[-8000:]
    assert re.search(r"^passed: .*\d+ models run", said, re.M), said[-6000:]
    assert ("zig-c++" in said) is not bool(equipped.tools)
    after = machine.listing()
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert changed
    chosen = re.compile(CHOSEN + (THEIRS if page != "README.md" else ""))
    assert sorted(name for name in changed if not chosen.match(name)) == []
