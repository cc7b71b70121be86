"""What lies on disk, read once, and when it counts as a text of ours."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from epforge.workspace.model import sha256

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class OnDisk:
    """A path of the project as it is.

    Args:
        content: its bytes; None if there is nothing, or no regular file.
        executable: whether its owner may run it.
        is_strange: something is there that is no regular file, or that cannot be read.
    """

    content: bytes | None
    executable: bool = False
    is_strange: bool = False

    @property
    def is_absent(self) -> bool:
        """Is nothing there?"""
        return self.content is None and not self.is_strange

    def holds(self, digest: str) -> bool:
        """Is it the text with this hash, whatever its line ends?"""
        return self.text_of(digest) is not None

    def text_of(self, digest: str) -> bytes | None:
        """The text with this hash, if that is what lies there, whatever its line ends."""
        if self.content is None:
            return None
        texts = (self.content, plain_ends(self.content))
        return next((text for text in texts if sha256(text) == digest), None)

    def same(self, text: bytes) -> bool:
        """Is it this text, whatever its line ends?"""
        content = self.content
        return content is not None and (content == text or plain_ends(content) == text)


def look(directory: Path, path: str) -> OnDisk:
    """What lies at ``path``."""
    place = directory / path
    try:
        mode = os.lstat(place).st_mode
        if not stat.S_ISREG(mode):
            return OnDisk(None, is_strange=True)
        return OnDisk(place.read_bytes(), executable=bool(mode & stat.S_IXUSR))
    except (FileNotFoundError, NotADirectoryError):
        return OnDisk(None)
    except OSError:
        return OnDisk(None, is_strange=True)


def current(directory: Path, path: str) -> str | None:
    """The hash of a file on disk; None if nothing is there; "" if it is no regular file."""
    found = look(directory, path)
    if found.content is not None:
        return sha256(found.content)
    return "" if found.is_strange else None


def plain_ends(content: bytes) -> bytes:
    """Without byte order mark, and with LF where every line ends in CRLF."""
    text = content.removeprefix(_BOM)
    return text.replace(b"\r\n", b"\n") if _is_crlf(text) else text


def in_the_ends_of(model: bytes | None, text: bytes) -> bytes:
    """``text`` with the line ends and the byte order mark that ``model`` has.

    Args:
        model: the owner's file; None if there is none.
        text: ours, with LF and without byte order mark.
    """
    if model is None or b"\0" in text:
        return text
    body = text.replace(b"\n", b"\r\n") if _is_crlf(model) and b"\r" not in text else text
    return _BOM + body if model.startswith(_BOM) and not body.startswith(_BOM) else body


def _is_crlf(content: bytes) -> bool:
    ends = content.count(b"\n")
    return ends > 0 and content.count(b"\r\n") == ends and content.count(b"\r") == ends
