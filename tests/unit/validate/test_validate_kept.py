"""Results that are kept: found again while nothing has changed, and only what is well."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from epforge.validate import CaseResult, Check, Outcome, Rung
from epforge.validate.kept import NOTHING, Kept, origin, prune
from epforge.validate.pictures import Node, Picture

ASKED = {"rung": "ops", "op": "Relu"}


def line(outcome: Outcome = Outcome.PASSED, case: Outcome = Outcome.PASSED) -> Check:
    cases = (CaseResult("since 6", case, ""),)
    pictures = (Picture("chain", (Node("n1", "Relu", "XEp", 0, ("X",), ("v1",)),)),)
    return Check(
        Rung.OPS, "Relu", outcome, "right", "1.32.0", 1.5, cases, pictures, models_left_out=3
    )


class Counted:
    """Makes lines, and counts how often it had to."""

    def __init__(self, *checks: Check) -> None:
        self.checks = checks
        self.times = 0

    def __call__(self) -> Sequence[Check]:
        self.times += 1
        return self.checks


def test_what_is_well_is_made_once(tmp_path: Path) -> None:
    kept, make = Kept(tmp_path, "a"), Counted(line())
    first, second = kept.checks(ASKED, make), kept.checks(ASKED, make)
    assert make.times == 1
    assert first == (line(),)
    assert [check.cached for check in (*first, *second)] == [False, True]
    assert second[0].cases == line().cases
    assert second[0].pictures == line().pictures
    assert second[0].models_left_out == 3


@pytest.mark.parametrize("bad", [Outcome.FAILED, Outcome.CRASHED, Outcome.TIMED_OUT])
def test_what_is_not_well_is_made_again(bad: Outcome, tmp_path: Path) -> None:
    kept = Kept(tmp_path, "a")
    for check in (line(bad), line(case=bad)):
        make = Counted(check)
        kept.checks(ASKED, make)
        kept.checks(ASKED, make)
        assert make.times == 2


def test_what_was_not_checked_is_checked_again(tmp_path: Path) -> None:
    make = Counted(line(Outcome.NOT_CHECKED, Outcome.NOT_CHECKED))
    kept = Kept(tmp_path, "a")
    kept.checks(ASKED, make)
    kept.checks(ASKED, make)
    assert make.times == 2


def test_another_origin_and_another_question_are_not_answered(tmp_path: Path) -> None:
    Kept(tmp_path, "a").keep(ASKED, [line()])
    assert Kept(tmp_path, "a").find(ASKED)
    assert Kept(tmp_path, "b").find(ASKED) is None
    assert Kept(tmp_path, "a").find({**ASKED, "thorough": True}) is None


def test_nothing_is_kept_where_there_is_no_folder() -> None:
    make = Counted(line())
    NOTHING.checks(ASKED, make)
    NOTHING.checks(ASKED, make)
    assert make.times == 2


@pytest.mark.parametrize("damage", [b"", b"not packed", None])
def test_a_damaged_result_is_made_again(damage: bytes | None, tmp_path: Path) -> None:
    kept, make = Kept(tmp_path, "a"), Counted(line())
    kept.checks(ASKED, make)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-5] if damage is None else damage)
    kept.checks(ASKED, make)
    assert make.times == 2


def test_an_old_result_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, make = Kept(tmp_path, "a"), Counted(line())
    kept.checks(ASKED, make)
    import time

    later = time.time() + 8 * 24 * 3600
    monkeypatch.setattr(time, "time", lambda: later)
    kept.checks(ASKED, make)
    assert make.times == 2


def test_the_ones_not_used_for_longest_go_first(tmp_path: Path) -> None:
    for age, name in enumerate(("newest", "middle", "oldest")):
        path = tmp_path / name
        path.write_bytes(bytes(100))
        os.utime(path, (1000 - age, 1000 - age))
    prune(tmp_path, 250)
    assert {path.name for path in tmp_path.iterdir()} == {"newest", "middle"}
    prune(tmp_path, 0)
    assert not any(tmp_path.iterdir())
    prune(tmp_path / "nowhere", 0)


Change = Callable[[Path, pytest.MonkeyPatch], dict[str, object]]


def _flip(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, object]:
    path = folder / "lib.so"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    return {}


def _claim(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, object]:
    (folder / "lib.so.manifest.json").write_text("{}")
    return {}


def _variable(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, object]:
    patch.setenv("CONTOSO_DEBUG", "1")
    return {}


def _fact(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, object]:
    return {"runtime": "1.31.0"}


def _source(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, object]:
    patch.setattr("epforge.validate.kept._sources", lambda: "others")
    return {}


def _runtime(folder: Path, patch: pytest.MonkeyPatch) -> dict[str, object]:
    (folder / "onnxruntime/capi/pybind.so").write_bytes(b"another build")
    return {}


@pytest.mark.parametrize("change", [_flip, _claim, _variable, _fact, _source, _runtime])
def test_whatever_changes_is_another_origin(
    change: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / "lib.so", tmp_path / "lib.so.manifest.json"]
    for path in files:
        path.write_bytes(b"content")
    (tmp_path / "onnxruntime/capi").mkdir(parents=True)
    (tmp_path / "onnxruntime/capi/pybind.so").write_bytes(b"a build")
    facts: dict[str, object] = {"runtime": "1.32.0"}
    before = origin(files, facts, tmp_path)
    assert before == origin(files, facts, tmp_path)
    more = change(tmp_path, monkeypatch)
    assert before != origin(files, {**facts, **more}, tmp_path)


def test_where_one_stands_is_no_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = origin([], {}, None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "7")
    assert before == origin([], {}, None)
