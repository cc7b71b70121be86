"""git as an engine: what the machine, the user or a project set up has no say in a merge."""

import os
import select
import shutil
import stat
from pathlib import Path

import pytest

from epforge.errors import EpforgeError, ExitStatus, UsageError
from epforge.workspace.merge import (
    Engine,
    Fate,
    GitError,
    Merged,
    best_engine,
    merge_text,
    merge_trees,
)

TEXT = b"".join(b"line %d\n" % number for number in range(12))
MINE = TEXT.replace(b"line 2\n", b"mine\n")
NEW = TEXT.replace(b"line 9\n", b"new\n")
BOTH = MINE.replace(b"line 9\n", b"new\n")
CLASH = TEXT.replace(b"line 2\n", b"clash\n")

with_git = pytest.mark.parametrize("engine", [Engine.MERGE_TREE, Engine.MERGE_FILE])


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each merge is done anew: what an earlier test merged would hide what git does now."""
    monkeypatch.setattr("epforge.workspace.merge.text._remembered", {})


def fates(engine: Engine) -> list[tuple[Fate, bytes | None]]:
    rows = merge_trees(
        {"a": TEXT, "b": TEXT}, {"a": MINE, "b": MINE}, {"a": NEW, "b": CLASH}, engine=engine
    )
    return [(row.fate, row.content) for row in rows]


CONFLICT = MINE.replace(
    b"mine\n", b"<<<<<<< yours\nmine\n||||||| base\nline 2\n=======\nclash\n>>>>>>> epforge\n"
)
EXPECTED = [(Fate.MERGED, BOTH), (Fate.CONTENT, CONFLICT)]


def fake_git(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> Path:
    """Puts a script in the place of git."""
    folder.mkdir()
    program = folder / "git"
    program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return program


REAL = f'exec {shutil.which("git")} "$@"'
ANSWERS_VERSION = 'case "$*" in *version*) echo "git version 2.39.5"; exit 0;; esac'


@with_git
def test_the_environment_of_the_caller_is_not_heard(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text(
        "[core]\nautocrlf = true\neol = crlf\nattributesFile = ~/attributes\n"
        "[merge]\nconflictStyle = merge\nrenames = false\n[core]\nhooksPath = ~/hooks\n"
        '[merge "ours"]\ndriver = true\n[user]\nuseConfigOnly = true\n'
    )
    (tmp_path / "attributes").write_text("* merge=union\n")
    (tmp_path / "git").mkdir()
    (tmp_path / "git/attributes").write_text("* merge=union\n")
    (tmp_path / "git/config").write_text("[merge]\nconflictStyle = merge\n")
    (tmp_path / ".gitconfig").write_text((tmp_path / "config").read_text())
    for name, value in {
        "GIT_DIR": "/nowhere",
        "GIT_WORK_TREE": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere",
        "GIT_OBJECT_DIRECTORY": "/nowhere",
        "GIT_CONFIG_GLOBAL": str(tmp_path / "config"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.attributesFile",
        "GIT_CONFIG_VALUE_0": str(tmp_path / "attributes"),
        "GIT_CONFIG_PARAMETERS": "'merge.conflictStyle=merge'",
        "GIT_TRACE": "1",
        "GIT_EXEC_PATH": "/nowhere",
        "GIT_DEFAULT_HASH": "sha256",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "LC_ALL": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)
    assert fates(engine) == EXPECTED


@with_git
def test_a_repository_around_the_temporary_directory_is_not_heard(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    (tmp_path / "temp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert fates(engine) == EXPECTED
    assert not list((tmp_path / "temp").iterdir())


@with_git
@pytest.mark.parametrize(
    "rule", ["merge=union", "-text", "merge=ours", "-merge", "binary", "filter=lfs", "eol=crlf"]
)
def test_attributes_in_a_tree_change_nothing(engine: Engine, rule: str) -> None:
    attributes = {".gitattributes": b"* " + rule.encode() + b" conflict-marker-size=40\n"}
    rows = merge_trees(
        {"a": TEXT, "b": TEXT, **attributes},
        {"a": MINE, "b": MINE, **attributes},
        {"a": NEW, "b": CLASH, **attributes},
        engine=engine,
    )
    assert [(row.fate, row.content) for row in rows[1:]] == EXPECTED


@with_git
def test_any_path_will_do(engine: Engine) -> None:
    paths = ['quote " here', "back\\slash", "new\nline", "größe/大.txt", " blank ", "tab\t", "-p"]
    paths += ["'", "$(touch x)", ".git/config", "../up", "a/b", "a"]
    base, ours, theirs = (dict.fromkeys(paths, text) for text in (TEXT, MINE, NEW))
    rows = merge_trees(base, ours, theirs, engine=engine)
    assert rows == tuple(
        Merged(path, path, path, path, Fate.MERGED, BOTH) for path in sorted(paths)
    )


@with_git
def test_lines_that_look_like_commands_of_the_import_are_text(engine: Engine) -> None:
    base = b"done\n\ncommit refs/heads/ours\ndata 3\n" + TEXT
    rows = merge_trees(
        {"a": base},
        {"a": base.replace(b"line 2\n", b"feature done\ndone\n")},
        {"a": base.replace(b"line 9\n", b"reset refs/heads/theirs\n")},
        engine=engine,
    )
    assert rows[0].fate is Fate.MERGED
    assert rows[0].content is not None
    assert b"feature done\ndone\n" in rows[0].content
    assert b"reset refs/heads/theirs\n" in rows[0].content


@with_git
def test_two_hundred_conflicts_in_one_file(engine: Engine) -> None:
    base, ours, theirs = (
        b"".join(b"%d\n%s\n" % (n, word) for n in range(200)) for word in (b"old", b"mine", b"new")
    )
    assert len(merge_text(base, ours, theirs, engine=engine).hunks) == 200


def test_the_engine_is_the_best_that_git_offers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EPFORGE_MERGE", raising=False)
    for version, engine in [
        ("2.38.0", Engine.MERGE_TREE),
        ("3.0.1.windows.1", Engine.MERGE_TREE),
        ("2.37.9 (Apple Git-1)", Engine.MERGE_FILE),
        ("1.9", Engine.MERGE_FILE),
    ]:
        fake_git(tmp_path / version, monkeypatch, f"echo 'git version {version}'")
        assert best_engine() is engine, version
    fake_git(tmp_path / "broken", monkeypatch, "exit 1")
    assert best_engine() is Engine.PYTHON
    monkeypatch.setenv("PATH", str(tmp_path))
    assert best_engine() is Engine.PYTHON
    monkeypatch.setenv("EPFORGE_MERGE", "merge-file")
    assert best_engine() is Engine.MERGE_FILE
    with pytest.raises(GitError, match="PATH"):
        merge_text(TEXT, MINE, NEW)


def test_a_variable_that_names_no_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPFORGE_MERGE", "svn")
    with pytest.raises(UsageError, match="EPFORGE_MERGE=svn") as caught:
        merge_text(TEXT, MINE, NEW)
    assert "merge-tree, merge-file, python" in caught.value.cure


@pytest.mark.parametrize(
    "lines",
    [
        ["exit 1"],
        ["exit 0"],
        ["exit 128"],
        ["echo line 0"],
        ["kill -SEGV $$"],
        [REAL.removeprefix("exec "), "exit 200"],
        ["cat >/dev/null", "echo 0123456789012345678901234567890123456789"],
    ],
)
@with_git
def test_a_git_that_fails_or_lies_is_an_error_with_a_cure(
    engine: Engine, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", monkeypatch, ANSWERS_VERSION, *lines)
    with pytest.raises(EpforgeError) as caught:
        merge_text(TEXT, MINE, NEW, engine=engine)
    assert caught.value.exit_status is ExitStatus.MISSING
    assert "EPFORGE_MERGE=python" in caught.value.cure
    monkeypatch.setenv("EPFORGE_MERGE", "python")
    assert merge_text(TEXT, MINE, NEW).content == BOTH


@pytest.mark.parametrize("step", ["fast-import", "merge-tree", "cat-file"])
@pytest.mark.parametrize("end", ["exit 3", "kill -SEGV $$", "exit 0"])
def test_where_one_merge_of_all_fails_each_file_is_merged(
    step: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"
    fake_git(
        tmp_path / "bin", monkeypatch,
        f'echo "$*" >> {calls}', f'case "$*" in *{step}*) {end};; esac', REAL,
    )  # fmt: skip
    assert fates(Engine.MERGE_TREE) == EXPECTED
    assert calls.read_text().count("merge-file") == 2


def test_one_merge_of_all_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = tmp_path / "calls"
    fake_git(tmp_path / "bin", monkeypatch, f'echo "$*" >> {calls}', REAL)
    assert fates(Engine.MERGE_TREE) == EXPECTED
    assert merge_text(TEXT, MINE, CLASH, engine=Engine.MERGE_TREE).content == CONFLICT
    assert len(calls.read_text().splitlines()) == 3


@with_git
def test_a_git_that_hangs_is_stopped_with_what_it_started(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    fake_git(tmp_path / "bin", monkeypatch, "sleep 600 &", f"echo $! > {pid}", "wait")
    monkeypatch.setattr("epforge.workspace.merge.git.TIMEOUT_S", 0.5)
    with pytest.raises(GitError, match="did not end within") as caught:
        merge_text(TEXT, MINE, NEW, engine=engine)
    assert caught.value.exit_status is ExitStatus.MISSING
    assert has_ended(int(pid.read_text()))


def has_ended(pid: int) -> bool:
    """Has a process ended, or does it end now that it was killed?"""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)


@with_git
def test_no_place_for_temporary_files_is_an_error(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/nowhere")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(GitError, match="gone"):
        merge_text(TEXT, MINE, NEW, engine=engine)
