"""The table of cases: for each op, calls that cover its types, shapes and attributes.

An op that is not in the table gets a case from its schema where that is enough to call it;
otherwise it has none, and the report says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from epforge.validate.cases import elementwise, movement, neural, reduction
from epforge.validate.cases.generic import from_schema
from epforge.validate.cases.model import Ask, Builder, Case, Feed

__all__ = ["TABLE", "Ask", "Case", "Feed", "cases"]

TABLE: Mapping[tuple[str, str], Builder] = {
    **{("", op): make for op, make in elementwise.TABLE.items()},
    **{("", op): make for op, make in movement.TABLE.items()},
    **{("", op): make for op, make in neural.TABLE.items()},
    **{("", op): make for op, make in reduction.TABLE.items()},
    **{("com.microsoft", op): make for op, make in elementwise.MICROSOFT.items()},
    **{("com.microsoft", op): make for op, make in neural.MICROSOFT.items()},
}


def cases(ask: Ask) -> Iterator[Case]:
    """The cases of an op; none when there is no way to call it."""
    builder = TABLE.get((ask.domain, ask.op))
    yield from builder(ask) if builder else from_schema(ask)
