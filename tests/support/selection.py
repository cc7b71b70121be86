"""Which of a test's cases the plain run has; the lab has the others, too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def plain(*chosen: object, of: Iterable[Any]) -> list[Any]:
    """All values as parameters of a test: those chosen as they are, the others for the lab.

    Raises:
        ValueError: one that is chosen is no value.
    """
    values = list(of)
    unknown = [one for one in chosen if one not in values]
    if unknown:
        raise ValueError(f"{unknown} are none of {values}")
    return [
        value if value in chosen else pytest.param(value, marks=pytest.mark.lab) for value in values
    ]
