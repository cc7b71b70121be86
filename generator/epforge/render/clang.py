"""C++ and CUDA through clang-format: one call for all files, none for those known already."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from epforge.cache import cache_dir
from epforge.errors import MissingError
from epforge.render.errors import RenderError
from epforge.render.store import write_quietly

SUFFIXES = frozenset({".c", ".cc", ".cu", ".h", ".inc"})
_KEPT = 8192  # entries in the cache; about 30 MB


def is_formatted(path: str) -> bool:
    """Does the file go through clang-format?"""
    return PurePosixPath(path).suffix in SUFFIXES


def format_all(sources: Mapping[str, str], style: str) -> dict[str, str]:
    """Formats every source.

    Args:
        sources: text by path; the path's name tells the language and orders the includes.
        style: the content of ``.clang-format``.

    Returns:
        The formatted text by path, for the same paths.

    Raises:
        MissingError: clang-format is not installed.
        RenderError: clang-format refused a file.
    """
    if not sources:
        return {}
    version = _version()
    store = cache_dir("format")
    keys = {
        path: hashlib.sha256(
            "\0".join((version, style, PurePosixPath(path).name, text)).encode()
        ).hexdigest()
        for path, text in sources.items()
    }
    out: dict[str, str] = {}
    for path, key in keys.items():
        known = _read(store / key)
        if known is not None:
            out[path] = known
    fresh = {path: text for path, text in sources.items() if path not in out}
    if fresh:
        for path, text in _run(fresh, style).items():
            out[path] = text
            _write(store / keys[path], text)
        _prune(store)
    return out


def _version() -> str:
    try:
        return importlib.metadata.version("clang-format")
    except importlib.metadata.PackageNotFoundError:
        raise MissingError(
            "clang-format is not installed in epforge's environment",
            "Install it: pip install clang-format",
        ) from None


def _binary() -> Path:
    spec = importlib.util.find_spec("clang_format")
    suffix = ".exe" if sys.platform == "win32" else ""
    if spec is not None and spec.origin is not None:
        binary = Path(spec.origin).parent / "data" / "bin" / f"clang-format{suffix}"
        if binary.is_file():
            return binary
    raise MissingError(
        "the package clang-format holds no binary for this machine",
        "Install it again: pip install --force-reinstall clang-format",
    )


def _run(sources: Mapping[str, str], style: str) -> dict[str, str]:
    binary = _binary()
    with tempfile.TemporaryDirectory(prefix="epforge-format-") as name:
        root = Path(name)
        (root / ".clang-format").write_text(style, encoding="utf-8", newline="\n")
        for path, text in sources.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        # The list goes through a file: a command line has a limit, 8 kB on Windows.
        (root / "files").write_text("\n".join(sources), encoding="utf-8", newline="\n")
        result = subprocess.run(
            [binary, "-i", "--style=file", "--fallback-style=none", "--files=files"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode:
            raise RenderError(f"clang-format: {result.stderr.strip() or result.returncode}")
        return {path: (root / path).read_bytes().decode() for path in sources}


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
