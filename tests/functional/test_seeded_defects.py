"""What real providers get wrong, one at a time in a sound project: each is found, its place named,
and nothing is found where nothing is wrong."""

from __future__ import annotations

import pytest
from defects import DEFECTS
from defects.judge import complaints, files, look_for, sound
from defects.model import Defect

# Found without long work: by the file alone, by loading it, and by its numbers.
_QUICK = ("D74", "D17")
_SOUND = sorted({(defect.blueprint, defect.options) for defect in DEFECTS})


def _marks(name: str) -> list[pytest.MarkDecorator]:
    return [] if name in _QUICK else [pytest.mark.lab]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_a_defect_still_fits_the_project(defect: Defect) -> None:
    sound_files = files(defect.blueprint)
    for path, text in defect.changes(sound_files).items():
        assert text != sound_files[path].decode()


@pytest.mark.parametrize(
    "defect", [pytest.param(each, id=each.name, marks=_marks(each.name)) for each in DEFECTS]
)
def test_a_defect_is_found_and_its_place_named(defect: Defect) -> None:
    finding = look_for(defect)
    assert finding.line is not None, finding.text


@pytest.mark.lab
@pytest.mark.parametrize(
    ("blueprint", "options"),
    _SOUND,
    ids=lambda value: value if type(value) is str else "".join(value),
)
def test_nothing_is_found_where_nothing_is_wrong(blueprint: str, options: tuple[str, ...]) -> None:
    # The older runtimes are there for what they refuse.
    if "1.23.2" in options:
        pytest.skip("too old for a sound library, too")
    assert complaints(sound(blueprint), options) == []
