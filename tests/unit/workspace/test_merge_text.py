"""Merging one text: who wins where, what a conflict looks like, and what layout survives."""

import pytest

from epforge.workspace.merge import (
    Engine,
    Favor,
    TextMerge,
    is_binary,
    merge_text,
    open_markers,
)

BASE = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
BOM = b"\xef\xbb\xbf"

every_engine = pytest.mark.parametrize("engine", list(Engine))


def crlf(text: bytes) -> bytes:
    return text.replace(b"\n", b"\r\n")


@every_engine
def test_edits_apart_merge(engine: Engine) -> None:
    ours = BASE.replace(b"two", b"mine")
    theirs = BASE.replace(b"six", b"new")
    merged = merge_text(BASE, ours, theirs, engine=engine)
    assert merged == TextMerge(BASE.replace(b"two", b"mine").replace(b"six", b"new"))
    assert merged.clean


@every_engine
def test_one_line_between_two_edits_is_enough(engine: Engine) -> None:
    ours = BASE.replace(b"two", b"mine")
    theirs = BASE.replace(b"four", b"new")
    assert merge_text(BASE, ours, theirs, engine=engine).clean
    theirs = BASE.replace(b"three", b"new")
    assert not merge_text(BASE, ours, theirs, engine=engine).clean


@every_engine
def test_a_conflict_shows_yours_base_and_epforge(engine: Engine) -> None:
    ours = BASE.replace(b"three", b"mine\nand mine")
    theirs = b"zero\n" + BASE.replace(b"three", b"new")
    merged = merge_text(BASE, ours, theirs, engine=engine)
    assert merged.content == (
        b"zero\none\ntwo\n<<<<<<< yours\nmine\nand mine\n||||||| base\nthree\n=======\nnew\n"
        b">>>>>>> epforge\nfour\nfive\nsix\nseven\n"
    )
    assert merged.marker == 7
    (hunk,) = merged.hunks
    assert hunk.line == 3  # in the user's file, which has no line zero
    assert (hunk.yours, hunk.base, hunk.epforge) == (("mine", "and mine"), ("three",), ("new",))


@every_engine
def test_what_both_begin_and_end_with_is_no_conflict(engine: Engine) -> None:
    ours = BASE.replace(b"three", b"head\nmine\ntail")
    theirs = BASE.replace(b"three", b"head\nnew\ntail")
    merged = merge_text(BASE, ours, theirs, engine=engine)
    (hunk,) = merged.hunks
    assert (hunk.line, hunk.yours, hunk.epforge) == (4, ("mine",), ("new",))
    assert b"two\nhead\n<<<<<<<" in merged.content
    assert b">>>>>>> epforge\ntail\n" in merged.content


@every_engine
def test_a_conflict_behind_the_last_line(engine: Engine) -> None:
    merged = merge_text(BASE, BASE + b"mine\n", BASE + b"new\n", engine=engine)
    (hunk,) = merged.hunks
    assert (hunk.line, hunk.base) == (8, ())
    removed = BASE.removesuffix(b"seven\n")
    (hunk,) = merge_text(BASE, removed, removed + b"new\n", engine=engine).hunks
    assert (hunk.line, hunk.yours, hunk.base) == (7, (), ("seven",))


@every_engine
@pytest.mark.parametrize(("favor", "kept"), [(Favor.YOURS, b"mine"), (Favor.EPFORGE, b"new")])
def test_a_favor_decides_conflicts_alone(engine: Engine, favor: Favor, kept: bytes) -> None:
    ours = BASE.replace(b"one", b"my one").replace(b"four", b"mine")
    theirs = BASE.replace(b"four", b"new").replace(b"seven", b"new seven")
    expected = BASE.replace(b"one", b"my one").replace(b"four", kept)
    merged = merge_text(BASE, ours, theirs, favor=favor, engine=engine)
    assert merged == TextMerge(expected.replace(b"seven", b"new seven"))


@every_engine
def test_the_same_change_on_both_sides_is_made_once(engine: Engine) -> None:
    ours = BASE.replace(b"four", b"same").replace(b"one", b"mine")
    theirs = BASE.replace(b"four", b"same").replace(b"seven", b"new")
    merged = merge_text(BASE, ours, theirs, engine=engine)
    assert merged.content == ours.replace(b"seven", b"new")


@every_engine
def test_a_user_who_only_changed_line_ends_has_changed_nothing(engine: Engine) -> None:
    theirs = BASE.replace(b"four", b"new")
    assert merge_text(BASE, crlf(BASE), theirs, engine=engine) == TextMerge(crlf(theirs))
    assert merge_text(crlf(BASE), BASE, crlf(theirs), engine=engine) == TextMerge(theirs)


@every_engine
def test_line_ends_and_mark_of_the_user_are_kept(engine: Engine) -> None:
    ours = BOM + crlf(BASE.replace(b"two", b"mine"))
    theirs = BASE.replace(b"six", b"new")
    merged = merge_text(BASE, ours, theirs, engine=engine)
    assert merged == TextMerge(ours.replace(b"six", b"new"))
    clash = merge_text(BASE, ours, BASE.replace(b"two", b"new"), engine=engine)
    assert clash.content.startswith(BOM)
    assert clash.content.count(b"\r\n") == clash.content.count(b"\n")
    assert clash.hunks[0].yours == ("mine",)


