"""What a library is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.verbs.types import AnyPath, Names, Progress, names, silent

if TYPE_CHECKING:
    from epforge.validate.inspection import Inspection, Slot

# Which of ONNX Runtime's structs are looked at.
_STRUCTS = ("OrtApi", "OrtEpApi", "OrtEpFactory", "OrtEp", "OrtAllocator", "OrtDataTransferImpl")


def inspect_library(
    library: AnyPath,
    *,
    runtime: str | None = None,
    hardware: Names = (),
    kind: str = "plugin-ep",
    time_limit: float = 60.0,
    progress: Progress = silent,
) -> Inspection:
    """Says what a file is: a plugin library, by its bytes and by what it answers;
    `epforge inspect`.

    Args:
        library: any file.
        runtime: the onnxruntime to ask it in: a version, or the directory that holds its package;
            this Python's by default.
        hardware: made-up devices to offer it, ``TYPE:VENDOR:DEVICE,KEY=VALUE``, such as
            ``gpu:0x10de``; ``usual`` for those of the usual vendors.
        kind: what the file should be: ``plugin-ep`` or ``custom-ops``.
        time_limit: seconds without progress until it hangs.
        progress: told what is being done.

    Returns:
        what was found. Whatever the library does is in it, never an exception.

    Raises:
        UsageError: there is no such file, or the call is wrong.
        MissingError: the onnxruntime cannot be had.
    """
    from epforge.validate import THIS, Limits, find_runtime, read_binary
    from epforge.validate.inspection import inspect
    from epforge.validate.inspection.hardware import parse
    from epforge.verbs.validate import kind_of

    devices, expect = parse(names(hardware)), kind_of(kind)
    path = Path(library).absolute()
    limits = Limits(stall_s=time_limit)
    return inspect(
        path,
        layouts(),
        binary=read_binary(path, limits),
        runtime=find_runtime(runtime, progress) if runtime else THIS,
        hardware=devices,
        expect=expect,
        limits=limits,
        progress=progress,
    )


def layouts() -> Mapping[str, Sequence[Slot]]:
    """The structs that are looked at, out of the tables of all levels."""
    from epforge.ort.levels import known_levels, load_level
    from epforge.validate.inspection import Slot

    newest = load_level(known_levels()[-1])
    return {
        name: [Slot(m.name, m.since, str(m.need)) for m in newest.struct(name).members]
        for name in _STRUCTS
    }
