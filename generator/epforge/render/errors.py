"""What can go wrong while rendering."""

from __future__ import annotations

import re

from epforge.errors import EpforgeError, ExitStatus, UsageError

_CURE = "This is a fault of epforge's templates; please report it."


class RenderError(EpforgeError):
    """A template is at fault, not the blueprint. The message begins with ``template:line``."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(
            message, cure or "This is a fault of epforge's templates; please report it."
        )


class OverrideError(RenderError):
    """A template that stands in for one of epforge's is at fault."""

    exit_status = ExitStatus.WRONG_INPUT


class StyleError(UsageError):
    """The project's own style file is one that clang-format refuses.

    Args:
        file: the style file, as the project calls it.
        output: what clang-format said; its place is kept, its temporary directory is not.
    """

    def __init__(self, file: str, output: str) -> None:
        found = re.search(rf"{re.escape(file)}:(\d+:\d+): error: (.*)", output)
        place, what = (f"{file}:{found[1]}", found[2]) if found else (file, "not a style for C++")
        super().__init__(
            f"{place}: clang-format refuses this style: {what}",
            "Correct the file; it is yours, and epforge's C++ is written in its style.",
        )
