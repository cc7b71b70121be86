"""The files that travel with epforge: templates and blueprints."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def assets_dir(kind: str) -> Path:
    """The directory of ``templates`` or ``blueprints``.

    In a wheel it lies inside the package; in a checkout at the top of the repository.
    """
    inside = _PACKAGE / kind
    return inside if inside.is_dir() else _PACKAGE.parents[1] / kind
