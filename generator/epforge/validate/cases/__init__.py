"""The table of cases: for each op, calls that cover its types, shapes and attributes.

An op that is not in the table gets a case from its schema where that is enough to call it;
otherwise it has none, and the report says so.

A module of this package has the cases of related ops as ``TABLE``, and those of com.microsoft as
``MICROSOFT``; a new module is found by being there.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping

from epforge.validate.cases.generic import from_schema
from epforge.validate.cases.model import Ask, Builder, Case, Feed

__all__ = ["TABLE", "Ask", "Case", "Feed", "cases"]


def _table() -> Mapping[tuple[str, str], Builder]:
    found: dict[tuple[str, str], Builder] = {}
    for each in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{each.name}")
        for domain, name in (("", "TABLE"), ("com.microsoft", "MICROSOFT")):
            for op, make in getattr(module, name, {}).items():
                if (domain, op) in found:
                    raise RuntimeError(f"two tables have cases of {op}")
                found[domain, op] = make
    return found


TABLE: Mapping[tuple[str, str], Builder] = _table()


def cases(ask: Ask) -> Iterator[Case]:
    """The cases of an op; none when there is no way to call it."""
    builder = TABLE.get((ask.domain, ask.op))
    yield from builder(ask) if builder else from_schema(ask)
