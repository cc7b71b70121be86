<%= banner %>
"""Where the libraries are, and what has to lie beside them."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import _identity

_FILE_NAMES = {"linux": "lib{}.so", "darwin": "lib{}.dylib", "win32": "{}.dll"}


def get_library_path() -> str:
    """The absolute path of the plugin library, without symbolic links.

    The environment variable `_identity.LIBRARY_VARIABLE` wins. Otherwise the library lies in this
    package, or, when the package is used from its source tree, in the tree's `build/release`: what
    was built last is what is used, in an editable installation, too.

    Raises:
        FileNotFoundError: there is none; the text says where it was looked for.
        RuntimeError: there is one in either place, so that neither can be meant; or nobody knows
            what libraries are called on this platform.
    """
    return find(_identity.LIBRARY, _identity.LIBRARY_VARIABLE, _identity.EP_NAME)


<% if custom_library %>
def get_custom_ops_library_path() -> str:
    """The absolute path of the library that has the custom operators alone, without the plugin.

        options = onnxruntime.SessionOptions()
        options.register_custom_ops_library(<%= package %>.get_custom_ops_library_path())

    Not for sessions on the execution provider, which brings its operators along. The environment
    variable `_identity.CUSTOM_OPS_LIBRARY_VARIABLE` wins; otherwise the library lies where the
    plugin library does.

    Raises:
        FileNotFoundError: there is none; the text says where it was looked for.
        RuntimeError: as `get_library_path`.
    """
    return find(
        _identity.CUSTOM_OPS_LIBRARY,
        _identity.CUSTOM_OPS_LIBRARY_VARIABLE,
        "the custom operators",
    )


<% endif %>
def find(library: str, variable: str, what: str) -> str:
    """Where a library is: what the environment variable names, or the one place that has it."""
    chosen = os.environ.get(variable)
    if chosen:
        path = Path(chosen).absolute()
        if not path.is_file():
            raise FileNotFoundError(f"{variable} names {path}, and there is no such file")
        return str(path.resolve())

    name = file_name(library, variable)
    places = _places(name)
    found = [place for place in places if place.is_file()]
    if not found:
        spare = [place for place in _spare_places(name) if place not in places]
        places += spare
        found = [place for place in spare if place.is_file()]
    if not found:
        raise FileNotFoundError(
            f"the library of {what} is not there; looked for "
            + " and ".join(map(str, places))
            + f"; build it, or set {variable} to its path"
        )
    if len(found) > 1:
        raise RuntimeError(
            f"more than one library of {what}: "
            + " and ".join(map(str, found))
            + f"; remove one, or set {variable} to the one that is meant"
        )
    return str(found[0].resolve())


def file_name(library: str, variable: str) -> str:
    """What the file of a library is called on this platform.

    Raises:
        RuntimeError: nobody knows.
    """
    pattern = _FILE_NAMES.get(sys.platform)
    if pattern is None:
        raise RuntimeError(
            f"{_identity.DISTRIBUTION} does not know what libraries are called on {sys.platform}; "
            f"it knows {', '.join(_FILE_NAMES)}; set {variable} to the library's path"
        )
    return pattern.format(library)


def _places(name: str) -> list[Path]:
    """Where a library may be: in an installed package, and in a source tree."""
    package = Path(__file__).resolve().parent
    places = [package / name]
    project = package.parents[1]
    # Only `python` in a project has the sources: an environment in there has installed packages.
    if package.parent.name == "python" and (project / "CMakePresets.json").is_file():
        places.append(project / "build" / "release" / name)
    return places


def _spare_places(name: str) -> list[Path]:
    """Further folders of the package. An editable installation has its modules in the source tree
    and a copy of the library, as it was then, among the installed packages."""
    folders = sys.modules[__package__].__path__
    return [Path(folder).resolve() / name for folder in folders]


def companions(library: str) -> list[Path]:
    """The files that have to lie beside a library on this platform."""
    folder = Path(library).parent
    return [folder / name for name in _identity.RUNTIME_LIBRARIES.get(sys.platform, ())]


def require_companions(library: str) -> None:
    """Makes sure that what a library needs lies beside it.

    Raises:
        FileNotFoundError: something does not.
    """
    missing = [path.name for path in companions(library) if not path.is_file()]
    if missing:
        raise FileNotFoundError(
            f"{library} needs {', '.join(missing)} beside it, and that is not there: "
            f"install {_identity.DISTRIBUTION} again"
        )


@contextmanager
def searching_beside(library: str) -> Iterator[None]:
    """Windows looks for what a library needs in the library's own folder, for the block."""
    if sys.platform == "win32":
        with os.add_dll_directory(str(Path(library).parent)):
            yield
    else:
        yield


def why_not_loaded(library: str) -> str:
    """Which file it is that cannot be loaded, of a library that could not be; empty if all can."""
    with searching_beside(library):
        for path in [*companions(library), Path(library)]:
            try:
                ctypes.CDLL(str(path))
            except OSError as error:
                return f"{path.name}: {error}"
    return ""
