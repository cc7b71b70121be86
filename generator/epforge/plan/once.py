"""Work that several parts of the plan ask for, done once."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def once(function: Callable[[Item], Made]) -> Callable[[Item], Made]:
    """Makes a pure function of one frozen object remember its results.

    An op and a blueprint hold mappings, so they have no hash, and comparing them would cost more
    than it saves. What is remembered belongs to the very object, and goes when that goes.

    Args:
        function: its result depends on its argument alone, and is never changed by anybody.

    Returns:
        The same function, which runs once per object.
    """
    known: dict[int, tuple[weakref.ref[Item], Made]] = {}

    @functools.wraps(function)
    def remembered(item: Item) -> Made:
        key = id(item)
        found = known.get(key)
        if found is not None and found[0]() is item:
            return found[1]
        made = function(item)
        known[key] = (weakref.ref(item, lambda _: known.pop(key, None)), made)
        return made

    return remembered
