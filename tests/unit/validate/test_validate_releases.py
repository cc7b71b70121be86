"""Which releases of onnxruntime a library is run on."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from epforge.validate.releases import Choice, Releases, choose, find_releases

ALL = ("1.22.1", "1.23.1", "1.23.2", "1.24.1", "1.24.4", "1.25.0", "1.25.1", "1.32.0", "2.0.0")


def test_from_the_oldest_promised_to_the_newest_and_one_older() -> None:
    found = choose(ALL, (1, 24, 4))
    assert found == Choice("1.23.2", ("1.24.4", "1.25.0", "1.25.1", "1.32.0", "2.0.0"))


def test_a_patch_below_the_minimum_is_neither() -> None:
    found = choose(ALL, (1, 24, 4))
    assert "1.24.1" not in (found.too_old, *found.supported)


def test_nothing_older_is_to_be_had() -> None:
    assert choose(("1.24.4", "1.25.0"), (1, 24, 0)) == Choice("", ("1.24.4", "1.25.0"))


def test_without_a_manifest_one_of_each_minor_release() -> None:
    assert choose(ALL, None) == Choice("", ("1.23.2", "1.24.4", "1.25.1", "1.32.0", "2.0.0"))


def _pip(patch: pytest.MonkeyPatch, stdout: str, stderr: str = "", code: int = 0) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert command[3:6] == ["pip", "index", "versions"]
        return subprocess.CompletedProcess(command, code, stdout, stderr)

    patch.setattr(subprocess, "run", run)


def test_what_pip_lists_is_sorted_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    _pip(
        monkeypatch, "onnxruntime (1.32.0)\nAvailable versions: 1.32.0, 1.9.0, 1.24.4, 1.25.0rc1\n"
    )
    assert find_releases() == Releases(("1.9.0", "1.24.4", "1.32.0"))


def test_without_an_index_there_is_what_was_installed_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path))
    _pip(monkeypatch, "", "WARNING: experimental\nERROR: No matching distribution found", 1)
    assert find_releases() == Releases((), "No matching distribution found")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    for name in (f"1.26.0-{tag}", f"1.24.4-{tag}", "1.25.0-cp27", f"1.27.0-{tag}"):
        package = tmp_path / "runtimes" / name / "onnxruntime"
        package.mkdir(parents=True)
        if not name.startswith("1.27"):  # that one is torn
            (package / "__init__.py").touch()
    assert find_releases().versions == ("1.24.4", "1.26.0")
