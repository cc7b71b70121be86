"""git as a tool: bounded in time, deaf to the caller's environment, without hooks or filters."""

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
        try:
            return subprocess.run(
                ["git", *settings, *arguments],
                cwd=self.directory,
                env={**inherited, **_ENVIRONMENT, **self.extra},
                input=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE,
                timeout=TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise MissingError("git is not installed", "Install git.") from error
        except subprocess.TimeoutExpired as error:
            raise GitError(
                f"git {arguments[0]} in {self.directory} did not end within {TIMEOUT_S:.0f} s"
            ) from error

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


def object_id(content: bytes, like: str) -> str:
    """The name that git gives to a blob, in the repository that made the object id ``like``."""
    algorithm = "sha1" if len(like) == 40 else "sha256"
    blob = hashlib.new(algorithm, b"blob %d\0" % len(content), usedforsecurity=False)
    blob.update(content)
    return blob.hexdigest()
