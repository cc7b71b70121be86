"""git as a tool: bounded in time, deaf to the caller's environment; it runs no other program.

A repository's configuration came with it, and can name programs: hooks, filters, a monitor of the
file system, what fetches an object that is missing. None of them is run.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from epforge.errors import MissingError

TIMEOUT_S = 300.0

# What would run programs of the repository, write to it beside what is asked, or read it in
# another form than it is stored.
_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.splitIndex=false"),
    *("gc.auto=0", "maintenance.auto=false"),
    *("user.useConfigOnly=true", "i18n.commitEncoding=UTF-8"),
)
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    # A partial clone says itself how what it lacks is fetched, and that may be any command.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # for a git before 2.44
}


class GitError(MissingError):
    """git did not do what was asked; its own words are in the message."""


@dataclass(frozen=True)
class Git:
    """git in one directory.

    Args:
        directory: where it runs.
        extra: environment variables beside ours; the caller's ``GIT_*`` are not passed on.
    """

    directory: Path
    extra: Mapping[str, str] = field(default_factory=dict)

    def call(
        self,
        arguments: Sequence[str],
        stdin: bytes = b"",
        stdout: IO[bytes] | int = subprocess.PIPE,
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs git and returns what it said, whatever its exit status.

        Raises:
            MissingError: there is no git.
            GitError: it did not end in time.
        """
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        inherited = {key: value for key, value in os.environ.items() if key[:4] != "GIT_"}
        program = git_program()
        if program is None:
            raise MissingError("git is not installed", "Install git.")
        try:
            return subprocess.run(
                [program, *settings, *arguments],
                cwd=self.directory,
                env={**inherited, **_ENVIRONMENT, **self.extra},
                input=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise GitError(
                f"git {arguments[0]} in {self.directory} did not end within {TIMEOUT_S:.0f} s"
            ) from error

    def without_drivers(self) -> Git:
        """git that runs none of the filters that the repository's own configuration names.

        Those of the user and of the machine stay: they are the user's programs.

        Raises:
            GitError: git does not tell.
        """
        asked = ["config", "-z", "--show-scope", "--name-only", "--get-regexp", "^filter[.]"]
        listed = self.call(asked)
        if listed.returncode > 1:  # 1: there are none
            self.checked(asked, listed)
        words = os.fsdecode(listed.stdout).split("\0")
        # The whole key of a driver: filter.NAME.clean, and NAME may have dots.
        drivers = sorted(
            {
                key.rpartition(".")[0]
                for scope, key in zip(words[::2], words[1::2], strict=False)
                if scope in ("local", "worktree") and key.count(".") > 1
            }
        )
        # An empty process goes before clean and smudge, and is none. By variables, not by -c:
        # that one ends a name at its first "=".
        rows = [
            (f"{driver}.{key}", value)
            for driver in drivers
            for key, value in (("process", ""), ("required", "false"))
        ]
        extra = {"GIT_CONFIG_COUNT": str(len(rows))}
        for index, (key, value) in enumerate(rows):
            extra |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
        return Git(self.directory, {**self.extra, **extra})

    def run(self, arguments: Sequence[str], stdin: bytes = b"") -> bytes:
        """Runs git and returns its output. Raises GitError if it fails."""
        return self.checked(arguments, self.call(arguments, stdin)).stdout

    def line(self, arguments: Sequence[str], stdin: bytes = b"") -> str:
        """The output as text, without the newline at its end."""
        return os.fsdecode(self.run(arguments, stdin)).removesuffix("\n")

    def checked(
        self, arguments: Sequence[str], result: subprocess.CompletedProcess[bytes]
    ) -> subprocess.CompletedProcess[bytes]:
        """``result``, if git succeeded. Raises GitError if not."""
        if result.returncode:
            said = result.stderr.decode(errors="replace").strip() or f"status {result.returncode}"
            raise GitError(f"git {arguments[0]} in {self.directory} failed: {said}")
        return result


def git_program() -> str | None:
    """The git of the PATH; None if there is none.

    A directory of the PATH that is relative is left out, and so is the current one, where Windows
    looks first: a project can have a program by that name.
    """
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        place = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    return None


def object_id(content: bytes, like: str) -> str:
    """The name that git gives to a blob, in the repository that made the object id ``like``."""
    algorithm = "sha1" if len(like) == 40 else "sha256"
    blob = hashlib.new(algorithm, b"blob %d\0" % len(content), usedforsecurity=False)
    blob.update(content)
    return blob.hexdigest()
