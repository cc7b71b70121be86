"""Rung `memory`: what the library takes it gives back, and what fails fails in words.

FR 2, 4, 8, 9, 24, 49, 50 of the field reports. Two ways to look: through the shim plugin, which
stands between the runtime and the library, and through the C++ host, which calls the library as no
runtime does and, when that is asked for, has sanitizers.
"""

from __future__ import annotations

from epforge.validate.memory import hosted
from epforge.validate.model import Check
from epforge.validate.site import Site


def run(site: Site) -> tuple[Check, ...]:
    """One line per kind of thing that can go wrong."""
    lines = [*hosted.probes(site)]
    if site.sanitize:
        lines += hosted.sanitized(site)
    return tuple(lines)
