"""Publishing in a process that dies at a call, or whose call fails, at every call that changes
the file system below the project. Run as a script, with `change_points.cc` preloaded.

    change_points.py FOLDER kill|recover|fail START ERROR FIRST STEP

prints how many points there are, and one JSON row for each of FIRST, FIRST + STEP, ...
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from epforge.errors import EpforgeError
from epforge.workspace import File, Owner, PendingError, Tool, preview, publish, recover

TOOL = Tool("0.1.0", "f" * 64)
_GENERATED, _SHARED, _YOURS = Owner.GENERATED, Owner.SHARED, Owner.YOURS
_LINES = "".join(f"line {number}\n" for number in range(20))
#: path: (text, owner, executable, earlier paths)
_OLD: dict[str, tuple[str, Owner, bool, tuple[str, ...]]] = {
    "blueprint.yaml": ("epforge: 1\n", _YOURS, False, ()),
    "CMakeLists.txt": (_LINES, _SHARED, False, ()),
    "README.md": ("about\n", _SHARED, False, ()),
    "src/gen/a.h": ("a1\n", _GENERATED, False, ()),
    "src/gen/b.h": ("b1\n", _GENERATED, False, ()),
    "src/gen/same.h": ("same\n", _GENERATED, False, ()),
    "src/gone/only.h": ("only\n", _GENERATED, False, ()),
    "src/kernels/mine.cc": ("m1\n", _YOURS, False, ()),
    "src/kernels/moved.cc": ("v1\n", _YOURS, False, ()),
    "tools/run.sh": ("#!/bin/sh\n", _GENERATED, True, ()),
}
_NEW: dict[str, tuple[str, Owner, bool, tuple[str, ...]]] = {
    "blueprint.yaml": ("epforge: 1\n", _YOURS, False, ()),
    "CMakeLists.txt": (_LINES.replace("line 15", "line fifteen"), _SHARED, False, ()),
    "README.md": ("about it\n", _SHARED, False, ()),
    "docs/deep/new.md": ("new\n", _SHARED, False, ()),
    "src/gen/a.h": ("a2\n", _GENERATED, False, ()),
    "src/gen/same.h": ("same\n", _GENERATED, False, ()),
    "src/gen/more/c.h": ("c2\n", _GENERATED, False, ()),
    "src/gen/more/d.h": ("d2\n", _GENERATED, False, ()),
    "src/kernels/mine.cc": ("m2\n", _YOURS, False, ()),
    "src/device/moved.cc": ("v1\n", _YOURS, False, ("src/kernels/moved.cc",)),
    "src/device/fresh.cc": ("f2\n", _YOURS, False, ()),
    "tools/run.sh": ("#!/bin/sh\necho\n", _GENERATED, True, ()),
}
_EDITS = {
    "CMakeLists.txt": _LINES.replace("line 3", "my line 3"),
    "src/kernels/mine.cc": "my work\n",
    "src/kernels/moved.cc": "my work, too\n",
    "notes.txt": "my notes\n",
}
#: What others have in a directory before a project is made there; the blueprint is the project's.
_OTHERS = {
    "blueprint.yaml": "epforge: 1\n",
    "notes.txt": "my notes\n",
    ".git/config": "[core]\n",
    "src/gen/mine.h": "mine\n",
}
Tree = dict[str, tuple[bytes | None, bool]]


def _files(content: dict[str, tuple[str, Owner, bool, tuple[str, ...]]]) -> list[File]:
    return [
        File(path, text.encode(), owner, executable, was=was)
        for path, (text, owner, executable, was) in content.items()
    ]


def put(target: Path, content: dict[str, tuple[str, Owner, bool, tuple[str, ...]]]) -> None:
    publish(target, _files(content), tool=TOOL, blueprint=b"epforge: 1\n")


def prepare(target: Path, start: str) -> Path:
    """A target in one of the states that publishing starts from: absent, empty, other, ours."""
    target.parent.mkdir(parents=True)
    if start == "empty":
        target.mkdir()
    elif start == "other":
        for path, text in _OTHERS.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_text(text, encoding="utf-8")
    elif start == "ours":
        put(target, _OLD)
        for path, text in _EDITS.items():
            (target / path).write_text(text, encoding="utf-8")
    return target


def tree(target: Path) -> Tree | None:
    """Everything below a directory, with what may be run; None if there is no directory.

    An empty ``.epforge`` is left out: a command that was killed a moment earlier makes none.
    """
    if not target.is_dir():
        return None
    own = target / ".epforge"
    return {
        path.relative_to(target).as_posix(): (
            (path.read_bytes(), os.access(path, os.X_OK)) if path.is_file() else (None, False)
        )
        for path in sorted(target.rglob("*"))
        if path != own or any(own.iterdir())
    }


def _files_alone(found: Tree | None) -> Tree:
    return {
        path: state
        for path, state in (found or {}).items()
        if state[0] is not None and not path.startswith(".epforge/next/")
    }


class Trial:
    """Publishing from one state, again and again.

    Args:
        folder: a directory of its own.
        start: see `prepare`.
    """

    def __init__(self, folder: Path, start: str) -> None:
        self.folder = folder
        self.first = prepare(folder / "first" / "p", start)
        self.old = tree(self.first)
        there = prepare(folder / "wanted" / "p", start)
        put(there, _NEW)
        self.new = tree(there)

    def again(self, like: Path | None = None) -> Path:
        """A fresh copy of the first state, or of another."""
        place = self.folder / "now"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree((like or self.first).parent, place)
        return place / "p"

    def state(self, target: Path) -> str:
        """``old``, ``new`` or ``mixed``."""
        found = tree(target)
        return "new" if found == self.new else "old" if found == self.old else "mixed"

    def files_of(self, target: Path) -> str:
        """The same for the files alone, without what is staged."""
        found, old, new = map(_files_alone, (tree(target), self.old, self.new))
        return "new" if found == new else "old" if found == old else "mixed"


def in_child(work: Callable[[], object], below: Path, at: int, error: int) -> tuple[bool, Any]:
    """Does ``work`` in a process whose call number ``at`` below a directory does not go well.

    Returns:
        Whether it was killed, and what it said: None, or its error.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said: Any = None
        library = ctypes.CDLL(None)
        library.WatchChanges(os.fsencode(below), ctypes.c_long(at), error, b"")
        try:
            work()
        except EpforgeError as caught:
            said = [type(caught).__name__, caught.message, caught.cure, int(caught.exit_status)]
        except BaseException as caught:
            said = [type(caught).__name__, str(caught), "", -1]
        library.WatchChanges(b"", ctypes.c_long(0), 0, b"")
        text = json.dumps([library.CountChanges(), said]).encode()
        os.write(writing, text)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status), json.loads(text)[1] if text else None


