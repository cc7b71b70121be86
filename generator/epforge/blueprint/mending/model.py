"""What an author most likely meant by something that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from epforge.blueprint.diagnostic import Fix, Span
from epforge.blueprint.nodes import Node, Path, Scalar, Sequence, Table


@dataclass(frozen=True)
class Meant:
    """One sensible reading of what is wrong.

    Args:
        hint: what to do, one line.
        fix: the change of the text; None where a program should not make it.
        changes: the change of the tree, so that the rest is checked as it is meant: per path the
            node that is to be there, or None for none.
    """

    hint: str
    fix: Fix | None = None
    changes: Mapping[Path, Node | None] = field(default_factory=dict)


def text(word: str, span: Span, *, quoted: bool = False) -> Scalar:
    """A scalar that is not written as such, at the place of what stands for it."""
    return Scalar(word, quoted, span)


def table(entries: Mapping[str, Node], span: Span) -> Table:
    """A table that is not written as such."""
    return Table(dict(entries), {key: Scalar(key, False, span) for key in entries}, span)


def listing(items: tuple[Node, ...], span: Span) -> Sequence:
    """A list that is not written as such."""
    return Sequence(items, span)
