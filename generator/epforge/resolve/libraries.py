"""Libraries beside the plugin's, and the distributions that its wheel comes as."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from epforge.blueprint.diagnostic import show
from epforge.blueprint.nodes import Path
from epforge.blueprint.shape import BlueprintShape, PythonShape
from epforge.resolve.findings import Findings
from epforge.resolve.model import Names

#: The platforms whose libraries are named differently: prefix and suffix of a file.
PLATFORMS: Final = {"linux": ("lib", ".so"), "macos": ("lib", ".dylib"), "windows": ("", ".dll")}

_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,119}")
_SUFFIX = re.compile(r"(\.so(\.[0-9]+)*|(\.[0-9]+)*\.dylib|\.dll)\Z", re.IGNORECASE)
_NOT_SHARED = re.compile(r"\.(a|lib|o|obj|so\..*|tar|gz|zip|whl|py|exe)\Z", re.IGNORECASE)
_PART = re.compile(r"|[-._]?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_MAX_SUFFIX = 40


def file_name(library: str, platform: str) -> str | None:
    """The file of a library on one of `PLATFORMS`; None if it is none of that platform.

    Args:
        library: a stem such as ``acme_rt``, which every platform has a file for, or the name of a
            file, such as ``libacme_rt.so.2``, which is of one platform alone.
        platform: linux, macos or windows.
    """
    prefix, suffix = PLATFORMS[platform]
    match = _SUFFIX.search(library)
    if match is None:
        return f"{prefix}{library}{suffix}"
    return library if suffix in match[0].lower() else None


def versionless(library: str) -> str:
    """The stem that all files of a library share: ``cuda`` for ``libcuda.so.1``."""
    return _SUFFIX.sub("", library).removeprefix("lib")


def resolve_libraries(
    shape: BlueprintShape, names: Names, found: Findings
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The libraries to ship beside the plugin, and those never to ship."""
    own = {names.library, f"{names.library}_test", f"{names.namespace}_custom_ops"}
    taken = {name.lower() for stem in own for name in _files(stem)}
    for index, text in enumerate(shape.runtime_libs):
        place: Path = ("runtime_libs", index)
        if not _is_library(text, place, found):
            continue
        files = {name.lower() for name in _files(text)}
        others = {n.lower() for other in shape.runtime_libs[:index] for n in _files(other)}
        if files & taken:
            what = f"runtime_libs: {text} is a name of the plugin's own library"
            found.error(place, "name-collision", what, "", "delete it, or rename one of them")
        elif versionless(text).lower().startswith("onnxruntime"):
            what = f"runtime_libs: {text} comes with the application, whose ONNX Runtime it is"
            found.error(place, "reserved-name", what, "", "delete it")
        elif files & others:
            what = f"runtime_libs: {show(text)} is listed twice"
            out = found.without(place)
            found.error(place, "listed-twice", what, "", "delete one of them", out)
    shipped = {versionless(text).lower() for text in shape.runtime_libs}
    for index, text in enumerate(shape.system_libs):
        place = ("system_libs", index)
        if not _is_library(text, place, found):
            continue
        if text in shape.system_libs[:index]:
            what = f"system_libs: {show(text)} is listed twice"
            out = found.without(place)
            found.error(place, "listed-twice", what, "", "delete one of them", out)
        elif versionless(text).lower() in shipped:
            what = f"system_libs: {text} is one of runtime_libs, which are shipped"
            found.error(place, "name-collision", what, "", "delete one of them")
    return shape.runtime_libs, shape.system_libs


def resolve_distributions(
    shape: PythonShape, distribution: str, found: Findings
) -> tuple[str, ...]:
    """The suffixes of the Python distributions.

    Args:
        shape: the blueprint's key ``python``.
        distribution: the name that they are added to.
        found: gets what is wrong.
    """
    suffixes = tuple(each.suffix for each in shape.distributions)
    path: Path = ("python", "distributions")
    if not suffixes and not found.source.incomplete("python"):
        found.error(path, "empty-list", "distributions: the list is empty", "at least one")
    seen: dict[str, str] = {}
    for index, suffix in enumerate(suffixes):
        place: Path = (*path, index, "suffix")
        normal = re.sub(r"[-._]+", "-", f"{distribution}{suffix}").lower()
        if not _PART.fullmatch(suffix) or len(suffix) > _MAX_SUFFIX:
            what = f"suffix: {show(suffix)} cannot end the name of a distribution"
            found.error(place, "bad-name", what, "nothing, or such as -cu13")
        elif suffix in suffixes[:index]:
            what = f"two distributions have the suffix {show(suffix)}"
            out = found.without((*path, index))
            found.error(place, "name-collision", what, "", "delete one of them", out)
        elif normal in seen:
            what = f"the suffixes {show(seen[normal])} and {show(suffix)} give one distribution"
            found.error(place, "name-collision", what, "", "delete one of them")
        elif normal.endswith(("-native", "-torch")):
            what = f"suffix: {distribution}{suffix} is the name of another distribution of yours"
            found.error(place, "name-collision", what, "another suffix, such as -cu13")
        seen.setdefault(normal, suffix)
    return suffixes


def _files(library: str) -> tuple[str, ...]:
    names = (file_name(library, platform) for platform in PLATFORMS)
    return tuple(name for name in names if name is not None)


def _is_library(text: str, place: Path, found: Findings) -> bool:
    key = place[0]
    if not _FILE.fullmatch(text):
        what = f"{key}: {show(text)} is not the name of a library's file"
        rule = "a name without a directory, of letters, digits and . _ + -"
        last = re.split(r"[/\\]", text.strip())[-1]
        fix = last if _FILE.fullmatch(last) and last != text else None
        found.error(place, "bad-value", what, rule, f"write {fix}" if fix else "", fix)
        return False
    if _SUFFIX.search(text):
        return True
    stem = text.removeprefix("lib")
    if _NOT_SHARED.search(text):
        what = f"{key}: {text} is not a shared library"
        found.error(place, "bad-value", what, "such as libacme_rt.so, acme_rt.dll or acme_rt")
        return False
    if stem != text and stem:
        what = f"{key}: {text} gives lib{text}.so: without a suffix, the prefix is added by itself"
        hint = f"write {stem}, or {text}.so for Linux alone"
        found.error(place, "bad-value", what, "", hint, stem)
        return False
    return True


def shipped_files(libraries: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The files of libraries, for each platform."""
    listed = tuple(libraries)
    return {
        platform: tuple(name for text in listed if (name := file_name(text, platform)) is not None)
        for platform in PLATFORMS
    }
