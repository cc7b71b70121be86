"""What a build did, in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epforge.verbs.wording import count

if TYPE_CHECKING:
    from epforge.build import BuildResult


def summary_of(built: BuildResult) -> str:
    """What a build did, in one line."""
    what = f"{count(built.compiled, 'file')} compiled" if built.compiled else "up to date"
    warnings = f", {count(built.warnings, 'warning')} (see {built.log})" if built.warnings else ""
    return f"{built.library}: {what}{warnings}, {built.seconds:.1f} s"
