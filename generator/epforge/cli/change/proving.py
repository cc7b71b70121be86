"""Building and validating as the last steps of a verb that writes a project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from epforge.build import BuildResult
    from epforge.validate import Report


@dataclass(frozen=True)
class Proof:
    """What was built and validated."""

    built: BuildResult | None = None
    report: Report | None = None

    def to_json(self) -> dict[str, Any]:
        """The parts that there are, ready for JSON."""
        data: dict[str, Any] = {}
        if self.built is not None:
            data["build"] = self.built.to_json()
        if self.report is not None:
            data["validation"] = self.report.to_json()
        return data

    def check(self) -> None:
        """Ends the process with the report's exit status if a check has failed."""
        if self.report is not None and not self.report.passed:
            raise typer.Exit(int(self.report.exit_status))


def prove(
    directory: Path, *, build: bool, validate: bool, ort_sdk: Path | None = None, quiet: bool
) -> Proof:
    """Builds a project, and validates what was built, as far as it is asked for.

    Args:
        directory: the project.
        build: whether to build.
        validate: whether to build and validate.
        ort_sdk: the headers; else they are looked for.
        quiet: print nothing.

    Raises:
        EpforgeError: the build fails.
    """
    if not build and not validate:
        return Proof()
    built = _build(directory, ort_sdk, quiet=quiet)
    return Proof(built, _validate(directory, built, quiet=quiet) if validate else None)


def _build(directory: Path, ort_sdk: Path | None, *, quiet: bool) -> BuildResult:
    from epforge.build import build
    from epforge.cli.build import summary_of
    from epforge.cli.show.progress import progress

    with progress(quiet=quiet) as show:
        built = build(directory, sdk=ort_sdk, progress=show)
    if not quiet:
        typer.echo(summary_of(built))
    return built


def _validate(directory: Path, built: BuildResult, *, quiet: bool) -> Report:
    from epforge.cli.show.ladder import ladder
    from epforge.cli.validate import show_report
    from epforge.validate import validate

    with ladder(quiet=quiet) as shown:
        report = validate(
            built.library,
            progress=shown.progress,
            on_check=shown.on_check,
            blueprint=directory / "blueprint.yaml",
        )
    if not quiet:
        show_report(report)
    return report
