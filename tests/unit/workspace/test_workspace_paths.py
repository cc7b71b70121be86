"""Which paths may be written."""

from pathlib import Path

import pytest

from epforge.errors import UsageError
from epforge.workspace.paths import check_inside, check_paths


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../evil",
        "a/../../evil",
        "a/./b",
        "a//b",
        "",
        "a/",
        "C:/x",
        "a\\b",
        "con",
        "src/AUX.h",
        "nul.tar.gz",
        "Com1",
        "a/lpt9.txt",
        "a.",
        "a ",
        "a\nb",
        'a"b',
        "a*",
    ],
)
def test_a_path_that_does_not_mean_the_same_everywhere_is_refused(path: str) -> None:
    with pytest.raises(UsageError):
        check_paths([path])


@pytest.mark.parametrize(
    "paths",
    [
        ["a/B", "a/b"],
        ["A/x", "a/y"],
        ["a", "a"],
        ["a/b", "a"],
        ["A", "a/b"],
        ["straße", "STRASSE"],
    ],
)
def test_paths_that_meet_on_some_system_are_refused(paths: list[str]) -> None:
    with pytest.raises(UsageError):
        check_paths(paths)
    with pytest.raises(UsageError):
        check_paths(reversed(paths))


def test_ordinary_paths_pass() -> None:
    check_paths([".github/workflows/ci.yml", "src/console.h", "src/a.b.c", "src/compute.cc"])


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    root = tmp_path / "project"
    root.mkdir()
    (root / "src").symlink_to(tmp_path / "out")
    with pytest.raises(UsageError, match="symbolic link"):
        check_inside(root, ["src/a.cc"])


def test_a_file_in_place_of_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "src").write_text("")
    with pytest.raises(UsageError, match="not a directory"):
        check_inside(tmp_path, ["src/a.cc"])
