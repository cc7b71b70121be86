"""A generated kernel becomes yours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.errors import UsageError
from epforge.verbs.change.decisions import again, request_of
from epforge.verbs.change.result import ChangeResult
from epforge.verbs.change.rewriting import BLUEPRINT, rewrite
from epforge.verbs.types import AnyPath, Names, Progress, silent
from epforge.workspace.outcome import ActionKind, OnConflict

if TYPE_CHECKING:
    from epforge.resolve.model import Blueprint, Op


@dataclass(frozen=True, kw_only=True)
class EjectResult(ChangeResult):
    """A kernel that is the owner's now, or would be.

    Args:
        op: the operator, as the caller called it.
    """

    op: str

    @property
    def yours(self) -> tuple[str, ...]:
        """The kernel's files; none if they were the owner's already."""
        made = self.outcome.paths(ActionKind.CREATE, ActionKind.MOVE)
        return tuple(name for name in made if name.startswith("src/kernels/"))


def eject_op(
    op: str,
    *,
    project: AnyPath = ".",
    on_conflict: OnConflict | str = OnConflict.STOP,
    ours: Names = (),
    theirs: Names = (),
    adopt: Names = (),
    discard: Names = (),
    trust: bool = False,
    dry_run: bool = False,
    progress: Progress = silent,
) -> EjectResult:
    """Moves an op's kernel to where it is the owner's; `epforge eject op`.

    Args:
        op: ``Relu`` or ``domain::Op``.
        project: its directory.
        on_conflict: what to do where the owner and epforge changed the same lines.
        ours: in these files the owner's lines win.
        theirs: in these files epforge's lines win.
        adopt: generated files whose edits are kept; ``all`` for all of them.
        discard: generated files whose edits are given up; ``all`` for all of them.
        trust: overlays may run code.
        dry_run: decide, and write nothing.
        progress: told when another command works there, and is waited for.

    Raises:
        UsageError: it is not a project, or the op is not listed, or yours already.
        BlockedError: the owner has to decide first; nothing was written.
        OpenConflictsError: conflicts of an earlier command are not resolved.
    """
    project = Path(project)
    path = project / BLUEPRINT
    request = request_of(on_conflict, ours, theirs, adopt, discard)
    command = ("epforge", "eject", "op", op, "--project", str(project))
    retry = again(command, request, trust=trust)
    outcome = rewrite(
        *(project, lambda text: _ejected(text, path, op), request),
        trust=trust,
        dry_run=dry_run,
        retry=retry,
        notify=progress,
    ).outcome
    return EjectResult(directory=project, outcome=outcome, retry=retry, op=op)


def ejectable(project: AnyPath = ".") -> tuple[str, ...]:
    """The operators whose kernels are generated, as `eject_op` takes them.

    Raises:
        BlueprintErrors: the blueprint is wrong, or not there.
    """
    from epforge.blueprint import load
    from epforge.resolve import resolve_supported
    from epforge.resolve.model import KernelSource

    found = resolve_supported(load(Path(project) / BLUEPRINT)).ops
    return tuple(dict.fromkeys(op.label for op in found if op.kernel is KernelSource.GENERATED))


def _ejected(text: str, path: Path, op: str) -> str:
    """The blueprint in which an op is yours. Raises UsageError if there is no such text."""
    from epforge.blueprint import parse
    from epforge.blueprint.edits import take_over
    from epforge.resolve import resolve_supported
    from epforge.resolve.model import KernelSource

    source = parse(text, str(path))
    found = _find(resolve_supported(source), op)
    if found.kernel is KernelSource.YOURS:
        raise UsageError(f"{op} is yours already: see src/kernels/")
    return take_over(source, found.domain, found.op)


def _find(blueprint: Blueprint, text: str) -> Op:
    domain, _, name = text.rpartition("::")
    domain = "" if domain == "ai.onnx" else domain
    for op in blueprint.ops:
        if (op.domain, op.op) == (domain, name):
            return op
    known = ", ".join(op.label for op in blueprint.ops)
    raise UsageError(f"the blueprint does not list {text}", f"It lists {known}.")
