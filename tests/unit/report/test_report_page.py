"""The page: all of it is there, text stays text, and nothing is asked of anybody else."""

from __future__ import annotations

import itertools
import json
import re
from html.parser import HTMLParser

import pytest
from reports import EP, HOSTILE, check, data, hostile, large, report, usual

from epforge.report import Report, page, parse
from epforge.validate import Outcome

# Elements that HTML lets end by themselves, and those that have no end.
IMPLIED = {"li", "td", "th", "tr", "tbody"}
VOID = {"meta", "link", "br"}
ALLOWED = {
    *("html", "head", "meta", "link", "title", "style", "body", "header", "main", "footer", "nav"),
    *("section", "div", "h1", "h2", "h3", "p", "ul", "li", "a", "span", "strong", "time", "br"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "figure"),
    *("figcaption", "svg", "g", "rect", "text", "path"),
}


class Reader(HTMLParser):
    """Elements, attributes and text of a page; asserts that what is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, attrs)
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        while self._open[-1] != tag and self._open[-1] in IMPLIED:
            self._open.pop()
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.text.append(data)

    def closed(self) -> bool:
        return not self._open

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def seen(made: Report) -> Reader:
    reader = Reader()
    reader.feed(page(made).decode("utf-8"))
    reader.close()
    assert reader.closed()
    return reader


def words(reader: Reader) -> str:
    return re.sub(r"\s+", " ", " ".join(reader.text))


def test_everything_is_on_it() -> None:
    reader = seen(report(*usual()))
    text = words(reader)
    ids = [each["id"] for tag in ("h2",) for each in reader.named(tag)]
    assert ids == ["failures", "ladder", "operators", "models", "times", "environment"]
    for part in (EP, "case 2: SIGSEGV", "a lower rung failed", "Loop", "3 by Toy in 3 parts"):
        assert part in text, part
    assert "6 nodes: 3 by Toy in 3 parts, 2 by CPU in 2 parts, 1 not reported" in text
    assert "CRASH 2/4" in text
    links = {each["href"] for each in reader.named("a")}
    assert links == {f"#{name}" for name in ids}


def test_failures_come_first_and_only_if_there_are_some() -> None:
    good = seen(report(check("Relu")))
    assert "Failures" not in words(good)
    bad = page(report(*usual())).decode()
    assert bad.index('id="failures"') < bad.index('id="ladder"')


def test_hostile_text_is_text() -> None:
    content = page(parse(hostile(), "it")).decode("utf-8")
    reader = seen(parse(hostile(), "it"))
    assert {tag for tag, _ in reader.elements} <= ALLOWED
    assert "<script" not in content
    assert "<script src=//evil.example/x.js>" in words(reader)
    assert "{{ 7*7 }}" in words(reader)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", content)
    for _, attributes in reader.elements:
        assert not any(name.startswith("on") for name in attributes)


@pytest.mark.parametrize("made", [report(*usual()), parse(hostile(), "it")], ids=["usual", "bad"])
def test_nothing_is_asked_of_anybody(made: Report) -> None:
    reader = seen(made)
    (policy,) = [m["content"] for m in reader.named("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; ")
    for _, attributes in reader.elements:
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith(("#", "data:,"))
        assert "url(" not in attributes.get("style", "")
    style = page(made).decode().split("<style>")[1].split("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    assert "@font-face" not in style


def test_it_can_be_used_without_seeing_it() -> None:
    reader = seen(report(*usual()))
    (page_,) = reader.named("html")
    assert page_["lang"] == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(reader.named(landmark)) == 1, landmark
    levels = [int(tag[1]) for tag, _ in reader.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - former <= 1 for former, later in itertools.pairwise(levels))
    assert all(each.get("scope") in ("col", "row", "rowgroup") for each in reader.named("th"))
    assert all(each["role"] == "img" and each["aria-label"] for each in reader.named("svg"))
    for box in (each for each in reader.named("div") if "wide" in each.get("class", "")):
        assert box["tabindex"] == "0"  # what scrolls can be reached with the keyboard
        assert box["aria-label"]
    assert "prefers-color-scheme: dark" in page(report()).decode()


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(scheme: str) -> None:
    first, second = re.findall(r":root \{(.*?)\}", page(report()).decode(), re.DOTALL)[:2]
    known = colours(first if scheme == "light" else second)
    pairs = [("ink", "paper"), ("soft", "paper"), ("link", "paper"), ("ink", "band")]
    pairs += [(name, f"{name}-paper") for name in ("good", "bad", "open", "calm")]
    pairs += [("ink", f"{name}-paper") for name in ("good", "bad", "open", "calm")]
    for one, other in pairs:
        assert contrast(known[one], known[other]) >= 4.5, (one, other)


def test_a_report_of_every_operator_is_of_moderate_size() -> None:
    made = parse(json.loads(json.dumps(large().to_json())), "it")
    content = page(made)
    assert len(content) < 400_000
    assert content.count(b"ok 4") == 200 * 3 * 8


def test_what_is_too_much_is_counted() -> None:
    many = [check(f"Op{number}", Outcome.FAILED) for number in range(2000)]
    text = words(seen(report(*many)))
    assert "1800 more checks that went wrong" in text
    assert "500 more checks" in text


def test_two_runtimes_are_one_grid_and_one_picture() -> None:
    lines = usual()
    made = data(*lines)
    for key in ("ops", "partitions", "checks"):
        made[key] += [{**one, "runtime": "1.24.4"} for one in made[key]]
    made["runtimes"] = ["1.32.0", "1.24.4"]
    reader = seen(parse(made, "it"))
    assert "of 2 runtimes the worst" in words(reader)
    assert "CRASH 4/8" in words(reader)
    assert len(reader.named("svg")) == 1
    assert "on 1.32.0, 1.24.4" in words(reader)


def test_an_empty_report_has_a_page() -> None:
    ids = ["ladder", "times", "environment"]
    reader = seen(report(ops=[]))
    assert [each["id"] for each in reader.named("h2")] == ids


def test_a_library_without_a_name_goes_by_its_file() -> None:
    assert seen(report(ep="")).text.count("libtoy.so: failed") == 1
    assert HOSTILE[:20] in words(seen(report(ep="", library=HOSTILE[:20])))
