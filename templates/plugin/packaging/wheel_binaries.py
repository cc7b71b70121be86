<%= banner %>
"""The binaries of a wheel: which files, for which platform, made for which machine."""

import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import wheel_settings as settings

_ELF = {0x3E: "x86_64", 0xB7: "aarch64"}
_PE = {0x8664: "amd64", 0xAA64: "arm64"}
_MACH_O = {0x01000007: "x86_64", 0x0100000C: "arm64"}
_LC_VERSION_MIN_MACOSX = 0x24
_LC_BUILD_VERSION = 0x32
_HEAD = 1 << 20  # all that is read of a library: what it says of itself is at its start
_UNPACKED = 20  # how many times the limit of a wheel its libraries may have, unpacked
_SUFFIX = re.compile(r"\.(dll|dylib|so)(\.\d+)*$", re.IGNORECASE)


class WheelError(Exception):
    """The wheel cannot be made; the text says why and what to do."""


@dataclass(frozen=True)
class Machine:
    """What a shared library is made for.

    Args:
        platform: linux, windows or macos.
        name: the machine as wheel tags spell it.
        minimum: the oldest macOS, as (major, minor); (0, 0) elsewhere.
    """

    platform: str
    name: str
    minimum: tuple[int, int] = (0, 0)

    @property
    def tag(self) -> str:
        """The platform tag of a wheel for it."""
        if self.platform == "windows":
            return f"win_{self.name}"
        if self.platform == "macos":
            major, minor = self.minimum
            return f"macosx_{major}_{0 if major > 10 else minor}_{self.name}"
        return f"linux_{self.name}"


def platform_of(tag: str | None) -> str:
    """The platform that a tag is for; without a tag, this one."""
    if tag is None:
        return {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    match = re.fullmatch(r"(win|macosx|linux|manylinux|musllinux)[a-z0-9]*_[a-z0-9_]+", tag)
    if match is None:
        raise WheelError(
            f"--platform_tag: {tag!r} is no platform tag such as linux_x86_64, win_amd64, "
            "manylinux_2_28_aarch64 or macosx_13_0_arm64"
        )
    return {"win": "windows", "macosx": "macos"}.get(match[1], "linux")


def find_binaries(directory: Path, platform: str) -> list[Path]:
    """The files that a wheel takes from the build's directory: all of a list, and no other.

    Raises:
        WheelError: one is missing; the list, and what is there instead, is printed before.
    """
    wanted = settings.BINARIES[platform]
    missing = [name for name in wanted if not (directory / name).is_file()]
    if not missing:
        return [directory / name for name in wanted]
    there = sorted(path.name for path in directory.glob("*") if _SUFFIX.search(path.name))
    print(f"looked for in {directory}: {', '.join(wanted)}")
    print(f"libraries there: {', '.join(there) or 'none'}")
    if all(name in settings.RUNTIME_LIBS[platform] for name in missing):
        cure = (
            "of the blueprint's runtime_libs: put it there, or build with the directory that has "
            "it, -D<%= macro %>_RUNTIME_DIR=DIR"
        )
    else:
        cure = f"made for {platform}: build it first"
    raise WheelError(f"{directory} has no {', '.join(missing)}, {cure}")


def check_sizes(binaries: list[Path], limit: float) -> None:
    """Raises WheelError if no wheel within the limit, in megabytes, can be expected of them."""
    size = sum(path.stat().st_size for path in binaries) / 1_000_000
    if size > _UNPACKED * limit:
        largest = max(binaries, key=lambda path: path.stat().st_size)
        raise WheelError(
            f"the libraries have {size:.0f} MB, {largest} most of it, far more than a wheel of "
            f"{limit:g} MB holds: leave something out, or give --size_limit if its index takes it"
        )


def check_sources(package: Path) -> None:
    """Looks through the Python files.

    Raises:
        WheelError: a library is among them, where it would be a second one, or what is no file of
            the package itself.
    """
    if not package.is_dir():
        raise WheelError(f"there is no {package}, the Python package of the wheel")
    root = package.resolve()
    for path in sorted(package.rglob("*")):
        if _SUFFIX.search(path.name):
            raise WheelError(
                f"{path} lies among the Python files; libraries come from --binary_dir: delete it"
            )
        if path.is_symlink() and not path.resolve().is_relative_to(root):
            raise WheelError(
                f"{path} leads to {path.resolve()}, outside of the package: put a copy there, or "
                "delete it"
            )
        if not path.is_file() and not path.is_dir():
            raise WheelError(f"{path} is neither a file nor a directory: delete it")


def machine_of(path: Path) -> Machine:
    """What the shared library is made for. Raises WheelError if it is none."""
    with path.open("rb") as file:
        data = file.read(_HEAD)
    try:
        machine = _elf(data) or _pe(data) or _mach_o(data)
    except (struct.error, IndexError):
        machine = None
    if machine is None:
        raise WheelError(f"{path} is no shared library for a machine that wheels have a name for")
    return machine


def check_machines(binaries: list[Path], tag: str | None) -> Machine:
    """What all libraries are made for, which must be one thing, and what the tag says.

    Raises:
        WheelError: they are not; the text names the library.
    """
    libraries = [path for path in binaries if _SUFFIX.search(path.name)]
    machines = {path: machine_of(path) for path in libraries}
    first = machines[libraries[0]]
    platform = platform_of(tag)
    for path, machine in machines.items():
        if machine.platform != platform:
            raise WheelError(f"{path} is a library for {machine.platform}, not for {platform}")
        if machine.name != first.name:
            raise WheelError(f"{path} is for {machine.name}, {libraries[0].name} for {first.name}")
        if tag is not None and not tag.endswith(f"_{machine.name}"):
            raise WheelError(f"--platform_tag {tag}: {path} is for {machine.name}")
    oldest = max(machine.minimum for machine in machines.values())
    match = re.match(r"macosx_(\d+)_(\d+)_", tag or "")
    if match and (int(match[1]), int(match[2])) < oldest:
        needs = ".".join(map(str, oldest))
        raise WheelError(f"--platform_tag {tag}: the libraries need macOS {needs}")
    return Machine(first.platform, first.name, oldest)


def _elf(data: bytes) -> Machine | None:
    if data[:4] != b"\x7fELF":
        return None
    (number,) = struct.unpack_from("<H" if data[5] == 1 else ">H", data, 18)
    name = _ELF.get(number)
    return Machine("linux", name) if name else None


def _pe(data: bytes) -> Machine | None:
    if data[:2] != b"MZ":
        return None
    (offset,) = struct.unpack_from("<I", data, 0x3C)
    (number,) = struct.unpack_from("<H", data, offset + 4)
    name = _PE.get(number) if data[offset : offset + 4] == b"PE\0\0" else None
    return Machine("windows", name) if name else None


def _mach_o(data: bytes) -> Machine | None:
    if data[:4] != b"\xcf\xfa\xed\xfe":
        return None
    (number,) = struct.unpack_from("<I", data, 4)
    (commands,) = struct.unpack_from("<I", data, 16)
    offset, minimum = 32, (11, 0)
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, offset)
        place = {_LC_VERSION_MIN_MACOSX: 8, _LC_BUILD_VERSION: 12}.get(command)
        if place is not None:
            (version,) = struct.unpack_from("<I", data, offset + place)
            minimum = (version >> 16, version >> 8 & 0xFF)
        offset += size
    name = _MACH_O.get(number)
    return Machine("macos", name, minimum) if name else None
