"""A verb that writes a project, builds it and validates it: what is seen meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import typer

from epforge.cli.show.build import summary_of
from epforge.cli.show.ladder import Shown, ladder
from epforge.cli.show.progress import progress

if TYPE_CHECKING:
    from epforge.build import BuildResult
    from epforge.validate import Check


class Proving:
    """What to tell of a project that is built and validated."""

    def __init__(self, stack: ExitStack, *, quiet: bool, validate: bool) -> None:
        self._stack, self._quiet, self._validate = stack, quiet, validate
        self._shown = Shown(stack.enter_context(progress(quiet=quiet)), lambda _: None)

    def progress(self, text: str) -> None:
        """What is being done now."""
        self._shown.progress(text)

    def on_built(self, built: BuildResult) -> None:
        """The library is built; what comes now is the ladder."""
        self._stack.close()
        if not self._quiet:
            typer.echo(summary_of(built))
        if self._validate:
            self._shown = self._stack.enter_context(ladder(quiet=self._quiet))

    def on_check(self, check: Check) -> None:
        """A check has ended."""
        self._shown.on_check(check)


@contextmanager
def proving(*, quiet: bool, validate: bool) -> Iterator[Proving]:
    """Shows a build, then the ladder, on stderr.

    Args:
        quiet: show nothing.
        validate: will there be a ladder?
    """
    with ExitStack() as stack:
        yield Proving(stack, quiet=quiet, validate=validate)
