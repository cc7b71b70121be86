"""A project and what can happen to it: its files as they are, and as each change would have them.

Every tree is rendered once per process.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from futures import FUTURES

from epforge.blueprint import parse
from epforge.resolve import resolve_supported
from epforge.verbs.change.project import Expansion, expand
from epforge.workspace import File, Outcome, Request, Tool, preview, publish

BLUEPRINT = """\
# What Contoso's NPU computes.
epforge: 1
name: contoso-npu
version: 0.1.0
vendor: {name: Contoso, pci_id: 0xB357}
ort: {min: "1.24.4", target: "1.24"}
devices:
  - {name: npu, type: npu, match: {vendor_id: 0xB357, device_ids: [0x1001]}, virtual: allowed}
memory: {default: plain}
types: [float32]
ops:
  - Relu
  - Add
  - Softmax
  - {op: com.microsoft::ComplexMul, kernel: yours}
options:
  - {name: effort, type: int, range: [0, 3], default: 0, doc: Effort of the compiler.}
  - {name: trace, type: bool, default: false, doc: Log every run.}
"""

#: Changes of the blueprint: text in it, text instead.
REWRITES: Mapping[str, tuple[str, str]] = {
    "target 1.25": ('target: "1.24"', 'target: "1.25"'),
    "target 1.27": ('target: "1.24"', 'target: "1.27"'),
    "add op": ("  - Softmax\n", "  - Softmax\n  - Sub\n"),
    "drop op": ("  - Softmax\n", ""),
    "rename device": ("name: npu, type", "name: board7, type"),
    "change option": ("range: [0, 3]", "range: [0, 5]"),
}
_FUTURES = {f"templates {future.name}": future for future in FUTURES}
CHANGES = (*REWRITES, *_FUTURES)
_TOOL = Tool("test", "0" * 64)
_NOTHING = Request()


@dataclass(frozen=True)
class Tree:
    """A project as epforge has it.

    Args:
        blueprint: the text that it is made from.
        files: by path.
        renamed: today's path and that in ``files``, where they differ.
    """

    blueprint: str
    files: Mapping[str, File]
    renamed: Mapping[str, str]

    def text(self, path: str) -> str | None:
        """The text of what is at ``path`` today; None if it is not part of this tree."""
        file = self.files.get(self.renamed.get(path, path))
        return None if file is None else file.content.decode()


@functools.cache
def before(style: str | None = None) -> Tree:
    """The project before any change, in another style of C++ if one is given."""
    return _tree(BLUEPRINT, style)


@functools.cache
def after(change: str, style: str | None = None) -> Tree:
    """The project after one of `CHANGES`."""
    if change in REWRITES:
        old, new = REWRITES[change]
        assert BLUEPRINT.count(old) == 1
        return _tree(BLUEPRINT.replace(old, new), style)
    future = _FUTURES[change]
    files = {file.path: file for file in future.files(_expanded(BLUEPRINT, None).plan, style)}
    return Tree(BLUEPRINT, files, {**future.moved, **future.renamed})


@functools.cache
def _expanded(text: str, style: str | None) -> Expansion:
    return expand(resolve_supported(parse(text, "blueprint.yaml")), style=style)


def _tree(text: str, style: str | None) -> Tree:
    return Tree(text, {file.path: file for file in _expanded(text, style).files}, {})


def scaffolded(to: Path, tree: Tree | None = None) -> Path:
    """Writes a project, as ``scaffold`` does; returns its directory."""
    tree = tree or before()
    publish(to, tree.files.values(), tool=_TOOL, blueprint=tree.blueprint.encode())
    return to


def linked(project: Path, to: Path) -> Path:
    """A copy that shares its files with the project until either replaces them."""
    return Path(shutil.copytree(project, to, copy_function=os.link))


def apply(project: Path, tree: Tree, request: Request = _NOTHING) -> Outcome:
    """Does to a project what ``regenerate`` does after its owner has edited the blueprint."""
    rewrite_blueprint(project, tree)
    return publish(
        project,
        tree.files.values(),
        tool=_TOOL,
        blueprint=tree.blueprint.encode(),
        request=request,
    )


def foresee(project: Path, tree: Tree, request: Request = _NOTHING) -> Outcome:
    """What `apply` would do."""
    return preview(
        project,
        tree.files.values(),
        tool=_TOOL,
        blueprint=tree.blueprint.encode(),
        request=request,
    )


def rewrite_blueprint(project: Path, tree: Tree) -> None:
    """Makes the project's blueprint that of ``tree``, as its owner would."""
    place = project / "blueprint.yaml"
    if place.read_text(encoding="utf-8") != tree.blueprint:
        place.unlink()  # it may be a link
        place.write_text(tree.blueprint, encoding="utf-8")


def contents(project: Path) -> dict[str, bytes]:
    """What the owner sees: every file but epforge's own records."""
    found = {}
    for folder, folders, names in os.walk(project):
        folders[:] = [each for each in folders if each not in (".epforge", ".git")]
        for name in names:
            place = Path(folder, name)
            if place.name != "epforge.lock" or folder != str(project):
                found[place.relative_to(project).as_posix()] = place.read_bytes()
    return found


def contents_of(project: Path, path: str) -> bytes | None:
    """The bytes of one file; None if it is not there."""
    place = project / path
    return place.read_bytes() if place.is_file() else None
