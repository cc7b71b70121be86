"""Is a blueprint right, and what does it mean?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus
from epforge.verbs.types import FORMAT, AnyPath

if TYPE_CHECKING:
    from epforge.blueprint import Diagnostic
    from epforge.resolve.model import Blueprint


@dataclass(frozen=True)
class Mending:
    """The fixes of a blueprint's errors that were made, or would be.

    Args:
        fixed: the errors, each with the place that it had when it was mended.
        diff: the change, as a unified diff; empty if there is none.
        written: whether the file was written.
    """

    fixed: tuple[Diagnostic, ...] = ()
    diff: str = ""
    written: bool = False

    def to_json(self) -> dict[str, Any]:
        from epforge.blueprint import to_json

        fixed = [to_json(each) for each in self.fixed]
        return {"fixed": fixed, "diff": self.diff, "written": self.written}


@dataclass(frozen=True)
class CheckResult:
    """What there is to say of a blueprint.

    Args:
        file: the blueprint, as the caller called it.
        diagnostics: errors, warnings and notes, each with its place.
        blueprint: what epforge understands; None if it cannot be used.
        resolved: it with every default and derived name; None if that was not asked for.
        text: the file's text, which the places are in; empty if it is no text.
        mended: the fixes that were made first; None if that was not asked for.
    """

    file: Path
    diagnostics: tuple[Diagnostic, ...]
    blueprint: Blueprint | None
    resolved: Mapping[str, Any] | None = None
    text: str = field(default="", repr=False)
    mended: Mending | None = None

    @property
    def ok(self) -> bool:
        """Can it be used?"""
        return self.blueprint is not None

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK if self.ok else ExitStatus.WRONG_INPUT

    def to_json(self) -> dict[str, Any]:
        from epforge.blueprint import Severity, to_json

        body: dict[str, Any] = {
            "format": FORMAT,
            "file": str(self.file),
            "ok": self.ok,
            "diagnostics": [to_json(diagnostic) for diagnostic in self.diagnostics],
            "errors": sum(each.severity is Severity.ERROR for each in self.diagnostics),
        }
        if self.resolved is not None:
            body["resolved"] = dict(self.resolved)
        return body | (self.mended.to_json() if self.mended is not None else {})


def check_blueprint(
    file: AnyPath, *, resolved: bool = False, fix: bool = False, dry_run: bool = False
) -> CheckResult:
    """Checks a blueprint; writes nothing unless it is to be mended; `epforge check`.

    Args:
        file: the blueprint, or a directory that holds a ``blueprint.yaml``.
        resolved: whether it is wanted with every default and derived name, too.
        fix: each error that has one sensible cure is mended first, and the file written.
        dry_run: it is only shown what ``fix`` would change.

    Returns:
        everything that is to say; mistakes in the blueprint are no exception.

    Raises:
        UsageError: the file cannot be read, or is not there.
        EditedError: it has changed while it was being mended.
        WriteError: it cannot be written.
    """
    from epforge.blueprint import BlueprintErrors, load
    from epforge.resolve import analyse, resolved_data
    from epforge.verbs.change.rewriting import blueprint_file

    file = blueprint_file(Path(file))
    mended = _mend(file, dry_run) if fix or dry_run else None
    try:
        analysis = analyse(load(file))
    except BlueprintErrors as error:  # not even YAML
        return CheckResult(file, tuple(error.diagnostics), None, text=error.text, mended=mended)
    found = (*analysis.errors, *analysis.warnings, *analysis.unsupported)
    blueprint = analysis.blueprint
    data = resolved_data(blueprint) if resolved and blueprint is not None else None
    return CheckResult(file, found, blueprint, data, analysis.source.text.text, mended)


def _mend(file: Path, dry_run: bool) -> Mending:
    from epforge.blueprint.text import raw_text
    from epforge.verbs.change.diffs import diff_of
    from epforge.verbs.change.mending import mend
    from epforge.workspace import Action, ActionKind, replace_file

    text = raw_text(file)
    if text is None:
        return Mending()
    mended = mend(text, str(file))
    before, after = text.encode(), mended.text.encode()
    if before == after:
        return Mending(mended.made)
    if not dry_run:
        replace_file(file, before, after)
    diff = diff_of(Action(file.name, ActionKind.UPDATE, before, after))
    return Mending(mended.made, diff, written=not dry_run)
