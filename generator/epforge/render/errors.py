"""What can go wrong while rendering."""

from __future__ import annotations

from epforge.errors import EpforgeError

_CURE = "This is a fault of epforge's templates; please report it."


class RenderError(EpforgeError):
    """A template is at fault, not the blueprint. The message begins with ``template:line``."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(
            message, cure or "This is a fault of epforge's templates; please report it."
        )
