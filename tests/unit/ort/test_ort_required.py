"""The table of arguments that must not be null, against the headers that it is made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from epforge.ort import make_required
from epforge.ort.levels import load_level, required_arguments
from epforge.ort.model import Role

HEADER = """
#define ORT_API_VERSION 23
struct OrtApi {
  /** \\param[in] one The first, a null-terminated name. \\param[in] two May be null. */
  ORT_API2_STATUS(Known, _In_ const char* one, _In_ const OrtValue* two, _In_opt_ OrtValue* three,
                  _In_ const int64_t* four, size_t four_len, OrtValue* five,
                  _Outptr_ OrtValue** out);
  void(ORT_API_CALL* Free)(_Frees_ptr_opt_ OrtValue* input);
  OrtStatus*(ORT_API_CALL* Plain)(int code, _In_ const char* msg, _In_ void* state);
};
"""


def test_the_table_is_what_the_headers_say(
    headers23: Path, headers27: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert make_required.main(["--check", str(headers23), str(headers27)]) == 0
    monkeypatch.setattr(make_required, "DATA", Path(__file__))
    assert make_required.main(["--check", str(headers23), str(headers27)]) == 1


def test_marks_and_comments_are_read(tmp_path: Path) -> None:
    (tmp_path / "onnxruntime_c_api.h").write_text(HEADER)
    (tmp_path / "onnxruntime_ep_c_api.h").write_text("struct OrtEpApi { int x; };\n")
    found = make_required.read_required(tmp_path)["OrtApi"]
    assert found == {"Known": ["one", "out"], "Free": [], "Plain": ["msg"]}


def test_what_is_required_is_there() -> None:
    level = load_level(27)
    count = 0
    for struct in level.structs.values():
        if struct.role is not Role.CALLS:
            continue
        for member in struct.members:
            wanted = required_arguments(struct.name, member.name)
            types = {param.name: param.type for param in member.params or ()}
            assert wanted <= set(types), member.name
            assert all("*" in types[name] for name in wanted), member.name
            count += len(wanted)
    assert count > 700
    assert required_arguments("OrtEpApi", "CreateEpDevice") == {
        *("ep_factory", "hardware_device", "ep_device")
    }
    assert not required_arguments("OrtApi", "ReleaseStatus")
    assert not required_arguments("OrtApi", "NoSuchFunction")
