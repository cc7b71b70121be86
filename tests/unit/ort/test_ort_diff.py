"""What differs between two levels of the API, in both directions, from tables and from headers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from epforge.cli.main import app
from epforge.ort.diff import ApiDiff, diff_levels
from epforge.ort.levels import describe, known_levels, load_level
from epforge.ort.model import ApiLevel
from epforge.ort.reader import read_level

run = CliRunner().invoke
LEVELS = known_levels()


def between(before: int, after: int) -> ApiDiff:
    return diff_levels(load_level(before), load_level(after))


def names(diff: ApiDiff) -> set[tuple[str, str, int]]:
    return {
        (name, slotted.member.name, slotted.slot)
        for name, struct in diff.structs.items()
        for slotted in struct.members
    }


def members(level: ApiLevel) -> set[tuple[str, str, int]]:
    return {
        (name, member.name, slot)
        for name, struct in level.structs.items()
        for slot, member in enumerate(struct.members)
    }


@pytest.mark.parametrize("after", LEVELS)
def test_what_came_is_what_the_older_level_lacks(after: int) -> None:
    for before in range(LEVELS[0], after + 1):
        diff = between(before, after)
        older, newer = load_level(before), load_level(after)
        assert names(diff) == members(newer) - members(older)
        assert set(diff.keys) == set(newer.keys) - set(older.keys)
        assert list(diff.gains) == list(range(before + 1, after + 1))
        assert not any(struct.changed for struct in diff.structs.values())


def test_steps_add_up() -> None:
    steps = [between(level, level + 1) for level in LEVELS[:-1]]
    whole = between(LEVELS[0], LEVELS[-1])
    assert set().union(*map(names, steps)) == names(whole)
    assert sum(len(names(step)) for step in steps) == len(names(whole))


def test_the_way_back_loses_what_the_way_there_gained() -> None:
    there, back = between(24, 27), between(27, 24)
    assert names(there) == names(back)
    assert there.keys == back.keys
    assert not there.is_loss
    assert back.is_loss


def test_a_struct_that_came_is_told_from_one_that_grew() -> None:
    structs = between(24, 27).structs
    assert structs["OrtEpProfilerImpl"].whole
    assert not structs["OrtEp"].whole
    assert [slotted.slot for slotted in structs["OrtEp"].members] == list(range(15, 25))


def test_deprecated_keys_are_those_of_the_levels_between() -> None:
    def deprecated(before: int, after: int) -> list[str]:
        return [key.key for key in between(before, after).deprecated]

    assert deprecated(28, 29) == ["ep.enable_weightless_ep_context_nodes"]
    assert deprecated(29, 31) == []
    assert deprecated(29, 32) == ["ep.enable_weightless"]


def test_wrong_marks_are_told_where_they_touch_the_levels_between() -> None:
    def corrected(before: int, after: int) -> list[str]:
        return [row.what for row in between(before, after).corrections]

    assert corrected(23, 24) == ["OrtCompileApi.ModelCompilationOptions_SetInputModel"]
    assert corrected(25, 27) == []
    assert "ep.enable_weightless_mode" in corrected(31, 32)


def test_headers_and_tables_differ_in_the_same(headers23: Path, headers27: Path) -> None:
    read = diff_levels(describe(read_level(headers23)), describe(read_level(headers27)))
    assert names(read) == names(between(23, 27))


def test_a_member_that_was_declared_otherwise_is_shown() -> None:
    older, newer = load_level(24), load_level(25)
    struct = newer.struct("OrtEp")
    other = replace(struct.members[3], type="void")
    changed = replace(struct, members=(*struct.members[:3], other, *struct.members[4:]))
    diff = diff_levels(older, replace(newer, structs={**newer.structs, "OrtEp": changed}))
    (change,) = diff.structs["OrtEp"].changed
    assert change.slot == 3
    assert change.before.type == "OrtStatus*"
    assert change.after.type == "void"


def test_text_shows_slot_level_signature_and_what_null_does() -> None:
    lines = run(app, ["api", "diff", "1.24", "1.27"]).stdout.splitlines()
    assert lines[0] == "ONNX Runtime 1.24 -> 1.27 gains 59 members in 10 structs, 14 keys"
    at = lines.index("    15 1.25    optional  OrtStatus* (*Sync)(OrtEp* this_ptr)")
    assert lines[at + 1] == "       null: Nothing to wait for."
    assert "OrtEpProfilerImpl (you implement): 6 members, the whole struct" in lines


def test_text_of_the_way_back_says_loses() -> None:
    result = run(app, ["api", "diff", "1.27", "1.24.4", "OrtEp"])
    assert result.stdout.startswith("ONNX Runtime 1.27 -> 1.24 loses 10 members in 1 struct, 0 key")
    assert result.exit_code == 0


def test_json_has_stable_keys() -> None:
    data = json.loads(run(app, ["api", "diff", "1.31", "1.32", "--json"]).stdout)
    assert list(data) == [
        *("format", "from", "to", "direction", "gains", "structs"),
        *("keys", "deprecated", "corrections"),
    ]
    assert (data["format"], data["from"], data["to"], data["direction"]) == (1, 31, 32, "gains")
    (member,) = data["structs"]["OrtEpFactory"]["members"]
    assert member["name"] == "GetDeviceMemoryCapacity"
    assert member["slot"] == 21
    assert member["need"] == "optional"
    assert member["when_null"]
    assert {row["what"] for row in data["corrections"]} >= {"ep.enable_weightless_mode"}


def test_nothing_differs_from_itself() -> None:
    data = json.loads(run(app, ["api", "diff", "27", "1.27", "--json"]).stdout)
    assert not any(data[key] for key in ("structs", "keys", "deprecated", "corrections", "gains"))


def test_one_struct_alone(headers27: Path) -> None:
    call = ["api", "diff", "1.24", "1.27", "OrtAllocator", "--sdk-to", str(headers27), "--json"]
    data = json.loads(run(app, call).stdout)
    assert list(data["structs"]) == ["OrtAllocator"]
    assert not data["keys"]


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (["1.x", "1.27"], ["FROM: '1.x' is no release", '"1.24"']),
        (["1.24", "1.99"], ["TO: API level 99", "1.23 to 1.32"]),
        (["1.24", "1.27", "OrtEpp"], ["neither 1.24 nor 1.27", "has a struct OrtEpp", "OrtEp"]),
    ],
)
def test_a_wrong_call_says_which_argument_and_what_there_is(
    arguments: list[str], texts: list[str]
) -> None:
    result = run(app, ["api", "diff", *arguments])
    assert result.exit_code == 2
    for text in texts:
        assert text in result.stderr


def test_headers_of_another_release_are_refused(headers27: Path) -> None:
    result = run(app, ["api", "diff", "1.23", "1.27", "--sdk-from", str(headers27)])
    assert result.exit_code == 2
    assert "FROM:" in result.stderr
    assert "1.27, not of 1.23" in result.stderr
