"""What a shell offers for the words that follow a verb: names, files by their endings.

A TAB is pressed and waited for, so nothing heavy is imported here. The words that are listed are
those of rooms that would take long to import; a test compares them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

import typer

from epforge.errors import EpforgeError

Completion = Callable[[str], list[str]]

RUNGS = (
    *("static", "load", "ops", "graphs", "context", "conformance", "memory", "threads"),
    *("fuzz", "package", "matrix"),
)
PRESETS = ("release", "debug", "asan", "tsan")
TARGETS = ("linux-x64", "linux-arm64", "windows-x64", "macos-arm64")
LIBRARIES = (".so", ".dll", ".dylib")
BLUEPRINTS = (".yaml", ".yml")
MODELS = (".onnx",)
ARCHIVES = (".tgz", ".tar.gz", ".zip", ".nupkg", ".deb")
_RELEASE = re.compile(r"\d+\.\d+\.\d+")


def words(*known: str) -> Completion:
    """One of the words."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return complete


def several(*known: str) -> Completion:
    """Words with commas between them."""

    def complete(incomplete: str) -> list[str]:
        done, comma, last = incomplete.rpartition(",")
        given = done.split(",")
        left = (word for word in known if word not in given)
        return [f"{done}{comma}{word}" for word in left if word.startswith(last)]

    return complete


def files(*endings: str) -> Completion:
    """Files with one of the endings, and the directories on the way to them."""
    return lambda incomplete: list(_entries(incomplete, endings))


def directories(incomplete: str) -> list[str]:
    """Directories."""
    return list(_entries(incomplete, ()))


def operators(incomplete: str) -> list[str]:
    """Operators with a schema: Relu, com.microsoft::BiasGelu."""
    from epforge.ops import schemas

    return sorted(
        name
        for domain in schemas.domains()
        for op in schemas.names(domain)
        if (name := f"{domain}::{op}" if domain else op).startswith(incomplete)
    )


def kernels(context: typer.Context, incomplete: str) -> list[str]:
    """The operators of a project whose kernels are generated."""
    from epforge.verbs.eject import ejectable

    try:
        found = ejectable(context.params.get("project") or ".")
    except (EpforgeError, OSError):  # no project: there is nothing to offer, and nobody to tell
        return []
    return words(*found)(incomplete)


def domains(incomplete: str) -> list[str]:
    """The domains that operators are in."""
    from epforge.ops import schemas

    return words(*(domain or "ai.onnx" for domain in schemas.domains()))(incomplete)


def types(incomplete: str) -> list[str]:
    """Element types, with commas between them, behind the name of a type constraint or not."""
    from epforge.ops.model import DType

    name, equals, listed = incomplete.rpartition("=")
    found = several(*(dtype.text for dtype in DType))(listed)
    return [f"{name}{equals}{each}" for each in found]


def templates(incomplete: str) -> list[str]:
    """epforge's templates."""
    from epforge.render.overrides import template_names

    return words(*template_names())(incomplete)


def ready(incomplete: str) -> list[str]:
    """The blueprints that travel with epforge, and files."""
    from epforge.starter.ready import ready as found

    names = words(*(each.name for each in found()))(incomplete)
    return [*names, *files(*BLUEPRINTS)(incomplete)]


def operator_list(incomplete: str) -> list[str]:
    """Operators with commas between them."""
    done, comma, last = incomplete.rpartition(",")
    return [f"{done}{comma}{op}" for op in operators(last) if op not in done.split(",")]


def releases(incomplete: str) -> list[str]:
    """The releases of ONNX Runtime whose API is known: 1.24."""
    from epforge.ort.levels import known_levels

    return words(*(f"1.{level}" for level in known_levels()))(incomplete)


def structs(incomplete: str) -> list[str]:
    """The structs of the C API, and behind a dot the members of one."""
    from epforge.ort.levels import known_levels, load_level

    known = load_level(known_levels()[-1]).structs
    name, dot, _ = incomplete.partition(".")
    if not dot:
        return words(*known)(incomplete)
    members = known[name].members if name in known else ()
    return words(*(f"{name}.{member.name}" for member in members))(incomplete)


def scopes(incomplete: str) -> list[str]:
    """Where keys of a configuration are used."""
    from epforge.ort.levels import known_levels, load_level

    keys = load_level(known_levels()[-1]).keys
    return words(*dict.fromkeys(key.scope for key in keys))(incomplete)


def schemas(incomplete: str) -> list[str]:
    """What there are JSON Schemas of."""
    from epforge.verbs.schema import list_schemas

    return words(*list_schemas().schemas)(incomplete)


def runtimes(incomplete: str) -> list[str]:
    """The releases of onnxruntime that were fetched, and directories."""
    from epforge.cache import cache_dir

    place = cache_dir("runtimes")
    names = os.listdir(place) if place.is_dir() else ()
    fetched = {found[0] for name in names if (found := _RELEASE.match(name))}
    return [*words(*sorted(fetched))(incomplete), *directories(incomplete)]


def _entries(incomplete: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The entries of a directory that may be meant; of a lone directory what is in it."""
    found = sorted(_matching(incomplete, endings))
    while len(found) == 1 and found[0].endswith("/"):
        inside = sorted(_matching(found[0], endings))
        if not inside:
            break
        found = inside
    yield from found


def _matching(incomplete: str, endings: Iterable[str]) -> Iterator[str]:
    folder, slash, start = incomplete.rpartition("/")
    try:
        entries = list(os.scandir(f"{folder}{slash}" or "."))
    except OSError:
        return
    for entry in entries:
        name = entry.name
        if not name.startswith(start) or (name.startswith(".") and not start.startswith(".")):
            continue
        if not name.isprintable():
            continue
        if entry.is_dir():
            yield f"{folder}{slash}{name}/"
        elif name.endswith(tuple(endings)):
            yield f"{folder}{slash}{name}"
