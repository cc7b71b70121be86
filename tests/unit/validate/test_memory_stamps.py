"""Versions of structs where nobody says what a library is built for."""

from __future__ import annotations

import pytest

from epforge.validate.worker.memory import agreed
from epforge.validate.worker.shimmed import Stamp


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([29, 29], 29),  # older than the runtime, all the same
        ([29, 32], 29),
        ([0, 29], 29),  # of which the first is then wrong
        ([33, 33], 32),  # newer than the runtime
        ([0], 32),
    ],
)
def test_the_lowest_version_is_what_it_is_built_for(versions: list[int], expected: int) -> None:
    stamps = [Stamp("OrtEp", version, 32, 1, 0, 1) for version in versions]
    assert {each.expected for each in agreed(stamps)} == {expected}


def test_nothing_is_nothing() -> None:
    assert agreed([]) == []
