"""Validation of a built library: a ladder of checks that works on any plugin EP.

Foreign code never runs in epforge's own process: a crash, a hang or a flood of memory ends a
worker and becomes a result.

The names are imported when they are asked for: each worker is a process that imports a part of
this package, and there are many of them.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true, and `typing` need not be imported

if TYPE_CHECKING:
    from epforge.validate.instruments import Instruments
    from epforge.validate.ladder import read_binary, validate
    from epforge.validate.model import (
        FIRST,
        RUNGS,
        USUAL,
        CaseResult,
        Check,
        Fuzzing,
        Outcome,
        Report,
        Rung,
    )
    from epforge.validate.process import Limits
    from epforge.validate.runtime import THIS, Runtime, find_runtime
    from epforge.validate.static import Kind

__all__ = [
    "FIRST",
    "RUNGS",
    "THIS",
    "USUAL",
    "CaseResult",
    "Check",
    "Fuzzing",
    "Instruments",
    "Kind",
    "Limits",
    "Outcome",
    "Report",
    "Rung",
    "Runtime",
    "find_runtime",
    "read_binary",
    "validate",
]

_HOMES = {
    "instruments": ("Instruments",),
    "ladder": ("read_binary", "validate"),
    "process": ("Limits",),
    "runtime": ("THIS", "Runtime", "find_runtime"),
    "static": ("Kind",),
}

if not TYPE_CHECKING:  # they know every name from above, and that there is no other

    def __getattr__(name: str) -> object:
        if name not in __all__:  # a module of this package may be meant
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        home = next((home for home, names in _HOMES.items() if name in names), "model")
        found = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = found  # asked once
        return found
