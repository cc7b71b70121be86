"""The shim plugin in front of the examples, while ORT's tests run on them.

For processes under test. Each library has a copy of the shim, which stands in its place.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import capi

from epforge.validate.worker.shimmed import Shim, environment

_REGISTER, _UNREGISTER = (f"{what}ExecutionProviderLibrary" for what in ("Register", "Unregister"))


class Shims:
    """Shims in front of libraries.

    Args:
        shim: the plugin.
        libraries: what they stand in front of.
        folder: for the copies.
    """

    def __init__(self, shim: Path, libraries: Mapping[str, str], folder: Path) -> None:
        folder.mkdir(parents=True)
        self.libraries = {kind: str(folder / f"lib{kind}_shim.so") for kind in libraries}
        for path in self.libraries.values():
            shutil.copy(shim, path)
        self._shims = {kind: Shim(path) for kind, path in self.libraries.items()}
        targets = {self.libraries[kind]: target for kind, target in libraries.items()}
        os.environ.update(environment(next(iter(libraries.values()))))
        _tell(targets)

    def noted(self) -> str:
        """What is wrong with what passed since the last time; empty if nothing is."""
        wrong: list[object] = []
        for kind, shim in self._shims.items():
            counts = {name: each for name, each in shim.counts().items() if each.held}
            bad = [each for each in shim.stamps() if each.slots_bad]
            wrong += [(kind, each) for each in (*shim.findings(), *counts.items(), *bad)]
            shim.reset()
        return "\n".join(map(str, wrong))


def _tell(targets: Mapping[str, str]) -> None:
    """Before a library comes or goes its shim is told what it stands in front of."""
    call = capi.Table.__call__
    registered: dict[str, str] = {}

    def told(self: capi.Table, name: str, *arguments: Any) -> None:
        if name == _REGISTER:
            registered[arguments[1]] = targets[arguments[2]]
        if name in (_REGISTER, _UNREGISTER):
            os.environ.update(environment(registered[arguments[1]]))
        call(self, name, *arguments)

    capi.Table.__call__ = told  # type: ignore[method-assign]
