"""Mistakes that were written down from the manual alone, before anybody saw what epforge makes of
them: whole blueprints, each with the one that its author meant.

Which half a mistake is of follows from its name. The open half may be looked at while epforge is
made better; of the half that is held out only the figures are.

A file here has blueprints behind lines `=== NAME`, or `=== NAME | WHY NO PROGRAM MAY MEND IT`.
`⟪wrong→right⟫` stands around what is wrong, and `¦` where an error has to begin: anywhere between
two of a line, in any of several lines. Without one an error has to begin in everything wrong.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from broken_blueprints.afresh.model import Mistake, read_mistakes

__all__ = ["AFRESH", "HELD_OUT", "OPEN", "Mistake"]

_HERE = Path(__file__).parent

AFRESH: tuple[Mistake, ...] = tuple(
    mistake
    for path in sorted(_HERE.glob("*.txt"))
    for mistake in read_mistakes(path.read_text(encoding="utf-8"))
)


def _is_held_out(mistake: Mistake) -> bool:
    return hashlib.sha256(mistake.name.encode()).digest()[0] % 2 == 1


OPEN = tuple(each for each in AFRESH if not _is_held_out(each))
HELD_OUT = tuple(each for each in AFRESH if _is_held_out(each))
