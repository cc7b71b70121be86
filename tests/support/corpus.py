"""The projects of the corpus: as an earlier epforge left them, with their owners' work in them."""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_HEAD = re.compile(r"diff --git [ab]/(.+) [ab]/\1")
CORPUS = Path(__file__).resolve().parents[1] / "corpus"


@dataclass
class FileEdit:
    """What the owner has done to a file.

    Args:
        added: lines of the owner's, without empty ones.
        is_new: the file is the owner's own.
        is_deleted: the owner has deleted it.
    """

    added: list[str] = field(default_factory=list)
    is_new: bool = False
    is_deleted: bool = False


@dataclass(frozen=True)
class Kept:
    """A project of the corpus.

    Args:
        state: when, and by which commit, it was scaffolded.
        name: which of that state's.
    """

    state: str
    name: str

    def __str__(self) -> str:
        return f"{self.state}/{self.name}"

    @property
    def archive(self) -> Path:
        """The project, packed."""
        return CORPUS / self.state / f"{self.name}.tar.xz"

    def unpack(self, to: Path) -> Path:
        """Unpacks the project; returns its directory."""
        with tarfile.open(self.archive) as archive:
            for member in archive:  # without `filter`, which Debian's Python 3.11 does not have
                file = archive.extractfile(member)
                if file is not None:
                    place = to / member.name
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(file.read())
                    place.chmod(member.mode)
        return to

    def edits(self) -> Mapping[str, FileEdit]:
        """What its owner did, by path."""
        text = self.archive.with_suffix("").with_suffix(".patch").read_text(encoding="utf-8")
        edits: dict[str, FileEdit] = {}
        current = FileEdit()
        for line in text.splitlines():
            head = _HEAD.fullmatch(line)
            if head:
                current = edits.setdefault(head[1], FileEdit())
            elif line.startswith("new file "):
                current.is_new = True
            elif line.startswith("deleted file "):
                current.is_deleted = True
            elif line.startswith("+") and not line.startswith("+++ ") and line[1:].strip():
                current.added.append(line[1:])
        return edits


def projects() -> tuple[Kept, ...]:
    """Every project of every state, the smallest first."""
    archives = sorted(CORPUS.glob("*/*.tar.xz"), key=os.path.getsize)
    return tuple(Kept(path.parent.name, path.name.partition(".")[0]) for path in archives)
