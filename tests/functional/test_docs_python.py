"""The page about epforge from Python leaves no function out."""

from __future__ import annotations

import re
from pathlib import Path

import epforge

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_page_lists_every_function() -> None:
    text = (REPOSITORY / "docs/api.md").read_text(encoding="utf-8")
    table = text[text.index("## All of it") : text.index("## JSON")]
    listed = set(re.findall(r"`(\w+)`", table.split("\n", 3)[3]))
    functions = {
        name for name in epforge.__all__ if name.islower() and callable(getattr(epforge, name))
    }
    assert functions - {"apply_fix"} <= listed
