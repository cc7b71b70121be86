"""Compiles epforge's templates for the wheel, so that no first run has to."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledTemplates(BuildHookInterface[Any]):
    """Puts every template into the wheel as Python source, beside the template itself."""

    _folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # templates are edited there
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "generator"))
        from epforge.render.compiled import compile_all
        from epforge.render.environment import make_environment

        self._folder = Path(tempfile.mkdtemp(prefix="epforge-templates-"))
        for name, text in compile_all(make_environment(root / "templates")):
            (self._folder / name).write_text(text, encoding="utf-8", newline="\n")
        build_data["force_include"][str(self._folder)] = "epforge/compiled"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder)
