"""Rung `static`: what the file itself says, before anything of it is run.

Rules R15 and D73 (exports, unique linkage), FR 1, 7, 9 of the field reports.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from epforge.validate.binary import Binary, host_machine
from epforge.validate.model import Check, Outcome, Rung

ENTRY_POINTS = ("CreateEpFactories", "ReleaseEpFactory")
_CUSTOM_OPS = "RegisterCustomOps"
_ALLOCATION = re.compile(r"_Zn[wa][mj]|_Zd[la]Pv|\?\?[23_]")  # operator new and delete
_ORT_SYMBOL = re.compile(r"Ort[A-Z]\w*|_ZN?K?\d*(3Ort|11onnxruntime)\w*")
_SYSTEM_FORMAT = {"linux": "elf", "darwin": "mach-o", "win32": "pe"}


class Kind(StrEnum):
    """What a file can be taken for."""

    PLUGIN_EP = "plugin EP"
    CUSTOM_OPS = "custom-op library"
    PYTHON_EXTENSION = "Python extension module"
    LEGACY_PROVIDER = "provider library of an onnxruntime build"
    RUNTIME = "onnxruntime itself"
    LIBRARY = "shared library"
    NOT_A_LIBRARY = "no shared library"


def identify(binary: Binary) -> Kind:
    """What the file is, by its exports."""
    exports = set(binary.exports)
    if not binary.shared or binary.damage:
        return Kind.NOT_A_LIBRARY
    if any(name in exports for name in ENTRY_POINTS):
        return Kind.PLUGIN_EP
    if any(name.startswith("PyInit_") for name in exports):
        return Kind.PYTHON_EXTENSION
    if _CUSTOM_OPS in exports:
        return Kind.CUSTOM_OPS
    if "OrtGetApiBase" in exports:
        return Kind.RUNTIME
    return Kind.LEGACY_PROVIDER if "GetProvider" in exports else Kind.LIBRARY


@dataclass(frozen=True)
class Place:
    """Where a library is to be loaded.

    Args:
        system: as ``sys.platform`` spells it.
        machine: the processor, as `Binary.machine` spells it.
        name: of another platform than this machine's; else empty.
        libraries: what every such system has, as a pattern of file names; None for this machine,
            whose loader says more.
    """

    system: str
    machine: str
    name: str = ""
    libraries: re.Pattern[str] | None = None

    @property
    def what(self) -> str:
        """this system; windows-x64."""
        return self.name or "this system"


def here() -> Place:
    """This machine."""
    return Place(sys.platform, host_machine())


def is_foreign(binary: Binary, place: Place) -> bool:
    """Is it a whole file of a library, for another system or processor than that place's?"""
    if binary.damage or binary.format not in _SYSTEM_FORMAT.values():
        return False
    native = _SYSTEM_FORMAT.get(place.system, "elf")
    return binary.format != native or binary.machine != place.machine


def mismatch(binary: Binary, expected: Kind, place: Place) -> str:
    """Why the file is not what was expected, in one line that says what it is and what to do;
    empty if it is.

    Args:
        expected: PLUGIN_EP or CUSTOM_OPS.
    """
    wanted = f"expected a {expected}"
    plain = {
        "directory": f"a directory, not a file; {wanted}: name the library in it",
        "empty": f"an empty file; {wanted}: copy or build it again",
        "text": _text(binary.remark, wanted),
        "archive": (
            f"{binary.remark}, an archive of objects; {wanted}: link them with -shared"
            if binary.remark
            else f"an archive or wheel, not a library; {wanted} (unpack it first)"
        ),
        "unknown": f"no library of any known format (ELF, PE, Mach-O); {wanted}",
    }
    if binary.format in plain and not binary.damage:
        return plain[binary.format]
    if binary.format == "unknown":
        return f"unreadable: {binary.damage}; {wanted}"
    if binary.damage:
        kind = binary.format.upper()
        return f"a damaged {kind} file: {binary.damage}; {wanted}: copy or build it again"
    native = _SYSTEM_FORMAT.get(place.system, "elf")
    if binary.format != native:
        return f"a {binary.format} file; {place.what} loads {native}; {wanted} for {place.what}"
    if binary.machine != place.machine:
        which = place.name or "this machine"
        return (
            f"a library for {binary.machine}, {which} is {place.machine}; "
            f"{wanted} for {place.machine}"
        )
    if not binary.shared:
        return (
            f"a program or object file, not a shared library; {wanted}: link it with -shared "
            "(add_library(... MODULE) in CMake)"
        )
    return _wrong_kind(binary, expected, wanted)


def _text(remark: str, wanted: str) -> str:
    if remark == "a Git LFS pointer":
        return f"{remark}, not the file itself; {wanted}: run git lfs pull"
    if remark == "an HTML page":
        return f"{remark}: a download that went wrong; {wanted}: fetch it again"
    what = f"a text file ({remark.partition(' ')[2]})" if remark else "a text file"
    return f"{what}, whatever its name says; {wanted}: name the library itself"


