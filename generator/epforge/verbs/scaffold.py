"""From a blueprint to a project, and on request to a proven library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.change.proving import Proof, prove
from epforge.verbs.change.result import ChangeResult
from epforge.verbs.types import AnyPath, Progress, silent
from epforge.verbs.wording import quoted

if TYPE_CHECKING:
    from epforge.build import BuildResult
    from epforge.validate import Check
    from epforge.workspace import Outcome


@dataclass(frozen=True, kw_only=True)
class ScaffoldResult(ChangeResult):
    """A project that was written.

    Args:
        proof: what was built and validated.
    """

    proof: Proof = field(default_factory=Proof)

    @property
    def exit_status(self) -> ExitStatus:
        return super().exit_status or self.proof.exit_status

    def to_json(self) -> dict[str, Any]:
        outcome = self.outcome
        owners = Counter(entry.owner.value for entry in outcome.lock.files.values())
        return {
            **super().to_json(),
            "owners": dict(sorted(owners.items())),
            "written": [each.path for each in outcome.actions if each.after is not None],
            "removed": [each.path for each in outcome.actions if each.after is None],
            **self.proof.to_json(),
        }


def scaffold_project(
    file: AnyPath,
    directory: AnyPath | None = None,
    *,
    build: bool = False,
    validate: bool = False,
    ort_sdk: AnyPath | None = None,
    trust: bool = False,
    progress: Progress = silent,
    on_written: Callable[[ScaffoldResult], None] = lambda _: None,
    on_built: Callable[[BuildResult], None] = lambda _: None,
    on_check: Callable[[Check], None] = lambda _: None,
) -> ScaffoldResult:
    """Expands a blueprint into a project; `epforge scaffold`.

    A project of the same blueprint is brought up to date.

    Args:
        file: the blueprint, or a directory with ``blueprint.yaml``.
        directory: where the project goes; files of others there stay. None: into that directory.
        build: build the library, too.
        validate: build, then prove that the library works.
        ort_sdk: ONNX Runtime's headers, for `build`; else they are looked for.
        trust: overlays may run code.
        progress: told what is being done.
        on_written: told what was written, before it is built.
        on_built: told what was built, before it is validated.
        on_check: told of each check of the validation as it is known.

    Raises:
        UsageError: it is no directory, holds the project of another blueprint, or is not named.
        InTheWayError: files of others lie where the project has some; nothing was written.
        BlueprintErrors: the blueprint cannot be expanded; nothing was written.
        BlockedError: the owner of the project has to decide first; nothing was written.
        EpforgeError: the build fails. The project is written.
    """
    to = None if directory is None else Path(directory)
    blueprint, place = _places(Path(file), to, progress)
    outcome = _written(blueprint, place, trust=trust, notify=progress)
    on_written(ScaffoldResult(directory=place, outcome=outcome))
    ready = not outcome.open
    proof = prove(
        place,
        build=build and ready,
        validate=validate and ready,
        ort_sdk=None if ort_sdk is None else Path(ort_sdk),
        progress=progress,
        on_built=on_built,
        on_check=on_check,
    )
    return ScaffoldResult(directory=place, outcome=outcome, proof=proof)


def _places(file: Path, directory: Path | None, notify: Progress) -> tuple[Path, Path]:
    """The blueprint, and the directory that its project goes to.

    Args:
        file: a blueprint, or a directory that holds a ``blueprint.yaml``.
        directory: where the project goes; None: into that directory.

    Raises:
        UsageError: one of the two cannot be told.
    """
    from epforge.verbs.change.rewriting import blueprint_file, finish_crashed

    if file.is_dir():
        finish_crashed(file, notify)
        return blueprint_file(file), file if directory is None else directory
    if directory is None:
        raise UsageError(
            f"it is not said where the project of {file} goes",
            f"Name a directory: epforge scaffold {quoted(file)} DIR",
        )
    return file, directory


def _written(file: Path, directory: Path, *, trust: bool, notify: Progress) -> Outcome:
    """Expands ``file`` into ``directory``; brings a project of the same blueprint up to date."""
    from epforge.verbs.change.decisions import again
    from epforge.verbs.change.expanding import change_of
    from epforge.verbs.change.project import expand, read
    from epforge.verbs.change.rewriting import finish_crashed, rewrite
    from epforge.workspace import Request, State, check_target, publish

    if check_target(directory) is State.OURS:
        finish_crashed(directory, notify)
    _, blueprint = read(file)
    if check_target(directory) is State.OURS:
        _check_same(directory, blueprint.text)
        retry = again(("epforge", "regenerate", str(directory)), Request(), trust=trust)
        done = rewrite(directory, None, Request(), trust=trust, retry=retry, notify=notify)
        return done.outcome
    expansion = expand(blueprint, root=file.parent, trust=trust)
    return publish(directory, expansion.files, **change_of(expansion, Request()))


def _check_same(directory: Path, text: str) -> None:
    """The project's own blueprint rules it: no other one may be laid over it."""
    from epforge.verbs.change.rewriting import BLUEPRINT, lock_of

    own = directory / BLUEPRINT
    if own.is_file() and own.read_bytes().removeprefix(b"\xef\xbb\xbf") != text.encode():
        lock_of(directory)
        raise UsageError(
            f"{directory} holds a project that was made from another blueprint",
            f"Edit {own} and run: epforge regenerate {quoted(directory)}",
        )
