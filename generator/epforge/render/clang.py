"""C++ and CUDA through clang-format: a few calls for all files, none for those known already."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from epforge.cache import cache_dir
from epforge.errors import MissingError
from epforge.render.batches import Batches
from epforge.render.store import write_quietly

SUFFIXES = frozenset({".c", ".cc", ".cu", ".h", ".inc"})
_KEPT = 8192  # entries in the cache; about 30 MB


def is_formatted(path: str) -> bool:
    """Does the file go through clang-format?"""
    return PurePosixPath(path).suffix in SUFFIXES


def format_all(
    sources: Mapping[str, str] | Iterable[tuple[str, str]], style: str
) -> dict[str, str]:
    """Formats every source.

    Args:
        sources: text by path; the path's name tells the language and orders the includes. Where
            they are made one by one, the first are formatted while the others are made.
        style: the content of ``.clang-format``.

    Returns:
        The formatted text by path, for the same paths.

    Raises:
        MissingError: clang-format is not installed.
        RenderError: clang-format refused a file.
    """
    pairs = sources.items() if isinstance(sources, Mapping) else sources
    store = cache_dir("format")
    out: dict[str, str] = {}
    keys: dict[str, str] = {}
    with contextlib.closing(Batches(style)) as batches:
        for path, text in pairs:
            name = PurePosixPath(path).name
            key = "\0".join((_version(), style, name, text))
            keys[path] = hashlib.sha256(key.encode()).hexdigest()
            known = _read(store / keys[path])
            if known is not None:
                out[path] = known
            else:
                batches.add(path, text)
        fresh = batches.finish()
    for path, text in fresh.items():
        out[path] = text
        _write(store / keys[path], text)
    if fresh:
        _prune(store)
    return out


@functools.cache
def _version() -> str:
    try:
        return importlib.metadata.version("clang-format")
    except importlib.metadata.PackageNotFoundError:
        raise MissingError(
            "clang-format is not installed in epforge's environment",
            "Install it: pip install clang-format",
        ) from None


def _read(path: Path) -> str | None:
    """A cached text, if it is whole."""
    try:
        digest, _, text = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return text.decode() if hashlib.sha256(text).hexdigest().encode() == digest else None


def _write(path: Path, text: str) -> None:
    content = text.encode()
    write_quietly(path, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def _prune(store: Path) -> None:
    """Drops the older half of a cache that has grown too large."""
    try:
        entries = list(store.iterdir())
        if len(entries) > _KEPT:
            entries.sort(key=lambda entry: entry.stat().st_mtime)
            for entry in entries[: len(entries) // 2]:
                entry.unlink(missing_ok=True)
    except OSError:
        return  # somebody else is at it, or the cache is read-only
