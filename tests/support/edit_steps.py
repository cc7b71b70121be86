"""What an owner does to the files of a project, step by step."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

_BOM = b"\xef\xbb\xbf"


class Step(Protocol):
    """One change of a project's files."""

    def apply(self, root: Path) -> None:
        """Does it in the project at ``root``."""


def _rewrite(root: Path, path: str, content: bytes) -> None:
    place = root / path
    place.unlink(missing_ok=True)  # it may be a link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


@dataclass(frozen=True)
class Put:
    """Puts ``new`` in place of ``old``, which is there once."""

    path: str
    old: str
    new: str

    def apply(self, root: Path) -> None:
        text = (root / self.path).read_bytes().decode()
        assert text.count(self.old) == 1, f"{self.path} has {text.count(self.old)}: {self.old}"
        _rewrite(root, self.path, text.replace(self.old, self.new).encode())


def after(path: str, line: str, text: str) -> Put:
    """Inserts ``text`` behind a line, or a part of the text that ends one."""
    return Put(path, f"{line}\n", f"{line}\n{text}")


def before(path: str, line: str, text: str) -> Put:
    """Inserts ``text`` before a line."""
    return Put(path, line, f"{text}{line}")


@dataclass(frozen=True)
class Append:
    """Adds ``text`` at the end."""

    path: str
    text: str

    def apply(self, root: Path) -> None:
        _rewrite(root, self.path, (root / self.path).read_bytes() + self.text.encode())


@dataclass(frozen=True)
class Write:
    """A file of the owner's own."""

    path: str
    content: bytes

    def apply(self, root: Path) -> None:
        assert not (root / self.path).exists()
        _rewrite(root, self.path, self.content)


@dataclass(frozen=True)
class Delete:
    """The file goes."""

    path: str

    def apply(self, root: Path) -> None:
        (root / self.path).unlink()


@dataclass(frozen=True)
class Rename:
    """The file gets another name."""

    path: str
    to: str

    def apply(self, root: Path) -> None:
        (root / self.to).parent.mkdir(parents=True, exist_ok=True)
        (root / self.path).rename(root / self.to)


@dataclass(frozen=True)
class Change:
    """The whole text goes through a function."""

    path: str
    function: Callable[[bytes], bytes]

    def apply(self, root: Path) -> None:
        _rewrite(root, self.path, self.function((root / self.path).read_bytes()))


@dataclass(frozen=True)
class MoveText:
    """Text goes from one place to another, maybe of another file."""

    path: str
    text: str
    before: str
    to: str = ""

    def apply(self, root: Path) -> None:
        Put(self.path, self.text, "").apply(root)
        before(self.to or self.path, self.before, self.text).apply(root)


@dataclass(frozen=True)
class FormatCpp:
    """Every C++ file goes through clang-format, in the project's own style."""

    def apply(self, root: Path) -> None:
        from epforge.render import clang

        style = (root / ".clang-format").read_text(encoding="utf-8")
        files = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*.*")))
        texts = {
            path: (root / path).read_text(encoding="utf-8")
            for path in files
            if clang.is_formatted(path) and not path.startswith(".epforge/")
        }
        for path, text in clang.format_all(texts, style).items():
            _rewrite(root, path, text.encode())


def crlf(content: bytes) -> bytes:
    """Line ends as on Windows."""
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def with_bom(content: bytes) -> bytes:
    """As some editors save UTF-8."""
    return _BOM + content


def deeper(content: bytes) -> bytes:
    """Twice the indentation."""
    lines = content.decode().split("\n")
    return "\n".join(" " * (len(line) - len(line.lstrip(" "))) + line for line in lines).encode()


def spread_json(content: bytes) -> bytes:
    """JSON as a formatter writes it."""
    return json.dumps(json.loads(content), indent=4).encode() + b"\n"
