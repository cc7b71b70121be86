"""What a page of Markdown links to, which anchors it has, and which of its links are dead."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

#: A path to its text: "" for a directory or what is no page, None for what is absent.
Read = Callable[[str], str | None]

_PARSER = MarkdownIt("commonmark").enable("table")
_ID = re.compile(r"""<[^>]*\b(?:id|name)\s*=\s*["']([^"']+)["']""")


def links(text: str) -> list[tuple[int, str]]:
    """Every link and image of a page: its line, from 1, and where it leads."""
    found: list[tuple[int, str]] = []
    for block in _PARSER.parse(text):
        line = block.map[0] + 1 if block.map else 1
        for token in block.children or ():
            target = token.attrGet("href") or token.attrGet("src")
            if token.type in ("link_open", "image"):
                found.append((line, str(target or "")))
            elif token.type in ("softbreak", "hardbreak"):
                line += 1
    return found


def anchors(text: str) -> set[str]:
    """What can stand behind ``#`` in a link to the page: the names of headings, and ids."""
    tokens = _PARSER.parse(text)
    found: set[str] = set()
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            name = slug("".join(_words(token)))
            number = 0
            while (unique := f"{name}-{number}" if number else name) in found:
                number += 1
            found.add(unique)
    return found | set(_ID.findall(text))


def _words(token: Token) -> list[str]:
    return [child.content for child in token.children or () if child.type != "html_inline"]


def slug(heading: str) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def dead_links(page: str, read: Read) -> list[str]:
    """The links of a page that lead nowhere, each with its place. What is on other machines is not
    asked for: such a link has to be well formed.

    Args:
        page: its path below the root of a tree.
        read: reads a path below that root.
    """
    text = read(page)
    assert text is not None, page
    found = []
    for line, target in links(text):
        why = _external(target) if urlsplit(target).scheme else _internal(page, target, read)
        if why:
            found.append(f"{page}:{line}: {target}: {why}")
    return found


def _external(target: str) -> str:
    parts = urlsplit(target)
    well_formed = parts.scheme == "https" and re.fullmatch(
        r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc
    )
    return "" if well_formed else "no address of a page that everybody can open"


def _internal(page: str, target: str, read: Read) -> str:
    path, _, anchor = target.partition("#")
    there = _joined(PurePosixPath(page).parent, unquote(path)) if path else page
    text = None if there is None else read(there)
    if text is None:
        return "there is no such file"
    if anchor and unquote(anchor) not in anchors(text):
        return "there is no such heading"
    return ""


def _joined(folder: PurePosixPath, path: str) -> str | None:
    """The path from the root; None for one that leads out of the tree."""
    parts = list(folder.parts)
    for part in PurePosixPath(path).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return None if path.startswith("/") else "/".join(parts) or "."
