"""What ``epforge check --json`` makes of broken blueprints."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from applied_fixes import apply_fixes

from broken_blueprints.model import Broken, words

#: Runs ``epforge`` with arguments in a directory; its output.
Run = Callable[[Sequence[str], Path], str]
_FILE = "blueprint.yaml"


@dataclass(frozen=True)
class Verdict:
    """What became of a broken blueprint.

    Args:
        broken: the blueprint.
        line: do errors begin in the right lines, all of them and no others?
        column: do they begin at the right columns, too?
        cured: do the fixes, applied, give a blueprint without errors that lost nothing?
        why: what is wrong with it.
        told: the errors, a line for each.
    """

    broken: Broken
    line: bool
    column: bool
    cured: bool
    why: str
    told: tuple[str, ...]


def judge(broken: Broken, run: Run, directory: Path) -> Verdict:
    """Checks a broken blueprint, and what its fixes make of it.

    Args:
        run: runs the command.
        directory: where the file is written.
    """
    found = _errors(_checked(broken.data, run, directory))
    begins = sorted((e["range"]["start"]["line"], e["range"]["start"]["column"]) for e in found)
    wanted = [(place.line, place.start, max(place.start, place.end - 1)) for place in broken.places]
    line = [begin[0] for begin in begins] == [place[0] for place in wanted]
    column = line and all(
        first <= begin[1] <= last for begin, (_, first, last) in zip(begins, wanted, strict=True)
    )
    why = _uncured(broken, found, run, directory)
    told = tuple(
        f"{e['range']['start']['line']}:{e['range']['start']['column']}: {e['message']}"
        f" | {e['expected']} | {e['hint']} | {e['fix'] and e['fix']['text']!r}"
        for e in found
    )
    return Verdict(broken, line, column, not why, why, told)


def _checked(data: bytes, run: Run, directory: Path) -> list[dict[str, Any]]:
    (directory / _FILE).write_bytes(data)
    diagnostics: list[dict[str, Any]] = json.loads(run(["check", _FILE, "--json"], directory))[
        "diagnostics"
    ]
    return diagnostics


def _errors(diagnostics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in diagnostics if each["severity"] == "error"]


def _uncured(broken: Broken, found: list[dict[str, Any]], run: Run, directory: Path) -> str:
    """Why the fixes do not cure the blueprint; empty if they do."""
    if not found:
        return "there is no error"
    if not all(each["fix"] for each in found):
        return "there is no fix"
    try:
        data = apply_fixes(broken.data, found)
    except ValueError as error:
        return str(error)
    left = _checked(data, run, directory)
    if left:
        return f"after the fix: {left[0]['message']}"
    lost = broken.untouched - words(data.decode())
    return f"lost: {', '.join(sorted(lost))}" if lost else ""
