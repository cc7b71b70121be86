"""Nodes as they are written in brackets, with the words of the text that they come from."""

from __future__ import annotations

from epforge.blueprint.edits.values import flow
from epforge.blueprint.nodes import Node, Scalar, Sequence
from epforge.blueprint.text import SourceText


def flow_of(node: Node, source: SourceText) -> str | None:
    """A node on one line; None where it cannot be written so."""
    if isinstance(node, Scalar):
        written = plain_text(node, source)
        return None if "\n" in written or "\r" in written else written
    if isinstance(node, Sequence):
        items = [flow_of(item, source) for item in node.items]
        return None if None in items else f"[{', '.join(map(str, items))}]"
    pairs = {key: flow_of(value, source) for key, value in node.entries.items()}
    if None in pairs.values():
        return None
    return "{" + ", ".join(f"{flow(key)}: {value}" for key, value in pairs.items()) + "}"


def plain_text(node: Node, source: SourceText) -> str:
    """A scalar as it is written; one that is not, as it would be."""
    if not isinstance(node, Scalar):
        return ""
    written = source.slice(node.span)
    if node.text and (node.text == written or written.strip("\"'") == node.text):
        return written
    if node.quoted or not node.text or any(char in node.text for char in ",[]{}#: "):
        return '"' + node.text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return node.text
