"""An edit is given out only if it says what it was meant to say, and everything else as before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epforge.blueprint.compose import compose
from epforge.blueprint.diagnostic import BlueprintErrors
from epforge.blueprint.nodes import Node, Path, Scalar, Sequence, Table
from epforge.blueprint.source import BlueprintSource
from epforge.blueprint.text import checked
from epforge.errors import UsageError


def signature(node: Node) -> Any:
    """What a node says, without its place: texts with their quotedness, lists, dicts."""
    if isinstance(node, Scalar):
        return (node.text, node.quoted)
    if isinstance(node, Sequence):
        return [signature(item) for item in node.items]
    return {key: signature(child) for key, child in node.entries.items()}


def signature_of(text: str, file: str) -> Any:
    """What a blueprint's text says; None if it cannot be read."""
    try:
        root, errors = compose(checked(text, file))
    except BlueprintErrors:
        return None
    return None if errors else signature(root)


def texts_of(said: Any) -> Any:
    """A signature without what is quoted."""
    if isinstance(said, tuple):
        return said[0]
    if isinstance(said, list):
        return [texts_of(item) for item in said]
    return {key: texts_of(each) for key, each in said.items()}


def verified(
    source: BlueprintSource, text: str, is_right: Callable[[Any, Any], bool], error: UsageError
) -> str:
    """``text`` with the byte order mark of the source.

    Args:
        source: the blueprint before the edit.
        text: it afterwards, without byte order mark.
        is_right: compares the signatures before and after.
        error: raised when the edit did more, or less, than it was meant to.
    """
    after = signature_of(text, source.file)
    if after is None or not is_right(signature(source.root), after):
        raise error
    return source.text.mark + text


def refusal(source: BlueprintSource, path: Path, what: str, cure: str) -> UsageError:
    """The error for what has to be edited by hand, with its place."""
    span = source.key_span(*path)
    return UsageError(
        f"{source.file}:{span.line}:{span.column}: {what} cannot be edited safely", cure
    )


def at(root: Node, path: Path) -> Node | None:
    """The node at a path of keys; None where there is none."""
    node: Node | None = root
    for step in path:
        node = node.entries.get(str(step)) if isinstance(node, Table) else None
    return node
