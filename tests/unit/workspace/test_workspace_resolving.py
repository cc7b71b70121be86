"""Ending conflicts when files, markers and records are not as they were left."""

from pathlib import Path

import pytest
from publishing import MARKERS, TOOL, file, lines, own, put

from epforge.errors import UsageError
from epforge.workspace import OnConflict, open_conflicts, publish, resolve

# resolving


@pytest.mark.parametrize("side", [OnConflict.OURS, OnConflict.THEIRS])
def test_choosing_a_side_keeps_what_its_owner_did_since(tmp_path: Path, side: OnConflict) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine", _15="also mine"))
    put(tmp_path, file(lines(_3="new", _15="also new")), request=MARKERS)
    text = (tmp_path / "README.md").read_text()
    first = text[text.index("<<<") : text.index(">>>") + len(">>>>>>> epforge\n")]
    text = text.replace(first, "by hand\n").replace("line 20\n", "line 20\nand more\n")
    (tmp_path / "README.md").write_text(text)
    assert resolve(tmp_path, side=side).resolved == ("README.md",)
    won = "also mine" if side is OnConflict.OURS else "also new"
    assert own(tmp_path) == {"README.md": lines(_3="by hand", _15=won) + "and more\n"}


@pytest.mark.parametrize("side", [OnConflict.OURS, OnConflict.THEIRS])
def test_choosing_a_side_leaves_what_was_resolved_by_hand(tmp_path: Path, side: OnConflict) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    put(tmp_path, file(lines(_3="new")), request=MARKERS)
    (tmp_path / "README.md").write_text(lines(_3="by hand"))
    assert resolve(tmp_path, side=side).resolved == ("README.md",)
    assert own(tmp_path) == {"README.md": lines(_3="by hand")}


def test_choosing_a_side_does_not_read_damaged_markers(tmp_path: Path) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    put(tmp_path, file(lines(_3="new")), request=MARKERS)
    text = (tmp_path / "README.md").read_text().replace("=======\n", "by hand\n")
    (tmp_path / "README.md").write_text(text)
    with pytest.raises(UsageError, match="markers"):
        resolve(tmp_path, side=OnConflict.THEIRS)
    assert own(tmp_path) == {"README.md": text}


def test_a_file_deleted_in_a_conflict_stays_deleted_or_is_epforges(tmp_path: Path) -> None:
    for side, left in ((None, None), (OnConflict.OURS, None), (OnConflict.THEIRS, "new")):
        place = tmp_path / str(side)
        put(place, file(lines()), file("c\n", "c"))
        (place / "README.md").write_text(lines(_3="mine"))
        put(place, file(lines(_3="new")), file("c\n", "c"), request=MARKERS)
        (place / "README.md").unlink()
        assert resolve(place, side=side).resolved == ("README.md",)
        assert own(place).get("README.md") == (left and lines(_3=left))
        put(place, file(lines(_3="new")), file("c\n", "c"))


@pytest.mark.parametrize("line", ["<<<<<<< yours", ">>>>>>> epforge", "<<<<<<<<< yours"])
def test_lines_that_look_like_markers_are_not_taken_for_them(tmp_path: Path, line: str) -> None:
    put(tmp_path, file(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine", _8=line))
    new = file(lines(_3="new"))
    put(tmp_path, new, request=MARKERS)
    assert resolve(tmp_path).resolved == ()
    assert resolve(tmp_path, side=OnConflict.THEIRS).resolved == ("README.md",)
    assert own(tmp_path) == {"README.md": lines(_3="new", _8=line)}
    assert open_conflicts(tmp_path) == {}
    put(tmp_path, new)


def test_choosing_a_side_keeps_the_line_ends_of_the_owner(tmp_path: Path) -> None:
    put(tmp_path, file("x\ny"))
    (tmp_path / "README.md").write_bytes(b"\xef\xbb\xbfmine\r\ny\r\n")
    put(tmp_path, file("new\ny"), request=MARKERS)
    with (tmp_path / "README.md").open("ab") as readme:
        readme.write(b"more")
    assert resolve(tmp_path, side=OnConflict.THEIRS).resolved == ("README.md",)
    assert (tmp_path / "README.md").read_bytes() == b"\xef\xbb\xbfnew\r\ny\r\nmore"


def test_epforges_file_is_not_taken_where_it_is_not_known_any_more(tmp_path: Path) -> None:
    put(tmp_path, file(b"\0old", "a"))
    (tmp_path / "a").write_bytes(b"\0mine")
    put(tmp_path, file(b"\0new", "a"), request=MARKERS)
    (tmp_path / ".epforge/conflicts/epforge/a").unlink()
    with pytest.raises(UsageError, match="not in"):
        resolve(tmp_path, side=OnConflict.THEIRS)
    assert set(open_conflicts(tmp_path)) == {"a"}


# records


def test_records_are_not_written_through_a_link(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "p", tmp_path / "elsewhere"
    put(project, file(lines()))
    (project / "README.md").write_text(lines(_3="mine"))
    elsewhere.mkdir()
    (project / ".epforge/conflicts").mkdir()
    (project / ".epforge/conflicts/epforge").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="link"):
        put(project, file(lines(_3="new")), request=MARKERS)
    assert list(elsewhere.iterdir()) == []


def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "p", tmp_path / "elsewhere"
    put(project, file(lines()))
    (project / "README.md").write_text(lines(_3="mine"))
    put(project, file(lines(_3="new")), request=MARKERS)
    (project / ".epforge/conflicts/base").rename(elsewhere)
    (project / ".epforge/conflicts/base").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="link"):
        resolve(project, side=OnConflict.OURS)
    assert (elsewhere / "README.md").exists()


def test_a_base_with_other_line_ends_is_still_the_base(tmp_path: Path) -> None:
    put(tmp_path, file(lines()))
    base = tmp_path / ".epforge/base/README.md"
    base.write_bytes(base.read_bytes().replace(b"\n", b"\r\n"))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    put(tmp_path, file(lines(_15="new")))
    assert own(tmp_path) == {"README.md": lines(_3="mine", _15="new")}


def test_a_crash_while_a_name_changes_its_case_is_finished(tmp_path: Path) -> None:
    put(tmp_path, file(lines()))
    new = [file(lines(), "Readme.md", was=("README.md",))]

    class Crash(BaseException):
        pass

    def crash(name: str) -> None:
        if name.startswith("apply"):
            raise Crash

    with pytest.raises(Crash):
        publish(tmp_path, new, tool=TOOL, blueprint=b"b", step=crash)
    publish(tmp_path, new, tool=TOOL, blueprint=b"b")
    assert own(tmp_path) == {"Readme.md": lines()}
