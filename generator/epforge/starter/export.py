"""The starter as a template of its own, for those who publish one."""

from __future__ import annotations

from epforge.starter.compose import starter_dir
from epforge.starter.cookiecutter import cookiecutter_files


def exported(*, cookiecutter: bool = False) -> dict[str, bytes]:
    """All files of the starter, by path.

    Args:
        cookiecutter: as a template of cookiecutter; else as the template of copier that it is.
    """
    if cookiecutter:
        return cookiecutter_files()
    root = starter_dir()
    paths = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(paths)}
