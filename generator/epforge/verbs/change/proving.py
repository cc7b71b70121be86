"""Building and validating as the last steps of a verb that writes a project."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus

if TYPE_CHECKING:
    from epforge.build import BuildResult
    from epforge.validate import Check, Report


@dataclass(frozen=True)
class Proof:
    """What was built and validated."""

    built: BuildResult | None = None
    report: Report | None = None

    @property
    def exit_status(self) -> ExitStatus:
        """The report's, if there is one."""
        return ExitStatus.OK if self.report is None else ExitStatus(self.report.exit_status)

    def to_json(self) -> dict[str, Any]:
        """The parts that there are, ready for JSON."""
        data: dict[str, Any] = {}
        if self.built is not None:
            data["build"] = self.built.to_json()
        if self.report is not None:
            data["validation"] = self.report.to_json()
        return data


def prove(
    directory: Path,
    *,
    build: bool,
    validate: bool,
    ort_sdk: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
    on_check: Callable[[Check], None] = lambda _: None,
    on_built: Callable[[BuildResult], None] = lambda _: None,
) -> Proof:
    """Builds a project, and validates what was built, as far as it is asked for.

    Args:
        directory: the project.
        build: whether to build.
        validate: whether to build and validate.
        ort_sdk: the headers; else they are looked for.
        progress: told what is being done.
        on_check: told of each check of the validation as it is known.
        on_built: told what was built, before it is validated.

    Raises:
        EpforgeError: the build fails.
    """
    if not build and not validate:
        return Proof()
    from epforge import build as building

    built = building.build(directory, sdk=ort_sdk, progress=progress)
    on_built(built)
    if not validate:
        return Proof(built)
    from epforge import validate as validation

    report = validation.validate(
        built.library, progress=progress, on_check=on_check, blueprint=directory / "blueprint.yaml"
    )
    return Proof(built, report)
