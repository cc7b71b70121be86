"""The reader of headers on small texts: what it takes for a member, a level, a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from epforge.errors import ExitStatus
from epforge.ort.ctext import clean_type, parse_member, parse_param, split_comments
from epforge.ort.reader import HeaderError, fill_since, read_headers, read_level, read_structs

C_API = """
#pragma once
#define ORT_API_VERSION 31  // 99
typedef struct OrtAllocator {
  uint32_t version;  ///< since 1.99
  void*(ORT_API_CALL* Alloc)(struct OrtAllocator* this_, size_t size);
  /** \\since 1.23 */
  ORT_API2_STATUS(GetStats, _In_ const struct OrtAllocator* this_, _Outptr_ OrtKeyValuePairs** out);
} OrtAllocator;
struct OrtApi {
  /* a comment; with { and \\since Version 1.22. */
  ORT_API2_STATUS(First, _In_reads_(count) const char* const* names, size_t count,
                  _In_ void (*fn)(void*, size_t), _Out_writes_all_(2) int64_t shape[2]);
  ORT_CLASS_RELEASE(Session);
  /** \\since Version 1.24. */
  ORT_API_T(const OrtEpApi*, GetEpApi, void);
#ifdef __cplusplus
  OrtApi(const OrtApi&) = delete;
  void NotThere();
#endif
#if defined(ORT_MINIMAL_BUILD)
  const bool nothing;
#else
  /// \\since Version 1.31.
  ORT_API2_STATUS(Last, _In_ int64_t value) ;
#endif
};
#include "onnxruntime_ep_c_api.h"
"""
EP_API = """
#include "onnxruntime_c_api.h"
/** \\since Version 1.29. */
struct OrtEp {
  uint32_t ort_version_supported;
  ORT_API_T(bool, IsReady, _In_ const OrtEp* this_ptr);
  union { uint64_t a; uint32_t b[2]; } value;
  NewType later;
};
"""
KEYS = 'static const char* const kOrtSessionOptionsThing = "session.thing";  // "no.key"\n'


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    (tmp_path / "onnxruntime_c_api.h").write_text(C_API, encoding="utf-8")
    (tmp_path / "onnxruntime_ep_c_api.h").write_text(EP_API, encoding="utf-8")
    name = "onnxruntime_session_options_config_keys.h"
    (tmp_path / name).write_text(KEYS, encoding="utf-8")
    return tmp_path


def test_members_are_read_as_a_c_compiler_sees_them(headers: Path) -> None:
    level = read_level(headers)
    assert level.level == 31
    assert [m.signature for m in level.struct("OrtApi").members] == [
        "OrtStatus* (*First)(const char* const* names, size_t count, "
        "void (*fn)(void*, size_t), int64_t shape[2])",
        "void (*ReleaseSession)(OrtSession* input)",
        "const OrtEpApi* (*GetEpApi)(void)",
        "OrtStatus* (*Last)(int64_t value)",
    ]
    assert [m.signature for m in level.struct("OrtEp").members] == [
        "uint32_t ort_version_supported",
        "bool (*IsReady)(const OrtEp* this_ptr)",
        "union { uint64_t a; uint32_t b[2]; } value",
        "NewType later",
    ]


def test_levels_are_read_from_marks_and_from_the_order(headers: Path) -> None:
    structs = read_level(headers).structs
    api = [(m.name, m.since, m.since_exact) for m in structs["OrtApi"].members]
    assert api == [
        ("First", 22, True),
        ("ReleaseSession", 24, False),
        ("GetEpApi", 24, True),
        ("Last", 31, True),
    ]
    assert {m.since for m in structs["OrtEp"].members} == {29}
    allocator = [(m.since, m.since_exact) for m in structs["OrtAllocator"].members]
    assert allocator == [(23, False), (23, False), (23, True)]


def test_keys_are_read_with_their_scope(headers: Path) -> None:
    assert read_headers(headers).keys == (("session", "kOrtSessionOptionsThing", "session.thing"),)


@pytest.mark.parametrize(
    ("marks", "fallback", "expected"),
    [
        ((None, 22, None, 24), 24, [(22, False), (22, True), (24, False), (24, True)]),
        ((22, None, 22), 22, [(22, True), (22, True), (22, True)]),
        ((None, None), 23, [(23, False), (23, False)]),
    ],
)
def test_a_gap_between_marks_is_filled_with_what_is_certain(
    marks: tuple[int | None, ...], fallback: int, expected: list[tuple[int, bool]]
) -> None:
    assert list(fill_since(marks, fallback)) == expected


@pytest.mark.parametrize(
    ("text", "type_", "name"),
    [
        ("_In_ const OrtGraph* graph", "const OrtGraph*", "graph"),
        ("_Out_writes_all_(f(a, b)) OrtNode **  nodes", "OrtNode**", "nodes"),
        ("_In_reads_(n) const char* const* const keys", "const char* const* const", "keys"),
        ("const struct OrtMemoryInfo* info", "const OrtMemoryInfo*", "info"),
        ("_In_reads_(n) int const* indices", "const int*", "indices"),
        ("unsigned int", "unsigned int", ""),
        ("OrtShapeInferContext*", "OrtShapeInferContext*", ""),
        ("size_t size", "size_t", "size"),
    ],
)
def test_parameters(text: str, type_: str, name: str) -> None:
    param = parse_param(text)
    assert (param.type, param.name) == (type_, name)


def test_types_are_spelled_one_way() -> None:
    assert clean_type("const  char *const*") == "const char* const*"
    assert clean_type("_Ret_maybenull_ OrtStatusPtr") == "OrtStatus*"


@pytest.mark.parametrize("text", ["OrtApi(const OrtApi&) = delete", "~OrtApi() {}", "static X f()"])
def test_what_is_no_member_is_passed_over(text: str) -> None:
    assert parse_member(text) is None


def test_comment_marks_in_strings_are_no_comments() -> None:
    parts = split_comments('const char* a = "/* no";  // yes\nint b;')
    assert [comment.text for comment in parts.comments] == ["// yes"]
    assert parts.open_comment is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("<!DOCTYPE html><html>", "is a web page"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "is a Git LFS pointer"),
        ("struct A {\n  int a;\n", "struct A of line 1 never ends"),
        ("int a;\n/* open\n", "the comment of line 2 never ends"),
        ("int a;\n#if 1\nint b;\n", "the #if of line 2 has no #endif"),
        ("a\0b", "is a binary file"),
    ],
)
def test_a_file_that_is_no_whole_header_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "x.h"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(HeaderError, match=message) as caught:
        read_structs(file)
    assert caught.value.file == file
    assert str(file) in str(caught.value)
    assert caught.value.exit_status is ExitStatus.MISSING


def test_a_missing_level_is_named(headers: Path) -> None:
    file = headers / "onnxruntime_c_api.h"
    file.write_text(C_API.replace("ORT_API_VERSION", "ORT_VERSION"), encoding="utf-8")
    with pytest.raises(HeaderError, match="does not define ORT_API_VERSION"):
        read_level(headers)


def test_windows_line_ends_make_no_difference(headers: Path) -> None:
    before = read_level(headers)
    for file in headers.glob("*.h"):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert read_level(headers) == before
