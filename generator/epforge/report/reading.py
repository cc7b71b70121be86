"""Reads reports. Whoever wrote the file is not trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from epforge.errors import UsageError
from epforge.report.shape import Report

_MOST_BYTES = 128 << 20
_CURE = "Make one: epforge validate PROJECT --report report.json"


def read(path: Path) -> Report:
    """The report in a file.

    Raises UsageError, naming the file and the place in it, for one that is no such report.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", _CURE) from error
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{path}: larger than {_MOST_BYTES >> 20} MiB: no report", _CURE)
    try:
        data = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deeply: no report", _CURE) from error
    except ValueError as error:  # of the encoding, of JSON, of numbers
        raise UsageError(f"{path}: no JSON: {str(error)[:200]}", _CURE) from error
    return parse(data, str(path))


def parse(data: Any, name: str) -> Report:
    """The report that JSON says.

    Args:
        name: what to call it in errors.

    Raises UsageError.
    """
    if not isinstance(data, dict) or "format" not in data:
        raise UsageError(f"{name}: no report of epforge validate: it has no key format", _CURE)
    if type(data["format"]) is not int or data["format"] != 1:
        said = json.dumps(data["format"], default=str)[:40]
        raise UsageError(
            f"{name}: a report of format {said}; this epforge reads format 1",
            "Read it with the epforge that made it, or make it again.",
        )
    try:
        return Report.model_validate(data)
    except ValidationError as error:
        raise UsageError(f"{name}: {_first(error)}", _CURE) from None


def _first(error: ValidationError) -> str:
    """The first of what is wrong, with its place: "checks[3].outcome: ..."."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    place = ""
    for part in found[0]["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f".{str(part)[:80]}"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{place.lstrip('.')}: {found[0]['msg']}{more}"


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
