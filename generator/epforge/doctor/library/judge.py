"""What would go wrong with a library on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.doctor.machine.packages import older
from epforge.doctor.model import Finding, command, error, missing, note, ok, pip, warning

if TYPE_CHECKING:
    from epforge.doctor.library import Library

# Findings of `epforge inspect` that are said here in other words.
_SAID = frozenset({"entry", "register", "newer-api", "no-factory"})


def judge(found: Library) -> Iterator[Finding]:
    """The findings, from the file to the runtime."""
    wrong = found.inspected.wrong
    if wrong:
        yield error(
            "file", f"{found.path.name} is {wrong}", "ONNX Runtime does not load it.", found.again
        )
        return
    binary = found.binary
    yield ok("file", f"{found.kind} for {binary.machine}: {', '.join(binary.floors) or 'no floor'}")
    loads = True
    for finding in (*_needs(found), *_versions(found), *_floor(found)):
        loads = loads and finding.code == "runtime-floor"
        yield finding
    yield from _loading(found, loads)
    yield from _asked(found)


def _needs(found: Library) -> Iterator[Finding]:
    for need in found.needs.missing if found.needs else ():
        by = "" if Path(need.by).name == found.path.name else f", by {need.by}"
        yield missing(
            "needed-library",
            f"{need.name} is needed{by}, and the loader does not find it",
            f"{found.path.name} is not loaded without it.",
            found.cures[need.name],
        )


def _versions(found: Library) -> Iterator[Finding]:
    for each in found.needs.lacking if found.needs else ():
        by = "" if Path(each.by).name == found.path.name else f" by {each.by}"
        newest = f"up to {each.newest}" if each.newest else "no such version"
        yield error(
            "library-version",
            f"{each.version} is needed{by}; {each.file} has {newest}",
            "It was built on a newer system than this one.",
            found.again,
        )


def _floor(found: Library) -> Iterator[Finding]:
    """Is the runtime here new enough?"""
    if found.trouble:
        yield warning("manifest", found.trouble, "Nothing is known of what it claims.", found.again)
    version, promised = found.runtime.version, found.promised
    if not version:
        yield missing(
            "runtime",
            f"onnxruntime does not start here: {found.runtime.broken}",
            "Nobody can be asked whether it takes the library.",
            command("epforge", "doctor"),
        )
    elif promised and older(version, promised):
        yield error(
            "runtime-floor",
            f"it is built for onnxruntime {promised} and newer, here is {version}",
            "It refuses to be registered.",
            pip("install", "--upgrade", f"onnxruntime>={promised}"),
        )
    elif any(each.rule == "newer-api" for each in found.inspected.findings):
        text = next(each.text for each in found.inspected.findings if each.rule == "newer-api")
        yield error(
            "runtime-floor",
            f"it {text}",
            "It is made for a newer onnxruntime.",
            pip("install", "--upgrade", "onnxruntime"),
        )


def _loading(found: Library, explained: bool) -> Iterator[Finding]:
    """What the loader says itself.

    Args:
        explained: nothing that was found so far keeps the library from being loaded.
    """
    needs = found.needs
    if needs is None:
        return
    if needs.ended:
        yield error(
            "loading",
            f"loading it ends the process: {needs.ended}",
            "So would every application that registers it.",
            found.again,
        )
    elif needs.opened and explained:
        yield error("loading", f"it does not load: {needs.opened}", "", found.again)
    elif not needs.opened:
        yield ok("loading", f"it loads, with {_count(len(needs.needs))} that it needs")


def _count(number: int) -> str:
    return f"{number} {'library' if number == 1 else 'libraries'}"


def _asked(found: Library) -> Iterator[Finding]:
    """What it says when ONNX Runtime registers it."""
    inspected, look = found.inspected, command("epforge", "inspect", str(found.path))
    went = inspected.answers
    for each in inspected.findings:
        if each.rule not in _SAID:
            yield warning(each.rule, each.text, "Its users will meet that.", look)
    if went is None or (found.needs is not None and found.needs.opened):
        return
    if went.registered.outcome != "fine":
        yield error(
            "register",
            f"onnxruntime {went.runtime}: {went.registered.outcome}: {went.registered.detail}",
            "Applications get the same.",
            look,
        )
    elif not went.factories:
        yield error(
            "register", "it registers without a factory", "Nobody sees a device of it.", look
        )
    elif not went.devices:
        names = ", ".join(factory.name for factory in went.factories)
        yield note(
            "devices",
            f"{names}: no device on this machine",
            "Sessions cannot choose it here; on hardware that is made up it shows what it takes.",
            command("epforge", "inspect", str(found.path), "--hardware", "usual"),
        )
    else:
        devices = ", ".join(f"{each['ep']} on {each['type']}" for each in went.devices)
        yield ok("devices", f"onnxruntime {went.runtime} sees: {devices}")
