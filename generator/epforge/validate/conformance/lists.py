"""The two lists of the rung: tests that nobody has to pass, and differences that are allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from epforge.errors import UsageError

_HERE = Path(__file__).resolve().parent
_USUAL = {"relative": 1e-3, "absolute": 1e-7}  # those of ONNX's own runner

Exclusions = Mapping[str, Mapping[str, str]]  # reasons, by operator and test


def exclusions(more: Path | None = None) -> Exclusions:
    """The tests that are excluded, with reasons.

    Args:
        more: a file of the same kind that is read too.

    Raises UsageError, with file and entry, for a file that is not like that.
    """
    found: dict[str, dict[str, str]] = {}
    for path in (_HERE / "exclusions.toml", more):
        for op, tests in (_read(path) if path else {}).items():
            if not isinstance(tests, dict):
                raise UsageError(f"{path}: {op} is no table", _CURE)
            for test, reason in tests.items():
                if not isinstance(reason, str) or not reason.strip():
                    raise UsageError(f"{path}: {op}: {test} has no reason", _CURE)
                found.setdefault(op, {})[test] = reason
    return found


_CURE = 'Write a table per operator: [Relu], and below it: test_relu = "why it cannot pass"'


def tolerance(op: str) -> Mapping[str, float]:
    """The relative and the absolute difference from a test's numbers that is none."""
    own = _read(_HERE / "tolerances.toml").get(op, {})
    return {key: own.get(key, usual) for key, usual in _USUAL.items()}


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", _CURE) from error
