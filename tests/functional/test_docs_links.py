"""No link of a page is dead: those of this repository, and those of the projects that it makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from markdown import anchors, dead_links, links

from epforge.verbs.change.project import expand, read

REPOSITORY = Path(__file__).resolve().parents[2]
# Templates are pages only when they are rendered; see below.
ELSEWHERE = ("templates/",)


def pages() -> list[str]:
    """The pages of the repository, also where it is a copy without git."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    found = [REPOSITORY / name for name in tracked.stdout.split("\0") if name]
    if tracked.returncode:
        places = (".", "docs", "examples", "tests/corpus")
        found = [path for place in places for path in (REPOSITORY / place).rglob("*.md")]
    names = {path.relative_to(REPOSITORY).as_posix() for path in found if path.is_file()}
    return sorted(name for name in names if not name.startswith(ELSEWHERE))


def on_disk(path: str) -> str | None:
    place = REPOSITORY / path
    if place.is_file():
        return place.read_text(encoding="utf-8") if place.suffix == ".md" else ""
    return "" if place.is_dir() else None


def test_the_pages_are_found() -> None:
    assert {"README.md", "docs/cli.md", "examples/peers/README.md"} <= set(pages())


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page: str) -> None:
    dead = dead_links(page, on_disk)
    assert not dead, "\n".join(dead)


@pytest.mark.parametrize(
    "blueprint", sorted(path.name for path in (REPOSITORY / "blueprints").glob("*.yaml"))
)
def test_links_of_a_project_lead_somewhere(blueprint: str) -> None:
    files = {
        file.path: file.content.decode(errors="replace")
        for file in expand(read(REPOSITORY / "blueprints" / blueprint)[1]).files
    }
    folders = {parent.as_posix() for path in files for parent in Path(path).parents}
    written = sorted(path for path in files if path.endswith(".md"))
    assert "README.md" in written
    dead = [
        text
        for page in written
        for text in dead_links(page, lambda path: "" if path in folders else files.get(path))
    ]
    assert not dead, "\n".join(dead)


def test_a_dead_link_would_be_seen() -> None:
    tree = {
        "a.md": "# One\n\n[x](b.md) [x](b.md#two-b) [x](#one)\n\n![x](c.svg) [x](docs) "
        "[x](https://example.org/a)\n",
        "b.md": "# Two `b`!\n\n# Same\n\n# Same\n",
        "c.svg": "",
        "docs": "",
    }
    assert dead_links("a.md", tree.get) == []
    for wrong in (
        *("c.md", "b.md#two", "#two", "../b.md", "/b.md", "docs/b.md"),
        *("ftp://example.org", "https://", "http://example.org", "https://a b"),
    ):
        text = f"words\n[x](<{wrong}>)\n"
        (dead,) = dead_links("d.md", {**tree, "d.md": text}.get)
        assert dead.startswith("d.md:2: ")


def test_links_and_anchors_are_read_as_pages_show_them() -> None:
    text = (
        '# The `--json` of *all* verbs\n\n# Same\n\n# Same\n\n<a id="here"></a>\n\n'
        "```\n# none\n[none](none.md)\n```\n\n`[none](none.md)` [one\ntwo](two.md)\n\n"
        "| a |\n| --- |\n| [three](three.md) |\n\n[four][4]\n\n[4]: four.md\n"
    )
    assert anchors(text) == {"the---json-of-all-verbs", "same", "same-1", "here"}
    assert [target for _, target in links(text)] == ["two.md", "three.md", "four.md"]
