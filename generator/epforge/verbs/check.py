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
class CheckResult:
    """What there is to say of a blueprint.

    Args:
        file: the blueprint, as the caller called it.
        diagnostics: errors, warnings and notes, each with its place.
        blueprint: what epforge understands; None if it cannot be used.
        resolved: it with every default and derived name; None if that was not asked for.
        text: the file's text, which the places are in; empty if it is no text.
    """

    file: Path
    diagnostics: tuple[Diagnostic, ...]
    blueprint: Blueprint | None
    resolved: Mapping[str, Any] | None = None
    text: str = field(default="", repr=False)

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
        return body


def check_blueprint(file: AnyPath, *, resolved: bool = False) -> CheckResult:
    """Checks a blueprint and writes nothing; `epforge check`.

    Args:
        file: the blueprint.
        resolved: whether it is wanted with every default and derived name, too.

    Returns:
        everything that is to say; mistakes in the blueprint are no exception.

    Raises:
        UsageError: the file cannot be read.
    """
    from epforge.blueprint import BlueprintErrors, load
    from epforge.resolve import analyse, resolved_data

    file = Path(file)
    try:
        analysis = analyse(load(file))
    except BlueprintErrors as error:  # not even YAML
        return CheckResult(file, tuple(error.diagnostics), None, text=error.text)
    found = (*analysis.errors, *analysis.warnings, *analysis.unsupported)
    blueprint = analysis.blueprint
    data = resolved_data(blueprint) if resolved and blueprint is not None else None
    return CheckResult(file, found, blueprint, data, analysis.source.text.text)
