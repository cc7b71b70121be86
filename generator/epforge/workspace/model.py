"""What the workspace deals in: files with owners. It would serve any generator."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from epforge.errors import EpforgeError, ExitStatus


class Owner(StrEnum):
    """Who may change a file."""

    GENERATED = "generated"  # replaced; an edit is refused
    SHARED = "shared"  # merged
    YOURS = "yours"  # written once, then never touched


@dataclass(frozen=True)
class File:
    """A file to publish.

    Args:
        path: relative to the project, with forward slashes.
        content: its bytes.
        owner: who may change it afterwards.
        executable: whether its mode has the x bits.
        template: where it came from, for the lock; empty if there is none.
        adopted: a generated file that its owner has made shared; ``owner`` says shared then.
        was: paths that the file had before; its owner's text moves along.
    """

    path: str
    content: bytes
    owner: Owner
    executable: bool = False
    template: str = ""
    adopted: bool = False
    was: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tool:
    """What made the files: its version, and the SHA-256 of its templates."""

    version: str
    templates: str


class WriteError(EpforgeError):
    """The machine does not let us write; nothing has changed."""

    exit_status = ExitStatus.MISSING


class EditedError(EpforgeError):
    """Files that would be replaced hold changes that would be lost; nothing has changed."""

    exit_status = ExitStatus.CONFLICTS

    def __init__(self, paths: tuple[str, ...], cure: str) -> None:
        listed = "".join(f"\n  {path}" for path in paths)
        super().__init__(f"these files were edited and would be overwritten:{listed}", cure)
        self.paths = paths

    def details(self) -> Mapping[str, object]:
        return {"files": list(self.paths)}


def sha256(content: bytes) -> str:
    """The hash that the lock keeps, in hex."""
    return hashlib.sha256(content).hexdigest()
