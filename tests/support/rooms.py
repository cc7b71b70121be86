"""The rooms of `generator/epforge`: their order, and what imports what, read from the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# The sources, also where an installed package is tested.
PACKAGE = Path(__file__).resolve().parents[2] / "generator" / "epforge"
FOUNDATION = {"errors", "cache", "compiling", "assets", "network", "plain"}
#: What each room may import, beside itself and the foundation, stands to its left. `cli` sees all.
RANKS = [
    {"names"},
    {"literals"},
    {"ort", "ops"},
    {"blueprint"},
    {"resolve"},
    {"plan"},
    {"render"},
    {"starter"},
    {"workspace"},
    {"build"},
    {"shim"},
    {"validate"},
    {"report"},
    {"doctor"},
    {"verbs"},
    {"cli"},
]


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of everything imported below a node."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import"
            module = node.module or ""
            if module == "epforge":
                yield from ((node.lineno, f"epforge.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, module


@cache
def graph() -> dict[str, set[str]]:
    """The rooms that each room imports, the foundation left out."""
    rooms = set[str]().union(*RANKS)
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for _, name in imports(ast.parse(path.read_text(encoding="utf-8"))):
            target = name.split(".")[1] if name.startswith("epforge.") else ""
            if room in rooms and target in rooms - {room}:
                found[room].add(target)
    return found
