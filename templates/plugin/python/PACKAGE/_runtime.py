<%= banner %>
"""The onnxruntime in use: is there one, is there only one, and is it new enough?"""

import importlib
import re
import warnings
from importlib import metadata
from typing import Any

from . import _identity

# Distributions that all bring a module named onnxruntime, and overwrite each other's.
_KNOWN = (
    "onnxruntime",
    "onnxruntime-directml",
    "onnxruntime-gpu",
    "onnxruntime-openvino",
    "onnxruntime-training",
    "ort-nightly",
    "ort-nightly-gpu",
)


def onnxruntime() -> Any:
    """The module.

    Raises:
        ImportError: there is none, or what is left of one.
    """
    need = f"{_identity.DISTRIBUTION} needs onnxruntime {_identity.MINIMUM_ONNXRUNTIME} or newer"
    cure = f'pip install "onnxruntime>={_identity.MINIMUM_ONNXRUNTIME}"'
    try:
        runtime = importlib.import_module("onnxruntime")
    except ModuleNotFoundError as error:
        if error.name != "onnxruntime":
            raise
        raise ImportError(f"{need}: {cure}") from error
    if getattr(runtime, "__file__", None) is None:
        # A folder without code: of two distributions in the same place one was uninstalled.
        raise ImportError(
            f"{need}, and of the one in {', '.join(runtime.__path__)} only parts are left: "
            f"{cure} --force-reinstall"
        )
    return runtime


def checked() -> Any:
    """The module, if the library can be registered in it as far as can be told beforehand. The
    library looks for itself, too, and its word is the last.

    Raises:
        ImportError: there is none.
        RuntimeError: it is too old, or this package is installed twice.
    """
    _refuse_two_of_this()
    runtime = onnxruntime()
    version = str(getattr(runtime, "__version__", ""))
    if is_older(version, _identity.MINIMUM_ONNXRUNTIME):
        raise RuntimeError(
            f"{_identity.EP_NAME} {_identity.VERSION} needs ONNX Runtime "
            f"{_identity.MINIMUM_ONNXRUNTIME} or a newer 1.x; this is {version!r}"
        )
    found = installed_runtimes()
    if len(found) > 1:
        warnings.warn(
            f"{' and '.join(found)} are installed, and each has a module named onnxruntime: which "
            "one is used, or a mixture, is chance; uninstall both and install one",
            RuntimeWarning,
            stacklevel=3,
        )
    return runtime


def is_older(version: str, than: str) -> bool:
    """Is one version older than another? Numbers count, not letters: 1.9 is older than 1.24. What
    does not begin as a version is not: then the library may tell."""
    found = _numbers(version)
    return found < _numbers(than)[: len(found)]


def installed_runtimes() -> list[str]:
    """The names of the installed distributions that bring a module named onnxruntime."""
    names = {_normal(each.metadata["Name"] or ""): each for each in metadata.distributions()}
    return sorted(name for name, each in names.items() if name in _KNOWN or _brings(name, each))


def installed() -> list[str]:
    """The names of the installed distributions that bring this package."""
    found = []
    for name in _identity.DISTRIBUTIONS:
        try:
            metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        found.append(name)
    return found


def _refuse_two_of_this() -> None:
    found = installed() if len(_identity.DISTRIBUTIONS) > 1 else []
    if len(found) > 1:
        raise RuntimeError(
            f"{' and '.join(found)} are both installed, and one has overwritten the other's files: "
            f"pip uninstall {' '.join(found)}, then install the one that is meant"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """1.30.0.dev20260901 is 1, 30, 0; what begins otherwise is nothing."""
    match = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", version)
    return tuple(int(each) for each in match.groups() if each is not None) if match else ()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _brings(name: str, distribution: metadata.Distribution) -> bool:
    if not name.startswith(("onnxruntime", "ort-")):
        return False
    files = distribution.files or []
    return any(file.as_posix() == "onnxruntime/__init__.py" for file in files)
