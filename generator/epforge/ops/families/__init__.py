"""Kernel families: which operators epforge has a kernel for.

A module of this package holds the rows of related families as ``ROWS``; a new module is found by
being there. A row names its template in ``templates/kernels``.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from epforge.ops.model import FamilyRow


def row(domain: str, op: str) -> FamilyRow | None:
    """The row of an operator; None when no family implements it."""
    return _index().get((domain, op))


def rows() -> tuple[FamilyRow, ...]:
    """All rows, sorted by domain and operator."""
    return tuple(_index().values())


@cache
def _index() -> dict[tuple[str, str], FamilyRow]:
    found: dict[tuple[str, str], FamilyRow] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_"):
            continue
        for entry in importlib.import_module(f"{__name__}.{module.name}").ROWS:
            key = (entry.domain, entry.op)
            if key in found:
                raise RuntimeError(f"two kernel families have a row for {entry.op}")
            found[key] = entry
    return dict(sorted(found.items()))
