"""Job of rung `load`: what a library leaves changed in the process that it was a guest of."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import locale
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from epforge.validate.worker.engines import Engine
from epforge.validate.worker.load import compute
from epforge.validate.worker.records import Records

State = dict[str, object]
_TEXT_MAX = 200


def run(job: Mapping[str, Any], records: Records) -> None:
    """Registers, makes a session, unregisters; records what of the process is not as it was."""
    import numpy  # noqa: F401  # whose loading is not the library's doing
    import onnx  # noqa: F401

    from epforge.validate.worker.here import Here

    engine = Here()
    engine.severity(4)
    before = _state()
    with records.step("round 1"), _stdout() as said:
        _use(engine, job, records)
    # What the runtime makes once is there now.
    counted = _counts()
    with records.step("round 2"):
        _use(engine, job, records)
    records.write(
        "surroundings",
        changed=[*_changes(before, _state()), *_changes(counted, _counts())],
        stdout=said()[:_TEXT_MAX],
    )


def _use(engine: Engine, job: Mapping[str, Any], records: Records) -> None:
    manager = engine.registered(job["name"], job["library"])
    manager.__enter__()
    # What it computes is looked at higher up.
    compute(engine, job["library"], records, run=False)
    gc.collect()
    manager.__exit__(None, None, None)


def _state() -> State:
    """What a guest has to leave alone, by what it is called."""
    state: State = {f"environment variable {key}": value for key, value in _environment().items()}
    state["working folder"] = os.getcwd()
    state["locale"] = locale.setlocale(locale.LC_ALL)
    state["umask"] = os.umask(0o022)
    os.umask(int(str(state["umask"])))
    with contextlib.suppress(AttributeError, OSError):
        state["rounding mode"] = ctypes.CDLL(None).fegetround()
    state["denormals are zero"] = _denormals_are_zero()
    return {**state, **_handlers()}


def _counts() -> State:
    """What a guest may use, and has to give back."""
    if not sys.platform.startswith("linux"):
        return {}
    return {
        "number of open files": len(os.listdir("/proc/self/fd")),
        "number of threads": len(os.listdir("/proc/self/task")),
    }


def _environment() -> dict[str, str]:
    """As native code sees it; `os.environ` is a copy that Python made when it started."""
    if sys.platform == "win32":
        return dict(os.environ)
    pairs = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    found = {}
    for index in range(1 << 16):
        if (pair := pairs[index]) is None:
            break
        key, _, value = os.fsdecode(pair).partition("=")
        found[key] = value
    return found


def _denormals_are_zero() -> bool:
    import numpy as np

    return not bool(np.float32(1e-30) * np.float32(1e-10) > 0)


def _handlers() -> State:
    """The signal handlers, by their addresses: Python knows only its own."""
    if not sys.platform.startswith("linux"):
        return {}
    action = ctypes.create_string_buffer(256)
    function = ctypes.CDLL(None).sigaction
    found: State = {}
    for number in signal.valid_signals():
        if function(int(number), None, action) == 0:
            found[f"handler of {_name(int(number))}"] = action.raw[:8].hex()
    return found


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@contextlib.contextmanager
def _stdout() -> Iterator[Callable[[], str]]:
    """Catches what native code writes to stdout; the value gives it after the block."""
    kept = os.dup(1)
    text: list[str] = []
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield lambda: "".join(text)
        finally:
            with contextlib.suppress(AttributeError, OSError):
                ctypes.CDLL(None).fflush(None)
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            text.append(file.read().decode("utf-8", "replace").strip())


def _changes(before: State, after: State) -> Iterator[str]:
    for key in [*before, *(after.keys() - before.keys())]:
        was, now = (str(state.get(key, ""))[:_TEXT_MAX] for state in (before, after))
        if key not in before:
            yield f"{key} is new: {now}"
        elif key not in after:
            yield f"{key} is gone"
        elif before[key] != after[key]:
            shown = "" if key.startswith("handler") else f": was {was}, is {now}"
            yield f"the {key} is another one{shown}"
