"""Checks are told of once, as they are known; rungs are timed; the place is described."""

from __future__ import annotations

import json
from pathlib import Path

from epforge.validate import Check, Outcome, Rung
from epforge.validate.binary import Binary
from epforge.validate.environment import environment
from epforge.validate.telling import Teller

ONE = Check(Rung.OPS, "Relu", Outcome.PASSED, "")


def test_a_check_is_told_of_once_and_its_equal_too() -> None:
    told: list[Check] = []
    teller = Teller(told.append)
    twin = Check(Rung.OPS, "Relu", Outcome.PASSED, "")
    teller.tell(ONE)
    teller.tell_all([ONE, twin])
    assert len(told) == 2
    assert told[1] is twin


def test_only_rungs_that_are_shown_have_times() -> None:
    teller = Teller()
    with teller.timed(Rung.OPS, "1.32.0"):
        pass
    teller.note(Rung.STATIC, "", 1.5)
    (time,) = teller.of({Rung.STATIC})
    assert (time.rung, time.runtime, time.seconds) == (Rung.STATIC, "", 1.5)
    assert [each.rung for each in teller.of(set(Rung))] == [Rung.OPS, Rung.STATIC]


def test_the_environment_says_which_file_it_was(tmp_path: Path) -> None:
    library = tmp_path / "lib.so"
    library.write_bytes(b"abc")
    binary = Binary("elf", "x86_64", made_by=("GCC: 12.2.0",))
    found = json.loads(json.dumps(environment(library, binary, None, tmp_path / "none")))
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert found["library"]["sha256"] == digest
    assert found["library"]["size"] == 3
    assert found["library"]["compilers"] == ["GCC: 12.2.0"]
    assert found["manifest_sha256"] is None
    assert found["blueprint_sha256"] is None
    assert found["cores"] >= 1


def test_a_library_that_is_no_file_has_no_digest(tmp_path: Path) -> None:
    found = environment(tmp_path, Binary("directory"), None, None)["library"]
    assert isinstance(found, dict)
    assert (found["size"], found["sha256"]) == (None, None)
