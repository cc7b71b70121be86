"""Which tests run: of a test's cases in the plain run, and of the lab in a sample."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, TypeVar

import pytest

_Test = TypeVar("_Test")


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


def sample(
    tests: Iterable[_Test], size: int, seed: str, name: Callable[[_Test], str]
) -> list[_Test]:
    """Some tests, from as many files as there can be: a file of many cases is no more than another.

    Args:
        size: how many; all of them if there are fewer.
        seed: decides which, together with the names and nothing else.
        name: of a test: ``file::test``.
    """
    chance = random.Random(seed)
    ordered = sorted(tests, key=lambda test: (name(test).partition("::")[0], name(test)))
    files = [list(of) for _, of in groupby(ordered, lambda test: name(test).partition("::")[0])]
    for file in files:
        chance.shuffle(file)
    chance.shuffle(files)
    rounds = range(max(map(len, files), default=0))
    return [file[turn] for turn in rounds for file in files if turn < len(file)][:size]
