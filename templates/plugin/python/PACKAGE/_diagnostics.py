<%= banner %>
"""Everything that may explain why it does not work here: `python -m <%= package %>._diagnostics`.

For tests that fail on a machine that nobody can look at: with ORT_TEST_VERBOSE=1 in the
environment they print this.
"""

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from . import _library, _report

VERBOSE = "ORT_TEST_VERBOSE"
_VARIABLES = (
    "<%= macro %>_",
    "CUDA_",
    "DYLD_",
    "EPFORGE_",
    "LD_",
    "ORT_",
    "PATH",
    "PYTHON",
    "VIRTUAL_ENV",
)


def is_verbose() -> bool:
    """Does the environment ask for it?"""
    return os.environ.get(VERBOSE) == "1"


def show(file: TextIO | None = None, *, virtual: bool = False) -> None:
    """Registers the library and prints everything.

    Args:
        file: where to; by default the error output.
        virtual: ask for a virtual device.
    """
    for line in lines(virtual=virtual):
        print(line, file=file or sys.stderr, flush=True)


def lines(*, virtual: bool = False) -> Iterator[str]:
    """What `show` prints. The system comes first: it is there even if registering ends the process.

    Args:
        virtual: ask for a virtual device.
    """
    yield f"python: {platform.python_implementation()} {sys.version.split()[0]}, {sys.executable}"
    yield f"platform: {platform.platform()}, {platform.machine()}"
    yield f"working directory: {_working_directory()}"
    for name, value in sorted(os.environ.items()):
        if name.startswith(_VARIABLES):
            yield f"environment: {name}={value}"
    try:
        library = _library.get_library_path()
    except (OSError, RuntimeError):
        pass  # a problem of the report's
    else:
        for path in [Path(library), *_library.companions(library)]:
            yield f"file: {path}, {_size(path)}"
    report = _report.collect(virtual=virtual)
    runtime = report["onnxruntime"]
    yield f"onnxruntime: {runtime['file']}, of {', '.join(runtime['distributions']) or 'nothing'}"
    yield from _report.lines(report)


def _working_directory() -> str:
    try:
        return str(Path.cwd())
    except OSError as error:
        return str(error)


def _size(path: Path) -> str:
    try:
        return f"{path.stat().st_size} bytes"
    except OSError as error:
        return error.strerror or str(error)


def main(arguments: Sequence[str]) -> int:
    """Prints everything to the output. An argument `--virtual` asks for a virtual device."""
    show(sys.stdout, virtual="--virtual" in arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
