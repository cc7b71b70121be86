"""The modules of generated packages that compile models, rendered into a package of their own."""

from __future__ import annotations

import importlib
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

from epforge.plan import Plan
from epforge.plan.python import compiling_files
from epforge.render import render

_PACKAGE = "rendered_compiling"


@cache
def _place() -> tempfile.TemporaryDirectory[str]:
    place = tempfile.TemporaryDirectory(prefix="epforge-tests-")
    root = Path(place.name)
    for path, file in render(Plan(tuple(compiling_files(_PACKAGE)))).items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(file.content)
    (root / _PACKAGE / "__init__.py").touch()
    sys.path.insert(0, str(root))
    return place


def module(name: str) -> ModuleType:
    """One of the modules, imported."""
    _place()
    return importlib.import_module(f"{_PACKAGE}.{name}")