def count(work: Callable[[], object], below: Path) -> int:
    """How many points ``work`` has below a directory."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        library = ctypes.CDLL(None)
        library.WatchChanges(os.fsencode(below), ctypes.c_long(0), 0, b"")
        work()
        os.write(writing, str(library.CountChanges()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        found = int(pipe.read())
    os.waitpid(child, 0)
    return found


def told(target: Path) -> str:
    """What a command that only reads says of the state: ``pending``, ``in sync``, ``drift``."""
    try:
        outcome = preview(target, _files(_NEW), tool=TOOL, blueprint=b"epforge: 1\n")
    except PendingError:
        return "pending"
    return "drift" if outcome.actions or outcome.created else "in sync"


def after_the_next(trial: Trial, target: Path) -> tuple[str, str]:
    """The states after recovery, and after the command is repeated."""
    if target.is_dir():
        recover(target)
    first = trial.state(target)
    put(target, _NEW)
    return first, trial.state(target)


def kills(trial: Trial, points: range) -> Iterator[dict[str, Any]]:
    """Kills publishing at every point."""
    for at in points:
        target = trial.again()
        killed, _ = in_child(partial(put, target, _NEW), target.parent, at, 0)
        row = {"at": at, "killed": killed, "now": trial.state(target)}
        row["told"] = told(target)
        row["recovered"], row["repeated"] = after_the_next(trial, target)
        yield row


def kills_of_recovery(trial: Trial, points: range) -> Iterator[dict[str, Any]]:
    """Kills publishing at every point, and then recovery at every point of its own."""
    for at in points:
        target = trial.again()
        in_child(partial(put, target, _NEW), target.parent, at, 0)
        if not target.is_dir():
            continue
        crashed = trial.folder / "crashed"
        shutil.rmtree(crashed, ignore_errors=True)
        shutil.copytree(target.parent, crashed)
        total = count(partial(recover, target), target.parent)
        for second in range(1, total + 1):
            target = trial.again(crashed / "p")
            killed, _ = in_child(partial(recover, target), target.parent, second, 0)
            row = {"at": at, "second": second, "killed": killed, "told": told(target)}
            row["now"] = trial.state(target)
            row["recovered"], row["repeated"] = after_the_next(trial, target)
            yield row


def failures(trial: Trial, points: range, error: int) -> Iterator[dict[str, Any]]:
    """Lets every call fail once."""
    for at in points:
        target = trial.again()
        _, said = in_child(partial(put, target, _NEW), target.parent, at, error)
        row: dict[str, Any] = {"at": at, "said": said, "now": trial.files_of(target)}
        row["beside"] = sorted(each.name for each in target.parent.iterdir() if each != target)
        row["recovered"], row["repeated"] = after_the_next(trial, target)
        row["recovered"] = row["recovered"] if said else trial.files_of(target)
        yield row


def main() -> None:
    folder, what, start, error, first, step = sys.argv[1:]
    trial = Trial(Path(folder).resolve(), start)
    target = trial.again()
    total = count(partial(put, target, _NEW), target.parent)
    points = range(int(first), total + 1, int(step))
    print(json.dumps({"total": total}))
    rows = {
        "kill": lambda: kills(trial, points),
        "recover": lambda: kills_of_recovery(trial, points),
        "fail": lambda: failures(trial, points, int(error)),
    }[what]()
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
