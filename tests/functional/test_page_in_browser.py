"""The page in a browser, the table on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, browser, chromium
from projects import Project
from reports import hostile, large, report, usual
from toys import manifest, toy

from epforge.report import page, parse

_OVERFLOW = """
(() => {
  document.querySelectorAll('details').forEach(each => each.open = true);
  const wide = [...document.querySelectorAll('body *')].filter(
    each => !each.closest('.wide') && each.getBoundingClientRect().right > innerWidth + 0.5);
  return {
    scroll: document.scrollingElement.scrollWidth,
    room: document.scrollingElement.clientWidth,
    wide: wide.slice(0, 5).map(each => each.outerHTML.slice(0, 200)),
  };
})()
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of a usual report, of one with every operator, and of one full of hostile text."""
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "usual": report(*usual()),
        "large": parse(json.loads(json.dumps(large().to_json())), "large"),
        "hostile": parse(hostile(), "hostile"),
    }
    paths = {name: folder / f"{name}.html" for name in made}
    for name, path in paths.items():
        path.write_bytes(page(made[name]))
    return paths


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    if chromium() is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with browser() as made:
        yield made


@pytest.mark.lab
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["usual", "large", "hostile"])
def test_the_page_fits_and_asks_nobody(
    opened: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    opened.requests.clear()
    opened.said.clear()
    for scheme in ("light", "dark"):
        opened.open(pages[name], width, 900, scheme)
        found = opened.value(_OVERFLOW)
        assert found["scroll"] <= found["room"] <= width, found
        assert not found["wide"], found
    assert set(opened.requests) == {pages[name].as_uri()}
    assert not opened.said  # no rule of the page's policy was broken either


@pytest.mark.lab
def test_a_page_that_is_too_wide_or_asks_would_be_seen(opened: Browser, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<!doctype html><div style='width:500px'>x</div><img src='http://a.example/b'>")
    opened.requests.clear()
    opened.open(path, 390, 900)
    found = opened.value(_OVERFLOW)
    assert found["scroll"] > found["room"]
    assert found["wide"]
    assert "http://a.example/b" in opened.requests


@pytest.mark.lab
def test_the_page_of_a_real_validation_fits(
    opened: Browser, minimal: Project, tmp_path: Path
) -> None:
    target = tmp_path / "report.html"
    command = [sys.executable, "-m", "epforge", "validate", str(minimal.root), "--report"]
    subprocess.run([*command, str(target)], check=True, capture_output=True)
    opened.requests.clear()
    for width in (390, 1280):
        opened.open(target, width, 900)
        found = opened.value(_OVERFLOW)
        assert found["scroll"] <= found["room"] <= width, found
        assert not found["wide"], found
    assert set(opened.requests) == {target.as_uri()}
    assert opened.value("document.querySelectorAll('svg .ours').length") > 10
    assert opened.value("document.querySelectorAll('.grid .passed').length") > 5


@pytest.mark.lab
def test_on_paper_everything_is_there(opened: Browser, pages: dict[str, Path]) -> None:
    opened.open(pages["large"], 700, 900)
    opened.ask("Emulation.setEmulatedMedia", media="print")
    folded = "[...document.querySelectorAll('details:not([open]) tbody')].length"
    assert opened.value(folded) > 0
    tall = "[...document.querySelectorAll('details:not([open])')].every(d => d.offsetHeight > 100)"
    assert opened.value(tall)


@pytest.mark.lab
def test_nothing_of_a_hostile_report_runs(opened: Browser, pages: dict[str, Path]) -> None:
    opened.open(pages["hostile"], 1280, 900)
    assert opened.value("document.scripts.length") == 0
    assert opened.value("document.querySelector('main').textContent.includes('<script src=')")
    assert opened.value("document.querySelectorAll('main > section').length") == 7


def test_on_a_terminal_the_ladder_grows(tmp_path: Path) -> None:
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "epforge", "validate", "--rung", "static"]
    command += ["--library", str(toy()), "--manifest", str(manifest(tmp_path / "m.json"))]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    ) as process:
        os.close(terminal)
        said = b""
        while chunk := _read(main):
            said += chunk
    os.close(main)
    assert process.returncode == 0
    live, final = said.decode().split("\x1b[?25h", 1)  # the cursor is back
    live, final = (re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part) for part in (live, final))
    assert re.search(r"rung +check +result +detail +seconds", live)
    assert "4 checks: 4 passed" in live
    assert re.search(r"static +exports +ok", final)
    assert "4 checks" not in final
    assert "passed: 4 passed in " in final


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        return b""
