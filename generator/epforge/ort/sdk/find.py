"""Finds the SDK to build against, and installs it when the machine has none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from epforge.errors import MissingError, UsageError
from epforge.ort.levels import LATEST_EDITION_TARGET
from epforge.ort.reader import HeaderError, read_level_number
from epforge.ort.sdk.layout import locate, searched, system_roots
from epforge.ort.sdk.store import Sdk, damage, installed, publish, stage_dir, store
from epforge.ort.sdk.verify import BadSdkError, verify

ENVIRONMENT = ("EPFORGE_ORT_SDK", "ORT_HOME")
"""Variables that name an SDK, in the order they are read."""

Report = Callable[[str], None]


def _silent(line: str) -> None:
    del line


def find_sdk(
    explicit: Path | None,
    minimum_level: int,
    *,
    install_missing: bool = True,
    report: Report = _silent,
) -> Sdk:
    """The headers to build against.

    Looked for in this order: ``explicit``, the variables of `ENVIRONMENT`, epforge's cache, the
    system's directories, Debian's package. What a person named must be good or is an error; what
    is only found is passed over when it is too old or damaged.

    Args:
        explicit: a root, a directory of headers, or a release archive; None to search.
        minimum_level: the lowest API level that will do.
        install_missing: whether to get the headers when there are none.
        report: gets a line per step that takes time.

    Raises MissingError that names everything that was searched, or `BadSdkError` that names each
    bad file.
    """
    if explicit is not None:
        return _named(explicit, minimum_level, "--ort-sdk", report)
    for variable in ENVIRONMENT:
        if value := os.environ.get(variable):
            return _named(Path(os.path.expanduser(value)), minimum_level, variable, report)
    looked: list[str] = []
    for sdk in _found(minimum_level, looked):
        return sdk
    cure = f"Run: epforge sdk install --ort 1.{minimum_level}   (or give --ort-sdk DIRECTORY)"
    if install_missing:
        try:
            return install(level=minimum_level, report=report)
        except MissingError as error:
            looked.append(error.message)
            cure = error.cure
    lines = "".join(f"\n    {line}" for line in looked)
    raise MissingError(
        f"no ONNX Runtime headers of level {minimum_level} (1.{minimum_level}) or newer. "
        f"Searched:\n    {', '.join(ENVIRONMENT)}: not set{lines}",
        cure,
    )


def install(
    source: str | None = None,
    *,
    level: int = LATEST_EDITION_TARGET,
    sha256: str | None = None,
    report: Report = _silent,
) -> Sdk:
    """Put an SDK into the cache and return it; the same one again changes nothing.

    Args:
        source: path or URL of a release archive (.tgz, .zip, .nupkg, .deb), or None for Debian's
            package.
        level: the lowest API level that will do.
        sha256: what the archive must hash to; a URL needs it.
        report: gets a line per step that takes time.

    Raises UsageError for a call or an archive that is wrong, HashError, `BadSdkError` when the
    headers are not whole, MissingError when they cannot be had.
    """
    from epforge.ort.sdk.archive import read_headers_of, version_of
    from epforge.ort.sdk.download import check_file, checked_digest, fetch, is_url

    digest = checked_digest(sha256) if sha256 else None
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=stage_dir()) as temporary:
        directory = Path(temporary)
        if source is None:
            from epforge.ort.sdk.debian import PACKAGE, fetch_package

            if digest:
                raise UsageError("--sha256 belongs to an archive; Debian's package is signed")
            archive, package = fetch_package(level, directory, report)
            origin, version = f"Debian {PACKAGE} {package.version}", package.release
        elif is_url(source):
            if digest is None:
                raise UsageError(
                    f"{source}: a URL needs the SHA-256 of what it must give",
                    "Add --sha256 HASH, as the release page or your own copy states it.",
                )
            archive = fetch(source, digest, directory, report)
            origin, version = source, version_of(archive.name)
        else:
            archive = Path(source)
            if not archive.is_file():
                raise UsageError(f"{source}: there is no such file")
            if digest:
                check_file(archive, digest)
            origin, version = archive.name, version_of(archive.name)
        sdk = publish(read_headers_of(archive), level, version, origin)
    report(f"installed {sdk.root}")
    return sdk


def _named(path: Path, level: int, by: str, report: Report) -> Sdk:
    """What a person named: good, or an error."""
    if path.is_file():
        return install(str(path), level=level, report=report)
    if not path.exists():
        raise MissingError(f"{path} (from {by}) does not exist", "Name a directory of headers.")
    include = locate(path)
    if include is None:
        looked = "".join(f"\n    {directory}" for directory in searched(path))
        raise MissingError(
            f"{path} (from {by}) has no ONNX Runtime headers. Searched:{looked}",
            "Name a directory that holds onnxruntime_c_api.h and onnxruntime_ep_c_api.h, "
            "or run: epforge sdk install",
        )
    if problems := verify(path, level):
        raise BadSdkError(path, problems, by)
    found = read_level_number(include)
    return Sdk(path, include, found, by, f"1.{found}")


def _found(level: int, looked: list[str]) -> Iterator[Sdk]:
    """Good SDKs of the cache and the system, the nearest level first."""
    cached = installed()
    if not cached:
        looked.append(f"{store()}: empty")
    newest_first = cached[::-1]
    for sdk in sorted(newest_first, key=lambda sdk: sdk.level):
        if sdk.level < level:
            looked.append(f"{sdk.root}: of level {sdk.level}")
        elif problems := damage(sdk):
            looked.append(f"{sdk.root}: {problems[0]}")
        else:
            yield sdk
    for root in system_roots():
        include = locate(root)
        if include is None:
            looked.append(f"{root}: no headers")
            continue
        try:
            problem = next(iter(verify(include, level)), None)
            found = read_level_number(include)
        except HeaderError as error:
            looked.append(f"{root}: {error.message}")
            continue
        if problem:
            looked.append(f"{root}: {problem}")
        else:
            yield Sdk(root, include, found, "system", f"1.{found}")
