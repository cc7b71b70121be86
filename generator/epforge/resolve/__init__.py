"""From shape to meaning: names, devices, operators and options checked against what there is.

The functions are looked up on first use, so that `model` can be imported without pydantic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epforge.resolve.analysis import (
        Analysis,
        analyse,
        resolve,
        resolve_supported,
    )
    from epforge.resolve.show import resolved_data, resolved_yaml

__all__ = [
    "Analysis",
    "analyse",
    "resolve",
    "resolve_supported",
    "resolved_data",
    "resolved_yaml",
]


def __getattr__(name: str) -> Any:
    if name in ("resolved_data", "resolved_yaml"):
        from epforge.resolve import show

        return getattr(show, name)
    if name in __all__:
        from epforge.resolve import analysis

        return getattr(analysis, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
