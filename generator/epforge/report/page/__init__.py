"""A report as one page of HTML that needs nothing else: no script, no font, no connection."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.report.page import view
from epforge.report.page.grid import LEGEND, WORDS, grid
from epforge.report.shape import Report
from epforge.report.words import seconds, visible

if TYPE_CHECKING:
    from jinja2 import Template

_HERE = Path(__file__).resolve().parent


def page(report: Report) -> bytes:
    """The page, in UTF-8. Everything in the report is text on it, whatever it looks like."""
    text = _template().render(report=report, grid=grid(report.ops))
    return text.lstrip().encode("utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: object) -> object:
        return visible(value) if type(value) is str else value

    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    environment.filters["seconds"] = seconds
    environment.globals.update(
        view=view,
        legend=LEGEND,
        words=WORDS,
        style=Markup((_HERE / "page.css").read_text(encoding="utf-8")),
    )
    return environment.get_template("page.html.jinja")
