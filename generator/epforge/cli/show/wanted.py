"""What ``epforge ops from-model`` prints: the `ops` of a blueprint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epforge.ops.model import DType
from epforge.resolve.catalogue import Status
from epforge.resolve.wanted import Wanted
from epforge.verbs.wording import count


def block(found: Sequence[Wanted]) -> Iterator[str]:
    """The block of YAML: what can be had; what cannot is a comment."""
    usable = [each for each in found if each.status is not Status.IMPOSSIBLE]
    yield "ops:" if usable else "ops: []"
    for each in usable:
        yield from _entry(each)
    for each in found:
        if each.status is Status.IMPOSSIBLE:
            yield f"  # {each.name}, {count(each.nodes, 'node')}: {each.reason}"


def _entry(each: Wanted) -> Iterator[str]:
    stub = each.status is Status.STUB
    opsets = each.opsets if stub else tuple(each.usable())
    fields = [f"op: {each.name}"]
    if opsets and not each.domain:
        fields.append(f"models: '>={opsets[0]}'")  # newer exports of the models as well
    types = each.types if stub else _able(each, opsets)
    if types:
        texts = (f"{name}: [{', '.join(d.text for d in group)}]" for name, group in types.items())
        fields.append(f"types: {{{', '.join(texts)}}}")
    if stub:
        fields.append("kernel: yours")
    note = f"  # {each.reason}" if each.reason else ""
    yield f"  - {{{', '.join(fields)}}}{note}"


def _able(each: Wanted, opsets: Sequence[int]) -> dict[str, tuple[DType, ...]]:
    """The element types that a generated kernel has, where it has any."""
    assert each.entry is not None
    versions = [version for version in map(each.entry.version_of, opsets) if version is not None]
    found = {}
    for constraint, asked in each.types.items():
        able = {dtype for version in versions for dtype in version.types.get(constraint, ())}
        kept = tuple(dtype for dtype in asked if dtype in able)
        if kept:
            found[constraint] = kept
    return found


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
