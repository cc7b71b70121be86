"""Editions: blueprints go to made-up later ones, and no comment, order or quote is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epforge.blueprint import BlueprintErrors, parse
from epforge.blueprint.compose import compose
from epforge.blueprint.editions import Migration, Step, chain, edition_problem
from epforge.blueprint.editions.migrate import Migrated, migrate
from epforge.blueprint.editions.steps import Move, Remove, Rename, Respell, Split, WriteOut
from epforge.blueprint.edits.verified import signature, texts_of
from epforge.blueprint.text import SourceText

REPOSITORY = Path(__file__).resolve().parents[3]
BLUEPRINTS = sorted((REPOSITORY / "blueprints").rglob("*.yaml"))
FULL = REPOSITORY / "tests/unit/resolve/resolve_full.yaml"


def parts_of(version: str) -> dict[str, str]:
    major, minor, patch = version.split(".")
    return {"major": major, "minor": minor, "patch": patch}


SECOND = Migration(
    1,
    2,
    (
        Rename(("vendor", "pci_id"), "pci"),
        Rename(("devices", "*", "type"), "kind"),
        Respell(("paradigm",), {"compiled": "compiler", "kernel-registry": "registry"}),
        Split(("version",), parts_of),
        WriteOut(("ort", "target"), '"1.27"'),
        WriteOut(("devices", "*", "software"), "never"),
        Move(("memory", "streams"), ("queues", "streams")),
        Move(("devices", "*", "match", "vendor_id"), ("devices", "*", "vendor")),
        Remove(("license",), "The licence is the repository's."),
    ),
    notes=("Edition 2 splits versions.",),
)
THIRD = Migration(
    2,
    3,
    (
        Move(("ops",), ("operators", "list")),
        Rename(("operators",), "kernels"),
        Remove(("options", "*", "doc"), "Options have no texts any more."),
        Move(("runtime",), ("memory", "runtime")),
        WriteOut(("python", "min"), '"3.11"'),
    ),
)
MIGRATIONS = (SECOND, THIRD)


def said(text: str) -> Any:
    root, errors = compose(SourceText("x", text.removeprefix("\ufeff")))
    assert not errors
    return texts_of(signature(root))


def comments(text: str) -> list[str]:
    return sorted(re.findall(r"# mark \d+", text))


def commented(text: str) -> str:
    """A comment on every line of a text, and one before every line."""
    lines = []
    for number, line in enumerate(text.splitlines()):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip():
            lines.append(f"{indent}# mark {2 * number}")
        lines.append(f"{line}  # mark {2 * number + 1}")
    return "\n".join([*lines, ""])


def by(*steps: Step) -> Callable[[str], Migrated]:
    return lambda text: migrate(text, to=2, migrations=[Migration(1, 2, steps)])


def body(text: str) -> str:
    return text.removeprefix("epforge: 2\n")


def one(step: Step, text: str) -> str:
    return body(by(step)(f"epforge: 1\n{text}").text)


@pytest.mark.parametrize(
    ("path", "layout"),
    [
        *((path, "commented") for path in [*BLUEPRINTS, FULL]),
        (FULL, "CRLF and BOM"),
    ],
    ids=lambda value: getattr(value, "stem", value),
)
def test_every_blueprint_goes_through_two_editions_with_its_comments(
    path: Path, layout: str
) -> None:
    text = path.read_text(encoding="utf-8")
    if layout == "commented":
        text = commented(text)
    if layout == "CRLF and BOM":
        text = "\ufeff" + text.replace("\n", "\r\n")
    before = said(text)
    made = migrate(text, path.name, to=3, migrations=MIGRATIONS)
    after = said(made.text)
    assert comments(made.text) == comments(text)
    assert after["epforge"] == "3"
    assert after["kernels"]["list"] == before["ops"]
    assert after["ort"]["target"] == before.get("ort", {}).get("target", "1.27")
    assert after["python"]["min"] == "3.11"
    assert "license" not in after
    if "version" in before:
        assert after["version"] == parts_of(before["version"])
    for old, new in zip(before.get("devices", ()), after.get("devices", ()), strict=True):
        assert new["kind"] == old["type"]
        assert new.get("vendor") == old.get("match", {}).get("vendor_id")
        assert new["software"] == old.get("software", "never")
    if "paradigm" in before:
        words = {"compiled": "compiler", "kernel-registry": "registry"}
        assert after["paradigm"] == words.get(before["paradigm"], before["paradigm"])
    if "streams" in before.get("memory", {}):
        assert after["queues"] == {"streams": before["memory"]["streams"]}
        assert "streams" not in after["memory"]
    if layout == "CRLF and BOM":
        assert not re.search(r"(?<!\r)\n", made.text)
        assert made.text.startswith("\ufeff")


@pytest.mark.parametrize("path", [*BLUEPRINTS, FULL], ids=lambda path: path.stem)
def test_lines_that_the_edition_does_not_concern_stay_as_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    made = by(Rename(("vendor", "pci_id"), "pci"))(text).text
    pairs = zip(text.splitlines(), made.splitlines(), strict=True)
    differing = [(old, new) for old, new in pairs if old != new]
    expected = 1 + ("pci_id" in text)
    assert len(differing) == expected
    for old, new in differing:
        assert new in (old.replace("pci_id", "pci"), old.replace("epforge: 1", "epforge: 2"))


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        (Rename(("a",), "b"), "'a' : 1 # c\n", "'b' : 1 # c\n"),
        (Rename(("l", "*", "a"), "b"), "l: [{a: 1}, x, {a: 2}]\n", "l: [{b: 1}, x, {b: 2}]\n"),
        (Rename(("t", "*"), "b"), "t: {a: 1}\n", "t: {b: 1}\n"),
        (Respell(("a",), {"x": "y"}), 'a: "x"  # c\n', 'a: "y"  # c\n'),
        (Respell(("a", "*", "b"), {"x": "y"}), "a: [{b: x}, {b: z}]\n", "a: [{b: y}, {b: z}]\n"),
        (Split(("v",), parts_of), "v: 1.2.3 # c\n", "v: {major: 1, minor: 2, patch: 3} # c\n"),
        (WriteOut(("a", "b"), "x"), "a: {c: 1}\n", "a: {c: 1, b: x}\n"),
        (WriteOut(("a", "b"), "x"), "a:\n  c: 1  # c\nd: 2\n", "a:\n  c: 1  # c\n  b: x\nd: 2\n"),
        (WriteOut(("a", "b"), "x"), "c: 1\n", "c: 1\na: {b: x}\n"),
        (WriteOut(("a", "b"), "x"), "a: {b: y}\n", "a: {b: y}\n"),
        (
            WriteOut(("l", "*", "b"), "x"),
            "l:\n- a: 1 # c\n- {b: y}\n- word\n",
            "l:\n- a: 1 # c\n  b: x\n- {b: y}\n- word\n",
        ),
        (Remove(("a",), "n"), "# one\na: 1\n# two\nb: 2\n", "# one\n# two\nb: 2\n"),
        (Remove(("a",), "n"), "a: 1  # c\nb: 2\n", "# c\nb: 2\n"),
        (Remove(("a",), "n"), "a:  # c\n  - 1 # d\n  - 2\nb: 2\n", "# c\n# d\nb: 2\n"),
        (Remove(("a",), "n"), "a:\nb: 2\n", "b: 2\n"),
        (Remove(("b",), "n"), "a: 1\nb: 2", "a: 1"),
        (Remove(("t", "a"), "n"), "t: {a: 1, b: 2, c: 3}\n", "t: {b: 2, c: 3}\n"),
        (Remove(("t", "c"), "n"), "t: {a: 1, b: 2, c: 3}\n", "t: {a: 1, b: 2}\n"),
        (Remove(("t", "c"), "n"), "t: {a: 1, c: 3,}\n", "t: {a: 1, }\n"),
        (Remove(("t", "a"), "n"), "t: {a: 1}  # c\nu: 1\n", "# c\nu: 1\n"),
        (Remove(("t", "a"), "n"), "t:  # c\n  a: 1  # d\nu: 1\n", "# c\n# d\nu: 1\n"),
        (Remove(("l", "*", "a"), "n"), "l:\n  - a: 1\n    b: 2\n", "l:\n  - b: 2\n"),
        (Remove(("l", "*", "a"), "n"), "l:\n  - a: 1 # c\n    b: 2\n", "l:\n  - # c\n    b: 2\n"),
        (Remove(("l", "*", "a"), "n"), "l: [{a: 1}, {b: 1}]\n", "l: [{}, {b: 1}]\n"),
        (Move(("a",), ("t", "b")), "a: 'x' # c\nt:\n  d: 1\n", "t:\n  d: 1\n  b: 'x' # c\n"),
        (Move(("a",), ("t", "b")), "a: 'x' # c\nt: {d: 1}\n", "# c\nt: {d: 1, b: 'x'}\n"),
        (Move(("a",), ("t", "b")), "a: 1\nc: 2\n", "c: 2\nt: {b: 1}\n"),
        (Move(("t", "b"), ("a",)), "t: {b: 1}\nc: 2\n", "c: 2\na: 1\n"),
        (
            Move(("t", "b"), ("a",)),
            "t:\n    b:\n    # one\n    - 1 # c\n    d: 2\n",
            "t:\n    d: 2\na:\n# one\n- 1 # c\n",
        ),
        (
            Move(("l", "*", "m", "a"), ("l", "*", "b")),
            "l:\n  - m: {a: 1}\n    c: 2\n  - {m: {a: 3, d: 4}}\n",
            "l:\n  - c: 2\n    b: 1\n  - {m: {d: 4}, b: 3}\n",
        ),
        (Move(("a",), ("b",)), "a: |\n  text\n  # no comment\n", "b: |\n  text\n  # no comment\n"),
    ],
)
def test_a_step(step: Step, before: str, after: str) -> None:
    assert one(step, before) == after


def test_what_changed_is_told_and_notes_only_where_something_did() -> None:
    made = migrate("{epforge: 1, license: MIT}", to=3, migrations=MIGRATIONS)
    assert made.text == ('{epforge: 3, ort: {target: "1.27"}, python: {min: "3.11"}}')
    assert made.steps == (
        'writes out ort.target: "1.27"',
        "removes license",
        'writes out python.min: "3.11"',
    )
    assert made.notes == ("Edition 2 splits versions.", "The licence is the repository's.")


def test_the_shortest_chain_is_taken() -> None:
    direct = Migration(1, 3, ())
    assert chain(1, 3, MIGRATIONS) == MIGRATIONS
    assert chain(1, 3, (*MIGRATIONS, direct)) == (direct,)
    assert chain(3, 1, MIGRATIONS) is None
    assert chain(2, 2, ()) == ()


@pytest.mark.parametrize(
    ("step", "text", "line"),
    [
        (Rename(("a",), "b"), "epforge: 1\na: 1\nb: 2\n", 1),
        (Rename(("a",), "b"), "epforge: 1\n&x a: 1\n", 2),
        (Respell(("a",), {"x": "y"}), "epforge: 1\na: &k x\nb: *k\n", 2),
        (Split(("a",), parts_of), "epforge: 1\na: &k 1.2.3\n", 2),
        (Move(("a",), ("t", "b")), "epforge: 1\na: 1\nt: &k {}\n", 3),
        (Move(("a",), ("t", "b")), "epforge: 1\na: 1\nt: {b: 2}\n", 3),
        (Move(("a",), ("t", "b")), "epforge: 1\na: |\n  text\nt: {c: 1}\n", 2),
        (Remove(("t", "a"), "n"), "epforge: 1\nt: {a: [1, # c\n 2], b: 1}\n", 2),
        (Remove(("l", "*", "a"), "n"), "epforge: 1\nl: [&k {a: 1, b: 2}]\nm: *k\n", 1),
    ],
)
def test_what_cannot_be_changed_safely_is_refused_with_its_place(
    step: Step, text: str, line: int
) -> None:
    with pytest.raises(BlueprintErrors) as caught:
        by(step)(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "migration"
    assert diagnostic.line == line
    assert step.what in diagnostic.message
    assert "by hand" in diagnostic.hint


def test_an_anchor_that_is_changed_once_counts_for_its_aliases() -> None:
    text = "epforge: 1\nl:\n  - &one {a: 1}\n  - *one\n"
    assert by(Rename(("l", "*", "a"), "b"))(text).text == (
        "epforge: 2\nl:\n  - &one {b: 1}\n  - *one\n"
    )


@pytest.mark.parametrize("text", ["epforge: 3\n", "name: x\n", "epforge: '1'\n", "epforge: one\n"])
def test_what_states_the_newest_edition_or_none_stays_as_it_is(text: str) -> None:
    assert migrate(text, to=3, migrations=MIGRATIONS) == Migrated(text)


@pytest.mark.parametrize(("edition", "hint"), [(4, "a newer epforge reads it"), (0, "")])
def test_an_edition_that_nothing_leads_from_is_an_error_with_its_place(
    edition: int, hint: str
) -> None:
    with pytest.raises(BlueprintErrors) as caught:
        migrate(f"name: x\nepforge: {edition}\n", to=3, migrations=MIGRATIONS)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.line, diagnostic.column) == ("edition", 2, 10)
    assert diagnostic.hint == hint


def test_an_older_edition_that_can_be_migrated_says_how() -> None:
    source = SourceText("b.yaml", "name: x\nepforge: 1\n")
    root, _ = compose(source)
    found = edition_problem(root, source, 3, MIGRATIONS)
    assert found is not None
    assert (found.line, found.column) == (2, 10)
    assert "edition 1" in found.message
    assert "older than epforge's, 3" in found.message
    assert "epforge upgrade" in found.hint
    assert "--file FILE" in found.hint
    assert edition_problem(root, source, 1, MIGRATIONS) is None


def test_reading_a_blueprint_of_another_edition_is_refused_before_anything_else() -> None:
    with pytest.raises(BlueprintErrors) as caught:
        parse("epforge: 2\nwhatever: 1\n")
    assert [found.code for found in caught.value.diagnostics] == ["edition"]


NAMES = st.sampled_from("abcdefg")
SCALARS = st.sampled_from(["1", "x", "1.2.3", "'q'", '"a b"', "true"])
COMMENTS = st.sampled_from(["", "", "  # mark 1", " # mark 2"])


@st.composite
def tables(draw: st.DrawFn, depth: int = 0) -> list[str]:
    """The lines of a table, of any layout, with comments."""
    lines: list[str] = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        if draw(st.booleans()):
            lines.append("# mark 3")
        kind = draw(
            st.sampled_from(["scalar", "flow", "table", "list"] if depth < 2 else ["scalar"])
        )
        tail = draw(COMMENTS)
        if kind == "scalar":
            lines.append(f"{name}: {draw(SCALARS)}{tail}")
        elif kind == "flow":
            keys = draw(st.lists(NAMES, max_size=3, unique=True))
            inner = ", ".join(f"{key}: {draw(SCALARS)}" for key in keys)
            lines.append(f"{name}: {{{inner}}}{tail}")
        elif kind == "table":
            lines.append(f"{name}:{tail}")
            lines += [f"  {line}" for line in draw(tables(depth + 1))]
        else:
            lines.append(f"{name}:{tail}")
            for _ in range(draw(st.integers(1, 3))):
                first, *rest = [
                    line for line in draw(tables(depth + 1)) if not line.startswith("#")
                ]
                lines += [f"  - {first}", *(f"    {line}" for line in rest)]
    return lines


PATTERNS = st.lists(st.one_of(NAMES, st.just("*")), min_size=1, max_size=3).map(tuple)
# A "*" at the root would stand for the edition, too.
PATTERNS = PATTERNS.filter(lambda pattern: pattern[0] != "*")
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
STEPS = st.one_of(
    st.builds(Rename, PATTERNS, st.just("z")),
    st.builds(Respell, PATTERNS, st.just({"x": "y"})),
    st.builds(Split, PATTERNS, st.just(lambda text: {"whole": f'"{text}"'})),
    st.builds(WriteOut, PATTERNS.filter(lambda pattern: pattern[-1] != "*"), st.just("new")),
    st.builds(Remove, PATTERNS, st.just("gone")),
    st.builds(Move, PATHS, PATHS),
)


@settings(max_examples=40, deadline=None)
@given(tables(), st.lists(STEPS, min_size=1, max_size=3))
def test_any_steps_on_any_text_keep_every_comment_or_refuse(
    lines: list[str], steps: list[Step]
) -> None:
    text = "\n".join(["epforge: 1", *lines, ""])
    try:
        made = by(*steps)(text).text
    except BlueprintErrors as error:
        made = text if {found.code for found in error.diagnostics} == {"migration"} else ""
    assert comments(made) == comments(text)
    assert said(made)["epforge"] in "12"
