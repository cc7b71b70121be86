"""git as a merge engine: in a scratch directory, deaf to what the machine and its user configured.

The texts go into git under names of ours, so that no path, attribute or filter of a project has a
say. What comes back is checked: no line of either side is missing, or it is not taken.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from epforge.workspace.git import git_program
from epforge.workspace.merge.layout import Lines, Texts
from epforge.workspace.merge.model import GitError
from epforge.workspace.merge.pieces import BASE, EPFORGE, YOURS, Clash, Piece, marker_length, parse

TIMEOUT_S = 60.0

_CONFLICTS = range(128)  # what merge-file returns: how many there are
_SIDES = ("base", "ours", "theirs")
# What is written is thrown away: it need not be small, nor survive a power cut.
_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = true
\thooksPath = /dev/null
\tfsync = none
\tcompression = 0
[fastimport]
\tunpackLimit = 1
[merge]
\trenames = false
\tconflictStyle = diff3
"""
_IN_MEMORY = "/dev/shm"
_WHO = b"epforge <epforge> 0 +0000"


@functools.cache
def version(program: str) -> tuple[int, int]:
    """The version of a git; (0, 0) if it cannot tell. Raises GitError if it hangs."""
    with _scratch() as scratch:
        status, output = _call(program, scratch, ["version"])
    found = re.match(rb"git version (\d+)\.(\d+)", output)
    return (int(found[1]), int(found[2])) if found and status == 0 else (0, 0)


def merge_file(texts: Texts) -> tuple[Piece, ...]:
    """Merges one text with ``git merge-file``. Raises GitError."""
    size = marker_length(texts)
    contents = {side: _whole(getattr(texts, side)) for side in _SIDES}
    with _scratch(sum(map(len, contents.values()))) as scratch:
        for side, content in contents.items():
            (scratch / side).write_bytes(content)
        status, output = _call(
            _program(), scratch,
            ["merge-file", "-p", "-q", "--diff3", f"--marker-size={size}",
             "-L", YOURS, "-L", BASE, "-L", EPFORGE, "ours", "base", "theirs"],
        )  # fmt: skip
    if status not in _CONFLICTS:
        raise GitError(f"git merge-file failed with status {status}")
    pieces = _read(texts, output, size)
    if pieces is None:
        raise GitError("git merge-file wrote what is no merge of its files")
    return pieces


def merge_tree(many: Sequence[Texts]) -> list[tuple[Piece, ...] | None]:
    """Merges texts with one ``git merge-tree``; None for those that did not work out.

    That is all of them where git fails, and those in which it left lines out. Raises GitError if
    it hangs.
    """
    failed: list[tuple[Piece, ...] | None] = [None] * len(many)
    size = max(map(marker_length, many))
    program = _program()
    stream = b"".join(_stream(many))
    with _scratch(len(stream)) as scratch:
        _make_repository(scratch, size)
        importing = ["fast-import", "--quiet", "--done", "--depth=0"]
        status, _ = _call(program, scratch, importing, stream)
        if status != 0:
            return failed
        status, output = _call(
            program, scratch,
            ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages",
             "refs/heads/ours", "refs/heads/theirs"],
        )  # fmt: skip
        tree = output.partition(b"\0")[0]
        if status not in (0, 1) or not re.fullmatch(rb"[0-9a-f]{40,64}", tree):
            return failed
        asked = b"".join(b"%s:%d\n" % (tree, index) for index in range(len(many)))
        status, output = _call(program, scratch, ["cat-file", "--batch"], asked)
    if status != 0:
        return failed
    found = [_read(texts, blob, size) for texts, blob in zip(many, _blobs(output), strict=False)]
    return found + failed[len(found) :]


def _read(texts: Texts, blob: bytes, size: int) -> tuple[Piece, ...] | None:
    """The pieces of a merge; None if it is none of these texts."""
    try:
        pieces = tuple(parse(blob, size))
    except ValueError:
        return None
    return pieces if _is_whole(texts, pieces) else None


