"""Blueprints that are right, nearly right and hostile: see `fuzzing` in tests/support.

Each is refused with places in its text, or becomes a project: the same one twice, that lies in its
directory. A case of the seed 0 that fails is shown as a test, made small.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from fuzzing import campaign, grammar, shrink
from fuzzing.cases import case
from fuzzing.judge import Depth, judge

from epforge.blueprint import shape


def told(tally: campaign.Tally, seed: int) -> str:
    """What went wrong, as tests."""
    return "\n".join(
        shrink.as_test(shrink.shrunk(case(seed, fault.number), fault.what), fault.what)
        for fault in tally.faults.values()
    )


def test_a_sample_of_blueprints() -> None:
    tally = campaign.run(0, 60)
    assert not tally.faults, told(tally, 0)
    assert sum(tally.outcomes.values()) == 60
    assert tally.outcomes["expanded"] >= 15  # every fourth is right
    assert tally.outcomes["refused"] >= 15


@pytest.mark.lab(sampled=False)
def test_many_blueprints(capsys: pytest.CaptureFixture[str]) -> None:
    tally = campaign.run(1, 20_000)
    assert not tally.faults, told(tally, 1)
    assert tally.outcomes["expanded"] > 5_000
    with capsys.disabled():
        print(f"\n  {dict(tally.outcomes)}, at most {tally.worst[0]:.2f} s", end="")


def test_a_case_is_the_same_every_time() -> None:
    assert case(3, 17) == case(3, 17)
    assert case(3, 17) != case(4, 17)


def test_every_key_of_the_format_comes_up() -> None:
    trees = (grammar.blueprint(random.Random(seed)) for seed in range(400))
    text = repr(list(trees))
    keys = {
        key
        for each in vars(shape).values()
        if isinstance(each, type) and issubclass(each, shape.Shape)
        for key in each.model_fields
    }
    assert {key for key in keys if f"'{key}': " not in text} == set()


def test_what_is_no_error_of_epforges_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("npu")

    monkeypatch.setattr("fuzzing.judge.analyse", broken)
    outcome, what = judge(b"epforge: 1\n", Depth())
    assert outcome == "fault"
    assert what.startswith("KeyError in test_fuzz_blueprints.py:broken")


def test_a_worker_that_ends_is_the_fault_of_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPFORGE_FUZZ_ENDS_AT", "2")
    tally = campaign.run(0, 4, jobs=1)
    (fault,) = tally.faults.values()
    assert (fault.number, fault.what) == (2, "the process ends")
    assert sum(tally.outcomes.values()) == 4


def test_what_is_written_elsewhere_is_noticed(tmp_path: Path) -> None:
    watch = campaign.Watch()
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "file").write_text("x", encoding="utf-8")
    assert watch.astray((str(inside),)) == ""
    (tmp_path / "beside").write_text("x", encoding="utf-8")
    assert watch.astray((str(inside),)) == f"touches {tmp_path / 'beside'}"
    os.mkdir(tmp_path / "folder")
    assert watch.astray((str(inside),)) == f"touches {tmp_path / 'folder'}"


def test_a_failing_text_is_made_small() -> None:
    text = b"epforge: 1\nname: a\nops: [Relu, Bad, Add]\noptions: []\n"
    assert shrink.smaller(text, lambda data: b"Bad" in data) == b"Bad"
    assert shrink.smaller(text, lambda data: b"Gone" in data) == text
