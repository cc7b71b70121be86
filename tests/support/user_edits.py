"""What owners do to projects: sixty edits of ten kinds, in fixed numbers."""

from __future__ import annotations

from collections.abc import Mapping

from edit_model import Edit, Kind
from edits_of_files import DELETIONS, ENCODINGS, GENERATED, MOVES, OWN, REFORMATS, RENAMES
from edits_of_lines import ADJACENT, FAR, SAME_LINE

#: How many edits there are of each kind.
NUMBERS: Mapping[Kind, int] = {
    Kind.FAR: 10,
    Kind.ADJACENT: 10,
    Kind.SAME_LINE: 8,
    Kind.RENAME: 6,
    Kind.DELETION: 6,
    Kind.ENCODING: 4,
    Kind.REFORMAT: 4,
    Kind.MOVED: 4,
    Kind.GENERATED: 4,
    Kind.OWN: 4,
}


EDITS: tuple[Edit, ...] = (
    *(*FAR, *ADJACENT, *SAME_LINE, *RENAMES, *DELETIONS),
    *(*ENCODINGS, *REFORMATS, *MOVES, *GENERATED, *OWN),
)