def _stream(many: Sequence[Texts]) -> Iterator[bytes]:
    """Three commits for fast-import: ours and theirs descend from base."""
    for side in _SIDES:
        yield b"commit refs/heads/%s\ncommitter %s\ndata 0\n" % (side.encode(), _WHO)
        if side != "base":
            yield b"from refs/heads/base\n"
        for index, texts in enumerate(many):
            content = _whole(getattr(texts, side))
            yield b"M 100644 inline %d\ndata %d\n" % (index, len(content))
            yield content + b"\n"
    yield b"done\n"


def _blobs(output: bytes) -> Iterator[bytes]:
    """The contents that ``cat-file --batch`` wrote, as far as they are there."""
    at = 0
    while found := re.compile(rb"[0-9a-f]+ blob (\d+)\n").match(output, at):
        end = found.end() + int(found[1])
        if output[end : end + 1] != b"\n":
            return
        yield output[found.end() : end]
        at = end + 1


def _whole(lines: Lines) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _is_whole(texts: Texts, pieces: tuple[Piece, ...]) -> bool:
    """Whether every line that a side has and the base has not is in the merge."""
    have = {
        line
        for piece in pieces
        for line in (piece.yours + piece.epforge if isinstance(piece, Clash) else piece)
    }
    return {*texts.ours, *texts.theirs} - {*texts.base} <= have


def _make_repository(scratch: Path, marker: int) -> None:
    """A bare repository in which all that matters is settled."""
    for folder in ("objects", "refs", "info"):
        (scratch / folder).mkdir()
    (scratch / "HEAD").write_text("ref: refs/heads/base\n", encoding="ascii")
    (scratch / "config").write_text(_CONFIG, encoding="ascii")
    # The attributes of a repository go before all others.
    attributes = f"* -text merge=text !filter conflict-marker-size={marker}\n"
    (scratch / "info" / "attributes").write_text(attributes, encoding="ascii")


def _program() -> str:
    program = git_program()
    if program is None:
        raise GitError("git is not on the PATH")
    return program


@contextlib.contextmanager
def _scratch(size: int = 0) -> Iterator[Path]:
    """A directory for git and ``size`` bytes of texts. Raises GitError where none can be written.

    It is in memory if the user wishes for no other place and there is room: git makes many small
    files, and a disk takes its time with them.
    """
    try:
        with tempfile.TemporaryDirectory(
            prefix="epforge-merge-", dir=_memory(size), ignore_cleanup_errors=True
        ) as name:
            yield Path(os.path.realpath(name))
    except OSError as error:
        raise GitError(f"git cannot merge: {error.filename}: {error.strerror}") from error


def _memory(size: int) -> str | None:
    """The directory of Linux that is in memory, if there is room for ten times ``size``."""
    if os.environ.get("TMPDIR") or not os.access(_IN_MEMORY, os.W_OK | os.X_OK):
        return None
    return _IN_MEMORY if shutil.disk_usage(_IN_MEMORY).free > 10 * size + (1 << 20) else None


def _environment(scratch: Path) -> dict[str, str]:
    """What git sees: nothing of the user's settings, and no repository above it."""
    kept = {key: value for key, value in os.environ.items() if not key.upper().startswith("GIT_")}
    place = str(scratch)
    return kept | {
        "HOME": place,
        "XDG_CONFIG_HOME": place,  # attributes lie there as well
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(scratch.parent),
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def _call(
    program: str, scratch: Path, arguments: Sequence[str], stdin: bytes = b""
) -> tuple[int, bytes]:
    """Runs git; returns its exit status and what it wrote. Raises GitError if it does not end."""
    place = ["--git-dir=."] if (scratch / "HEAD").exists() else []
    process = subprocess.Popen(
        [program, *place, *arguments],
        cwd=scratch, env=_environment(scratch), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(stdin, TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git did not end within {TIMEOUT_S:g} s and was stopped") from error
    finally:
        if process.poll() is None:
            _end(process)
    return process.returncode, output


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and what it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
