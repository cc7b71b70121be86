"""Makes the pages of reference: ``python -m epforge.cli.make_reference [DIR]``

Writes ``blueprint.md`` and ``cli.md`` to DIR, by default to the checkout's ``docs/reference``; then
the schema of blueprints, which the starter takes along, is made again as well.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import typer

from epforge.blueprint import json_schema
from epforge.blueprint import reference as blueprint
from epforge.cli import main as command_line
from epforge.cli.show import reference as commands

PLACE = Path("docs/reference")
SCHEMA = Path("templates/starter/template/epforge.schema.json")

#: Guides that say more about a key of the blueprint.
_GUIDES = {
    "runtime": ("devices.md", "blueprint.md#devices-and-memory"),
    "devices": ("blueprint.md#devices-and-memory",),
    "cuda": ("devices.md",),
    "memory": ("blueprint.md#devices-and-memory", "devices.md"),
    "ops": ("blueprint.md#operators", "operators.md", "kernels.md"),
    "custom_ops": ("custom-ops.md",),
    "paradigm": ("compiling.md",),
    "compile": ("compiling.md",),
    "layout": ("blueprint.md#layout",),
    "options": ("blueprint.md#options",),
    "features": ("blueprint.md#services", "compiling.md#compiled-models"),
    "runtime_libs": ("packaging.md",),
    "system_libs": ("packaging.md",),
    "python": ("packaging.md",),
    "torch": ("custom-ops.md",),
    "targets": ("cross-building.md",),
    "overlays": ("overlays.md",),
    "ort": ("regeneration.md",),
}


def pages() -> Mapping[str, str]:
    """The pages by their names."""
    see = {
        key: ", ".join(f"[{guide}](../{guide})" for guide in guides)
        for key, guides in _GUIDES.items()
    }
    return {
        "blueprint.md": blueprint.reference(see),
        "cli.md": commands.reference(typer.main.get_command(command_line.app)),
    }


def main(place: Path = PLACE) -> None:
    """Writes them."""
    place.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (place / name).write_text(text, encoding="utf-8", newline="\n")
    if place == PLACE:
        text = json.dumps(json_schema(), indent=2) + "\n"
        SCHEMA.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
