"""Finds an overlay and reads it: beside the blueprint, or in an installed Python package."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.render.overlay.errors import OverlayError
from epforge.resolve.services import Overlay, OverlayKind

MAX_FILES = 500
MAX_BYTES = 5_000_000
#: What no overlay is about. Without `.git`, a template is what it is on disk, not at some tag.
_LEFT_OUT = frozenset({".git", ".DS_Store", "__pycache__"})
_SHARE = "Put it into a Python package and write python:PACKAGE/DIR."


@dataclass(frozen=True)
class Item:
    """A file of an overlay, or of what it becomes."""

    content: bytes
    executable: bool = False


@dataclass(frozen=True)
class Found:
    """An overlay as it is on disk.

    Args:
        overlay: which one.
        root: where it lies: a directory, or the one that holds the header.
        files: its files by their path in it, sorted; a header is one file.
    """

    overlay: Overlay
    root: Path
    files: Mapping[str, Item]

    @property
    def digest(self) -> str:
        """SHA-256 over names, contents and x bits, in hex."""
        digest = hashlib.sha256()
        for name, item in self.files.items():
            head = f"{name}\0{len(item.content)}\0{int(item.executable)}\0"
            digest.update(head.encode() + item.content)
        return digest.hexdigest()

    @property
    def travels(self) -> Mapping[str, Item]:
        """Its files by their path in the project that takes it along; none from a package."""
        if self.overlay.is_packaged:
            return {}
        parent, _, _ = self.overlay.path.rpartition("/")
        base = parent if self.overlay.kind is OverlayKind.HEADER else self.overlay.path
        return {f"{base}/{name}" if base else name: item for name, item in self.files.items()}


def find(overlay: Overlay, directory: Path) -> Found:
    """Reads an overlay. Nothing of it is run, and no package is imported.

    Args:
        overlay: which one.
        directory: the blueprint's.

    Raises:
        OverlayError: it is not there, leads elsewhere by a link, or is too large.
    """
    base = _package(overlay) if overlay.is_packaged else directory
    place = base / overlay.path
    try:
        _inside(overlay, place, base)
        if overlay.kind is OverlayKind.HEADER:
            if not place.is_file():
                raise OverlayError(overlay, f"there is no file {place}")
            return Found(overlay, place.parent, {place.name: _item(place, MAX_BYTES)})
        if not place.is_dir():
            raise OverlayError(overlay, f"there is no directory {place}")
        return Found(overlay, place, _read(overlay, place))
    except OSError as error:
        raise OverlayError(overlay, f"{error.filename}: {error.strerror}") from error


def _package(overlay: Overlay) -> Path:
    """The directory of a top-level package. `find_spec` imports the parents of a name, and a
    top-level one has none."""
    name = overlay.package
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        what = f"no Python package {name} is installed here"
        raise OverlayError(overlay, what, f"Install it into the environment of epforge: {name}.")
    for location in spec.submodule_search_locations or ():
        if (Path(location) / overlay.path).exists():
            return Path(location)
    what = f"the Python package {name} has no {overlay.path or 'directory'}"
    raise OverlayError(overlay, what)


def _inside(overlay: Overlay, place: Path, base: Path) -> None:
    """Refuses a link that leads out of what the overlay may consist of."""
    if not place.resolve().is_relative_to(base.resolve()):
        what = f"{place} leads to {place.resolve()}, out of {base}"
        raise OverlayError(overlay, what, _SHARE)


def _read(overlay: Overlay, root: Path) -> Mapping[str, Item]:
    files: dict[str, Item] = {}
    size = 0
    for path in _walk(overlay, root):
        name = path.relative_to(root).as_posix()
        if not _is_text(name):
            raise OverlayError(overlay, f"a file's name is not UTF-8: {name!a}")
        files[name] = _item(path, MAX_BYTES - size)
        size += len(files[name].content)
        if len(files) > MAX_FILES or size > MAX_BYTES:
            raise _too_large(overlay)
    if not files:
        raise OverlayError(overlay, "the directory has no files")
    return dict(sorted(files.items(), key=lambda entry: entry[0].encode()))


def _too_large(overlay: Overlay) -> OverlayError:
    what = f"it has more than {MAX_FILES} files or {MAX_BYTES // 1_000_000} MB"
    return OverlayError(overlay, what, "Leave out what does not belong to the style.")


def _walk(overlay: Overlay, root: Path) -> Iterator[Path]:
    """The files of a directory; there may be as many directories as files, at any depth."""
    folders = [root]
    for seen, folder in enumerate(folders):  # it grows meanwhile
        if seen > MAX_FILES:
            raise _too_large(overlay)
        for entry in os.scandir(folder):
            if entry.name in _LEFT_OUT or entry.name.endswith((".pyc", ".pyo")):
                continue
            path = Path(entry.path)
            if entry.is_symlink():
                _check_link(overlay, root, path)
            if entry.is_dir():
                folders.append(path)
            elif entry.is_file():
                yield path
            else:
                raise OverlayError(overlay, f"{path.relative_to(root)} is no file and no directory")


def _check_link(overlay: Overlay, root: Path, path: Path) -> None:
    name = path.relative_to(root)
    if not path.resolve().is_relative_to(root.resolve()):
        what = f"{name} is a symbolic link that leads out of the overlay"
        raise OverlayError(overlay, what, "Put the file itself there.")
    if not path.is_file():
        what = f"{name} is a symbolic link, and not to a file"
        raise OverlayError(overlay, what, "Put the directory itself there.")


def _item(path: Path, limit: int) -> Item:
    """A file, read no further than one byte beyond ``limit``."""
    with open(path, "rb") as file:
        content = file.read(max(limit, 0) + 1)
        mode = os.fstat(file.fileno()).st_mode
    return Item(content, bool(mode & stat.S_IXUSR))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
