"""Whatever an owner does to the files of a project, and whatever changes: no line is lost."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
import regeneration
from edit_steps import crlf
from hypothesis import given, settings
from hypothesis import strategies as st
from regeneration import Tree

from epforge.workspace import (
    ALL,
    ConflictsError,
    OnConflict,
    OpenConflictsError,
    Outcome,
    Owner,
    Request,
    read_lock,
)

_OWN_PATHS = ("contoso/notes.txt", "docs/board.md", "src/contoso.cc", "tests/python/contoso.py")


@dataclass(frozen=True)
class Deed:
    """Something that an owner does to a file.

    Args:
        verb: what.
        file: to which, as a share of the list of files.
        line: where, as a share of its lines.
        count: how many lines.
    """

    verb: str
    file: float
    line: float
    count: int


_share = st.floats(0, 1, exclude_max=True, allow_nan=False)
_verb = st.sampled_from(
    (
        *("insert", "insert", "replace", "replace", "remove", "duplicate"),
        *("delete file", "rename file", "crlf", "own file"),
    )
)
_deeds = st.lists(st.builds(Deed, _verb, _share, _share, st.integers(1, 5)), min_size=1, max_size=6)
_modes = st.sampled_from(tuple(OnConflict))
_generated = st.sampled_from(("refuse", "adopt", "discard"))


class Project:
    """A project, and what its owner has put into it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lines: set[str] = set()
        self.own: dict[str, bytes] = {}
        lock = read_lock(root)
        assert lock is not None
        shared = [path for path, entry in lock.files.items() if entry.owner is Owner.SHARED]
        others = [path for path, entry in lock.files.items() if entry.owner is not Owner.SHARED]
        others.remove("blueprint.yaml")
        # As often a shared file as any other: there are few of them, and they are what is merged.
        repeat = len(others) // len(shared)
        self._paths = sorted(shared * repeat + others)

    def do(self, deed: Deed, number: int) -> None:
        """Does it, unless the file has gone."""
        if deed.verb == "own file":
            self._write_own(number, deed.count)
            return
        path = self._paths[int(deed.file * len(self._paths))]
        place = self.root / path
        if not place.is_file():
            return
        content = place.read_bytes()
        if deed.verb == "delete file":
            self._forget(content)
            place.unlink()
        elif deed.verb == "rename file":
            place.rename(place.with_name(f"contoso_{number}_{place.name}"))
        else:
            place.unlink()  # it is a link
            place.write_bytes(self._changed(content, deed, number))

    def _write_own(self, number: int, count: int) -> None:
        path = _OWN_PATHS[number % len(_OWN_PATHS)]
        text = "".join(f"own {number}.{each}\n" for each in range(count))
        self.own[path] = text.encode()
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(self.own[path])

    def _changed(self, content: bytes, deed: Deed, number: int) -> bytes:
        if deed.verb == "crlf":
            return crlf(content)
        lines = content.decode("utf-8-sig").splitlines(keepends=True)
        at = int(deed.line * (len(lines) + 1))
        there = lines[at : at + deed.count]
        new = [f"contoso {number}.{each}\n" for each in range(deed.count)]
        if deed.verb == "duplicate":
            lines[at:at] = there
        else:
            if deed.verb != "insert":
                self._forget("".join(there).encode())
                lines[at : at + deed.count] = []
            if deed.verb != "remove":
                lines[at:at] = new
                self.lines.update(line.rstrip("\n") for line in new)
        return "".join(lines).encode()

    def _forget(self, content: bytes) -> None:
        """The owner has removed these lines: they may be lines of the owner's own."""
        self.lines -= set(content.decode("utf-8-sig").splitlines())

    def edited(self) -> set[str]:
        """The generated files that are not as they were written."""
        return {
            path
            for path, file in regeneration.before().files.items()
            if file.owner is Owner.GENERATED
            and (
                not (self.root / path).is_file() or (self.root / path).read_bytes() != file.content
            )
        }


def _lines(contents: Iterable[bytes]) -> set[str]:
    texts = (content.decode("utf-8-sig", "replace") for content in contents)
    return {line for text in texts for line in text.splitlines()}


def _noted(outcome: Outcome) -> set[str]:
    return {line[1:] for note in outcome.notes for line in note.diff.splitlines()}


def _request(project: Project, mode: OnConflict, generated: str) -> Request:
    if generated == "discard":
        return Request(on_conflict=mode, discard=frozenset({ALL}))
    if generated == "adopt":
        return Request(on_conflict=mode, adopt=frozenset(project.edited()))
    return Request(on_conflict=mode)


def _as_adopted(tree: Tree, paths: Iterable[str]) -> Tree:
    """The tree with generated files that are shared from now on."""
    adopted = {
        path: dataclasses.replace(tree.files[path], owner=Owner.SHARED, adopted=True)
        for path in paths
        if path in tree.files
    }
    return dataclasses.replace(tree, files={**tree.files, **adopted})


def _check(project: Project, tree: Tree, request: Request) -> None:
    root = project.root
    regeneration.rewrite_blueprint(root, tree)
    before = regeneration.contents(root)
    assert project.lines <= _lines(before.values())
    foreseen = regeneration.foresee(root, tree, request)
    assert regeneration.contents(root) == before
    try:
        outcome = regeneration.apply(root, tree, request)
    except ConflictsError as error:
        outcome = error.outcome
    if outcome.conflicts:
        assert outcome == foreseen
        assert regeneration.contents(root) == before
        return
    assert outcome.actions == foreseen.actions
    after = regeneration.contents(root)
    assert project.lines <= _lines(after.values()) | _noted(outcome)
    if request.on_conflict is not OnConflict.THEIRS and not request.discard:
        assert project.lines <= _lines(after.values())
    for path, content in project.own.items():
        assert after[path] == content
    _check_second(root, tree, after)


def _check_second(root: Path, tree: Tree, after: dict[str, bytes]) -> None:
    lock = read_lock(root)
    assert lock is not None
    if lock.conflicts:
        with pytest.raises(OpenConflictsError):
            regeneration.apply(root, tree)
    else:
        again = regeneration.apply(root, tree)
        assert not again.actions
        assert read_lock(root) == lock
    assert regeneration.contents(root) == after


@pytest.fixture(scope="module")
def scaffolded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project before any edit."""
    return regeneration.scaffolded(tmp_path_factory.mktemp("regeneration") / "project")


def _try(scaffolded: Path, deeds: list[Deed], change: str, mode: OnConflict, how: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Project(regeneration.linked(scaffolded, Path(folder) / "project"))
        for number, deed in enumerate(deeds):
            project.do(deed, number)
        request = _request(project, mode, how)
        _check(project, _as_adopted(regeneration.after(change), request.adopt), request)


_given = given(
    deeds=_deeds,
    change=st.sampled_from(regeneration.CHANGES),
    mode=_modes,
    how=_generated,
)


@_given
@settings(max_examples=20)
def test_no_line_of_the_owner_s_is_lost(
    scaffolded: Path, deeds: list[Deed], change: str, mode: OnConflict, how: str
) -> None:
    _try(scaffolded, deeds, change, mode, how)


@pytest.mark.lab
@_given
@settings(max_examples=500)
def test_no_line_of_the_owner_s_is_lost_in_many_tries(
    scaffolded: Path, deeds: list[Deed], change: str, mode: OnConflict, how: str
) -> None:
    _try(scaffolded, deeds, change, mode, how)
