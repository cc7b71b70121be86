"""Models compiled ahead of time, by any plugin library that can."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.errors import UsageError
from epforge.verbs.types import AnyPath, AnyPaths, Names, Progress, names, paths, silent
from epforge.verbs.wording import count

if TYPE_CHECKING:
    from epforge.verbs.compile_worker import CompileResult


def compile_models(
    models: AnyPaths,
    *,
    project: AnyPath | None = None,
    output: AnyPath | None = None,
    embed: bool = False,
    share_weights: bool = False,
    provider_options: Names = (),
    session_options: Names = (),
    library: AnyPath | None = None,
    ep: str = "",
    config: AnyPath | None = None,
    preset: str = "release",
    device: int | None = None,
    virtual: bool | None = None,
    force: bool = False,
    allow_none: bool = False,
    time_limit: float = 600.0,
    verbose: bool = False,
    progress: Progress = silent,
) -> CompileResult:
    """Compiles models ahead of time, so that their sessions start without compiling;
    `epforge compile`.

    Args:
        models: the models.
        project: the project whose library compiles; by default this directory.
        output: a folder; for one model also a file. By default beside each model.
        embed: put what was compiled into the model.
        share_weights: all models share one file of compiled data.
        provider_options: options of the execution provider, ``KEY|VALUE``, with blanks between
            them; option ``-i``.
        session_options: entries of the session's configuration, in the same form; option ``-C``.
        library: any plugin library, instead of a project.
        ep: its execution provider, if it has several.
        config: a plugin configuration as ONNX Runtime's tools take it; wins over others;
            option ``-p``.
        preset: which build of the project.
        device: the N-th device, from 0.
        virtual: a virtual device or a real one; None for a real one if there is one.
        force: replace files that are there.
        allow_none: it is no failure when nothing is compiled.
        time_limit: seconds for each model.
        verbose: the result's log has all of ONNX Runtime's.
        progress: told what is being done.

    Returns:
        what was compiled; models that could not be are in it.

    Raises:
        RefusedError: the call is wrong, or something is missing; nothing was tried.
        BrokenDownError: the library crashed, or took too long.
        UsageError: there is no library.
    """
    from epforge.verbs import compile_worker

    wanted, chosen = paths(models), None if library is None else Path(library)
    root = None if project is None else Path(project)
    settings = None if config is None else Path(config)
    found = _library(wanted, root, chosen, settings, preset)
    request = compile_worker.CompileRequest(
        models=tuple(str(model.absolute()) for model in wanted),
        library=str(found.absolute()) if found is not None else "",
        ep=ep,
        output=None if output is None else str(Path(output).absolute()),
        embed=embed,
        share_weights=share_weights,
        provider_options=names(provider_options),
        session_options=names(session_options),
        config=None if settings is None else str(settings.absolute()),
        device=device,
        virtual=virtual,
        force=force,
        allow_none=allow_none,
        verbose=verbose,
    )
    progress(f"compiling {count(len(request.models), 'model')}")
    return compile_worker.compile_models(request, time_limit)


def _library(
    models: Sequence[Path],
    project: Path | None,
    library: Path | None,
    config: Path | None,
    preset: str,
) -> Path | None:
    """The library that compiles; None where the configuration names it."""
    if not models:
        raise UsageError(
            f"{project or Path()}: there is no model to compile", "Name it behind the project."
        )
    if library is not None and project is not None:
        raise UsageError("give a project or --library, not both")
    if config is not None:
        return library or project  # only to be told that the configuration wins
    if library is not None:
        return library
    from epforge.verbs.validate import library_of

    return library_of(project or Path(), preset)
