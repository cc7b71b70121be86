<%= banner %>
"""<%= ep %> for ONNX Runtime: a plugin library, from Python.

    import onnxruntime
    import <%= package %>

    <%= package %>.register()
    options = onnxruntime.SessionOptions()
    options.add_provider_for_devices(<%= package %>.devices()[:1], {})
    session = onnxruntime.InferenceSession("model.onnx", options)

Importing this package imports nothing else; onnxruntime is needed from `register` on. Any
distribution of it will do, so none is a dependency.
"""

import atexit
import gc
import importlib
import os
import sys
import threading
from pathlib import Path
from typing import Any

from . import _identity

__all__ = [
    "__version__",
    "devices",
<% if custom_library %>
    "get_custom_ops_library_path",
<% endif %>
    "get_ep_name",
    "get_ep_names",
    "get_library_path",
    "is_available",
    "register",
    "unregister",
]

__version__ = _identity.VERSION

_lock = threading.RLock()
_registered: dict[str, str] = {}  # registration name -> library; onnxruntime keeps no public list


def get_ep_name() -> str:
    """The execution provider's name<% if several %>, of several in the library the first one's<% endif %>."""
    return _identity.EP_NAME


def get_ep_names() -> list[str]:
    """The names of all execution providers in the library<% if not several %>: one<% endif %>."""
    return list(_identity.EP_NAMES)


def get_library_path() -> str:
    """The absolute path of the plugin library.

    The environment variable `_identity.LIBRARY_VARIABLE` wins. Otherwise the library lies in this
    package, or, when the package is used from its source tree, in the tree's `build/release`.

    Raises:
        FileNotFoundError: there is none; the text says where it was looked for.
        RuntimeError: there is one in either place, so that neither can be meant.
    """
    return _find(_identity.LIBRARY, _identity.LIBRARY_VARIABLE, _identity.EP_NAME)


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
        RuntimeError: there is one in either place, so that neither can be meant.
    """
    return _find(
        _identity.CUSTOM_OPS_LIBRARY,
        _identity.CUSTOM_OPS_LIBRARY_VARIABLE,
        "the custom operators",
    )


<% endif %>
def register(name: str | None = None, *, virtual: bool = False) -> str:
    """Makes the execution provider known to onnxruntime.

    Calling it again with the same arguments changes nothing. Whatever is still registered when
    the interpreter ends is unregistered then.

    Args:
        name: the registration's name; by default the execution provider's. Devices and sessions
            carry the execution provider's name in any case.
        virtual: ask for a virtual device: adds `.virtual` to the name.

    Returns:
        The name it was registered under.

    Raises:
        ImportError: no onnxruntime is installed.
        FileNotFoundError: no library, see `get_library_path`.
        Exception: onnxruntime's own error, for instance that it is too old for the library.
    """
    registration = name or _identity.EP_NAME
    if virtual and not registration.endswith(".virtual"):
        registration += ".virtual"
    runtime = _onnxruntime()
    with _lock:
        if registration not in _registered:
            library = get_library_path()
            runtime.register_execution_provider_library(registration, library)
            if not _registered:
                atexit.register(_unregister_at_exit)
            _registered[registration] = library
    return registration


def unregister(name: str | None = None) -> None:
    """Takes the execution provider out of onnxruntime: one registration, or all made here.

    Does nothing when there is none. Sessions come first: one that outlives its execution
    provider would use memory that is gone.
<% if custom_ops %>
    So would one on another provider that uses the custom operators: delete it, too, for it
    cannot be told from others.
<% endif %>

    Args:
        name: what `register` returned; None for every registration.

    Raises:
        RuntimeError: a session still uses the execution provider.
    """
    with _lock:
        names = [name] if name is not None else list(_registered)
        names = [each for each in names if each in _registered]
        if not names:
            return
        alive = _objects_alive()
        if alive:
            raise RuntimeError(
                f"{alive} of {_identity.EP_NAME} still in use: delete them before unregister()"
            )
        _unregister(names)


def devices() -> list[Any]:
    """The devices that the execution provider<% if several %>s offer<% else %> offers<% endif %> now: a list of `onnxruntime.OrtEpDevice`.

    Empty before `register`, and when there is no device that it can use. This list is the only
    one that tells: `onnxruntime.get_available_providers()` never names a plugin.
    """
    found = _onnxruntime().get_ep_devices()
    return [device for device in found if device.ep_name in _identity.EP_NAMES]


def is_available() -> bool:
    """Is there a device to run on? False before `register`."""
    return bool(devices())


def _find(library: str, variable: str, what: str) -> str:
    """Where a library is: what the environment variable names, or the one place that has it."""
    chosen = os.environ.get(variable)
    if chosen:
        path = Path(chosen).absolute()
        if not path.is_file():
            raise FileNotFoundError(f"{variable} names {path}, and there is no such file")
        return str(path)

    places = _library_places(library)
    found = [place for place in places if place.is_file()]
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
    return str(found[0])


def _library_places(library: str) -> list[Path]:
    """Where a library may be, in a wheel and in a source tree."""
    pattern = {"win32": "{}.dll", "darwin": "lib{}.dylib"}.get(sys.platform, "lib{}.so")
    file_name = pattern.format(library)
    package = Path(__file__).resolve().parent
    places = [package / file_name]
    project = package.parents[1]
    if (project / "CMakePresets.json").is_file():
        places.append(project / "build" / "release" / file_name)
    return places


def _onnxruntime() -> Any:
    try:
        return importlib.import_module("onnxruntime")
    except ModuleNotFoundError as error:
        if error.name != "onnxruntime":
            raise
        raise ImportError(
            f"{_identity.DISTRIBUTION} needs onnxruntime {_identity.MINIMUM_ONNXRUNTIME} or newer: "
            f'pip install "onnxruntime>={_identity.MINIMUM_ONNXRUNTIME}"'
        ) from error


def _objects_alive() -> str:
    """What still uses the execution provider, in words; empty if nothing does."""
    gc.collect()
    count = sum(map(_uses_this, _sessions()))
<% if device_memory %>
    users = [f"{count} session(s)"] if count else []
    ort_value = _onnxruntime().OrtValue
    tensors = [each for each in gc.get_objects() if isinstance(each, ort_value)]
    count = sum(tensor.device_name().lower() != "cpu" for tensor in tensors)
    if count:
        users.append(f"{count} device tensor(s)")
    return " and ".join(users)
<% else %>
    return f"{count} session(s)" if count else ""
<% endif %>


def _sessions() -> list[Any]:
    session = _onnxruntime().InferenceSession
    return [each for each in gc.get_objects() if isinstance(each, session)]


def _uses_this(session: Any) -> bool:
    try:
        return not set(_identity.EP_NAMES).isdisjoint(session.get_providers())
    except AttributeError:
        # It could not be made, and the error's traceback holds it, and with it what it had begun.
        return True


def _unregister(names: list[str]) -> None:
    for name in names:
        _onnxruntime().unregister_execution_provider_library(name)
        del _registered[name]
    if not _registered:
        atexit.unregister(_unregister_at_exit)


def _unregister_at_exit() -> None:
    """Runs while the interpreter is whole. A session in a global variable is still alive then, and
    onnxruntime ends both in the right order by itself."""
    with _lock:
<% if custom_ops %>
        # One on another provider may compute with the operators that came from here, unseen.
        if not _objects_alive() and not _sessions():
            _unregister(list(_registered))
<% else %>
        if not _objects_alive():
            _unregister(list(_registered))
<% endif %>
