"""Merging trees: files moved, deleted, added and changed by either side, with every engine."""

import pytest

from epforge.workspace.merge import Engine, Fate, Merged, merge_trees

TEXT = b"".join(b"line %d of a file\n" % number for number in range(12))
MINE = TEXT.replace(b"line 2 ", b"my line ")
NEW = TEXT.replace(b"line 9 ", b"new line ")
BOTH = MINE.replace(b"line 9 ", b"new line ")
CLASH = TEXT.replace(b"line 2 ", b"another line ")
OTHER = b"something else\nentirely, that shares no line\n"
Tree = dict[str, bytes]

every_engine = pytest.mark.parametrize("engine", list(Engine))


def only(
    base: Tree,
    ours: Tree,
    theirs: Tree,
    engine: Engine = Engine.PYTHON,
) -> Merged:
    (row,) = merge_trees(base, ours, theirs, engine=engine)
    return row


@every_engine
def test_one_row_for_each_file(engine: Engine) -> None:
    base = {"same": TEXT, "mine": TEXT, "new": TEXT, "both": TEXT, "clash": TEXT}
    ours = {**base, "mine": MINE, "both": MINE, "clash": MINE, "own": OTHER}
    theirs = {**base, "new": NEW, "both": NEW, "clash": CLASH, "fresh": OTHER}
    rows = merge_trees(base, ours, theirs, engine=engine)
    assert [row.path for row in rows] == ["both", "clash", "fresh", "mine", "new", "same"]
    both, clash, fresh, mine, new, same = rows
    assert both == Merged("both", "both", "both", "both", Fate.MERGED, BOTH)
    assert clash.fate is Fate.CONTENT
    assert (clash.hunks[0].line, clash.hunks[0].yours) == (3, ("my line of a file",))
    assert clash.marker == 7
    assert fresh == Merged("fresh", None, "fresh", None, Fate.MERGED, OTHER)
    assert [row.content for row in (mine, new, same)] == [MINE, NEW, TEXT]
    assert {row.fate for row in (mine, new, same)} == {Fate.MERGED}


@every_engine
def test_epforge_changes_follow_a_file_the_user_moved(engine: Engine) -> None:
    row = only({"a/f": TEXT}, {"b/g": MINE}, {"a/f": NEW}, engine)
    assert row == Merged("b/g", "b/g", "a/f", "a/f", Fate.MERGED, BOTH)


@every_engine
def test_edits_follow_a_file_epforge_moved(engine: Engine) -> None:
    row = only({"a/f": TEXT}, {"a/f": MINE}, {"b/g": NEW}, engine)
    assert row == Merged("b/g", "a/f", "b/g", "a/f", Fate.MERGED, BOTH)


