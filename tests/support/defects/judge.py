"""Builds a project with a defect, validates it as a user would, and reads the report."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from projects import Project, built, expanded

from defects.blueprints import TEXTS
from defects.model import Defect, Sign

_BAD = ("failed", "crashed", "timed out")


@dataclass(frozen=True)
class Finding:
    """How the validation of a project with a defect went.

    Args:
        line: the line of the report that tells the defect; None if none does.
        others: the other lines that are not well.
        seconds: of the validation.
    """

    defect: Defect
    line: Mapping[str, Any] | None
    others: tuple[Mapping[str, Any], ...]
    seconds: float

    @property
    def text(self) -> str:
        """In one line: found by what, or what was said instead."""
        if self.line is not None:
            return f"{self.line['rung']}/{self.line['name']}: {self.line['detail']}"
        said = [f"{each['rung']}/{each['name']}: {each['detail']}" for each in self.others]
        return "NOT FOUND; " + ("; ".join(said) or "nothing is said")


@cache
def sound(blueprint: str) -> Project:
    """The project of a blueprint, without any defect."""
    return built(TEXTS[blueprint])


@cache
def files(blueprint: str) -> Mapping[str, bytes]:
    """What that project consists of, by path."""
    return {file.path: file.content for file in expanded(TEXTS[blueprint]).files}


def defective(defect: Defect) -> Project:
    """The project with the defect in it, built."""
    return built(TEXTS[defect.blueprint], changes=defect.changes(files(defect.blueprint)))


def look_for(defect: Defect) -> Finding:
    """Builds, validates, and looks for the defect in the report."""
    project = defective(defect)
    start = time.monotonic()
    bad = complaints(project, defect.options)
    line = next((each for each in bad if _tells(each, defect.signs)), None)
    others = tuple(each for each in bad if each is not line)
    return Finding(defect, line, others, time.monotonic() - start)


def complaints(project: Project, options: Sequence[str]) -> list[Mapping[str, Any]]:
    """The lines of a validation's report that are not well."""
    command = [sys.executable, "-m", "epforge", "validate", str(project.root), "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    checks: list[Mapping[str, Any]] = json.loads(done.stdout)["checks"]
    assert checks, "nothing was checked"
    return [check for check in checks if check["outcome"] in _BAD]


def _tells(line: Mapping[str, Any], signs: Sequence[Sign]) -> bool:
    return any(
        line["rung"] == sign.rung
        and re.fullmatch(sign.check, line["name"])
        and any(re.search(sign.place, text) for text in _texts(line))
        for sign in signs
    )


def _texts(line: Mapping[str, Any]) -> Iterator[str]:
    yield f"{line['name']}: {line['detail']}"
    for case in line.get("cases", ()):
        if case["outcome"] in _BAD:
            yield f"{line['name']}: {case['label']}: {case['detail']}"
