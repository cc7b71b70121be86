"""What ``epforge ops from-model`` prints beside the `ops` of a blueprint."""

from __future__ import annotations

from collections.abc import Sequence

from epforge.resolve.catalogue import Status
from epforge.resolve.wanted import Wanted
from epforge.verbs.wording import count


def summary(found: Sequence[Wanted]) -> str:
    """How much there is, in a line."""
    by = {status: [each for each in found if each.status is status] for status in Status}
    parts = [f"{count(len(found), 'operator')}: {len(by[Status.IMPLEMENTED])} implemented"]
    partly = sum(bool(each.lacking) for each in by[Status.IMPLEMENTED])
    if partly:
        parts.append(f"{partly} of them in part")
    for status in (Status.STUB, Status.IMPOSSIBLE):
        if by[status]:
            names = ", ".join(each.name for each in by[status])
            parts.append(f"{len(by[status])} {status} ({names})")
    return ", ".join(parts)
