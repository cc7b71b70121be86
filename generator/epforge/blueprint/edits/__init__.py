"""Edits of a blueprint's text that leave every other character as its author wrote it.

Every edit is read again: what it does not say exactly as meant is refused, with its place.
"""

from __future__ import annotations

from epforge.blueprint.edits.items import add_item
from epforge.blueprint.edits.kernels import take_over
from epforge.blueprint.edits.scalars import set_scalar
from epforge.blueprint.edits.values import Value, Verbatim, verbatim

__all__ = ["Value", "Verbatim", "add_item", "set_scalar", "take_over", "verbatim"]
