"""The ONNX Runtime headers that plugins are built against."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus, MissingError
from epforge.ort.levels import DEFAULT_TARGET, parse_level
from epforge.ort.sdk.store import Sdk
from epforge.ort.sdk.verify import Problem
from epforge.verbs.types import FORMAT, AnyPath, Progress, silent


@dataclass(frozen=True)
class FoundSdk:
    """Headers on this machine that a build could use.

    Args:
        level: their API level; None where it cannot be read.
        root: the directory as given or found.
        include: the directory that holds ``onnxruntime_c_api.h``.
        source: how they were found.
        problems: what is wrong with them, file by file.
    """

    level: int | None
    root: Path
    include: Path
    source: str
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            **dataclasses.asdict(self),
            "root": str(self.root),
            "include": str(self.include),
            "problems": list(self.problems),
        }


@dataclass(frozen=True)
class SdkList:
    """The headers that a build could use, in the order in which they are looked for."""

    sdks: tuple[FoundSdk, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "sdks": [each.to_json() for each in self.sdks]}


@dataclass(frozen=True)
class SdkResult:
    """Headers that were checked."""

    sdk: Sdk

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "include": str(self.sdk.include),
            "root": str(self.sdk.root),
            "level": self.sdk.level,
            "version": self.sdk.version,
            "source": self.sdk.source,
        }


@dataclass(frozen=True)
class VerifiedSdk:
    """What is wrong with headers.

    Args:
        directory: where they are.
        problems: file by file; none if they are good.
    """

    directory: Path
    problems: tuple[Problem, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.CHECK_FAILED if self.problems else ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "directory": str(self.directory),
            "ok": not self.problems,
            "problems": [each.to_json() for each in self.problems],
        }


def list_sdks() -> SdkList:
    """The headers that a build could use; `epforge sdk list`."""
    return SdkList(tuple(_found()))


def install_sdk(
    source: AnyPath | None = None,
    *,
    sha256: str | None = None,
    ort: str = DEFAULT_TARGET,
    progress: Progress = silent,
) -> SdkResult:
    """Puts headers into epforge's cache; `epforge sdk install`.

    Args:
        source: path or URL of a release archive; None for Debian's package.
        sha256: what the archive must hash to; a URL needs it.
        ort: the lowest release that will do, as ``1.27``.
        progress: told what is being done.

    Raises:
        UsageError: it is no such archive.
        MissingError: it cannot be had.
    """
    from epforge.ort.sdk import install

    given = None if source is None else str(source)
    return SdkResult(install(given, level=parse_level(ort), sha256=sha256, report=progress))


def find_sdk(*, ort: str = DEFAULT_TARGET, ort_sdk: AnyPath | None = None) -> SdkResult:
    """The headers that a build would use. Nothing is installed; `epforge sdk path`.

    Args:
        ort: the lowest release that will do, as ``1.27``.
        ort_sdk: look here instead of searching.

    Raises:
        MissingError: there are none.
        BadSdkError: they are not whole.
    """
    from epforge.ort.sdk import find_sdk as find

    explicit = None if ort_sdk is None else Path(ort_sdk)
    return SdkResult(find(explicit, parse_level(ort), install_missing=False))


def verify_sdk(directory: AnyPath | None = None, *, ort: str | None = None) -> VerifiedSdk:
    """Checks headers file by file: missing, cut off, of mixed releases, too old;
    `epforge sdk verify`.

    Args:
        directory: where they are; None for those that a build would use.
        ort: the lowest release that will do.

    Raises:
        MissingError: they are not there.
    """
    from epforge.ort.sdk import verify

    level = parse_level(ort) if ort else None
    if directory is None:
        place = find_sdk(ort=ort or DEFAULT_TARGET).sdk.root
        level = level or parse_level(DEFAULT_TARGET)
    else:
        place = Path(directory)
        if not place.exists():
            raise MissingError(f"{place} does not exist", "Name a directory of headers.")
    return VerifiedSdk(place, tuple(verify(place, level)))


def _found() -> Iterator[FoundSdk]:
    """All headers on this machine."""
    from epforge.ort.sdk import ENVIRONMENT, damage, installed, verify
    from epforge.ort.sdk.layout import locate, system_roots

    for variable in ENVIRONMENT:
        if value := os.environ.get(variable):
            root = Path(os.path.expanduser(value))
            yield _row(root, variable, verify(root))
    for sdk in installed():
        yield _row(sdk.root, sdk.source, damage(sdk))
    for root in system_roots():
        if include := locate(root):
            yield _row(root, "system", verify(include))


def _row(root: Path, source: str, problems: Sequence[Problem]) -> FoundSdk:
    from epforge.ort.reader import HeaderError, read_level_number
    from epforge.ort.sdk.layout import locate

    include = locate(root)
    try:
        level = read_level_number(include) if include else None
    except HeaderError:
        level = None
    return FoundSdk(level, root, include or root, source, tuple(map(str, problems)))
