"""Moves onto files, deletions without a record: where two changes meet."""

import os
import tarfile
from pathlib import Path

import pytest
from publishing import MARKERS, OURS, THEIRS, file, kinds, lines, lock_of, own, put

from epforge.errors import UsageError
from epforge.workspace import (
    LOCK,
    ConflictKind,
    NoteKind,
    OnConflict,
    Request,
    read_lock,
    resolve,
)
from epforge.workspace.base import ARCHIVE, Base

DECISIONS = (MARKERS, OURS, THEIRS)
NAMES = [each.on_conflict.value for each in DECISIONS]


# moved by a template set


@pytest.mark.parametrize("was", [("README.md",), ()], ids=["said by the plan", "found"])
@pytest.mark.parametrize("request_", DECISIONS, ids=NAMES)
def test_a_file_of_the_owners_where_we_would_move_one_to_is_in_the_way(
    tmp_path: Path, was: tuple[str, ...], request_: Request
) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    (tmp_path / "index.md").write_text("precious\n")
    new = file(lines(_15="new"), "index.md", was=was)
    assert kinds(tmp_path, new) == [ConflictKind.DROPPED, ConflictKind.IN_THE_WAY]
    put(tmp_path, new, request=request_)
    kept = {"README.md": lines(_3="mine"), "index.md": "precious\n"}
    assert own(tmp_path) == ({"index.md": lines(_15="new")} if request_ is THEIRS else kept)


@pytest.mark.parametrize("was", [("README.md",), ()], ids=["said by the plan", "found"])
def test_both_moving_a_file_to_the_same_place_is_no_conflict(
    tmp_path: Path, was: tuple[str, ...]
) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").rename(tmp_path / "index.md")
    (tmp_path / "index.md").write_text(lines(_3="mine"))
    put(tmp_path, file(lines(_15="new"), "index.md", was=was))
    assert own(tmp_path) == {"index.md": lines(_3="mine", _15="new")}


def test_both_moving_a_file_is_seen_also_where_the_plan_says_so(tmp_path: Path) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").rename(tmp_path / "MINE.md")
    new = file(lines(_15="new"), "index.md", was=("README.md",))
    assert kinds(tmp_path, new) == [ConflictKind.RENAMED_TWICE]
    put(tmp_path, new, request=OURS)
    assert own(tmp_path) == {"MINE.md": lines(_15="new")}


def test_a_moved_file_that_its_owner_deleted_comes_back_only_when_it_is_restored(
    tmp_path: Path,
) -> None:
    for owner in ("shared", "yours"):
        place = tmp_path / owner
        put(place, file(lines(), "a", owner), file("s\n"))
        (place / "a").unlink()
        new = (file(lines(_3="new"), "b", owner, was=("a",)), file("s\n"))
        (note,) = put(place, *new).notes
        assert (note.path, note.kind) == ("b", NoteKind.STAYS_DELETED)
        assert own(place) == {"README.md": "s\n"}
        put(place, *new, request=Request(restore=frozenset({"b"})))
        assert own(place)["b"] == lines(_3="new")


def test_a_file_of_yours_that_its_owner_moved_first_keeps_what_it_is_based_on(
    tmp_path: Path,
) -> None:
    put(tmp_path, file(lines(), "a", "yours"))
    (tmp_path / "a").rename(tmp_path / "b")
    (tmp_path / "b").write_text(lines(_3="mine"))
    new = file(lines(_15="new"), "b", "yours", was=("a",))
    (note,) = put(tmp_path, new).notes
    assert note.kind is NoteKind.BEHIND
    put(tmp_path, new, request=Request(refresh=frozenset({"b"})))
    assert own(tmp_path) == {"b": lines(_3="mine", _15="new")}


def test_two_files_that_become_one_are_both_accounted_for(tmp_path: Path) -> None:
    put(tmp_path, file(lines(), "a"), file("b\n" * 9, "b"))
    (tmp_path / "b").write_text("b\n" * 9 + "mine\n")
    new = file(lines(_15="new"), "c", was=("a", "b"))
    assert kinds(tmp_path, new) == [ConflictKind.DROPPED]
    put(tmp_path, new, request=OURS)
    assert own(tmp_path) == {"b": "b\n" * 9 + "mine\n", "c": lines(_15="new")}


def test_a_place_that_another_file_leaves_is_no_place_to_move_to(tmp_path: Path) -> None:
    one, two = lines(), "".join(f"other {n}\n" for n in range(20))
    put(tmp_path, file(one, "a"), file(two, "b"))
    (tmp_path / "a").write_text(one + "mine\n")
    new = (file(one, "b", was=("a",)), file(two, "c", was=("b",)))
    assert kinds(tmp_path, *new) == [ConflictKind.DROPPED]
    put(tmp_path, *new, request=OURS)
    assert own(tmp_path) == {"a": one + "mine\n", "b": one, "c": two}


