"""A blueprint as read: its shape, its tree with positions, and what is wrong with it so far."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path as FilePath

from pydantic import ValidationError

from epforge.blueprint.compose import compose
from epforge.blueprint.diagnostic import BlueprintErrors, Diagnostic, Span, by_position
from epforge.blueprint.editions import edition_problem
from epforge.blueprint.explain import Finding, explain
from epforge.blueprint.nodes import Node, Path, Scalar, Table, edited, key_span, lookup, plain
from epforge.blueprint.shape import EDITION, BlueprintShape
from epforge.blueprint.text import SourceText, checked, read_text

# What is meant may be wrong in itself, and what that means. Beyond this it is only left out.
_MAX_ROUNDS = 8


@dataclass(frozen=True)
class BlueprintSource:
    """A blueprint whose text is YAML and whose edition is known.

    Args:
        text: the text with its line table.
        root: the tree as written, without what is wrong.
        shape: the tree by type; where something was wrong, the default stands in its place.
        errors: everything wrong with the shape. `resolve` raises them with its own.
        dropped: paths at which something was wrong; what depends on them is not worth checking.
    """

    text: SourceText
    root: Node
    shape: BlueprintShape
    errors: tuple[Diagnostic, ...]
    dropped: frozenset[Path]

    @property
    def file(self) -> str:
        """The blueprint, as the caller named it."""
        return self.text.file

    def has(self, *path: str | int) -> bool:
        """Is something written at this path?"""
        return len(lookup(self.root, path)[1]) == len(path)

    def node(self, *path: str | int) -> Node:
        """The node at this path, or the innermost one on the way to it."""
        return lookup(self.root, path)[0]

    def span(self, *path: str | int) -> Span:
        """The place of the value at this path; where it is absent, of what should hold it."""
        node, found = lookup(self.root, path)
        if found != path and found:
            return self.text.first_line(key_span(self.root, found) or node.span)
        return self.text.first_line(node.span)

    def key_span(self, *path: str | int) -> Span:
        """The place of the key that this path ends in; where it is absent, like `span`."""
        return key_span(self.root, path) or self.span(*path)

    def incomplete(self, *path: str | int) -> bool:
        """Was something at or below this path wrong, or something above it?"""
        return any(gone[: len(path)] == path or path[: len(gone)] == gone for gone in self.dropped)


def load(path: FilePath) -> BlueprintSource:
    """Read a blueprint from disk.

    Args:
        path: a YAML file of at most `text.MAX_BYTES` bytes.

    Raises:
        UsageError: the file cannot be read.
        BlueprintErrors: its text is not YAML, or its edition is unknown. What is wrong with keys
            and values is in ``errors`` of the result, and `resolve` raises it.
    """
    return _read(read_text(path))


def parse(text: str, name: str = "blueprint.yaml") -> BlueprintSource:
    """Read a blueprint from a text, like `load`.

    Args:
        text: the text.
        name: the file name that diagnostics show.
    """
    return _read(checked(text, name))


def _read(source: SourceText) -> BlueprintSource:
    root, errors = compose(source)
    _edition(root, source)
    tree: Node = root
    dropped: set[Path] = set()
    for round_ in itertools.count():
        try:
            shape = BlueprintShape.model_validate(plain(tree))
            break
        except ValidationError as error:
            found = explain(error, tree, source, BlueprintShape)
        # Later rounds see what earlier ones took out, which is told, and what is within the
        # meaning of what was wrong, which is not.
        told = {error.span for error in errors} if round_ else set()
        fresh = [f.diagnostic for f in found if f.diagnostic and not _is_below(f.path, dropped)]
        errors += [diagnostic for diagnostic in fresh if diagnostic.span not in told]
        changes, meant = _changes(found, as_meant=round_ < _MAX_ROUNDS)
        dropped |= {path for path in changes if path not in meant}
        tree = edited(tree, changes)
    return BlueprintSource(source, tree, shape, by_position(errors), frozenset(dropped))


def _is_below(path: Path, others: set[Path]) -> bool:
    return any(path[:length] in others for length in range(len(path) + 1))


def _changes(
    findings: list[Finding], *, as_meant: bool
) -> tuple[dict[Path, Node | None], set[Path]]:
    """What to do to the tree so that all of it but the errors can be read; and those of the
    places where it is then as it is meant."""
    changes: dict[Path, Node | None] = {}
    meant: set[Path] = set()
    for finding in findings:
        text = _stand_in(finding.path)
        if finding.changes and as_meant:
            changes |= finding.changes
            meant |= set(finding.changes)
        elif as_meant and (finding.path in meant or finding.diagnostic is None):
            continue
        elif text is not None:
            changes[finding.path] = Scalar(text, False, Span(1, 1, 1, 1))
        else:
            changes[finding.path[:-1] if finding.missing else finding.path] = None
    return {
        path: change
        for path, change in changes.items()
        if not any(path[:length] in changes for length in range(len(path)))
    }, meant


def _stand_in(path: Path) -> str | None:
    """What stands in for a required value that is missing or wrong, so that the rest is checked."""
    match path:
        case ["epforge"]:
            return str(EDITION)
        case ["name"]:
            return "unnamed-ep"
        case ["vendor"] | ["vendor", "name"]:
            return "unnamed"
        case ["devices" | "options", int(index), "name"]:
            return f"unnamed_{index}"
        case ["devices", int(), "type"]:
            return "cpu"
        case ["custom_ops", int(), "attributes", str(), "type"]:
            return "float"
    return None


def _edition(root: Table, source: SourceText) -> None:
    """Probe the edition before anything else: another edition has other keys.

    Raises BlueprintErrors for an edition that this epforge does not read.
    """
    problem = edition_problem(root, source, EDITION)
    if problem is not None:
        raise BlueprintErrors([problem], source.text)
