"""Sixty edits of owners meet eight changes: no line is lost, and what is in dispute is shown."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import regeneration
import regeneration_cells as cells
from edit_model import Edit, Kind
from regeneration_cells import Relation
from user_edits import EDITS, NUMBERS

from epforge.workspace import OnConflict

_MODES = (OnConflict.MARKERS, OnConflict.OURS, OnConflict.THEIRS)


@pytest.fixture(scope="module")
def scaffolded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project before any edit."""
    return regeneration.scaffolded(tmp_path_factory.mktemp("regeneration") / "project")


class Copies:
    """Projects with an edit in them, made from one another by links."""

    def __init__(self, project: Path, folder: Path) -> None:
        self._project = project
        self._folder = folder
        self._edited: dict[str, Path] = {}
        self._count = 0

    def edited(self, edit: Edit) -> Path:
        """A fresh project where the edit has been made."""
        if edit.name not in self._edited:
            self._edited[edit.name] = self._copy(self._project)
            edit.apply(self._edited[edit.name])
        return self._copy(self._edited[edit.name])

    def _copy(self, project: Path) -> Path:
        self._count += 1
        return regeneration.linked(project, self._folder / str(self._count))


@pytest.fixture
def copies(scaffolded: Path, tmp_path: Path) -> Copies:
    return Copies(scaffolded, tmp_path)


def _check(copies: Copies, edit: Edit, change: str) -> cells.Cell:
    cell = cells.meet(edit, change, copies.edited(edit))
    assert not cell.lost
    if cell.conflicts:
        for mode in _MODES:
            cells.decide(edit, change, copies.edited(edit), mode)
    return cell


def _sample() -> Iterator[tuple[Edit, str]]:
    """Every edit with one change, every change with some edits; the same on every run."""
    chance = random.Random("regeneration")
    changes: list[str] = []
    for edit in EDITS:
        if not changes:
            changes = list(regeneration.CHANGES)
            chance.shuffle(changes)
        yield edit, changes.pop()


def test_there_are_as_many_edits_of_each_kind_as_there_shall_be() -> None:
    assert Counter(edit.kind for edit in EDITS) == NUMBERS
    assert len({edit.name for edit in EDITS}) == len(EDITS) >= 60


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_lies_to_the_changes_as_its_kind_says(edit: Edit, copies: Copies) -> None:
    project = copies.edited(edit)
    found = {cells.relation_of(edit, change, project) for change in regeneration.CHANGES}
    if edit.kind is Kind.FAR:
        assert found <= {Relation.FAR, Relation.UNTOUCHED}
    elif edit.kind is Kind.ADJACENT:
        assert Relation.ADJACENT in found
    elif edit.kind is Kind.SAME_LINE:
        assert Relation.SAME in found


@pytest.mark.parametrize(
    ("edit", "change"),
    [pytest.param(*each, id=f"{each[0].name}, {each[1]}") for each in _sample()],
)
def test_no_line_is_lost(edit: Edit, change: str, copies: Copies) -> None:
    _check(copies, edit, change)


@pytest.mark.lab
@pytest.mark.parametrize("change", regeneration.CHANGES)
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_no_line_is_lost_whatever_changes(edit: Edit, change: str, copies: Copies) -> None:
    _check(copies, edit, change)
