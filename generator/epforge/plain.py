"""Data as JSON has it."""

from __future__ import annotations

from typing import Any


def plain(data: Any) -> Any:
    """Data with lists in place of tuples, at every depth."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, list | tuple) else data