@pytest.mark.parametrize("request_", DECISIONS, ids=NAMES)
def test_a_binary_file_that_both_changed_and_we_moved(tmp_path: Path, request_: Request) -> None:
    put(tmp_path, file(b"\0old", "a.png"))
    (tmp_path / "a.png").write_bytes(b"\0mine")
    new = file(b"\0new", "b.png", was=("a.png",))
    assert kinds(tmp_path, new) == [ConflictKind.BINARY]
    put(tmp_path, new, request=request_)
    assert own(tmp_path) == {"b.png": "\0new" if request_ is THEIRS else "\0mine"}
    if request_ is MARKERS:
        resolve(tmp_path, side=OnConflict.THEIRS)
        assert own(tmp_path) == {"b.png": "\0new"}


@pytest.mark.parametrize("request_", DECISIONS, ids=NAMES)
def test_a_moved_file_without_a_base(tmp_path: Path, request_: Request) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    (tmp_path / ".epforge/base/README.md").unlink()
    new = file(lines(_3="new"), "index.md", was=("README.md",))
    assert kinds(tmp_path, new) == [ConflictKind.NO_BASE]
    put(tmp_path, new, request=request_)
    assert own(tmp_path) == {"index.md": lines(_3="new" if request_ is THEIRS else "mine")}


def test_a_file_of_yours_that_becomes_generated_elsewhere_is_announced(tmp_path: Path) -> None:
    put(tmp_path, file("a\n", "a", "yours"))
    (note,) = put(tmp_path, file("b\n", "b", "generated", was=("a",))).notes
    assert (note.path, note.kind) == ("a", NoteKind.ORPHANED)


# moved by the owner


@pytest.mark.parametrize("owner", ["shared", "generated", "yours"])
def test_a_file_moved_to_where_we_add_one_is_not_merged_with_two(
    tmp_path: Path, owner: str
) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").rename(tmp_path / "b")
    new = (file(lines(_15="new")), file("b\n", "b", owner))
    if owner != "yours":
        assert kinds(tmp_path, *new) == [ConflictKind.IN_THE_WAY]
    put(tmp_path, *new, request=Request(theirs=frozenset({"b"})))
    assert own(tmp_path) == {"b": lines() if owner == "yours" else "b\n"}


@pytest.mark.parametrize("name", ["MINE.md", "README.md"])
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_conflict_in_a_moved_file_is_decided_by_either_name(
    tmp_path: Path, name: str, side: str
) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").rename(tmp_path / "MINE.md")
    (tmp_path / "MINE.md").write_text(lines(_3="mine"))
    new = file(lines(_3="new"))
    assert kinds(tmp_path, new) == [ConflictKind.CONTENT]
    request = Request(**{side: frozenset({name})})  # type: ignore[arg-type]
    notes = put(tmp_path, new, request=request).notes
    won, who = ("mine", "yours") if side == "ours" else ("new", "epforge's")
    assert own(tmp_path) == {"MINE.md": lines(_3=won)}
    (note,) = (note for note in notes if note.kind is NoteKind.DECIDED)
    assert f"{who} won" in note.text


@pytest.mark.parametrize("name", ["index.md", "README.md"])
def test_a_decision_by_the_old_name_is_announced_as_it_was_made(tmp_path: Path, name: str) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    new = file(lines(_3="new"), "index.md", was=("README.md",))
    (note,) = put(tmp_path, new, request=Request(ours=frozenset({name}))).notes
    assert own(tmp_path) == {"index.md": lines(_3="mine")}
    assert "yours won" in note.text


def test_a_name_that_not_every_system_can_store_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path, file(lines()))
    odd = [os.fsdecode(b"\xff.md"), "what?.md"]
    for name in odd:
        (tmp_path / name).write_text(lines(_3="mine"))
    (tmp_path / "README.md").unlink()
    (note,) = put(tmp_path, file(lines(_15="new"))).notes
    assert note.kind is NoteKind.STAYS_DELETED
    assert {(tmp_path / name).read_text() for name in odd} == {lines(_3="mine")}


def test_what_cannot_be_read_does_not_end_the_search(tmp_path: Path) -> None:
    put(tmp_path, file(lines()))
    os.mkfifo(tmp_path / "A")
    (tmp_path / "README.md").rename(tmp_path / "B.md")
    put(tmp_path, file(lines(_15="new")))
    assert (tmp_path / "B.md").read_text() == lines(_15="new")