@every_engine
def test_mixed_line_ends_are_left_as_they_are(engine: Engine) -> None:
    ours = BASE.replace(b"one\n", b"one\r\n").replace(b"two\n", b"mine\r\n")
    theirs = BASE.replace(b"six", b"new")
    merged = merge_text(BASE, ours, theirs, engine=engine)
    assert merged == TextMerge(ours.replace(b"six", b"new"))
    clash = merge_text(BASE, ours, BASE.replace(b"two", b"new"), engine=engine)
    assert b"one\r\nmine\r\n" in clash.content
    assert b"\nfour\n" in clash.content
    assert clash.hunks[0].yours == ("one\r", "mine\r")


@every_engine
def test_a_missing_newline_at_the_end_is_no_edit_of_the_line(engine: Engine) -> None:
    bare = BASE.removesuffix(b"\n")
    theirs = BASE.replace(b"seven", b"new")
    assert merge_text(BASE, bare, theirs, engine=engine) == TextMerge(theirs[:-1])
    assert merge_text(bare, BASE, theirs[:-1], engine=engine) == TextMerge(theirs)
    ours = bare.replace(b"one", b"mine")
    assert merge_text(bare, ours, theirs, engine=engine).content == ours.replace(b"seven", b"new\n")
    clash = merge_text(bare, bare + b"\nmine", bare + b"\nnew", engine=engine)
    assert clash.content.endswith(b"mine\n||||||| base\n=======\nnew\n>>>>>>> epforge\n")


@every_engine
def test_empty_texts(engine: Engine) -> None:
    assert merge_text(b"", b"mine\n", b"", engine=engine) == TextMerge(b"mine\n")
    assert merge_text(b"", b"", b"new", engine=engine) == TextMerge(b"new")
    assert merge_text(b"a\n", b"", b"a\n", engine=engine) == TextMerge(b"")
    blank = merge_text(b"", b"\n", b"new", favor=Favor.YOURS, engine=engine)
    assert blank == TextMerge(b"\n")  # the newline is all there is of the line
    clash = merge_text(b"a\n", b"", b"b\n", engine=engine)
    assert clash.content == b"<<<<<<< yours\n||||||| base\na\n=======\nb\n>>>>>>> epforge\n"
    assert clash.hunks[0].line == 1


@every_engine
def test_markers_are_longer_than_any_line_like_one(engine: Engine) -> None:
    base = b"Title\n=========\n\n<<<<<<< HEAD\n" + BASE
    ours = base.replace(b"four", b"mine")
    theirs = base.replace(b"four", b"======= new")
    merged = merge_text(base, ours, theirs, engine=engine)
    assert merged.marker == 10
    assert b"\n" + b"<" * 10 + b" yours\nmine\n" in merged.content
    assert merged.hunks[0].epforge == ("======= new",)
    assert len(open_markers(merged.content)) == 4


@every_engine
def test_text_that_is_not_ascii(engine: Engine) -> None:
    ours = BASE.replace(b"two", "größer".encode())
    theirs = BASE.replace(b"two", "大きい".encode())
    (hunk,) = merge_text(BASE, ours, theirs, engine=engine).hunks
    assert (hunk.yours, hunk.epforge) == (("größer",), ("大きい",))


@pytest.mark.parametrize("engine", [Engine.MERGE_FILE, Engine.PYTHON])
def test_a_text_of_five_megabytes(engine: Engine) -> None:
    lines = [b"%d %s" % (number, b"x" * (number % 500)) for number in range(24_000)]
    lines[1::7] = [b"}"] * len(lines[1::7])
    ours, theirs = list(lines), list(lines)
    ours[9::100] = [b"mine %d" % number for number in range(len(lines[9::100]))]
    theirs[59::100] = [b"new %d" % number for number in range(len(lines[59::100]))]
    expected = list(ours)
    expected[59::100] = theirs[59::100]
    texts = [b"\n".join(side) + b"\n" for side in (lines, ours, theirs, expected)]
    assert len(texts[0]) > 5_000_000
    assert merge_text(*texts[:3], engine=engine).content == texts[3]


def test_texts_without_git_that_have_next_to_nothing_in_common_are_one_conflict() -> None:
    mine, new = (
        b"".join(b"%d\n" % (number * number // step % 7) for number in range(3000))
        for step in (2, 3)
    )
    merged = merge_text(b"0\n" * 3000, mine, new, engine=Engine.PYTHON)
    assert len(merged.hunks) == 1


def test_binary_contents_are_told() -> None:
    assert is_binary(b"\x7fELF\0")
    assert is_binary("größer".encode("latin-1"))
    assert is_binary("wide".encode("utf-16"))
    assert not is_binary(BOM + "größer\r\n".encode())
    assert not is_binary(b"")
    with pytest.raises(ValueError, match="binary"):
        merge_text(BASE, b"a\0", BASE)


def test_open_markers_are_those_of_a_merge() -> None:
    merged = merge_text(BASE, BASE.replace(b"two", b"mine"), BASE.replace(b"two", b"new"))
    assert open_markers(merged.content) == (2, 4, 6, 8)
    assert open_markers(crlf(merged.content)) == (2, 4, 6, 8)
    half_done = merged.content.replace(b"<<<<<<< yours\n", b"").replace(b"||||||| base\ntwo\n", b"")
    assert open_markers(half_done) == (3, 5)


@pytest.mark.parametrize(
    "text",
    [
        b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> branch\n",
        b"Yours\n=======\n",
        b" <<<<<<< yours\n",
        b"<<<<<< yours\n",
        b">>>>>>> epforge is the label\n",
        b"",
    ],
)
def test_a_text_about_git_has_no_open_markers(text: bytes) -> None:
    assert open_markers(text) == ()
