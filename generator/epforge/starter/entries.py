"""The `ops` of a blueprint for the operators of models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epforge.blueprint.diagnostic import visible
from epforge.ops.model import DType
from epforge.resolve.catalogue import Status
from epforge.resolve.wanted import Wanted


def block(found: Sequence[Wanted]) -> Iterator[str]:
    """The lines of YAML: what can be had; what cannot is a comment."""
    usable = [each for each in found if each.status is not Status.IMPOSSIBLE]
    yield "ops:" if usable else "ops: []"
    for each in usable:
        yield f"  {entry(each)}"
    for each in found:
        if each.status is Status.IMPOSSIBLE:
            yield f"  # {visible(each.name)}, {nodes(each.nodes)}: {visible(each.reason)}"


def entry(each: Wanted) -> str:
    """The line of an operator that can be had: an item of the list."""
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
    note = f"  # {visible(each.reason)}" if each.reason else ""
    return f"- {{{', '.join(fields)}}}{note}"


def nodes(number: int) -> str:
    """``1 node``, ``2 nodes``."""
    return "1 node" if number == 1 else f"{number} nodes"


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
