<%= banner %>
"""What a finished wheel must be: complete, tagged as what it is, small enough, well recorded."""

import base64
import csv
import hashlib
import io
import re
import zipfile
from email.parser import Parser
from pathlib import Path, PurePosixPath

import wheel_settings as settings
from wheel_binaries import Machine, WheelError

_MEGABYTE = 1_000_000
# A distribution of the runtime itself; others are add-ons to it.
_RUNTIME = re.compile(r"onnxruntime(?![-_.](ep|extensions|genai)\b)(\b|[-_.])", re.IGNORECASE)


def check_wheel(wheel: Path, package: Path, machine: Machine, size_limit: float) -> list[str]:
    """Checks the wheel.

    Args:
        wheel: the file.
        package: the staged package that it was made from.
        machine: what its libraries are made for.
        size_limit: the most that it may have, in megabytes.

    Returns:
        Its files with their sizes, one a line.

    Raises:
        WheelError: something is wrong with it.
    """
    size = wheel.stat().st_size / _MEGABYTE
    if size > size_limit:
        raise WheelError(
            f"{wheel.name} has {size:.1f} MB, more than the limit of {size_limit:g} MB: leave "
            "something out, or give --size_limit if its index takes it"
        )
    with zipfile.ZipFile(wheel) as archive:
        members = [info for info in archive.infolist() if not info.is_dir()]
        files = {info.filename: archive.read(info) for info in members}
    info = next(name.split("/")[0] for name in files if name.endswith(".dist-info/WHEEL"))
    _check_tag(wheel.name, files[f"{info}/WHEEL"].decode(), machine)
    _check_files(set(files), package, info)
    _check_record(files, info)
    _check_requirements(files[f"{info}/METADATA"].decode())
    return [f"{len(content):>12,}  {name}" for name, content in sorted(files.items())]


def promises(name: str, tag: str) -> bool:
    """Does a wheel of this name run wherever one with the platform tag does?"""
    tags = name.removesuffix(".whl").split("-")[-1].split(".")
    asked = _glibc(tag)
    return tag in tags or any(asked and (0, 0) < _glibc(each) <= asked for each in tags)


def _glibc(tag: str) -> tuple[int, int]:
    """The oldest C library of a manylinux tag; (0, 0) of any other."""
    match = re.match(r"manylinux_(\d+)_(\d+)_", tag)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _check_tag(name: str, text: str, machine: Machine) -> None:
    said = Parser().parsestr(text)
    if said["Root-Is-Purelib"] != "false":
        raise WheelError(f"{name} says that it is pure Python, with a library in it")
    python, abi, platforms = name.removesuffix(".whl").split("-")[-3:]
    system = {"windows": "win", "macos": "macosx", "linux": "(many|musl)?linux"}[machine.platform]
    fits = all(
        re.fullmatch(rf"{system}[0-9_]*_{machine.name}", platform)
        for platform in platforms.split(".")
    )
    if (python, abi) != ("py3", "none") or not fits:
        raise WheelError(f"{name}: the tag is not py3-none for {machine.platform}, {machine.name}")
    tags = {f"{python}-{abi}-{platform}" for platform in platforms.split(".")}
    if set(said.get_all("Tag", [])) != tags:
        raise WheelError(f"{name} has other tags in its WHEEL file")


def _check_requirements(text: str) -> None:
    for requirement in Parser().parsestr(text).get_all("Requires-Dist", []):
        if _RUNTIME.match(requirement) and "extra ==" not in requirement:
            raise WheelError(
                f"{requirement} is a dependency: it would replace the onnxruntime that is "
                "installed. Take it out of project.dependencies"
            )


def _check_files(names: set[str], package: Path, info: str) -> None:
    expected = {
        f"{settings.PACKAGE}/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file()
    }
    missing = sorted(expected - names)
    # auditwheel puts libraries that it found on this machine into a directory of its own.
    extra = sorted(
        name
        for name in names - expected
        if PurePosixPath(name).parts[0] not in (info, f"{info.split('-')[0]}.libs")
    )
    if missing or extra:
        what = f"lacks {missing[0]}" if missing else f"has {extra[0]}, which nothing put there"
        raise WheelError(f"the wheel {what}")
    if not any(name.startswith(f"{info}/licenses/") for name in names):
        raise WheelError("the wheel has no licence file")


def _check_record(files: dict[str, bytes], info: str) -> None:
    rows = csv.reader(io.StringIO(files[f"{info}/RECORD"].decode()))
    record = {name: checksum for name, checksum, _ in rows}
    if record.keys() != files.keys():
        raise WheelError("the wheel's RECORD does not list its files")
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        if name != f"{info}/RECORD" and record[name] != f"sha256={digest}":
            raise WheelError(f"the wheel's RECORD has another checksum of {name}")
