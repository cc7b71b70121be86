"""Rung `memory`: what the library takes it gives back, and what fails fails in words.

FR 2, 4, 8, 9, 24, 49, 50 of the field reports. Two ways to look: through the shim plugin, which
stands between the runtime and the library, and through the C++ host, which calls the library as no
runtime does and, when that is asked for, has sanitizers.
"""

from __future__ import annotations

import hashlib
from functools import partial

from epforge.errors import EpforgeError
from epforge.validate.memory import hosted, watched
from epforge.validate.model import Check
from epforge.validate.site import Site


def run(site: Site) -> tuple[Check, ...]:
    """One line per kind of thing that can go wrong."""
    asked = {"rung": "memory", **_instruments(site)}
    lines = site.kept.checks(asked, partial(_usual, site))
    if site.sanitize:
        lines += _sanitized(site, asked)
    return lines


def _usual(site: Site) -> tuple[Check, ...]:
    return (*hosted.probes(site), *watched.lines(site))


def _sanitized(site: Site, asked: dict[str, object]) -> tuple[Check, ...]:
    """The same library, built with sanitizers where there are sources."""
    try:
        own = site.instruments.sanitized("asan")
    except EpforgeError as error:
        return (hosted.without_sanitizers(site, error.message),)
    digest = hashlib.sha256(own.read_bytes()).hexdigest() if own else ""
    return site.kept.checks(
        {**asked, "sanitized": digest}, lambda: tuple(hosted.sanitized(site, own))
    )


def _instruments(site: Site) -> dict[str, object]:
    """What there is to look through: results without it are no results with it."""
    found: dict[str, object] = {}
    for name, find in (("shim", site.instruments.shim), ("headers", site.instruments.headers)):
        try:
            found[name] = str(find() or "")
        except EpforgeError:
            found[name] = ""
    return found
