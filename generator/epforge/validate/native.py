"""The C++ host on this machine: a program over the runtime's own library that does the work of a
worker, where Python cannot reach, and with sanitizers."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from epforge.errors import EpforgeError
from epforge.validate.cross.program import find_native_program
from epforge.validate.process import Limits
from epforge.validate.runtime import Host, Runtime
from epforge.validate.site import Site

SANITIZERS = ("address", "undefined")
THREADS = ("thread",)
_SLOWER = 5  # with any of them
# Reports name module, offset, function and line of every frame. A library need not have frame
# pointers, so they are not relied upon. The host asks for leaks itself, at one point.
ASAN_STATUS = 86  # with which a program ends that AddressSanitizer has ended
_ASAN = (
    "fast_unwind_on_malloc=0:fast_unwind_on_fatal=0:malloc_context_size=40:handle_abort=1:"
    "leak_check_at_exit=0:detect_leaks=1:allocator_may_return_null=1:"
    f"exitcode={ASAN_STATUS}:"
    "stack_trace_format='    #%n %p (%m+%o) in %f %S'"
)
_UBSAN = "print_stacktrace=1:halt_on_error=0"
# All races are told, and the program ends as it would without them.
_TSAN = (
    "halt_on_error=0:exitcode=0:atexit_sleep_ms=0:history_size=4:report_thread_leaks=0:"
    "report_signal_unsafe=0:stack_trace_format='    #%n %p (%m+%o) in %f %S'"
)
_LIBRARY = "libonnxruntime.so*"


def why_not() -> str:
    """Why there is no such host on this machine; empty if there is."""
    if sys.platform != "linux":
        return "the C++ host runs on Linux alone"
    if platform.libc_ver()[0] != "glibc":
        return "the C++ host needs glibc"
    return ""


def library_of(runtime: Runtime) -> Path | None:
    """The library of a runtime's package; None where it has none of its own."""
    if runtime.directory:
        package = runtime.directory / "onnxruntime"
    else:
        found = importlib.util.find_spec("onnxruntime")
        if found is None or found.origin is None:
            return None
        package = Path(found.origin).parent
    libraries = sorted((package / "capi").glob(_LIBRARY))
    return libraries[0].resolve() if libraries else None


def native_host(
    runtime: Runtime,
    library: Path,
    headers: Path,
    progress: Callable[[str], None],
    *,
    sanitizers: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    stand_in: Callable[[], Sequence[str]] = tuple,
) -> Runtime:
    """The same runtime, at work in the C++ host.

    Args:
        library: what `library_of` says of it.
        headers: the directory of onnxruntime_c_api.h.
        sanitizers: SANITIZERS, THREADS or none.
        env: more of its environment.
        stand_in: as `find_native_program` takes it.

    Raises MissingError without a compiler, CompileError when the program does not compile.
    """
    program = find_native_program(headers, progress, sanitizers, stand_in)
    more = {"ASAN_OPTIONS": _ASAN, "UBSAN_OPTIONS": _UBSAN, "LSAN_OPTIONS": "print_suppressions=0"}
    more["TSAN_OPTIONS"] = _TSAN
    filled = {"MALLOC_PERTURB_": "165"}  # what is never set, or read too late, is found
    environment = {**os.environ, **(more if sanitizers else filled), **(env or {})}
    environment["TMPDIR"] = tempfile.gettempdir()
    host = Host((str(program), quote(str(library))), environment, False, lambda text: text)
    return replace(runtime, host=host)


def in_host(site: Site, sanitizers: Sequence[str] = ()) -> Site | str:
    """A library in the C++ host; or why there is none.

    Args:
        sanitizers: SANITIZERS, THREADS or none.
    """
    if wrong := why_not():
        return wrong
    library = library_of(site.runtime)
    if library is None:
        return f"onnxruntime {site.version} has no library of its own"
    try:
        headers = site.instruments.headers()
        if headers is None:
            return "no headers of onnxruntime to compile the C++ host with: epforge sdk"
        host = native_host(
            site.runtime,
            library,
            headers,
            site.progress,
            sanitizers=sanitizers,
            env=site.environment,
            stand_in=site.instruments.compiler,
        )
    except EpforgeError as error:
        return error.message
    limits = site.limits
    if sanitizers:
        limits = Limits(limits.stall_s * _SLOWER, memory_mb=0)
    return replace(site, runtime=host, limits=limits, preload=())
