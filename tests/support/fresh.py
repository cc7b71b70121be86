"""Code of tests in fresh processes: with values from outside, on any runtime, and ending well."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from projects import Project
from runtimes import SUPPORTED, runtime

#: Runs a test on the installed runtime, and in the lab on each that is supported.
every_runtime = pytest.mark.parametrize(
    "version",
    [None, *(pytest.param(each, marks=pytest.mark.lab) for each in SUPPORTED)],
    ids=["installed", *SUPPORTED],
)
#: Runs a test on the oldest runtime, and in the lab on each that is supported.
oldest_runtime = pytest.mark.parametrize(
    "version",
    [SUPPORTED[0], *(pytest.param(each, marks=pytest.mark.lab) for each in SUPPORTED[1:])],
)
# That nodes went to the CPU is no complaint.
_COMPLAINT = re.compile(r"\[[WEF]:onnxruntime(?!.* VerifyEachNodeIsAssignedToAnEp\])")


def ok(
    project: Project,
    code: str,
    version: str | None = None,
    *,
    timeout: float = 300,
    **given: object,
) -> str:
    """Runs code as `Project.python` does; it must reach its end.

    Args:
        project: whose package is registered.
        code: it finds the execution provider's name in `ep`, and `Path`.
        version: of the runtime; by default the installed one.
        timeout: in seconds.
        given: what else it finds, by name: paths, and what `repr` writes so that Python reads it.

    Returns:
        What it wrote to stderr.
    """
    lines = [f"{name} = {_literal(each)}" for name, each in {"ep": project.ep, **given}.items()]
    whole = ["from pathlib import Path", *lines, textwrap.dedent(code), "print('the end')"]
    done = project.python(
        "\n".join(whole), runtime=runtime(version) if version else None, timeout=timeout
    )
    said = done.stdout + done.stderr
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["the end"]), said[-6000:]
    return done.stderr


def complaints(stderr: str) -> list[str]:
    """The lines of onnxruntime's log that are a warning, or worse."""
    return [line for line in stderr.splitlines() if _COMPLAINT.search(line)]


def _literal(given: object) -> str:
    return f"Path({str(given)!r})" if isinstance(given, Path) else repr(given)
