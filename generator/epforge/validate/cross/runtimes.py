"""The onnxruntime of another platform: fetched once, the library alone."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from epforge.cache import cache_dir, publish, writable
from epforge.errors import EpforgeError, MissingError, UsageError
from epforge.network import npm_variables, pip_environment
from epforge.validate.cross.targets import Target
from epforge.validate.cross.unpack import unpack

_VERSION = re.compile(r"\d+\.\d+\.\d+(\.?(a|b|rc|dev|post)\d+)?")
_FETCH_S = 900
# Per target: the platforms of its wheels, the library in them, and the library in the package for
# Node.js, which some have that no wheel has.
_WHEELS = {
    "windows-x64": (("win_amd64",), r"onnxruntime/capi/onnxruntime\w*\.dll"),
    "linux-arm64": (
        ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64"),
        r"onnxruntime/capi/libonnxruntime\w*\.so[\d.]*",
    ),
}
_NODE = {
    "windows-x64": r"package/bin/napi-v\d+/win32/x64/onnxruntime\w*\.dll",
    "linux-arm64": r"package/bin/napi-v\d+/linux/arm64/libonnxruntime\w*\.so[\d.]*",
}
_LIBRARY = re.compile(r"onnxruntime\.dll|libonnxruntime\.so[\d.]*")


def find_library(target: Target, wanted: str, progress: Callable[[str], None]) -> Path:
    """The runtime's library for a target.

    Args:
        wanted: a release of onnxruntime, a directory that holds the library or its package, or
            nothing: then the release of this Python's onnxruntime.

    A release is fetched once into the cache: the wheel by pip, or the package for Node.js by npm.
    Raises UsageError for neither a version nor a directory with a library, and MissingError when
    it cannot be fetched.
    """
    if wanted and Path(wanted).is_dir():
        return _in_directory(Path(wanted))
    version = wanted or _own_version()
    if not _VERSION.fullmatch(version):
        raise UsageError(
            f"--runtime {wanted}: neither a version such as 1.26.0 nor a directory",
            "give a release of onnxruntime, or a directory that holds its library",
        )
    place = cache_dir("targets", f"onnxruntime-{version}-{target.name}")
    if not _library_in(place):
        progress(f"fetching onnxruntime {version} for {target.name}")
        _fetch(target, version, place)
    found = _library_in(place)
    assert found is not None
    return found


def _own_version() -> str:
    try:
        return importlib.metadata.version("onnxruntime")
    except importlib.metadata.PackageNotFoundError:
        raise UsageError(
            "this Python has no package onnxruntime whose version could be taken",
            "Say which release: --runtime VERSION",
        ) from None


def _library_in(directory: Path) -> Path | None:
    if not directory.is_dir():
        return None
    return next((p for p in sorted(directory.iterdir()) if _LIBRARY.fullmatch(p.name)), None)


def _in_directory(directory: Path) -> Path:
    for place in (directory, directory / "onnxruntime/capi", directory / "capi"):
        found = _library_in(place)
        if found:
            return found.resolve()
    raise UsageError(
        f"{directory} holds no library of onnxruntime",
        "give the directory that has onnxruntime.dll or libonnxruntime.so, or a version: 1.26.0",
    )


def _fetch(target: Target, version: str, place: Path) -> None:
    """Puts the library into the cache, whole or not at all."""
    writable(place.parent)
    stage = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        reasons: list[str] = []
        for source in (_from_wheel, _from_node):
            try:
                source(target, version, stage)
            except EpforgeError as error:
                reasons.append(error.message)
                continue
            publish(stage / "library", place, lambda there: bool(_library_in(there)))
            return
        raise MissingError(
            f"cannot get onnxruntime {version} for {target.name}: {'; '.join(reasons)}",
            "check the version and the connection, or unpack its package and give the directory: "
            "--runtime DIR",
        )
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _from_wheel(target: Target, version: str, stage: Path) -> None:
    platforms, pattern = _WHEELS[target.name]
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-deps"),
        *("--disable-pip-version-check", "--only-binary", ":all:", "--python-version", python),
        *(word for name in platforms for word in ("--platform", name)),
        *("--dest", str(stage), f"onnxruntime=={version}"),
    ]
    _take(_run("pip", command, stage, "*.whl"), pattern, stage)


def _from_node(target: Target, version: str, stage: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingError("npm is not there")
    command = [npm, "pack", "--silent", f"onnxruntime-node@{version}"]
    _take(_run("npm", command, stage, "*.tgz"), _NODE[target.name], stage)


def _run(tool: str, command: Sequence[str], stage: Path, result: str) -> Path:
    """Runs a package manager in ``stage`` and returns the archive that it brought."""
    try:
        done = subprocess.run(
            command,
            cwd=stage,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_FETCH_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**pip_environment(), **npm_variables()},
        )
    except subprocess.TimeoutExpired as error:
        raise MissingError(f"{tool} did not end within {_FETCH_S} s") from error
    found = sorted(stage.glob(result))
    if done.returncode or len(found) != 1:
        raise MissingError(f"{tool} says: {_reason(done.stderr)}")
    return found[0]


def _reason(stderr: str) -> str:
    """The last line of an error."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "ERR" in line] or lines
    return errors[-1].removeprefix("ERROR: ")[:300] if errors else "nothing"


def _take(archive: Path, pattern: str, stage: Path) -> None:
    """Unpacks the library into ``stage/library``."""
    into = stage / "library"
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    found = unpack(archive, pattern, into)
    if not any(_LIBRARY.fullmatch(path.name) for path in found):
        raise MissingError(f"{archive.name} has no library of its own")
