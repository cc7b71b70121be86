<%= banner %>
"""Registering the library, and the right end of it."""

import atexit
import gc
import re
import threading
from typing import Any

from . import _identity, _library, _runtime
from ._types import Device

_LOAD_FAILED = re.compile(r"failed to load|loadlibrary failed", re.IGNORECASE)

_lock = threading.RLock()
_registered: dict[str, str] = {}  # registration name -> library; onnxruntime keeps no public list


def register(name: str | None = None, *, virtual: bool = False) -> str:
    """Makes the execution provider known to onnxruntime.

    Calling it again with the same arguments changes nothing. Whatever is still registered when
    the interpreter ends is unregistered then. Warns when two distributions of onnxruntime are
    installed.

    Args:
        name: the registration's name; by default the execution provider's. Devices and sessions
            carry the execution provider's name in any case.
        virtual: ask for a virtual device: adds `.virtual` to the name.

    Returns:
        The name it was registered under.

    Raises:
        ImportError: no onnxruntime is installed.
        FileNotFoundError: no library, see `get_library_path`, or something that it needs beside it
            is not there.
        RuntimeError: onnxruntime is too old, this package is installed twice, or the library does
            not load; the text names the file that does not.
        Exception: onnxruntime's own error, for instance that another library has that name.
    """
    registration = name or _identity.EP_NAME
    if virtual and not registration.endswith(".virtual"):
        registration += ".virtual"
    with _lock:
        if registration not in _registered:
            runtime = _runtime.checked()
            library = _library.get_library_path()
            _library.require_companions(library)
            _load(runtime, registration, library)
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
    At the end of the interpreter, in a function of `atexit`, what is still in use stays:
    onnxruntime then ends both in the right order by itself.

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
        if alive and _is_ending():
            return
        if alive:
            raise RuntimeError(
                f"{alive} of {_identity.EP_NAME} still in use: delete them before unregister()"
            )
        _unregister(names)


def devices() -> list[Device]:
    """The devices that the execution provider<% if several %>s offer<% else %> offers<% endif %> now: a list of `onnxruntime.OrtEpDevice`.

    Empty before `register`, and when there is no device that it can use. This list is the only
    one that tells: `onnxruntime.get_available_providers()` names plugins only from 1.26 on.
    """
    found = _runtime.onnxruntime().get_ep_devices()
    return [device for device in found if device.ep_name in _identity.EP_NAMES]


def is_available() -> bool:
    """Is there a device to run on? False before `register`."""
    return bool(devices())


def _load(runtime: Any, registration: str, library: str) -> None:
    with _library.searching_beside(library):
        try:
            runtime.register_execution_provider_library(registration, library)
        except Exception as error:
            # The system's loader may name the library alone, when what is wrong is another file.
            if _LOAD_FAILED.search(str(error)):
                culprit = _library.why_not_loaded(library)
                if culprit:
                    raise RuntimeError(f"{library} does not load: {culprit} ({error})") from error
            raise


def _is_ending() -> bool:
    """Are these the functions of `atexit`? Before them the interpreter ends its threads."""
    return not threading.main_thread().is_alive()


def _objects_alive() -> str:
    """What still uses the execution provider, in words; empty if nothing does."""
    runtime = _runtime.onnxruntime()
    if not _instances(runtime.InferenceSession, runtime.IOBinding, runtime.OrtValue):
        return ""
    gc.collect()  # what is garbage, and was not collected yet, uses nothing
    count = sum(map(_uses_this, _instances(runtime.InferenceSession)))
<% if device_memory %>
    users = [f"{count} session(s)"] if count else []
    tensors = _instances(runtime.OrtValue)
    count = sum(tensor.device_name().lower() != "cpu" for tensor in tensors)
    if count:
        users.append(f"{count} device tensor(s)")
    return " and ".join(users)
<% else %>
    return f"{count} session(s)" if count else ""
<% endif %>


def _instances(*classes: type) -> list[Any]:
    """The objects of some classes and of those derived from them.

    To ask for what refers to a class takes a tenth of the time that it takes to look at every
    object, in a process that has millions. And no object is asked what it is: a proxy of one that
    is gone would raise an error.
    """
    kinds = list(classes)
    for kind in kinds:  # which grows
        kinds += type.__subclasses__(kind)
    return [each for each in gc.get_referrers(*kinds) if issubclass(type(each), classes)]


def _uses_this(session: Any) -> bool:
    try:
        return not set(_identity.EP_NAMES).isdisjoint(session.get_providers())
    except AttributeError:
        # It could not be made, and the error's traceback holds it, and with it what it had begun.
        return True


def _unregister(names: list[str]) -> None:
    for name in names:
        _runtime.onnxruntime().unregister_execution_provider_library(name)
        del _registered[name]
    if not _registered:
        atexit.unregister(_unregister_at_exit)


def _unregister_at_exit() -> None:
    """Runs while the interpreter is whole. A session in a global variable is still alive then, and
    onnxruntime ends both in the right order by itself."""
    with _lock:
<% if custom_ops %>
        # One on another provider may compute with the operators that came from here, unseen.
        if not _objects_alive() and not _instances(_runtime.onnxruntime().InferenceSession):
            _unregister(list(_registered))
<% else %>
        if not _objects_alive():
            _unregister(list(_registered))
<% endif %>
