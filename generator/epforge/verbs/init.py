"""A repository that holds a blueprint."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.committing import into_git
from epforge.verbs.types import FORMAT, AnyPath, AnyPaths, Progress, paths, silent
from epforge.verbs.wording import quoted

if TYPE_CHECKING:
    from epforge.starter.models import Left
    from epforge.starter.ready import Ready
    from epforge.verbs.change.starting import Ask, Start


@dataclass(frozen=True)
class InitResult:
    """A repository that was made, or would be.

    Args:
        directory: where it is.
        written: paths of the files that were written; in a dry run, would be.
        present: paths of those that were there already, the same.
        answers: to the questions that were asked, or have a default.
        ep: the name of the execution provider.
        kernels: operators that come with a kernel.
        stubs: operators whose kernels are to be written.
        cpu: operators of the models that the blueprint does not have.
        project: the files of the project that the blueprint becomes, by their owner.
        in_the_way: files that are in the way of that.
        next: the commands to go on with: from the blueprint to a committed project.
        dry_run: nothing was written.
    """

    directory: Path
    written: tuple[str, ...]
    present: tuple[str, ...]
    answers: Mapping[str, str | bool]
    ep: str
    kernels: tuple[str, ...]
    stubs: tuple[str, ...]
    cpu: tuple[Left, ...]
    project: Mapping[str, tuple[str, ...]]
    in_the_way: tuple[str, ...]
    next: tuple[str, ...]
    dry_run: bool = False

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "directory": str(self.directory),
            "dry_run": self.dry_run,
            "written": list(self.written),
            "present": list(self.present),
            "answers": dict(self.answers),
            "ep": self.ep,
            "kernels": list(self.kernels),
            "stubs": list(self.stubs),
            "cpu": [dataclasses.asdict(each) for each in self.cpu],
            "project": {owner: list(paths) for owner, paths in self.project.items()},
            "in_the_way": list(self.in_the_way),
            "next": list(self.next),
        }


@dataclass(frozen=True)
class ReadyList:
    """The blueprints that travel with epforge."""

    blueprints: tuple[Ready, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        rows = [{"name": each.name, "comment": each.comment} for each in self.blueprints]
        return {"format": FORMAT, "blueprints": rows}


def list_ready() -> ReadyList:
    """The blueprints that travel with epforge; `epforge init --list`."""
    from epforge.starter.ready import ready

    return ReadyList(ready())


def init_repository(
    directory: AnyPath = ".",
    *,
    answers: Mapping[str, str | bool] | None = None,
    from_model: AnyPaths | None = None,
    blueprint: str | None = None,
    dry_run: bool = False,
    ask: Ask | None = None,
    confirm: Callable[[InitResult], bool] = lambda _: True,
    progress: Progress = silent,
    warn: Progress = silent,
) -> InitResult:
    """Makes a repository that holds a blueprint; `epforge init`.

    Args:
        directory: where it goes; files of others there stay, and none is overwritten.
        answers: by the name of the question: ``name``, ``vendor``, ``device``, ``vendor_id``,
            ``memory``, ``paradigm``, ``save_compiled``, ``types``, ``ops``, ``license``.
        from_model: ONNX models whose operators it has.
        blueprint: begin with this one: a name of a ready one, or a path.
        dry_run: write nothing.
        ask: asks for answers that are not given; None: they have their defaults.
        confirm: shown what would be written; False: nothing is.
        progress: told of another command that is waited for.
        warn: told what could not be told of a model.

    Raises:
        UsageError: an answer is missing or cannot be, or the call contradicts itself.
        InTheWayError: files of others lie where the repository has some; nothing was written.
        BlueprintErrors: the blueprint to begin with cannot be expanded.
        WriteError: the machine does not let us write.
        KeyboardInterrupt: it was not confirmed.
    """
    from epforge.verbs.change.starting import check_new
    from epforge.workspace import add_files, preview_added

    place = Path(directory)
    models, given = paths(from_model), dict(answers or {})
    if blueprint is not None and (models or "ops" in given):
        raise UsageError("--from has its operators already", "Leave --from-model and --ops out.")
    if models and "ops" in given:
        raise UsageError("--from-model finds the operators", "Leave --ops out, or --from-model.")
    check_new(place, asking=ask is not None)
    start = _start(place, given, models, blueprint, ask, warn)
    added = preview_added(place, start.files)
    done = dataclasses.replace(
        _result(place, start), written=added.written, present=added.present, dry_run=dry_run
    )
    if not confirm(done):
        raise KeyboardInterrupt
    if not dry_run:
        add_files(place, start.files, notify=progress)
    return done


def _start(
    place: Path,
    given: dict[str, str | bool],
    models: tuple[Path, ...],
    blueprint: str | None,
    ask: Ask | None,
    warn: Progress,
) -> Start:
    from epforge.verbs.change.starting import from_answers, from_blueprint

    if blueprint is not None:
        return from_blueprint(place, blueprint, given, ask)
    if not models:
        return from_answers(place, given, None, ask)
    from epforge.verbs.ops import ops_from_model

    found = ops_from_model(models)
    for file, why in found.untyped.items():
        warn(f"note: {file}: element types only as the model states them: {why}")
    return from_answers(place, given, found.ops, ask)


def _result(place: Path, start: Start) -> InitResult:
    from epforge.starter.preview import preview

    seen = preview(start.blueprint)
    own = {file.path for file in start.files}
    blocked = (path for path in seen.paths if path not in own and os.path.lexists(place / path))
    return InitResult(
        directory=place,
        written=(),
        present=(),
        answers=start.answers,
        ep=seen.ep,
        kernels=seen.kernels,
        stubs=seen.stubs,
        cpu=start.left,
        project=seen.files,
        in_the_way=tuple(blocked),
        next=(
            f"epforge scaffold {quoted(place)} --build --validate",
            *into_git(place, "A plugin execution provider"),
        ),
    )