def test_a_moved_file_that_left_the_plan_is_announced(tmp_path: Path) -> None:
    put(tmp_path, file(lines()), file("c\n", "c"))
    (tmp_path / "README.md").rename(tmp_path / "MINE.md")
    (note,) = put(tmp_path, file("c\n", "c"), request=THEIRS).notes
    assert (note.path, note.kind) == ("MINE.md", NoteKind.ORPHANED)
    assert own(tmp_path) == {"MINE.md": lines(), "c": "c\n"}


# deleted


@pytest.mark.parametrize("owner", ["shared", "generated"])
def test_a_deletion_is_announced_also_without_a_base(tmp_path: Path, owner: str) -> None:
    put(tmp_path, file(lines(), owner=owner))
    (tmp_path / "README.md").unlink()
    for record in (".epforge/base/README.md", ARCHIVE):
        (tmp_path / record).unlink(missing_ok=True)
    (note,) = put(tmp_path, file(lines(_3="new"))).notes
    assert note.kind is NoteKind.STAYS_DELETED
    assert own(tmp_path) == {}


def test_a_file_that_was_away_for_a_while_catches_up(tmp_path: Path) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").unlink()
    put(tmp_path, file(lines(_3="new")))
    put(tmp_path, file(lines(_3="new", _9="newer")))
    (tmp_path / "README.md").write_text(lines(_15="mine"))
    put(tmp_path, file(lines(_3="new", _9="newer")))
    assert own(tmp_path) == {"README.md": lines(_3="new", _9="newer", _15="mine")}


@pytest.mark.parametrize("edit", ["", "mine\n"], ids=["unedited", "edited"])
def test_a_file_without_a_base_that_left_the_plan_is_accounted_for(
    tmp_path: Path, edit: str
) -> None:
    put(tmp_path, file(lines()), file("c\n", "c"))
    (tmp_path / "README.md").write_text(lines() + edit)
    (tmp_path / ".epforge/base/README.md").unlink()
    if edit:
        assert kinds(tmp_path, file("c\n", "c")) == [ConflictKind.DROPPED]
        put(tmp_path, file("c\n", "c"), request=THEIRS)
    else:
        put(tmp_path, file("c\n", "c"))
    assert own(tmp_path) == {"c": "c\n"}


# in the way


def test_what_is_given_up_for_a_generated_file_is_shown(tmp_path: Path) -> None:
    put(tmp_path, file("s\n"))
    (tmp_path / "a.h").write_text("precious\n")
    new = (file("s\n"), file("a\n", "a.h", "generated"))
    (note,) = put(tmp_path, *new, request=Request(theirs=frozenset({"a.h"}))).notes
    assert (note.kind, "-precious" in note.diff) == (NoteKind.DECIDED, True)


# given up


def test_an_edit_that_is_given_up_is_shown_also_without_a_base(tmp_path: Path) -> None:
    put(tmp_path, file("a\n", "a.h", "generated"))
    (tmp_path / "a.h").write_text("a\nmine\n")
    (tmp_path / ARCHIVE).unlink()
    discard = Request(discard=frozenset({"a.h"}))
    (note,) = put(tmp_path, file("b\n", "a.h", "generated"), request=discard).notes
    assert "+mine\n" in note.diff


@pytest.mark.parametrize("owner", ["generated", "shared"])
def test_an_edit_that_goes_with_its_file_is_shown(tmp_path: Path, owner: str) -> None:
    put(tmp_path, file("a\n", "a.h", owner), file("s\n"))
    (tmp_path / "a.h").write_text("a\nmine\n")
    request = Request(discard=frozenset({"a.h"}), theirs=frozenset({"a.h"}))
    (note,) = put(tmp_path, file("s\n"), request=request).notes
    assert (note.kind, "+mine\n" in note.diff) == (NoteKind.DECIDED, True)
    assert own(tmp_path) == {"README.md": "s\n"}


# hostile


@pytest.mark.parametrize("damage", ["[" * 100_000, '{"a": {"kind": "content", "marker": 1e999}}'])
def test_a_lock_beyond_all_measure_is_damaged(tmp_path: Path, damage: str) -> None:
    put(tmp_path, file("s\n"))
    lock = (tmp_path / LOCK).read_text().replace('"files"', f'"conflicts": {damage}, "files"')
    (tmp_path / LOCK).write_text(lock)
    with pytest.raises(UsageError, match="damaged"):
        read_lock(tmp_path)


def test_a_record_that_swells_is_not_unpacked(tmp_path: Path) -> None:
    put(tmp_path, file("g\n", owner="generated"))
    member = tarfile.TarInfo("README.md")
    member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 20)}
    with tarfile.open(tmp_path / ARCHIVE, "w:xz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member)
    assert Base(tmp_path, lock_of(tmp_path)).packed() == {}
