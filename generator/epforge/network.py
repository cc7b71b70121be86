"""Whether there is a network at all, and what programs that fetch something are told of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_PIP_S = 60
_ROUTES = (Path("/proc/self/net/route"), Path("/proc/self/net/ipv6_route"))


def unreachable() -> bool:
    """Does this machine know no way to any other one? False where that cannot be told.

    Only the machine itself is asked, so the answer takes no time. A firewall is not noticed.
    """
    if not sys.platform.startswith("linux"):
        return False
    interfaces = []
    for path in _ROUTES:
        try:
            lines = path.read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:
            if path == _ROUTES[0]:
                return False
            continue  # a kernel without IPv6
        rows = [line.split() for line in lines if line.strip()]
        # IPv4's table has a head, and the interface first; IPv6's has it last.
        interfaces += [row[0] for row in rows[1:]] if path == _ROUTES[0] else [r[-1] for r in rows]
    return all(name == "lo" for name in interfaces)


def pip_variables() -> Mapping[str, str]:
    """What pip is told beside its own configuration: without a network, not to try again.

    It still finds packages in directories of this machine then, and fails at once on others.
    """
    return {"PIP_RETRIES": "0"} if unreachable() else {}


def npm_variables() -> Mapping[str, str]:
    """The same for npm."""
    return {"npm_config_fetch_retries": "0"} if unreachable() else {}


def pip_setting(name: str) -> str:
    """A setting of pip for all its commands: of ``PIP_NAME``, else of its configuration files;
    empty where there is none, or no pip."""
    from_variable = os.environ.get(f"PIP_{name.upper()}")
    if from_variable:
        return from_variable
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "pip", "config", "list"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PIP_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""  # a download without it may work all the same, and says itself if not
    found = re.search(rf"^global\.{name}='(.*)'$", done.stdout, re.MULTILINE)
    return found[1] if found else ""


def pip_environment() -> Mapping[str, str]:
    """The whole environment of a pip that this Python runs."""
    return {**os.environ, **pip_variables()}
