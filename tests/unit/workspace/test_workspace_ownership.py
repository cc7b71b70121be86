"""Who may change what: every rule of ownership, seen through `publish` and `preview`."""

from pathlib import Path

import pytest

from epforge.errors import ExitStatus
from epforge.workspace import (
    LOCK,
    ActionKind,
    ConflictKind,
    ConflictsError,
    EditedError,
    File,
    NoteKind,
    OnConflict,
    OpenConflictsError,
    Outcome,
    Owner,
    Request,
    Tool,
    open_conflicts,
    preview,
    publish,
    read_lock,
    resolve,
)
from epforge.workspace.merge import Engine

TOOL = Tool("0.1.0", "f" * 64)
LINES = "".join(f"line {number}\n" for number in range(1, 21))
NOTHING = Request()


@pytest.fixture(params=list(Engine))
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Each way of merging in turn: with new git, with old git, without git."""
    monkeypatch.setenv("EPFORGE_MERGE", request.param.value)
    return request.param


def lines(**changes: str) -> str:
    """Twenty lines, some of them replaced: ``lines(_3="three")``."""
    text = LINES.splitlines(keepends=True)
    for name, line in changes.items():
        text[int(name[1:]) - 1] = f"{line}\n"
    return "".join(text)


def shared(text: str | bytes, path: str = "README.md", was: tuple[str, ...] = ()) -> File:
    return File(path, text.encode() if isinstance(text, str) else text, Owner.SHARED, was=was)


def generated(text: str, path: str = "gen/a.h") -> File:
    return File(path, text.encode(), Owner.GENERATED)


def yours(text: str, path: str = "src/mine.cc", was: tuple[str, ...] = ()) -> File:
    return File(path, text.encode(), Owner.YOURS, was=was)


def put(directory: Path, *files: File, request: Request = NOTHING) -> Outcome:
    return publish(directory, files, tool=TOOL, blueprint=b"b", request=request)


def refused(directory: Path, *files: File, request: Request = NOTHING) -> Outcome:
    """What is refused, after a look that nothing has changed."""
    before = tree(directory)
    with pytest.raises(ConflictsError) as caught:
        put(directory, *files, request=request)
    assert caught.value.exit_status is ExitStatus.CONFLICTS
    assert tree(directory) == before
    seen = preview(directory, files, tool=TOOL, blueprint=b"b", request=request)
    assert seen.conflicts == caught.value.outcome.conflicts
    return caught.value.outcome


def tree(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def own(directory: Path) -> set[str]:
    """The project's files, without epforge's records."""
    return {path for path in tree(directory) if path != LOCK and not path.startswith(".epforge/")}


def chosen(mode: OnConflict) -> Request:
    return Request(on_conflict=mode)


def named(**paths: str) -> Request:
    return Request(**{name: frozenset({path}) for name, path in paths.items()})  # type: ignore[arg-type]


# generated


def test_an_edited_generated_file_is_refused_in_every_mode(tmp_path: Path) -> None:
    put(tmp_path, generated("old\n"))
    (tmp_path / "gen/a.h").write_text("old\nmine\n")
    for mode in OnConflict:
        for new in ("new\n", "old\n"):
            (conflict,) = refused(tmp_path, generated(new), request=chosen(mode)).conflicts
            assert conflict.kind is ConflictKind.EDITED
            assert "+mine" in conflict.diff


def test_discard_gives_an_edit_up_and_shows_it(tmp_path: Path) -> None:
    put(tmp_path, generated("old\n"))
    (tmp_path / "gen/a.h").write_text("mine\n")
    done = put(tmp_path, generated("new\n"), request=named(discard="gen/a.h"))
    assert (tmp_path / "gen/a.h").read_text() == "new\n"
    assert [(note.kind, "+mine" in note.diff) for note in done.notes] == [(NoteKind.DECIDED, True)]


def test_adopted_files_are_merged_from_then_on(tmp_path: Path) -> None:
    put(tmp_path, generated(lines()))
    (tmp_path / "gen/a.h").write_text(lines(_3="mine"))
    adopted = File("gen/a.h", lines(_15="new").encode(), Owner.SHARED, adopted=True)
    put(tmp_path, adopted)
    assert (tmp_path / "gen/a.h").read_text() == lines(_3="mine", _15="new")
    lock = read_lock(tmp_path)
    assert lock is not None
    assert lock.files["gen/a.h"].adopted
    again = File("gen/a.h", lines(_15="newer").encode(), Owner.SHARED, adopted=True)
    put(tmp_path, again)
    assert (tmp_path / "gen/a.h").read_text() == lines(_3="mine", _15="newer")


def test_a_deleted_generated_file_stays_deleted_until_its_owner_decides(tmp_path: Path) -> None:
    put(tmp_path, generated("old\n"))
    (tmp_path / "gen/a.h").unlink()
    for new in ("old\n", "new\n"):
        (conflict,) = refused(tmp_path, generated(new)).conflicts
        assert conflict.kind is ConflictKind.DELETED
    put(tmp_path, File("gen/a.h", b"new\n", Owner.SHARED, adopted=True))
    assert not (tmp_path / "gen/a.h").exists()
    put(tmp_path, generated("new\n"), request=named(discard="gen/a.h"))
    assert (tmp_path / "gen/a.h").read_text() == "new\n"


def test_blanks_in_generated_code_are_no_edit(tmp_path: Path) -> None:
    put(tmp_path, generated("int  f();\nint g();\n"), generated("a\n  b\n", "gen/a.py"))
    (tmp_path / "gen/a.h").write_text("int f();  int g();\n")
    done = put(tmp_path, generated("int h();\n"), generated("a\n  b\n", "gen/a.py"))
    assert (tmp_path / "gen/a.h").read_text() == "int h();\n"
    assert [note.kind for note in done.notes] == [NoteKind.LAYOUT]
    (tmp_path / "gen/a.py").write_text("a\nb\n")  # where they mean something, it is one
    refused(tmp_path, generated("int h();\n"), generated("a\n  b\n", "gen/a.py"))


def test_line_ends_of_generated_files_are_no_edit_and_stay(tmp_path: Path) -> None:
    put(tmp_path, generated("a\nb\n"))
    (tmp_path / "gen/a.h").write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    assert put(tmp_path, generated("a\nb\n")).actions == ()
    put(tmp_path, generated("a\nc\n"))
    assert (tmp_path / "gen/a.h").read_bytes() == b"\xef\xbb\xbfa\r\nc\r\n"


def test_a_generated_file_that_left_the_plan_goes_unless_it_was_edited(tmp_path: Path) -> None:
    put(tmp_path, generated("a\n"), generated("b\n", "gen/b.h"))
    (tmp_path / "gen/b.h").write_text("b\nmine\n")
    (conflict,) = refused(tmp_path, shared("s\n")).conflicts
    assert conflict.path == "gen/b.h"
    done = put(tmp_path, shared("s\n"), request=named(adopt="gen/b.h"))
    assert own(tmp_path) == {"gen/b.h", "README.md"}
    assert done.paths(ActionKind.REMOVE) == ("gen/a.h",)


def test_a_file_of_the_owners_where_a_generated_one_shall_go_stays(tmp_path: Path) -> None:
    put(tmp_path, shared("s\n"))
    (tmp_path / "gen").mkdir()
    (tmp_path / "gen/a.h").write_text("precious\n")
    for mode in OnConflict:
        refused(tmp_path, shared("s\n"), generated("a\n"), request=chosen(mode))
    put(tmp_path, shared("s\n"), generated("a\n"), request=named(theirs="gen/a.h"))
    assert (tmp_path / "gen/a.h").read_text() == "a\n"


# shared


@pytest.mark.usefixtures("engine")
def test_edits_of_different_places_are_both_kept(tmp_path: Path) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    done = put(tmp_path, shared(lines(_15="new")))
    assert (tmp_path / "README.md").read_text() == lines(_3="mine", _15="new")
    assert done.paths(ActionKind.MERGE) == ("README.md",)
    assert put(tmp_path, shared(lines(_15="new"))).actions == ()


@pytest.mark.usefixtures("engine")
def test_the_same_line_is_a_conflict_that_shows_both_sides(tmp_path: Path) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    (conflict,) = refused(tmp_path, shared(lines(_3="new"))).conflicts
    (hunk,) = conflict.hunks
    assert (hunk.line, hunk.yours, hunk.epforge) == (3, ("mine",), ("new",))


@pytest.mark.parametrize(
    ("mode", "line", "note"),
    [(OnConflict.OURS, "mine", "-new"), (OnConflict.THEIRS, "new", "-mine")],
)
def test_a_side_may_win_and_what_is_given_up_is_shown(
    tmp_path: Path, mode: OnConflict, line: str, note: str
) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine", _8="also mine"))
    done = put(tmp_path, shared(lines(_3="new", _15="far")), request=chosen(mode))
    text = lines(_3=line, _8="also mine", _15="far")
    assert (tmp_path / "README.md").read_text() == text
    assert [each.kind for each in done.notes] == [NoteKind.DECIDED]
    assert note in done.notes[0].diff


@pytest.mark.parametrize("mode", [OnConflict.OURS, OnConflict.THEIRS])
def test_a_decision_is_announced_also_where_nothing_else_changes(
    tmp_path: Path, mode: OnConflict
) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    done = put(tmp_path, shared(lines(_3="new")), request=chosen(mode))
    assert [each.kind for each in done.notes] == [NoteKind.DECIDED]
    assert ("new" if mode is OnConflict.OURS else "mine") in done.notes[0].diff


@pytest.mark.usefixtures("engine")
def test_markers_are_recorded_and_stop_every_later_command(tmp_path: Path) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    done = put(tmp_path, shared(lines(_3="new")), request=chosen(OnConflict.MARKERS))
    text = (tmp_path / "README.md").read_text()
    assert text.index("mine") < text.index("=======") < text.index("new")
    assert [each.path for each in done.open] == ["README.md"]
    assert set(open_conflicts(tmp_path)) == {"README.md"}
    with pytest.raises(OpenConflictsError, match=r"README\.md"):
        put(tmp_path, shared(lines(_3="newer")))
    left = resolve(tmp_path)
    assert left.resolved == ()
    assert len(left.left["README.md"]) >= 3
    (tmp_path / "README.md").write_text(lines(_3="mine and new"))
    assert resolve(tmp_path, ["README.md"]).resolved == ("README.md",)
    assert not (tmp_path / ".epforge/conflicts").exists()
    put(tmp_path, shared(lines(_3="new", _15="far")))
    assert (tmp_path / "README.md").read_text() == lines(_3="mine and new", _15="far")


@pytest.mark.parametrize(("side", "line"), [(OnConflict.OURS, "mine"), (OnConflict.THEIRS, "new")])
def test_resolving_may_choose_a_side(tmp_path: Path, side: OnConflict, line: str) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    put(tmp_path, shared(lines(_3="new", _15="far")), request=chosen(OnConflict.MARKERS))
    assert resolve(tmp_path, side=side).resolved == ("README.md",)
    assert (tmp_path / "README.md").read_text() == lines(_3=line, _15="far")


def test_a_deleted_shared_file_stays_deleted_and_that_is_said_once(tmp_path: Path) -> None:
    put(tmp_path, shared(lines()), shared("c\n", "CMakeLists.txt"))
    (tmp_path / "README.md").unlink()
    said = [
        [
            (note.kind, note.is_new)
            for note in put(tmp_path, shared(text), shared("c\n", "CMakeLists.txt")).notes
        ]
        for text in (lines(), lines(), lines(_3="new"), lines(_3="new"))
    ]
    assert [new for ((_, new),) in said] == [True, False, True, False]
    assert not (tmp_path / "README.md").exists()
    put(
        tmp_path,
        shared(lines(_3="new")),
        shared("c\n", "CMakeLists.txt"),
        request=named(restore="README.md"),
    )
    assert (tmp_path / "README.md").read_text() == lines(_3="new")


@pytest.mark.usefixtures("engine")
def test_changes_follow_a_file_that_its_owner_renamed(tmp_path: Path) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").rename(tmp_path / "docs/READ.md")
    (tmp_path / "docs/READ.md").write_text(lines(_3="mine"))
    put(tmp_path, shared(lines(_15="new")))
    assert own(tmp_path) == {"docs/READ.md"}
    assert (tmp_path / "docs/READ.md").read_text() == lines(_3="mine", _15="new")
    put(tmp_path, shared(lines(_15="newer")))
    assert (tmp_path / "docs/READ.md").read_text() == lines(_3="mine", _15="newer")


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("was", [("README.md",), ()], ids=["said by the plan", "found"])
def test_edits_follow_a_file_that_we_renamed(tmp_path: Path, was: tuple[str, ...]) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    done = put(tmp_path, shared(lines(_15="new"), "docs/index.md", was=was))
    assert own(tmp_path) == {"docs/index.md"}
    assert (tmp_path / "docs/index.md").read_text() == lines(_3="mine", _15="new")
    assert [(each.path, each.source) for each in done.actions] == [("docs/index.md", "README.md")]


@pytest.mark.usefixtures("engine")
def test_both_renaming_a_file_is_a_conflict(tmp_path: Path) -> None:
    put(tmp_path, shared(lines()))
    (tmp_path / "README.md").rename(tmp_path / "MINE.md")
    (tmp_path / "MINE.md").write_text(lines(_3="mine"))
    (conflict,) = refused(tmp_path, shared(lines(_15="new"), "docs/index.md")).conflicts
    assert conflict.kind is ConflictKind.RENAMED_TWICE
    put(tmp_path, shared(lines(_15="new"), "docs/index.md"), request=chosen(OnConflict.OURS))
    assert own(tmp_path) == {"MINE.md"}
    assert (tmp_path / "MINE.md").read_text() == lines(_3="mine", _15="new")


@pytest.mark.parametrize(
    ("mode", "left"),
    [(OnConflict.OURS, True), (OnConflict.MARKERS, True), (OnConflict.THEIRS, False)],
)
def test_a_shared_file_that_left_the_plan_goes_unless_it_was_edited(
    tmp_path: Path, mode: OnConflict, left: bool
) -> None:
    put(tmp_path, shared(lines()), shared("c\n", "CMakeLists.txt"))
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    (conflict,) = refused(tmp_path, shared("c\n", "CMakeLists.txt")).conflicts
    assert conflict.kind is ConflictKind.DROPPED
    done = put(tmp_path, shared("c\n", "CMakeLists.txt"), request=chosen(mode))
    assert (tmp_path / "README.md").exists() is left
    assert [note.path for note in done.notes] == ["README.md"]
    put(tmp_path)
    assert own(tmp_path) == ({"README.md"} if left else set())


@pytest.mark.parametrize("damage", ["missing", "corrupt"])
def test_without_a_base_nothing_is_overwritten(tmp_path: Path, damage: str) -> None:
    put(tmp_path, shared(lines()))
    base = tmp_path / ".epforge/base/README.md"
    base.unlink() if damage == "missing" else base.write_text("damaged")
    assert put(tmp_path, shared(lines())).conflicts == ()
    base.unlink() if damage == "missing" else base.write_text("damaged")
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    (conflict,) = refused(tmp_path, shared(lines(_15="new"))).conflicts
    assert conflict.kind is ConflictKind.NO_BASE
    done = put(tmp_path, shared(lines(_15="new")), request=chosen(OnConflict.MARKERS))
    assert (tmp_path / "README.md").read_text() == lines(_3="mine")
    assert (tmp_path / ".epforge/conflicts/epforge/README.md").read_text() == lines(_15="new")
    assert [each.kind for each in done.open] == [ConflictKind.NO_BASE]
    assert resolve(tmp_path, side=OnConflict.THEIRS).resolved == ("README.md",)
    assert (tmp_path / "README.md").read_text() == lines(_15="new")


def test_a_missing_base_heals_where_nothing_was_edited(tmp_path: Path) -> None:
    put(tmp_path, shared(lines()), generated("a\n"))
    before = tree(tmp_path)
    (tmp_path / ".epforge/base/README.md").unlink()
    (tmp_path / ".epforge/base.tar.xz").write_bytes(b"damaged")
    put(tmp_path, shared(lines()), generated("a\n"))
    assert tree(tmp_path) == before


@pytest.mark.usefixtures("engine")
def test_binary_files_are_never_merged(tmp_path: Path) -> None:
    logo = "logo.png"
    put(tmp_path, shared(b"\0old", logo))
    (tmp_path / logo).write_bytes(b"\0mine")
    (conflict,) = refused(tmp_path, shared(b"\0new", logo)).conflicts
    assert conflict.kind is ConflictKind.BINARY
    assert put(tmp_path, shared(b"\0old", logo)).actions == ()
    put(tmp_path, shared(b"\0new", logo), request=chosen(OnConflict.MARKERS))
    assert (tmp_path / logo).read_bytes() == b"\0mine"
    assert (tmp_path / f".epforge/conflicts/epforge/{logo}").read_bytes() == b"\0new"


@pytest.mark.usefixtures("engine")
def test_line_ends_and_byte_order_mark_of_the_owner_stay(tmp_path: Path) -> None:
    put(tmp_path, shared(lines()))
    mine = b"\xef\xbb\xbf" + lines(_3="mine").replace("\n", "\r\n").encode()
    (tmp_path / "README.md").write_bytes(mine)
    put(tmp_path, shared(lines(_15="new")))
    wanted = lines(_3="mine", _15="new").replace("\n", "\r\n").encode()
    assert (tmp_path / "README.md").read_bytes() == b"\xef\xbb\xbf" + wanted


def test_a_link_in_place_of_a_shared_file_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path / "p", shared(lines()))
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "p/README.md").unlink()
    (tmp_path / "p/README.md").symlink_to(tmp_path / "elsewhere")
    assert put(tmp_path / "p", shared(lines())).conflicts == ()
    refused(tmp_path / "p", shared(lines(_3="new")))
    put(tmp_path / "p", shared(lines(_3="new")), request=named(ours="README.md"))
    assert (tmp_path / "p/README.md").is_symlink()
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_the_x_bit_of_the_owner_stays(tmp_path: Path) -> None:
    put(tmp_path, shared(lines(), "run.sh"))
    (tmp_path / "run.sh").write_text(lines(_3="mine"))
    (tmp_path / "run.sh").chmod(0o755)
    put(tmp_path, shared(lines(_15="new"), "run.sh"))
    assert (tmp_path / "run.sh").stat().st_mode & 0o100


# yours


def test_what_we_would_write_today_is_said_and_shown_once(tmp_path: Path) -> None:
    put(tmp_path, yours(lines()))
    (tmp_path / "src/mine.cc").write_text(lines(_3="mine"))
    for new in (True, False):
        (note,) = put(tmp_path, yours(lines(_15="new"))).notes
        assert (note.kind, note.is_new) == (NoteKind.BEHIND, new)
        assert "+new" in note.diff
    assert (tmp_path / "src/mine.cc").read_text() == lines(_3="mine")


def test_pasting_what_changed_ends_the_matter(tmp_path: Path) -> None:
    put(tmp_path, yours(lines()))
    put(tmp_path, yours(lines(_15="new")))
    (tmp_path / "src/mine.cc").write_text(lines(_3="mine", _15="new"))
    assert put(tmp_path, yours(lines(_15="new"))).notes == ()
    (note,) = put(tmp_path, yours(lines(_15="newer"))).notes
    assert "-new\n+newer" in note.diff


@pytest.mark.usefixtures("engine")
def test_refresh_merges_over_several_changes(tmp_path: Path) -> None:
    put(tmp_path, yours(lines()))
    (tmp_path / "src/mine.cc").write_text(lines(_3="mine"))
    put(tmp_path, yours(lines(_15="new")))
    put(tmp_path, yours(lines(_15="new", _18="newer")))
    new = yours(lines(_15="new", _18="newer"))
    put(tmp_path, new, request=named(refresh="src/mine.cc"))
    assert (tmp_path / "src/mine.cc").read_text() == lines(_3="mine", _15="new", _18="newer")
    assert put(tmp_path, new).notes == ()


def test_refresh_shows_conflicts_like_any_merge(tmp_path: Path) -> None:
    put(tmp_path, yours(lines()))
    (tmp_path / "src/mine.cc").write_text(lines(_3="mine"))
    refresh = named(refresh="src/mine.cc")
    (conflict,) = refused(tmp_path, yours(lines(_3="new")), request=refresh).conflicts
    assert conflict.hunks[0].yours == ("mine",)


def test_a_file_that_left_the_plan_stays_and_may_come_back(tmp_path: Path) -> None:
    put(tmp_path, yours("m\n"), shared("s\n"))
    (tmp_path / "src/mine.cc").write_text("mine\n")
    (note,) = put(tmp_path, shared("s\n")).notes
    assert note.kind is NoteKind.ORPHANED
    assert put(tmp_path, shared("s\n")).notes == ()
    put(tmp_path, yours("m\n"), shared("s\n"))
    assert (tmp_path / "src/mine.cc").read_text() == "mine\n"


def test_a_file_of_yours_moves_with_its_text_where_the_plan_says_so(tmp_path: Path) -> None:
    put(tmp_path, yours("m\n"))
    (tmp_path / "src/mine.cc").write_text("mine\n")
    (note,) = put(tmp_path, yours("m2\n", "src/kernels/mine.cc", was=("src/mine.cc",))).notes
    assert note.kind is NoteKind.MOVED
    assert own(tmp_path) == {"src/kernels/mine.cc"}
    assert (tmp_path / "src/kernels/mine.cc").read_text() == "mine\n"


@pytest.mark.parametrize("mine", [lines(_15="new"), lines(_3="mine", _15="new")])
def test_a_file_of_yours_that_moves_and_has_what_is_new_is_up_to_date(
    tmp_path: Path, mine: str
) -> None:
    put(tmp_path, yours(lines()))
    (tmp_path / "src/mine.cc").write_text(mine)
    new = yours(lines(_15="new"), "src/kernels/mine.cc", was=("src/mine.cc",))
    put(tmp_path, new)
    lock = (tmp_path / LOCK).read_bytes()
    assert put(tmp_path, new).notes == ()
    assert (tmp_path / LOCK).read_bytes() == lock


def test_a_deleted_file_of_yours_stays_deleted_until_it_is_restored(tmp_path: Path) -> None:
    put(tmp_path, yours("m\n"))
    (tmp_path / "src/mine.cc").unlink()
    kinds = [[note.kind for note in put(tmp_path, yours(text)).notes] for text in ("m\n", "n\n")]
    assert kinds == [[NoteKind.STAYS_DELETED]] * 2
    put(tmp_path, yours("n\n"), request=named(restore="src/mine.cc"))
    assert (tmp_path / "src/mine.cc").read_text() == "n\n"


# all of them


def test_an_edit_made_while_we_decide_is_not_overwritten(tmp_path: Path) -> None:
    put(tmp_path, shared("old\n"))

    def edit(name: str) -> None:
        if name.startswith("stage"):
            (tmp_path / "README.md").write_text("mine\n")

    with pytest.raises(EditedError):
        publish(tmp_path, [shared("new\n")], tool=TOOL, blueprint=b"b", step=edit)
    assert (tmp_path / "README.md").read_text() == "mine\n"


def test_a_lock_of_the_first_format_is_read(tmp_path: Path) -> None:
    put(tmp_path, generated("g\n"), shared(lines()), yours(lines()))
    lock = (tmp_path / LOCK).read_text().replace('"format": 2', '"format": 1')
    (tmp_path / LOCK).write_text(lock)
    (tmp_path / ".epforge/base.tar.xz").unlink()
    (tmp_path / "README.md").write_text(lines(_3="mine"))
    (tmp_path / "src/mine.cc").write_text(lines(_4="mine"))
    done = put(tmp_path, generated("g2\n"), shared(lines(_15="new")), yours(lines(_15="new")))
    assert (tmp_path / "README.md").read_text() == lines(_3="mine", _15="new")
    assert (tmp_path / "src/mine.cc").read_text() == lines(_4="mine")
    assert (tmp_path / "gen/a.h").read_text() == "g2\n"
    assert [note.kind for note in done.notes] == [NoteKind.BEHIND]


def test_every_conflict_is_reported_in_one_run(tmp_path: Path) -> None:
    put(tmp_path, generated("g\n"), shared(lines()), shared("c\n", "CMakeLists.txt"))
    for path in ("gen/a.h", "README.md", "CMakeLists.txt"):
        (tmp_path / path).write_text("mine\n")
    new = (generated("g2\n"), shared(lines(_1="new")), shared("d\n", "CMakeLists.txt"))
    assert len(refused(tmp_path, *new).conflicts) == 3