def _wrong_kind(binary: Binary, expected: Kind, wanted: str) -> str:
    kind = identify(binary)
    if kind is expected:
        return ""
    both = " and ".join(ENTRY_POINTS)
    need = both if expected is Kind.PLUGIN_EP else _CUSTOM_OPS
    if kind is Kind.PLUGIN_EP:
        return (
            f"a plugin EP (it exports {ENTRY_POINTS[0]}): register it with "
            f"register_execution_provider_library; {wanted}, which exports {need}"
        )
    if kind is Kind.CUSTOM_OPS:
        return (
            f"a custom-op library (it exports {_CUSTOM_OPS}): pass it to "
            f"SessionOptions.register_custom_ops_library; {wanted}, which exports {need}"
        )
    if kind is Kind.PYTHON_EXTENSION:
        module = next(n for n in binary.exports if n.startswith("PyInit_"))
        return (
            f"a Python extension module (it exports {module}): import it from Python; "
            f"{wanted}, which exports {need}"
        )
    if kind is Kind.LEGACY_PROVIDER:
        return (
            f"a {kind} (it exports GetProvider): that build loads it itself, by its name in "
            f"providers; {wanted}, which exports {need}"
        )
    if kind is Kind.RUNTIME:
        return (
            f"{kind} (it exports OrtGetApiBase): it is what loads plugins; {wanted}, which "
            f"exports {need}"
        )
    near = [name for name in binary.exports if any(entry in name for entry in need.split(" and "))]
    if near:  # C++ has mangled it
        return (
            f'a {kind} that exports {near[0]}, a C++ name: declare the function extern "C"; '
            f"{wanted}, which exports {need}"
        )
    return (
        f"a {kind} without the entry points; {wanted}, which exports {need}: an EP's own list of "
        "exports may lack them"
    )


def check(path: Path, binary: Binary, expected: Kind, place: Place) -> tuple[Check, ...]:
    """The checks of this rung on a file whose facts are ``binary``."""
    wrong = mismatch(binary, expected, place)
    if wrong:
        return (_line("file", [f"{path.name} is {wrong}"]),)
    text = f"{expected} for {binary.machine}, {path.stat().st_size / 1024:.0f} KiB"
    lines = [Check(Rung.STATIC, "file", Outcome.PASSED, text)]
    if expected is Kind.CUSTOM_OPS:
        return (*lines, _line("needs", list(_needs(binary)), f"{len(binary.needed)} libraries"))

    def needs(binary: Binary) -> Iterator[str]:
        yield from _needs(binary)
        yield from _strange(path, binary, place)

    topics: tuple[tuple[str, Callable[[Binary], Iterator[str]], str], ...] = (
        ("exports", _exports, " and ".join(ENTRY_POINTS)),
        ("needs", needs, ", ".join(binary.needed) or "nothing"),
        ("search path", _search, ", ".join(binary.search) or "none"),
    )
    lines += [_line(name, list(find(binary)), passed) for name, find, passed in topics]
    return tuple(lines)


def _line(name: str, faults: list[str], passed: str = "") -> Check:
    outcome = Outcome.FAILED if faults else Outcome.PASSED
    return Check(Rung.STATIC, name, outcome, "; ".join(faults) or passed)


def _exports(binary: Binary) -> Iterator[str]:
    missing = [name for name in ENTRY_POINTS if name not in binary.exports]
    for name in missing:
        yield f"{name} is not exported: ORT cannot register the library without it"
    extra = [name for name in binary.exports if name not in ENTRY_POINTS]
    allocation = [name for name in extra if _ALLOCATION.match(name)]
    if allocation:
        yield f"exports operator new/delete ({_few(allocation)}): other libraries would bind to it"
    if "GetProvider" in extra:
        yield "exports GetProvider: ORT would take it for a library of its own build"
    if binary.unique:
        names = _few(list(binary.unique))
        yield f"exports symbols of unique linkage ({names}): it can never be unloaded"
    known = {*allocation, *binary.unique, "GetProvider"}
    rest = [name for name in extra if name not in known]
    if rest:
        yield f"exports {len(rest)} more than the two entry points: {_few(rest)}"


def _needs(binary: Binary) -> Iterator[str]:
    runtime = [name for name in binary.needed if "onnxruntime" in name.lower()]
    if runtime:
        yield f"is linked to {_few(runtime)}: two copies of the runtime would meet in one process"
    undefined = [name for name in binary.imports if _ORT_SYMBOL.fullmatch(name)]
    if undefined:
        yield f"leaves {_few(undefined)} undefined: only the runtime's API table may be used"


def _strange(path: Path, binary: Binary, place: Place) -> Iterator[str]:
    """Libraries that another platform does not have, nor the library beside it."""
    if place.libraries is None:
        return
    strange = [
        name
        for name in binary.needed
        if not place.libraries.fullmatch(name) and not _is_beside(path, name)
    ]
    if strange:
        yield f"needs {_few(strange)}, which not every {place.what} has"


def _is_beside(path: Path, name: str) -> bool:
    """Is it the name of a file beside ``path``? macOS says so with a prefix."""
    file = re.sub(r"^@(rpath|loader_path)/", "", name)
    return PurePosixPath(file).name == file and path.with_name(file).is_file()


def _search(binary: Binary) -> Iterator[str]:
    leaks = [path for path in binary.search if not path.startswith(("$ORIGIN", "${ORIGIN}", "@"))]
    if leaks:
        yield f"searches {_few(leaks)}: paths of the machine it was built on"


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
