"""The table of API levels: sizes known from released runtimes, corrections, facts, keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epforge.errors import ExitStatus, UsageError
from epforge.ort import levels, make_levels
from epforge.ort.levels import describe, known_levels, load_level, parse_level
from epforge.ort.model import Confidence, Need, Role
from epforge.ort.reader import read_level

# Entries of the function tables, counted in the memory of the released runtimes.
TABLES = {
    "OrtApi": (390, 415, 419, 419, 422, 424, 425, 426, 428, 429),
    "OrtEpApi": (16, 50, 73, 73, 73, 73, 74, 74, 78, 78),
    "OrtModelEditorApi": (20,) * 10,
    "OrtCompileApi": (14, 14, 15, 15, 15, 15, 16, 16, 19, 20),
    "OrtInteropApi": (0, 11, 13, 13, 13, 13, 13, 13, 13, 13),
    "OrtModelPackageApi": (0, 0, 0, 0, 0, 0, 0, 0, 16, 16),
}
# sizeof on a 64-bit machine, measured with the official headers and in the runtimes.
SIZES = {
    "OrtEp": (104, 120, 136, 176, 200, 200, 208, 208, 216, 216),
    "OrtEpFactory": (112, 144, 160, 160, 160, 168, 168, 168, 168, 176),
}


def count(struct: str, level: int) -> int:
    found = load_level(level).structs.get(struct)
    return len(found.members) if found else 0


@pytest.mark.parametrize("struct", TABLES)
def test_a_table_has_as_many_entries_as_the_released_runtimes(struct: str) -> None:
    assert tuple(count(struct, level) for level in known_levels()) == TABLES[struct]


@pytest.mark.parametrize("struct", SIZES)
def test_a_struct_is_as_big_as_measured(struct: str) -> None:
    # Every member but the version word is a pointer; the word is padded to one.
    assert tuple(8 * count(struct, level) for level in known_levels()) == SIZES[struct]


@pytest.mark.parametrize("level", known_levels()[:-1])
def test_a_level_is_a_prefix_of_the_next(level: int) -> None:
    after = load_level(level + 1).structs
    for name, struct in load_level(level).structs.items():
        assert struct.members == after[name].members[: len(struct.members)]


@pytest.mark.parametrize("level", [23, 27])
def test_the_table_is_what_the_headers_say_but_for_corrections(
    level: int, request: pytest.FixtureRequest
) -> None:
    read = read_level(request.getfixturevalue(f"headers{level}"))
    table = load_level(level)
    assert list(read.structs) == list(table.structs)
    for name, struct in read.structs.items():
        assert [m.shape for m in struct.members] == [m.shape for m in table.structs[name].members]
    assert {(k.scope, k.key, k.constant) for k in read.keys} == {
        (k.scope, k.key, k.constant) for k in table.keys
    }


def test_corrections_still_correct_what_the_headers_say(headers27: Path) -> None:
    read = read_level(headers27)
    checked = 0
    for (struct, member), row in levels.corrections().items():
        if row["since"] <= 27:
            assert read.struct(struct).member(member).since == row["header_says"]
            checked += 1
        assert load_level(32).struct(struct).member(member).since == row["since"]
        assert row["why"]
        assert row["source"]
    assert checked >= 3


def test_the_tables_are_what_the_script_makes(headers23: Path, headers27: Path) -> None:
    assert make_levels.main(["--check", str(headers23), str(headers27)]) == 0


def test_the_script_refuses_headers_that_are_no_prefix(headers27: Path, tmp_path: Path) -> None:
    older = tmp_path / "older"
    older.mkdir()
    for name in ("onnxruntime_c_api.h", "onnxruntime_ep_c_api.h"):
        text = (headers27 / name).read_text(encoding="utf-8")
        text = text.replace("ORT_API_VERSION 27", "ORT_API_VERSION 26")
        text = text.replace("GetVendor,", "GetSeller,")
        (older / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"OrtEpFactory slot 2: .*GetSeller.* became .*GetVendor"):
        make_levels.make([older, headers27])


def test_only_headers_stand_behind_the_levels_of_the_issue() -> None:
    for level in range(23, 28):
        assert load_level(level).confidence is Confidence.HEADER
    assert load_level(32).confidence is not Confidence.HEADER


def test_newer_members_say_how_they_are_known() -> None:
    found = load_level(32)
    assert found.struct("OrtEp").member("GetEpContextDataSupport").confidence is Confidence.BINARY
    assert found.struct("OrtEp").member("GetWeightlessSupport").confidence is Confidence.HEADER
    for struct in found.structs.values():
        for member in struct.members:
            assert member.source


def test_every_callback_of_a_provider_has_a_fact() -> None:
    for struct in load_level(32).structs.values():
        if struct.role is Role.IMPLEMENTS and struct.name != "OrtCustomOp":
            for member in struct.members:
                assert member.need is not Need.UNKNOWN, f"{struct.name}.{member.name}"
                assert member.fact_source


def test_every_fact_is_about_a_member_that_exists() -> None:
    newest = load_level(32)
    facts = json.loads((make_levels.DATA / "facts.json").read_text(encoding="utf-8"))["facts"]
    for struct, members in facts.items():
        for name, fact in members.items():
            member = newest.struct(struct).member(name)
            assert member.need == fact["need"]
            assert (member.need is Need.CONDITIONAL) == bool(member.when)


def test_a_null_that_crashes_is_told_apart_from_one_that_is_forbidden() -> None:
    factory = load_level(24).struct("OrtEpFactory")
    assert factory.member("CreateDataTransfer").need is Need.CRASHES
    assert "SIGSEGV" in factory.member("CreateDataTransfer").when_null
    assert factory.member("GetName").need is Need.REQUIRED
    assert factory.member("IsStreamAware").need is Need.OPTIONAL


def test_versioned_structs_name_their_version_field() -> None:
    newest = load_level(32)
    for struct in newest.structs.values():
        if struct.role is Role.IMPLEMENTS:
            assert struct.version_field is not None
    assert newest.struct("OrtApi").version_field is None


def test_keys_come_with_their_first_release() -> None:
    def keys(level: int) -> dict[str, int]:
        return {key.key: key.since for key in load_level(level).keys}

    assert "session.record_ep_graph_assignment_info" not in keys(23)
    assert keys(24)["session.record_ep_graph_assignment_info"] == 24
    assert "session.compile_only" not in keys(26)
    assert "ep.enable_weightless_mode" not in keys(31)
    assert keys(32)["ep.enable_weightless_mode"] == 32
    deprecated = [key for key in load_level(32).keys if key.until is not None]
    assert {key.key for key in deprecated} >= {"ep.enable_weightless"}


def test_facts_are_added_to_levels_read_from_headers(headers27: Path) -> None:
    described = describe(read_level(headers27))
    assert described.struct("OrtEp") == load_level(27).struct("OrtEp")
    corrected = described.struct("OrtCompileApi").member("ModelCompilationOptions_SetInputModel")
    assert corrected.since == 25


@pytest.mark.parametrize(("text", "level"), [("1.24", 24), ("1.24.4", 24), ("27", 27)])
def test_a_release_is_read_as_a_level(text: str, level: int) -> None:
    assert parse_level(text) == level


@pytest.mark.parametrize(
    "text", ["", "abc", "2.0", "2.0.1", "1.", "1.x", "v1.24", "-1", "1.24.4.1"]
)
def test_what_is_no_release_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no release") as caught:
        parse_level(text)
    assert caught.value.exit_status is ExitStatus.WRONG_INPUT


@pytest.mark.parametrize("level", [0, 22, 33])
def test_an_unknown_level_names_the_known_ones(level: int) -> None:
    with pytest.raises(UsageError) as caught:
        load_level(level)
    assert "1.23 to 1.32" in caught.value.cure


def test_signatures_are_plain_c() -> None:
    struct = load_level(27).struct
    assert struct("OrtEpFactory").member("GetName").signature == (
        "const char* (*GetName)(const OrtEpFactory* this_ptr)"
    )
    assert struct("OrtApi").member("KernelContext_ParallelFor").signature == (
        "OrtStatus* (*KernelContext_ParallelFor)(const OrtKernelContext* context, "
        "void (*fn)(void*, size_t), size_t total, size_t num_batch, void* usr_data)"
    )
    assert struct("OrtEp").member("ort_version_supported").signature == (
        "uint32_t ort_version_supported"
    )
    assert struct("OrtApiBase").member("GetVersionString").signature.endswith("(void)")


def test_no_words_of_the_headers_are_in_the_data(headers27: Path) -> None:
    import re

    words = re.compile(r"[a-z']+")
    texts = "".join(
        (headers27 / name).read_text(encoding="utf-8")
        for name in ("onnxruntime_c_api.h", "onnxruntime_ep_c_api.h")
    )
    header = words.findall(texts.lower())
    length = 9
    runs = {tuple(header[i : i + length]) for i in range(len(header) - length)}
    for name in ("facts.json", "key_facts.json", "gains.json", "corrections.json", "newer.json"):
        data = json.loads((make_levels.DATA / name).read_text(encoding="utf-8"))
        for text in prose(data):
            ours = words.findall(text.lower())
            for i in range(len(ours) - length):
                assert tuple(ours[i : i + length]) not in runs, text


def prose(data: object) -> list[str]:
    """Texts of a JSON value that are sentences."""
    if isinstance(data, str):
        return [data] if data.count(" ") > 5 else []
    values = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for value in values for text in prose(value)]
