"""Overlays: what kind each is, and whether its path can be one."""

from __future__ import annotations

import re

from epforge.blueprint.diagnostic import show
from epforge.blueprint.nodes import Path
from epforge.blueprint.shape import OverlayShape
from epforge.resolve.findings import Findings
from epforge.resolve.services import Overlay, OverlayKind

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|git@|git\+|gh:|gl:|bb:")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KINDS = "source, templates or header"
_SHARE = "put it into a Python package and write python:PACKAGE/DIR"
_RELATIVE = "a path relative to the blueprint, or python:PACKAGE/DIR"


def resolve_overlays(shapes: tuple[OverlayShape, ...], found: Findings) -> tuple[Overlay, ...]:
    """The overlays, in the blueprint's order. Whether they are there is not looked at."""
    overlays: list[Overlay] = []
    for index, shape in enumerate(shapes):
        path: Path = ("overlays", index)
        given = {kind: getattr(shape, kind.value) for kind in OverlayKind}
        kinds = [kind for kind, place in given.items() if place is not None]
        if len(kinds) != 1:
            if not found.source.incomplete(*path):
                what = f"an overlay is one of {_KINDS}, and this one is "
                what += " and ".join(kinds) if kinds else "none of them"
                found.error(path, "bad-overlay", what, "such as {source: ./house-style}")
            continue
        (kind,) = kinds
        where = f"{found.source.file}:{found.line((*path, kind.value))}"
        overlay = Overlay(kind, given[kind], tuple(sorted(shape.data.items())), where)
        _check_place(overlay, (*path, kind.value), found)
        _check_data(overlay, path, found)
        _check_again(overlay, overlays, (*path, kind.value), found)
        overlays.append(overlay)
    return tuple(overlays)


def _check_place(overlay: Overlay, path: Path, found: Findings) -> None:
    """A path that means the same on every system and stays where the blueprint is."""
    place = overlay.place
    what, hint, fix = "", "", None
    if not place.strip() or not place.isprintable() or len(place) > 1024:
        what = f"{show(place)} is not a path"
    elif _URL.match(place):
        what, hint = f"{show(place)} is an address, and nothing is fetched", _SHARE
    elif overlay.is_packaged and not _NAME.fullmatch(overlay.package):
        what = f"{show(overlay.package)} is not the name of a top-level Python package"
        hint = "write python:PACKAGE, or python:PACKAGE/sub/dir"
    elif "\\" in place:
        what, hint = f"{show(place)} has a backslash", "write it with forward slashes"
        fix = place.replace("\\", "/") if re.fullmatch(r"[\w.\\/-]+", place) else None
    elif place.startswith(("/", "~")) or re.match(r"[A-Za-z]:", place):
        what, hint = f"{show(place)} is an absolute path, and other machines do not have it", _SHARE
    elif ".." in place.split("/"):
        what = f"{show(place)} leads out of the blueprint's directory"
        hint = f"the project takes its overlays along; to share one, {_SHARE}"
    elif not overlay.path and not overlay.is_packaged:
        what = f"{show(place)} is the blueprint's own directory"
        hint = "give the overlay a directory of its own"
    elif not overlay.path and overlay.kind is OverlayKind.HEADER:
        what = f"{show(place)} names no file"
    if what:
        found.error(path, "bad-overlay", f"{overlay.kind}: {what}", _RELATIVE, hint, fix)


def _check_data(overlay: Overlay, path: Path, found: Findings) -> None:
    if overlay.data and overlay.kind is not OverlayKind.SOURCE:
        what = f"data: {overlay.kind} asks no questions"
        found.key_error((*path, "data"), "no-effect", what, "with source", "delete it")
        return
    for key, _ in overlay.data:
        if not _NAME.fullmatch(key) or key == "epforge":
            what = f"data: {show(key)} cannot be the name of a question"
            if key == "epforge":
                what = "data: epforge is the name of what epforge itself tells a template"
            rule = "letters, digits and _, a letter first"
            found.key_error((*path, "data", key), "bad-name", what, rule)


def _check_again(overlay: Overlay, before: list[Overlay], path: Path, found: Findings) -> None:
    if overlay in before:
        what = f"{overlay.kind}: {show(overlay.place)} is listed twice"
        found.error(path, "listed-twice", what, "", "delete one of them", found.without(path[:-1]))
    elif overlay.kind is OverlayKind.HEADER and any(each.kind is overlay.kind for each in before):
        what = "header: there is one already, and a file has one header"
        found.error(path, "listed-twice", what, "", "put both texts into one file")
