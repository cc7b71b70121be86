"""The starter behind `init`, as a template of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus
from epforge.verbs.committing import in_directory, into_git
from epforge.verbs.types import FORMAT, AnyPath, Progress, choice, silent
from epforge.verbs.wording import quoted


class StarterFormat(StrEnum):
    """Which tool it is a template of."""

    COPIER = "copier"
    COOKIECUTTER = "cookiecutter"


@dataclass(frozen=True)
class ExportedStarter:
    """A starter that was written out.

    Args:
        directory: where it is.
        tool: the tool that it is a template of.
        written: paths of the files that were written.
        present: paths of those that were there already, the same.
        next: the commands to go on with.
    """

    directory: Path
    tool: StarterFormat
    written: tuple[str, ...]
    present: tuple[str, ...]
    next: tuple[str, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "directory": str(self.directory),
            "tool": self.tool.value,
            "written": list(self.written),
            "present": list(self.present),
            "next": list(self.next),
        }


def export_starter(
    directory: AnyPath,
    *,
    format: StarterFormat | str = StarterFormat.COPIER,
    progress: Progress = silent,
) -> ExportedStarter:
    """Writes out the starter behind `init`; `epforge templates starter`.

    Args:
        directory: where it goes; files of others there stay, and none is overwritten.
        format: ``copier`` or ``cookiecutter``: whose template.
        progress: told of another command that is waited for.

    Raises:
        UsageError: there is no such tool, or the directory is none.
        InTheWayError: files of others lie where the starter has some; nothing was written.
        WriteError: the machine does not let us write.
    """
    from epforge.starter.export import exported
    from epforge.workspace import File, Owner, add_files

    tool = choice(StarterFormat, format, "format")
    files = exported(cookiecutter=tool is StarterFormat.COOKIECUTTER)
    place = Path(directory)
    added = add_files(
        place, [File(path, text, Owner.YOURS) for path, text in files.items()], notify=progress
    )
    return ExportedStarter(place, tool, added.written, added.present, _next(place, tool))


def _next(directory: Path, tool: StarterFormat) -> tuple[str, ...]:
    place = directory.absolute()  # copier cannot update from a relative one
    if tool is StarterFormat.COOKIECUTTER:
        return (f"cookiecutter {quoted(place)}",)
    tagged = f"{in_directory(place)} tag v1.0.0"
    return (*into_git(place, "Starter"), tagged, f"copier copy {quoted(place)} my-ep")
