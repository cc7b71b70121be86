"""What `epforge check` makes of mistakes that were written afresh.

Its fixes are made as a user makes them: all of one answer at once, then it is asked again. A
mistake is cured where epforge then understands what it understands of the blueprint that was
meant, every default and derived name included.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from applied_fixes import apply_fixes

from broken_blueprints.afresh.model import Mistake
from broken_blueprints.judge import Run

_FILE = "blueprint.yaml"
_ROUNDS = 6


@dataclass(frozen=True)
class Finding:
    """What became of a mistake.

    Args:
        mistake: the mistake.
        line: do errors begin in the right lines, and in no other?
        column: do they begin at the right columns, too?
        rounds: how often fixes were made until it was cured; 0 if it was not.
        wrong: the fixes gave a blueprint that passes and is another one than was meant, or there
            was nothing that a program may mend.
        why: what was left; empty if it was cured.
        told: the errors of the first answer, a line for each.
    """

    mistake: Mistake
    line: bool
    column: bool
    rounds: int
    wrong: bool
    why: str
    told: tuple[str, ...]


def find(mistake: Mistake, run: Run, directory: Path) -> Finding:
    """Checks a blueprint with a mistake, and what its fixes make of it.

    Raises:
        ValueError: the blueprint that was meant does not pass.
    """
    meant = _check(mistake.meant.encode(), run, directory)
    if not mistake.unmendable and not meant["ok"]:
        raise ValueError(f"{mistake.name}: {meant['diagnostics'][0]['message']}")
    answer = _check(mistake.text.encode(), run, directory)
    errors = _errors(answer)
    begins = [(e["range"]["start"]["line"], e["range"]["start"]["column"]) for e in errors]
    line, column = _placed(mistake, begins)
    rounds, why, passes = _mend(mistake, answer, meant, run, directory)
    told = tuple(
        f"{line}:{column}: {e['message']} | {e['expected']} | {e['hint']}"
        f" | {e['fix'] and e['fix']['text']!r}"
        for (line, column), e in zip(begins, errors, strict=True)
    )
    return Finding(mistake, line, column, rounds, passes and not rounds, why, told)


def _placed(mistake: Mistake, begins: list[tuple[int, int]]) -> tuple[bool, bool]:
    lines = {line for line, _ in begins}
    spots = mistake.spots
    enough = any if mistake.any_spot else all
    hit = [
        any(line == s.line and s.first <= column <= s.last for line, column in begins)
        for s in spots
    ]
    right = enough(s.line in lines for s in spots) and lines <= mistake.wrong_lines
    return right, right and enough(hit)


def _mend(
    mistake: Mistake, answer: dict[str, Any], meant: dict[str, Any], run: Run, directory: Path
) -> tuple[int, str, bool]:
    """After how many rounds it was cured (0: never), what was left, and does it pass?"""
    data = mistake.text.encode()
    if answer["ok"]:
        return 0, "there is no error", True
    for number in range(1, _ROUNDS + 1):
        try:
            after = apply_fixes(data, _errors(answer))
        except ValueError as error:
            return 0, str(error), False
        if after == data:
            return 0, f"no fix: {_errors(answer)[0]['message']}", False
        data, answer = after, _check(after, run, directory)
        if answer["ok"]:
            same = answer["resolved"] == meant.get("resolved")
            if same and not mistake.unmendable:
                return number, "", True
            return 0, mistake.unmendable or f"another one:\n{data.decode()}", True
    return 0, "no end of fixes", False


def _check(data: bytes, run: Run, directory: Path) -> dict[str, Any]:
    (directory / _FILE).write_bytes(data)
    answer: dict[str, Any] = json.loads(run(["check", _FILE, "--resolved", "--json"], directory))
    return answer


def _errors(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in answer["diagnostics"] if each["severity"] == "error"]
