"""Builds and runs the C++ tests of generated projects."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from projects import Project, built, expanded
from runtimes import SUPPORTED, runtime

NEWEST = SUPPORTED[-1]


def ort_library(version: str) -> Path:
    """The shared library of a wheel."""
    return runtime(version) / f"onnxruntime/capi/libonnxruntime.so.{version}"


def instrumented(text: str, preset: str) -> Project:
    """The project built with its tests; which runtime they use is said when they are run."""
    macro = expanded(text).blueprint.names.macro
    return built(text, preset=preset, variables={f"{macro}_ORT_LIBRARY": str(ort_library(NEWEST))})


def run(project: Project, test: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Runs one test program."""
    program = project.library.parent / "tests/cpp" / test
    # AddressSanitizer hides from the loader who asks for a library; 1.23 needs one beside its own.
    beside = {"LD_LIBRARY_PATH": str(arguments[0].parent)} if arguments else {}
    return subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={
            **os.environ,
            **beside,
            "ASAN_OPTIONS": "detect_leaks=1",
            "TSAN_OPTIONS": "halt_on_error=1",
        },
    )


def assert_clean(result: subprocess.CompletedProcess[str]) -> None:
    """Checks were made, none failed, and no sanitizer has complained."""
    assert result.returncode == 0, (result.stdout + result.stderr)[-6000:]
    assert ", 0 failed" in result.stdout
    assert "Sanitizer" not in result.stderr
