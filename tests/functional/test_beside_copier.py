"""The edits of owners through ``copier update``, beside what epforge makes of them."""

from __future__ import annotations

import beside_copier
import pytest
import regeneration
from beside_copier import Result

_FINE = {Result.KEPT, Result.CONFLICT}


@pytest.mark.lab
def test_copier_and_epforge_see_the_same_edits(capsys: pytest.CaptureFixture[str]) -> None:
    cells = beside_copier.sample(regeneration.CHANGES, 24)
    ours, theirs = beside_copier.measure(cells)
    assert sum(ours.values()) == sum(theirs.values()) == len(cells)
    assert {result for _, result in ours} <= _FINE
    table = beside_copier.table(ours, theirs)
    assert f"| **all** | {len(cells)} |" in table
    with capsys.disabled():
        print(f"\n{table}")