def test_a_moved_file_is_known_by_half_of_its_lines() -> None:
    half = TEXT[: len(TEXT) * 6 // 10] + b"".join(b"my own %d\n" % n for n in range(6))
    assert only({"f": TEXT}, {"g": half}, {"f": NEW}).source == "g"
    less = TEXT[: len(TEXT) * 4 // 10] + b"".join(b"my own line %d\n" % n for n in range(8))
    row = only({"f": TEXT}, {"g": less}, {"f": NEW})
    assert row == Merged("f", None, "f", "f", Fate.STAYS_DELETED, None)


def test_a_moved_file_is_known_in_other_line_ends_and_indents() -> None:
    ours = TEXT.replace(b"\n", b"\r\n")
    assert only({"f": TEXT}, {"g": ours}, {"f": NEW}).content == NEW.replace(b"\n", b"\r\n")
    indented = b"".join(b"  " + line for line in TEXT.splitlines(keepends=True))
    assert only({"f": TEXT}, {"g": indented}, {"f": NEW}).source == "g"


def test_of_several_places_the_most_alike_is_taken() -> None:
    ours = {"x/other": MINE + OTHER, "y/f": TEXT, "a/copy": TEXT}
    assert only({"x/f": TEXT}, ours, {"x/f": NEW}).source == "y/f"
    del ours["y/f"]
    assert only({"x/f": TEXT}, ours, {"x/f": NEW}).source == "a/copy"
    del ours["a/copy"]
    assert only({"x/f": TEXT}, ours, {"x/f": NEW}).source == "x/other"


def test_a_folder_that_was_moved_keeps_its_files_apart() -> None:
    base = {f"old/{name}/CMakeLists.txt": TEXT for name in "abc"}
    moved = {"a": "new/3/a", "b": "new/2/b", "c": "new/1/c"}
    ours = {f"{folder}/CMakeLists.txt": TEXT for folder in moved.values()}
    rows = merge_trees(base, ours, dict.fromkeys(base, NEW))
    assert {row.old: row.path for row in rows} == {
        f"old/{name}/CMakeLists.txt": f"{folder}/CMakeLists.txt" for name, folder in moved.items()
    }


@every_engine
def test_a_new_file_lands_where_epforge_says(engine: Engine) -> None:
    base = {"old/a": TEXT, "old/b": TEXT + OTHER}
    ours = {"new/a": TEXT, "new/b": TEXT + OTHER}
    rows = merge_trees(base, ours, {**base, "old/c": OTHER}, engine=engine)
    assert [row.path for row in rows] == ["new/a", "new/b", "old/c"]


def test_empty_files_are_not_taken_for_each_other() -> None:
    rows = merge_trees({"a": b"", "b": b""}, {"c": b"", "b": b""}, {"a": b"", "d": b""})
    assert [(row.path, row.fate) for row in rows] == [
        ("a", Fate.STAYS_DELETED),
        ("b", Fate.REMOVED),
        ("d", Fate.MERGED),
    ]


@pytest.mark.parametrize("theirs", [{"f": TEXT}, {"f": NEW}, {"g": NEW}, {}])
def test_what_the_user_deleted_stays_deleted(theirs: Tree) -> None:
    row = only({"f": TEXT}, {}, theirs)
    path = next(iter(theirs), "f")
    new = next(iter(theirs), None)
    assert row == Merged(path, None, new, "f", Fate.STAYS_DELETED, None)


@pytest.mark.parametrize("ours", [TEXT, TEXT.replace(b"\n", b"\r\n")])
def test_what_epforge_deleted_goes_if_it_was_left_alone(ours: bytes) -> None:
    assert only({"f": TEXT}, {"f": ours}, {}) == Merged("f", "f", None, "f", Fate.REMOVED, None)


@pytest.mark.parametrize(("path", "ours"), [("f", MINE), ("g", TEXT), ("g", MINE)])
def test_what_epforge_deleted_and_the_user_edited_or_moved_is_a_conflict(
    path: str, ours: bytes
) -> None:
    row = only({"f": TEXT}, {path: ours}, {})
    assert row == Merged(path, path, None, "f", Fate.MODIFY_DELETE, ours)


def test_two_texts_of_one_path_are_a_conflict_where_they_differ() -> None:
    row = only({}, {"f": MINE}, {"f": NEW})
    assert row.fate is Fate.ADD_ADD
    assert [(hunk.line, hunk.base) for hunk in row.hunks] == [(3, ()), (10, ())]
    assert row.content is not None
    assert row.content.startswith(b"line 0 of a file\nline 1 of a file\n<<<<<<< yours\nmy line")
    assert only({}, {"f": TEXT.replace(b"\n", b"\r\n")}, {"f": TEXT}).fate is Fate.MERGED


def test_binary_files_are_taken_from_who_changed_them() -> None:
    old, mine, new = b"\0old", b"\0mine", b"\0new"
    assert only({"f": old}, {"f": old}, {"f": new}).content == new
    assert only({"f": old}, {"f": mine}, {"f": old}).content == mine
    assert only({"f": old}, {"f": new}, {"f": new}).fate is Fate.MERGED
    assert only({"f": old}, {"f": mine}, {"f": new}) == Merged(
        "f", "f", "f", "f", Fate.BINARY, mine
    )
    assert only({}, {"f": mine}, {"f": new}) == Merged("f", "f", "f", None, Fate.ADD_ADD, mine)
    assert only({"f": TEXT}, {"f": mine}, {"f": NEW}).content == mine


def test_a_file_moved_by_both_to_two_places() -> None:
    row = only({"f": TEXT}, {"g": MINE}, {"h": NEW})
    assert row == Merged("g", "g", "h", "f", Fate.RENAMED_TWICE, BOTH)
    row = only({"f": TEXT}, {"g": MINE}, {"h": CLASH})
    assert row.fate is Fate.RENAMED_TWICE
    assert row.hunks


def test_a_file_moved_by_both_to_one_place() -> None:
    row = only({"f": TEXT}, {"g": MINE}, {"g": NEW})
    assert row == Merged("g", "g", "g", "f", Fate.MERGED, BOTH)


def test_no_file_is_moved_onto_another_of_the_user() -> None:
    rows = merge_trees({"f": TEXT}, {"f": MINE, "g": OTHER}, {"g": NEW})
    assert [(row.path, row.fate, row.source) for row in rows] == [
        ("f", Fate.MODIFY_DELETE, "f"),
        ("g", Fate.ADD_ADD, "g"),
    ]
    rows = merge_trees({"f": TEXT}, {"g": MINE}, {"f": NEW, "g": OTHER})
    assert [(row.path, row.fate) for row in rows] == [
        ("f", Fate.STAYS_DELETED),
        ("g", Fate.ADD_ADD),
    ]
    assert rows[1].content is not None
    assert b"my line of a file" in rows[1].content


def test_a_move_that_is_known_needs_no_likeness() -> None:
    rows = merge_trees({"f": TEXT}, {"f": TEXT}, {"g": OTHER}, moved={"f": "g"})
    assert rows == (Merged("g", "f", "g", "f", Fate.MERGED, OTHER),)
    rows = merge_trees({"f": TEXT}, {"f": TEXT}, {"f": TEXT, "g": OTHER}, moved={"f": "g"})
    assert [row.source for row in rows] == ["f", None]


def test_many_files_moved_and_edited_are_still_found() -> None:
    base = {f"old/{n}.txt": TEXT + b"about %d, and no other\n" % n for n in range(200)}
    ours = {
        path.replace("old", "new"): text.replace(b"line 2 ", b"my line ")
        for path, text in base.items()
    }
    theirs = {path: text.replace(b"line 9 ", b"new line ") for path, text in base.items()}
    rows = merge_trees(base, ours, theirs, engine=Engine.PYTHON)
    assert [row.path for row in rows] == sorted(ours)
    assert all(row.old == row.path.replace("new", "old") for row in rows)
