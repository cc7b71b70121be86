"""Jobs about the loader: which libraries a library needs, and whether it can be loaded."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.validate import loader
from epforge.validate.binary import host_machine, read
from epforge.validate.worker.records import Records

_MOST = 400  # libraries
_LONGEST = 300


@dataclass(frozen=True)
class _File:
    """What a file says to the loader.

    Args:
        wanted: the versions of symbols that it needs, by the library that should have them.
        has: the versions that it has.
    """

    needed: tuple[str, ...]
    search: tuple[str, ...]
    wanted: Mapping[str, tuple[str, ...]]
    has: frozenset[str]


def run(job: Mapping[str, Any], records: Records) -> None:
    """Says what the library of the job needs, and all that needs, and what of it is not here."""
    places = loader.here(host_machine())
    files: dict[str, _File] = {}
    found: dict[str, str] = {}  # the loader loads a name once
    waiting = [str(Path(job["library"]).absolute())]
    while waiting and len(files) < _MOST:
        path = waiting.pop(0)
        if path in files or not os.path.isfile(path):
            continue
        with records.step(f"reading {path}"):
            files[path] = file = _read(path)
        for name in file.needed:
            if name not in found:
                found[name] = loader.resolve(name, Path(path), file.search, places)
                records.write("need", name=name[:_LONGEST], by=path, path=found[name])
                waiting.append(found[name])
    for path, file in files.items():
        for name, version in _unmet(file, found, files):
            newest = _newest(version, files[found[name]].has)
            records.write("lacking", version=version, file=found[name], by=path, newest=newest)


def _unmet(
    file: _File, found: Mapping[str, str], files: Mapping[str, _File]
) -> Iterator[tuple[str, str]]:
    for name, versions in file.wanted.items():
        there = files.get(found.get(name, ""))
        if there is not None and there.has:
            yield from ((name, version) for version in versions if version not in there.has)


def _newest(version: str, has: frozenset[str]) -> str:
    """The newest version that there is of the same set: of GLIBC_2.99 GLIBC_2.36."""
    word = version.rpartition("_")[0]

    def number(text: str) -> list[int]:
        return [int(part) for part in text.rpartition("_")[2].split(".") if part.isdigit()]

    same = [each for each in has if each.rpartition("_")[0] == word and number(each)]
    return max(same, key=number, default="")


def _read(path: str) -> _File:
    binary = read(Path(path))
    if binary.format != "elf" or binary.damage:
        return _File(binary.needed, binary.search, {}, frozenset())
    import lief

    elf: Any = lief.ELF.parse(path)
    wanted = {
        str(requirement.name): tuple(
            str(version.name) for version in requirement.get_auxiliary_symbols()
        )
        for requirement in elf.symbols_version_requirement
    }
    has = frozenset(
        str(version.name)
        for definition in elf.symbols_version_definition
        for version in definition.auxiliary_symbols
    )
    return _File(binary.needed, binary.search, wanted, has)


def dlopen(job: Mapping[str, Any], records: Records) -> None:
    """Loads the library of the job, and says what the loader says."""
    with records.step("loading it"):
        try:
            ctypes.CDLL(str(job["library"]), mode=getattr(os, "RTLD_NOW", ctypes.DEFAULT_MODE))
        except OSError as error:
            records.write("dlopen", text=" ".join(str(error).split()) or "it cannot be loaded")
        else:
            records.write("dlopen", text="")
