"""What can be wrong with an overlay."""

from __future__ import annotations

from epforge.errors import UsageError
from epforge.resolve.services import Overlay


class OverlayError(UsageError):
    """An overlay cannot be used; nothing has been written.

    Args:
        overlay: which one; the message begins with its place in the blueprint.
        what: what is wrong, with the file of the overlay where one is at fault.
        cure: what to do about it.
    """

    def __init__(self, overlay: Overlay, what: str, cure: str = "") -> None:
        super().__init__(f"{overlay.where}: overlay {overlay.place}: {what}", cure)
        self.overlay = overlay
