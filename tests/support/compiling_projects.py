"""Compiling projects for tests, beside the ready blueprints.

`watched` has an owner who has written code: three kernels, and a compile hook that tells what it is
given. Its blueprint and the owner's files are in the folder `watched_project`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from projects import Project, built

#: Constants stay inputs. Two devices, and a version whose minor number may differ.
BETA = """\
epforge: 1
name: contoso-beta
version: 1.2.0
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: compiled
devices: [{name: host, type: cpu}, {name: npu, type: npu, virtual: allowed}]
compile: {drop_constants: false}
features: {ep_context: {embed: true, external: true, share: false}}
ops: [Add, Mul]
"""

#: Every node is a group, so that a pattern fits into none.
SINGLE = """\
epforge: 1
name: contoso-single
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: compiled
compile: {drop_constants: true, max_group: 1, patterns: [{name: MulAdd, match: [Mul, Add]}]}
features: {ep_context: {embed: true, external: true, share: false}}
ops: [Add, Mul]
"""

#: Names a file that gets a line of JSON for each group that `watched` compiles.
LOG = "CONTOSO_WATCHED_LOG"
#: Names a node whose group `watched` cannot compile.
FAIL = "CONTOSO_WATCHED_FAIL"

_PLACE = Path(__file__).resolve().parent / "watched_project"


def watched(preset: str = "release", changes: Mapping[str, str] | None = None) -> Project:
    """The project, built.

    Args:
        preset: the CMake preset.
        changes: further files of the project with another content.
    """
    text = (_PLACE / "blueprint.yaml").read_text(encoding="utf-8")
    own = {
        path.relative_to(_PLACE).as_posix(): path.read_text(encoding="utf-8")
        for path in (_PLACE / "src").rglob("*.*")
    }
    return built(text, preset=preset, changes={**own, **(changes or {})})


def groups(log: Path) -> list[dict[str, list[str]]]:
    """What `watched` was given to compile; something there must be."""
    found = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert found
    return found
