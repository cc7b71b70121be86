"""The lock: its text, and what is made of a damaged one."""

import json
from pathlib import Path

import pytest

from epforge.errors import UsageError
from epforge.workspace import LOCK, File, Lock, Owner, Tool, read_lock

TOOL = Tool("0.1.0", "f" * 64)


def lock() -> Lock:
    files = [
        File("b.sh", b"b", Owner.SHARED, executable=True, template="plugin/b.sh"),
        File("a/x.cc", b"a", Owner.GENERATED, template="plugin/a/x.cc"),
        File("c", b"c", Owner.YOURS),
    ]
    return Lock.of({file.path: file for file in files}, TOOL, b"epforge: 1\n")


def test_the_lock_is_json_with_one_sorted_line_per_file() -> None:
    text = lock().dump().decode()
    assert json.loads(text)["files"]["b.sh"]["executable"] is True
    rows = [line for line in text.splitlines() if "sha256" in line]
    assert [row.split('"')[1] for row in rows] == ["a/x.cc", "b.sh", "c"]
    assert list(json.loads(text)) == ["blueprint", "files", "format", "tool"]


def test_the_lock_reads_back(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_bytes(lock().dump())
    assert read_lock(tmp_path) == lock()


def test_no_lock_is_none(tmp_path: Path) -> None:
    assert read_lock(tmp_path) is None
    assert read_lock(tmp_path / "absent") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"format": 2}',
        '{"format": 1, "files": []}',
        '{"format": 1, "files": {"a": 3}, "tool": {"version": "", "templates": ""}}',
        '{"format": 1, "blueprint": "", "files": {"../a": {"owner": "yours", "sha256": ""}}, '
        '"tool": {"version": "", "templates": ""}}',
        '{"format": 1, "blueprint": "", "files": {"a": {"owner": "mine", "sha256": ""}}, '
        '"tool": {"version": "", "templates": ""}}',
    ],
)
def test_a_damaged_lock_is_an_error_that_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / LOCK).write_text(text)
    with pytest.raises(UsageError):
        read_lock(tmp_path)


def test_a_lock_of_a_newer_epforge_is_named(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text('{"format": 7}')
    with pytest.raises(UsageError, match="format 7"):
        read_lock(tmp_path)
