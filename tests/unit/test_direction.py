"""Modules import only from their left, and heavy packages late."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from rooms import FOUNDATION, PACKAGE, RANKS, imports

ALONE = {
    "workspace": {"errors", "cache"},
    "validate": {"errors", "cache", "compiling", "network", "plain"},
    "report": {"errors"},
}
HEAVY = {
    *("onnx", "onnxruntime", "lief", "numpy", "clang", "clang_format", "cmake", "ninja"),
    *("copier", "cookiecutter", "yaml"),
}


def allowed(room: str) -> set[str]:
    """The rooms that ``room`` may import."""
    if room in FOUNDATION:
        return FOUNDATION
    if room in ALONE:
        return ALONE[room] | {room}
    rank = next(index for index, rooms in enumerate(RANKS) if room in rooms)
    return FOUNDATION.union({room}, *RANKS[:rank])


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def violations(path: Path) -> list[str]:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    room = parts[0]
    if room in ("__main__", "__init__"):
        return []
    found = []
    for line, name in imports(ast.parse(path.read_text(encoding="utf-8"))):
        root, _, rest = name.partition(".")
        target = rest.split(".")[0]
        if root == "epforge" and target != "__version__" and target not in allowed(room):
            found.append(f"{'/'.join(parts)}:{line} imports {name}")
    return found


def test_every_room_has_its_place() -> None:
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in modules()}
    assert rooms <= FOUNDATION.union({"__init__", "__main__"}, *RANKS)


def test_modules_import_only_from_their_left() -> None:
    found = [text for path in modules() for text in violations(path)]
    assert not found, "\n".join(found)


def test_a_wrong_import_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_direction.PACKAGE", tmp_path)
    for room, text in [
        ("plan", "from epforge.render import render"),
        ("workspace", "def f():\n    import epforge.plan"),
        ("ops", "from epforge import ort"),
        ("validate", "from epforge.names import Name"),
    ]:
        (tmp_path / room).mkdir()
        (tmp_path / room / "a.py").write_text(text)
        assert violations(tmp_path / room / "a.py"), room


def is_worker(path: Path) -> bool:
    """Run as a process of its own, or by hand to make data: there it may import what it likes."""
    parts = path.relative_to(PACKAGE).parts
    in_worker = "worker" in parts or parts[:2] == ("validate", "cases")
    return in_worker or parts[-1].startswith("make_")


def outside_functions(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run at import, those in ``if`` and ``try`` included."""
    todo: list[ast.stmt] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        for name in ("body", "orelse", "finalbody"):
            todo += getattr(node, name, [])
        for handler in getattr(node, "handlers", []):
            todo += handler.body


def test_heavy_packages_are_imported_inside_functions() -> None:
    found = []
    for path in modules():
        if is_worker(path):
            continue
        for node in outside_functions(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found += [
                    f"{path.relative_to(PACKAGE)}:{line} imports {name}"
                    for line, name in imports(node)
                    if name.partition(".")[0] in HEAVY
                ]
    assert not found, "\n".join(found)
