"""Which command gets a library that is missing, or the right build of the one at hand."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from epforge.doctor.model import command, pip

_LOCK = "epforge.lock"
_PARENTS = 6  # above a library, in which the project's directory is
# Names that another rule would not find, and the packages that have them.
_OF_PYPI = {
    r"libcudart\.so\.(\d+)": "nvidia-cuda-runtime-cu{}",
    r"libcublas(?:Lt)?\.so\.(\d+)": "nvidia-cublas-cu{}",
    r"libcufft\.so\.11": "nvidia-cufft-cu12",
    r"libcudnn\w*\.so\.9": "nvidia-cudnn-cu12",
    r"libnvinfer\w*\.so\.\d+": "tensorrt",
    r"libopenvino\w*\.so\S*": "openvino",
    r"libmkl_\w+\.so\S*": "mkl",
    r"libonnxruntime\.so\S*": "onnxruntime",
}
_OF_DEBIAN = {
    r"libcuda\.so\.1": "libcuda1",
    r"libOpenCL\.so\.1": "ocl-icd-libopencl1",
    r"libGL\.so\.1": "libgl1",
    r"libstdc\+\+\.so\.6": "libstdc++6",
    r"libgcc_s\.so\.1": "libgcc-s1",
    r"libze_loader\.so\.1": "libze1",
    r"libtbb\.so\.(\d+)": "libtbb{}",
    r"libc\+\+\.so\.1": "libc++1",
    r"libc\+\+abi\.so\.1": "libc++abi1",
}
_SONAME = re.compile(r"(lib[\w.+-]*?)\.so\.(\d[\d.]*)")
_UNVERSIONED = re.compile(r"(lib[\w+.-]+?)-(\d[\d.]*)\.so")


def get(name: str, places: Sequence[str], managers: Sequence[str]) -> str:
    """The command after which the loader finds a library.

    Args:
        name: as it is asked for: "libfoo.so.1".
        places: directories in which it lies, though the loader does not look there.
        managers: the package managers of this machine: "apt-get", "dnf".
    """
    if places:
        return _look_in(places[0])
    for pattern, package in _OF_PYPI.items():
        match = re.fullmatch(pattern, name)
        if match:
            return pip("install", package.format(*match.groups()))
    if "dnf" in managers and "apt-get" not in managers:
        return command("dnf", "install", f"{name}()(64bit)")
    if "apt-get" in managers:
        return command("apt", "install", debian_package(name))
    if sys.platform == "darwin":
        stem = re.sub(r"(\.\d+)*\.dylib$", "", name.rpartition("/")[2])
        return command("brew", "install", stem.removeprefix("lib"))
    return _look_in("/path/to/its/directory")


def _look_in(place: str) -> str:
    if sys.platform == "win32":
        return f"set PATH={place};%PATH%"
    name = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
    return f"export {name}={command(place)}:${name}"


def debian_package(name: str) -> str:
    """The package that Debian's rules give a library: ``libfoo1`` for ``libfoo.so.1``."""
    for pattern, package in _OF_DEBIAN.items():
        match = re.fullmatch(pattern, name)
        if match:
            return package.format(*match.groups())
    match = _SONAME.fullmatch(name) or _UNVERSIONED.fullmatch(name)
    if match is None:
        return name.partition(".so")[0].lower().replace("_", "-")
    stem, version = match[1].lower().replace("_", "-"), match[2]
    return f"{stem}-{version}" if stem[-1].isdigit() else f"{stem}{version}"


def again(library: Path) -> str:
    """The command that makes or fetches a library for this machine.

    Args:
        library: absolute.
    """
    for folder in library.parents[:_PARENTS]:
        if (folder / _LOCK).is_file():
            return command("epforge", "build", str(folder))
    owner = owner_of(library)
    if owner:
        return pip("install", "--force-reinstall", "--no-deps", owner)
    return command("epforge", "inspect", str(library))


def owner_of(library: Path) -> str:
    """The installed distribution that a file belongs to; empty if it belongs to none."""
    for place in sys.path:
        root = Path(place or ".").absolute()
        if not library.is_relative_to(root) or not any(root.glob("*.dist-info")):
            continue
        inside = library.relative_to(root).as_posix()
        for each in importlib.metadata.distributions(path=[str(root)]):
            if any(str(path).replace("\\", "/") == inside for path in each.files or ()):
                return str(each.metadata["Name"])
    return ""
