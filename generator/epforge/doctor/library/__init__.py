"""A library on this machine: would it load, would ONNX Runtime take it, and if not, what is
missing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from epforge.doctor.library import cures
from epforge.doctor.library.judge import judge
from epforge.doctor.model import Checkup
from epforge.errors import UsageError
from epforge.validate import Kind, read_binary
from epforge.validate import manifest as manifests
from epforge.validate.binary import Binary
from epforge.validate.inspection import Inspection, Layouts, inspect
from epforge.validate.loader import Needs, elsewhere, needs_of
from epforge.validate.static import here, identify, is_foreign
from epforge.validate.survey import Survey, survey

_MANAGERS = ("apt-get", "dnf", "brew")


@dataclass(frozen=True)
class Library:
    """The facts of a library.

    Args:
        needs: what the loader would find; None for a file that this machine does not load.
        cures: for each name that the loader does not find, the command that gets it.
        again: the command that makes or fetches the library for this machine.
        inspected: what it says when it is asked.
        runtime: what the onnxruntime here can do.
        promised: the oldest onnxruntime that its manifest names; empty without one.
        trouble: why its manifest cannot be read.
    """

    path: Path
    binary: Binary
    kind: Kind
    needs: Needs | None
    cures: dict[str, str]
    again: str
    inspected: Inspection
    runtime: Survey
    promised: str = ""
    trouble: str = ""

    def to_json(self) -> dict[str, object]:
        """For programs; the keys are stable."""
        needs = self.needs
        return {
            "kind": str(self.kind),
            "machine": self.binary.machine,
            "floors": list(self.binary.floors),
            "needs": [dict(vars(need)) for need in needs.needs] if needs else [],
            "lacking": [dict(vars(each)) for each in needs.lacking] if needs else [],
            "oldest_runtime": self.promised,
            "runtime": self.runtime.version,
            "inspection": self.inspected.to_json(),
        }


def gather(
    path: Path, layouts: Layouts, progress: Callable[[str], None] = lambda _: None
) -> Library:
    """Finds out about a library. It is read and loaded in processes of their own.

    Args:
        layouts: the structs of ONNX Runtime's that are looked at.
    """
    library = path.absolute()
    binary = read_binary(library)
    kind = identify(binary)
    loadable = binary.shared and not binary.damage and not is_foreign(binary, here())
    progress(f"looking for what {library.name} needs")
    needs = needs_of(library) if loadable else None
    missing = dict.fromkeys(need.name for need in needs.missing) if needs else {}
    managers = tuple(name for name in _MANAGERS if shutil.which(name))
    promised, trouble = _promised(library)
    inspected = inspect(
        library,
        layouts,
        binary=binary,
        expect=Kind.CUSTOM_OPS if kind is Kind.CUSTOM_OPS else Kind.PLUGIN_EP,
        progress=progress,
    )
    return Library(
        path=path,
        binary=binary,
        kind=kind,
        needs=needs,
        cures={name: cures.get(name, _places(name), managers) for name in missing},
        again=cures.again(library),
        inspected=inspected,
        runtime=Survey() if inspected.wrong else survey(),
        promised=promised,
        trouble=trouble,
    )


def _places(name: str) -> list[str]:
    found = elsewhere(name, [place for place in sys.path if place.endswith("-packages")])
    return [found] if found else []


def _promised(library: Path) -> tuple[str, str]:
    """The oldest runtime that the manifest beside a library names, or why it cannot be read."""
    place = manifests.beside(library)
    if not place.is_file():
        return "", ""
    try:
        return ".".join(map(str, manifests.load(place).minimum)), ""
    except UsageError as error:
        return "", error.message


def examine(
    path: Path, layouts: Layouts, progress: Callable[[str], None] = lambda _: None
) -> Checkup:
    """Gathers and judges."""
    found = gather(path, layouts, progress)
    return Checkup("library", str(path), tuple(judge(found)), found.to_json())
