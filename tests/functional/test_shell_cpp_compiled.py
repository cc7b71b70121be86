"""The generated C++ tests of projects that compile: partitions, programs, blobs, verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest
from cpp_tests import NEWEST, assert_clean, instrumented, ort_library, run

ALONE = ("entry_test", "kernels_test", "graph_test", "program_test", "blob_test",
         "compatibility_test")  # fmt: skip


def text_of(repository: Path, name: str) -> str:
    return (repository / f"blueprints/{name}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("test", ALONE)
def test_they_pass_in_a_debug_build(repository: Path, test: str) -> None:
    assert_clean(run(instrumented(text_of(repository, "virtual"), "debug"), test))


@pytest.mark.lab
@pytest.mark.parametrize("preset", ["asan", "tsan"])
@pytest.mark.parametrize("name", ["compiled", "virtual"])
def test_they_are_clean_under_sanitizers(repository: Path, name: str, preset: str) -> None:
    project = instrumented(text_of(repository, name), preset)
    for test in ALONE:
        assert_clean(run(project, test))
    assert_clean(run(project, "host_test", ort_library(NEWEST), project.library))
