"""What the benchmarks share."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Prints a figure, whatever pytest captures."""

    def show(text: str) -> None:
        with capsys.disabled():
            print(f"\n  {text}")

    return show
