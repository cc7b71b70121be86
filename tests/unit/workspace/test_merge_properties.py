"""Whatever the texts: no line is lost, and every conflict shows what each side had."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epforge.workspace.merge import Engine, Fate, Favor, Merged, is_binary, merge_text, merge_trees

BOM = b"\xef\xbb\xbf"
FILES = 6  # in each example: one call of git merges them all

# Few words, so that lines repeat and edits meet; some that look like markers or like nothing.
WORDS = st.sampled_from(
    ["a", "b", "c", "d", "", " ", "}", "<<<<<<< yours", "=======", "||||||| base", "é", "x\ry"]
)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A text in any layout."""
    lines = [word.encode() for word in draw(st.lists(WORDS, max_size=9))]
    end = draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n"]))
    text = end.join(lines) + (end if lines and draw(st.integers(0, 3)) else b"")
    if b"\r\n" not in text and draw(st.integers(0, 7)) == 0:
        text = text.replace(b"\n", b"\r\n", 1)
    return (BOM if draw(st.integers(0, 7)) == 0 else b"") + text


@st.composite
def edits(draw: st.DrawFn, text: bytes) -> bytes:
    """A text with some lines changed, added, moved or removed."""
    lines = text.removeprefix(BOM).split(b"\n")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines)))
        new = [word.encode() for word in draw(st.lists(WORDS, max_size=2))]
        lines[at : at + draw(st.integers(0, 2))] = new
    return b"\n".join(lines).removesuffix(b"\r")  # half a line end is no line end


