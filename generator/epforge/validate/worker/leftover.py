"""Memory that a library allocated in its callbacks and did not free, by where it did so."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.validate.worker.shimmed import Blocks, Shim, ShimCommandError

Left = Mapping[tuple[str, str], Blocks]  # by callback and place
NOTHING: Left = {}


def left_by(shim: Shim) -> Left:
    """What is not freed now; nothing where that cannot be seen."""
    try:
        return {(one.callback, one.place): one for one in shim.live_blocks().groups}
    except ShimCommandError:  # the process was started without the hooks
        return NOTHING


def grown(before: Left, after: Left, least: int = 1) -> list[str]:
    """What there is more of, in words.

    Args:
        least: so many blocks more from one place.
    """
    words = []
    for key, now in after.items():
        was = before.get(key)
        count = now.count - (was.count if was else 0)
        size = now.bytes - (was.bytes if was else 0)
        if count >= least:
            blocks = "block" if count == 1 else "blocks"
            words.append(
                f"{count} {blocks} of {size} bytes allocated in {now.callback}, {now.place}"
            )
    return words
