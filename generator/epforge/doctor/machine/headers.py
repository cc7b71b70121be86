"""ONNX Runtime's headers, which every build needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from epforge.doctor.model import Finding, command, error, missing, note, ok
from epforge.errors import EpforgeError, MissingError
from epforge.network import unreachable
from epforge.ort.levels import LATEST_EDITION_TARGET


@dataclass(frozen=True)
class Headers:
    """The headers that a build would use.

    Args:
        wanted: the lowest API level that will do.
        level: theirs; 0 when there are none.
        include: their directory.
        source: how they were found.
        problem: why there are none, in one line.
        named: the variable that names the place where they should be; empty if none does.
        debian: why Debian's package cannot be had; empty if it can.
        offline: this machine knows no way to another one.
    """

    wanted: int = LATEST_EDITION_TARGET
    level: int = 0
    include: str = ""
    source: str = ""
    problem: str = ""
    named: str = ""
    debian: str = ""
    offline: bool = False


def gather(wanted: int = LATEST_EDITION_TARGET) -> Headers:
    """What a build for an API level would find here; nothing is fetched.

    Args:
        wanted: the lowest API level that will do.
    """
    from epforge.ort.sdk import ENVIRONMENT, find_sdk

    named = next((name for name in ENVIRONMENT if os.environ.get(name)), "")
    try:
        sdk = find_sdk(None, wanted, install_missing=False)
    except EpforgeError as problem:
        what = " ".join(problem.message.split())
        return Headers(wanted, problem=what, named=named, debian=_debian(), offline=unreachable())
    return Headers(wanted, sdk.level, str(sdk.include), sdk.source, named=named)


def _debian() -> str:
    """Why the headers cannot come from Debian; empty if nothing speaks against it."""
    from epforge.ort.sdk.debian import Machine, mirror_of

    if shutil.which("apt-get") is None:
        return "there is no apt-get on this machine"
    try:
        mirror_of(Machine())
    except MissingError as problem:
        return str(getattr(problem, "reason", problem.message))
    return ""


def judge(found: Headers) -> Iterator[Finding]:
    """Are there headers, or will there be?"""
    release = f"1.{found.wanted}"
    if found.level:
        where = f"{found.include} (from {found.source})"
        yield ok("headers", f"ONNX Runtime's headers of 1.{found.level}, {where}")
    elif found.named:
        yield error(
            "headers",
            found.problem,
            f"{found.named} is looked at and nothing else: every build would end with that.",
            f"unset {found.named}",
        )
    elif found.debian or found.offline:
        yield missing(
            "headers",
            f"no headers of ONNX Runtime {release} or newer",
            "Every build needs them, and they do not come by themselves: "
            f"{found.debian or 'there is no network'}.",
            command("epforge", "sdk", "install", f"onnxruntime-{release}.0.tgz", "--ort", release),
        )
    else:
        yield note(
            "headers",
            f"no headers of ONNX Runtime {release} or newer yet",
            "The first build fetches them from Debian; without a connection it ends there.",
            command("epforge", "sdk", "install", "--ort", release),
        )
