"""The picture of the rooms is that of the sources, and the places that the pages name are there."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from architecture import FLOW, PICTURE, order, picture
from rooms import graph

REPOSITORY = Path(__file__).resolve().parents[2]
HOUSE = ("docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md", "docs/faq.md")
PLACE = re.compile(r"`((?:generator|templates|tests|docs|blueprints|examples|\.ci)/[\w./-]+)`")


def test_the_picture_is_drawn_from_the_sources() -> None:
    again = "run: python tests/support/architecture.py"
    assert PICTURE.read_text(encoding="utf-8") == picture(), f"it is out of date; {again}"
    assert "](architecture.svg)" in (REPOSITORY / "docs/architecture.md").read_text("utf-8")


def test_the_picture_shows_every_import_on_one_side() -> None:
    svg = ET.fromstring(picture())
    space = "{http://www.w3.org/2000/svg}"
    own = {each.get("y"): float(each.get("x", 0)) for each in svg.iter(f"{space}rect")}
    dots = [(float(each.get("cx", 0)), each.get("cy")) for each in svg.iter(f"{space}circle")]
    assert len(dots) == sum(map(len, graph().values()))
    squares = {int(y or 0) + 7: x for y, x in own.items() if y}
    assert all(x < squares[int(y or 0)] for x, y in dots)


def test_what_goes_through_the_rooms_goes_one_way() -> None:
    rooms = order()
    assert [rooms.index(room) for room in FLOW] == sorted(map(rooms.index, FLOW))


@pytest.mark.parametrize("page", [page for page in HOUSE if (REPOSITORY / page).exists()])
def test_the_places_of_a_page_are_there(page: str) -> None:
    named = set(PLACE.findall((REPOSITORY / page).read_text(encoding="utf-8")))
    missing = sorted(place for place in named if not (REPOSITORY / place).exists())
    assert not missing, f"{page}: {', '.join(missing)}"