@st.composite
def triples(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    base = draw(texts())
    sides = [draw(st.one_of(edits(base), texts())) for _ in range(2)]
    return base, sides[0], sides[1]


def lines_of(content: bytes) -> list[bytes]:
    """The lines of a text whatever its layout."""
    return [line.removesuffix(b"\r") for line in content.removeprefix(BOM).split(b"\n")]


@dataclass(frozen=True)
class Read:
    """What a reader finds in a merged text."""

    hunks: list[tuple[list[bytes], list[bytes], list[bytes]]]
    yours: list[bytes]  # the text if every conflict is decided for the user
    epforge: list[bytes]


def read(content: bytes, marker: int) -> Read:
    found = Read([], [], [])
    marks = [b"<" * marker + b" yours", b"|" * marker + b" base", b"=" * marker]
    marks += [b">" * marker + b" epforge"]
    part = 0
    for line in lines_of(content):
        if marker and line == marks[part]:
            part = (part + 1) % 4
            if part == 1:
                found.hunks.append(([], [], []))
        elif part:
            found.hunks[-1][part - 1].append(line)
            (found.yours if part == 1 else found.epforge if part == 3 else []).append(line)
        else:
            found.yours.append(line)
            found.epforge.append(line)
    assert part == 0
    return found


def without_ends(lines: list[bytes]) -> list[bytes]:
    """Without the emptiness behind a newline at the end, which is merged by itself."""
    return lines[:-1] if lines and not lines[-1] else lines


def merge_all(every: list[tuple[bytes, bytes, bytes]], engine: Engine) -> list[Merged]:
    base, ours, theirs = (
        {f"{index:02}": triple[side] for index, triple in enumerate(every)} for side in range(3)
    )
    return list(merge_trees(base, ours, theirs, engine=engine))


def check_nothing_is_lost(every: list[tuple[bytes, bytes, bytes]], engine: Engine) -> None:
    plain = merge_all(every, engine)
    yours, epforge = (
        [merge_text(*triple, favor=favor, engine=engine) for triple in every]
        for favor in (Favor.YOURS, Favor.EPFORGE)
    )
    for (base, ours, theirs), row, mine, new in zip(every, plain, yours, epforge, strict=True):
        assert row.content is not None
        have = set(lines_of(row.content))
        assert {*lines_of(ours)} - {*lines_of(base)} - {b""} <= have
        assert {*lines_of(theirs)} - {*lines_of(base)} - {b""} <= have
        assert {*lines_of(ours)} - {*lines_of(base)} - {b""} <= {*lines_of(mine.content)}
        assert {*lines_of(theirs)} - {*lines_of(base)} - {b""} <= {*lines_of(new.content)}
        assert (row.fate is Fate.CONTENT) == bool(row.hunks) == bool(row.marker)
        assert not mine.hunks
        assert not new.hunks

        shown = read(row.content, row.marker)
        assert shown.hunks == [
            tuple([line.removesuffix("\r").encode() for line in side]
                  for side in (hunk.yours, hunk.base, hunk.epforge))
            for hunk in row.hunks
        ]  # fmt: skip
        assert without_ends(shown.yours) == without_ends(lines_of(mine.content))
        assert without_ends(shown.epforge) == without_ends(lines_of(new.content))

        whole = without_ends(lines_of(ours))
        places = [hunk.line for hunk in row.hunks]
        assert places == sorted(places)
        for hunk in row.hunks:
            assert 1 <= hunk.line <= len(whole) + 1
            at = whole[hunk.line - 1 : hunk.line - 1 + len(hunk.yours)]
            assert at == [line.removesuffix("\r").encode() for line in hunk.yours]


many = st.lists(triples(), min_size=FILES, max_size=FILES)


@settings(max_examples=20)
@given(many)
def test_no_line_is_lost_with_merge_tree(every: list[tuple[bytes, bytes, bytes]]) -> None:
    check_nothing_is_lost(every, Engine.MERGE_TREE)


@settings(max_examples=15)
@given(many)
def test_no_line_is_lost_with_merge_file(every: list[tuple[bytes, bytes, bytes]]) -> None:
    check_nothing_is_lost(every, Engine.MERGE_FILE)


@settings(max_examples=40)
@given(many)
def test_no_line_is_lost_without_git(every: list[tuple[bytes, bytes, bytes]]) -> None:
    check_nothing_is_lost(every, Engine.PYTHON)


@settings(max_examples=100)
@given(texts(), texts())
def test_where_one_side_did_nothing_the_other_is_the_result(base: bytes, changed: bytes) -> None:
    assert merge_text(base, changed, base).content == changed
    merged = merge_text(base, base, changed)
    assert merged.clean
    assert without_ends(lines_of(merged.content)) == without_ends(lines_of(changed))
    if b"\r" not in base + changed:
        assert merged.content.removeprefix(BOM) == changed.removeprefix(BOM)
    assert merge_text(base, changed, changed).content == changed


@st.composite
def edits_apart(draw: st.DrawFn) -> tuple[bytes, bytes, bytes, bytes]:
    """A text, two texts with edits that do not touch, and what comes of both."""
    base = [b"line %d" % number for number in range(draw(st.integers(1, 60)))]
    sides: tuple[list[bytes], list[bytes], list[bytes]] = ([], [], [])
    at = 0
    while at < len(base):
        side = draw(st.integers(0, 1))
        size = draw(st.integers(0, 3))
        new = [b"new at %d, %d" % (at, n) for n in range(draw(st.integers(0, 3)))]
        for index, text in enumerate(sides):
            text += new if index in (side, 2) else base[at : at + size]
        kept = draw(st.integers(1, 3))
        for text in sides:
            text += base[at + size : at + size + kept]
        at += size + kept
    ours, theirs, both = (b"".join(line + b"\n" for line in side) for side in sides)
    return b"".join(line + b"\n" for line in base), ours, theirs, both


def check_edits_apart(every: list[tuple[bytes, bytes, bytes, bytes]], engine: Engine) -> None:
    rows = merge_all([each[:3] for each in every], engine)
    assert [row.content for row in rows] == [each[3] for each in every]


apart = st.lists(edits_apart(), min_size=FILES, max_size=FILES)


@settings(max_examples=12)
@given(apart)
def test_edits_apart_never_conflict_with_any_engine(
    every: list[tuple[bytes, bytes, bytes, bytes]],
) -> None:
    for engine in Engine:
        check_edits_apart(every, engine)


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_any_bytes_have_a_fate(base: bytes, ours: bytes, theirs: bytes) -> None:
    (row,) = merge_trees({"f": base}, {"f": ours}, {"f": theirs}, engine=Engine.PYTHON)
    if base not in (ours, theirs) and ours != theirs and any(map(is_binary, (base, ours, theirs))):
        assert row.fate in (Fate.BINARY, Fate.MERGED)
        assert row.content == ours
    if theirs == base:
        assert row.content == ours


@pytest.mark.lab
@pytest.mark.parametrize("engine", list(Engine))
def test_no_line_is_lost_in_very_many_texts(engine: Engine) -> None:
    @settings(max_examples=400)
    @given(many, apart)
    def check(
        every: list[tuple[bytes, bytes, bytes]], distant: list[tuple[bytes, bytes, bytes, bytes]]
    ) -> None:
        check_nothing_is_lost(every, engine)
        check_edits_apart(distant, engine)

    check()
