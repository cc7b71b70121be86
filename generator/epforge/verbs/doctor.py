"""What is missing on a machine, and what a blueprint, a project, a library or a model lacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epforge.errors import EpforgeError, UsageError
from epforge.verbs.types import AnyPath, AnyPaths, Progress, paths, silent

if TYPE_CHECKING:
    from epforge.doctor.model import Checkup, Finding
    from epforge.doctor.onnx_model import ModelCheckup


def diagnose(
    subject: AnyPath | None = None,
    *,
    library: AnyPaths | None = None,
    project: AnyPaths | None = None,
    ask: bool = True,
    time_limit: float = 60.0,
    progress: Progress = silent,
) -> Checkup | ModelCheckup:
    """Says what is missing, why it matters, and the command that cures it; `epforge doctor`.

    Args:
        subject: a blueprint, a project's directory, a library or a model; this machine if None.
        library: for a model: those that the application registers, in the order in which a
            session gets them.
        project: for a model: projects or blueprints whose libraries could be registered.
        ask: for a model: load the libraries and ask them; otherwise what they claim has to do.
        time_limit: for a model: seconds without progress until it hangs.
        progress: told what is being done.

    Returns:
        what was found. Foreign code runs in processes of its own; whatever it does is in the
        result, never an exception.

    Raises:
        UsageError: there is no such file, it is nothing of these, or the call is wrong.
        BlueprintErrors: a blueprint of `project` is wrong.
    """
    from epforge.doctor.subject import Subject, what_is

    path = None if subject is None else Path(subject)
    what = None if path is None else what_is(path)
    given, could_be = paths(library), paths(project)
    if (given or could_be) and what is not Subject.MODEL:
        raise UsageError("--library and --project go with a model", "Name it: MODEL.onnx.")
    if path is None:
        from epforge.doctor import machine

        return machine.examine(progress)
    if what is Subject.MODEL:
        from epforge.doctor import onnx_model
        from epforge.validate import Limits

        limits = Limits(stall_s=time_limit)
        return onnx_model.examine(
            path, given, could_be, asking=ask, limits=limits, progress=progress
        )
    if what is Subject.LIBRARY:
        from epforge.doctor import library as libraries
        from epforge.verbs.inspect import layouts

        return libraries.examine(path, layouts(), progress)
    if what is Subject.PROJECT:
        from epforge.doctor import project as projects

        return projects.examine(path, lambda: _drift(path, progress), progress)
    from epforge.doctor import blueprint

    return blueprint.examine(path, progress)


def _drift(root: Path, progress: Progress) -> Finding:
    """What `epforge status` says of a project."""
    from epforge.doctor import project
    from epforge.verbs.status import project_status

    progress("comparing the project with its blueprint")
    try:
        found = project_status(root)
    except EpforgeError as error:
        return project.drift(root, int(error.exit_status), [error.message.splitlines()[0]], "")
    lines = [f"{each.path} {each.text}" for each in found.findings]
    return project.drift(root, int(found.exit_status), lines, found.cure)
