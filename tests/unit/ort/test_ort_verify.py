"""Broken, partial and mixed header sets are named file by file; layouts are probed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epforge.ort.sdk import Problem, verify
from epforge.ort.sdk.layout import LAYOUTS, locate

C_API = "onnxruntime_c_api.h"
EP_API = "onnxruntime_ep_c_api.h"


def edit(file: Path, change: Callable[[str], str]) -> None:
    before = file.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    file.write_text(after, encoding="utf-8")


def only(problems: list[Problem]) -> tuple[str, str]:
    """File name and text of the one problem there is."""
    assert len(problems) == 1, problems
    return problems[0].file.name, problems[0].message


@pytest.mark.parametrize("level", [23, 27])
def test_official_headers_are_good(level: int, request: pytest.FixtureRequest) -> None:
    headers = request.getfixturevalue(f"headers{level}")
    assert verify(headers) == []
    assert verify(headers, level) == []


def test_headers_that_are_too_old_are_named(headers23: Path) -> None:
    file, message = only(verify(headers23, 27))
    assert file == C_API
    assert "level 23 (ONNX Runtime 1.23); needed is at least 27" in message


@pytest.mark.parametrize(
    "name",
    [
        C_API,
        EP_API,
        "onnxruntime_cxx_inline.h",
        "onnxruntime_float16.h",
        "onnxruntime_env_config_keys.h",
        "onnxruntime_ep_device_ep_metadata_keys.h",
    ],
)
def test_a_deleted_header_is_named_with_who_includes_it(damaged: Path, name: str) -> None:
    (damaged / name).unlink()
    problems = verify(damaged, 27)
    assert name in {problem.file.name for problem in problems}
    if name == "onnxruntime_float16.h":
        file, message = only(problems)
        assert file == name
        assert message == "the file is missing; onnxruntime_cxx_api.h includes it in line 27"


def test_the_error_code_header_of_1_28_is_missed(damaged: Path) -> None:
    def as_of_28(text: str) -> str:
        text = text.replace("ORT_API_VERSION 27", "ORT_API_VERSION 28")
        return text.replace("#include <stdbool.h>", '#include "onnxruntime_error_code.h"', 1)

    edit(damaged / C_API, as_of_28)
    file, message = only(verify(damaged, 27))
    assert file == "onnxruntime_error_code.h"
    assert "onnxruntime_c_api.h includes it" in message
    (damaged / file).write_text("#include <stdbool.h>\n", encoding="utf-8")
    assert verify(damaged, 28) == []


def test_an_inc_file_that_a_package_forgot_is_missed(damaged: Path) -> None:
    text = '#pragma once\n#include "onnxruntime_experimental_c_api.inc"\n'
    (damaged / "onnxruntime_experimental_c_api.h").write_text(text, encoding="utf-8")
    file, message = only(verify(damaged))
    assert file == "onnxruntime_experimental_c_api.inc"
    assert "onnxruntime_experimental_c_api.h includes it in line 2" in message
    (damaged / file).write_text("ORT_EXPERIMENTAL_API(A, B)\n", encoding="utf-8")
    assert verify(damaged) == []


def test_a_header_that_a_caller_needs_is_missed(damaged: Path) -> None:
    lite = "onnxruntime_lite_custom_op.h"
    assert verify(damaged, needs=(lite,)) == []
    (damaged / lite).unlink()
    assert only(verify(damaged, needs=(lite,))) == (lite, "the file is missing")


def test_headers_of_two_releases_in_one_directory_are_told_apart(
    damaged: Path, headers23: Path
) -> None:
    shutil.copy(headers23 / EP_API, damaged / EP_API)
    problems = verify(damaged)
    assert {problem.file.name for problem in problems} == {EP_API}
    text = "\n".join(map(str, problems))
    assert "OrtEp ends after GetCompiledModelCompatibilityInfo" in text
    assert "level 27 goes on with GetKernelRegistry. This file looks like level 23" in text


def test_an_ep_header_newer_than_the_rest_is_told(damaged: Path, headers23: Path) -> None:
    for file in headers23.glob("*.h"):
        if file.name != EP_API:
            shutil.copy(file, damaged / file.name)
    text = "\n".join(map(str, verify(damaged)))
    assert "OrtEp has GetKernelRegistry, which level 23 does not have yet" in text
    assert EP_API in text


def test_a_member_of_another_type_is_named(damaged: Path) -> None:
    edit(
        damaged / EP_API, lambda text: text.replace("_Out_ bool* is_packed", "_Out_ int* is_packed")
    )
    file, message = only(verify(damaged))
    assert file == EP_API
    assert message.startswith("OrtKernelImpl has at position 4")
    assert "int* is_packed" in message


def test_exchanged_members_are_named(damaged: Path) -> None:
    def exchange(text: str) -> str:
        return (
            text.replace("GetVendor,", "@")
            .replace("GetName,", "GetVendor,")
            .replace("@", "GetName,")
        )

    edit(damaged / EP_API, exchange)
    assert any("OrtEpFactory has at position 1" in p.message for p in verify(damaged))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"<html>404</html>", "is a web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
        (b"\xff\xfe\x00", "is a binary file"),
        (b"// \xff\n", "is not UTF-8 text"),
    ],
)
def test_what_is_no_header_is_said_to_be_what_it_is(
    damaged: Path, content: bytes, message: str
) -> None:
    (damaged / EP_API).write_bytes(content)
    file, text = only(verify(damaged))
    assert file == EP_API
    assert message in text


def test_a_directory_in_the_place_of_a_header_is_named(damaged: Path) -> None:
    (damaged / EP_API).unlink()
    (damaged / EP_API).mkdir()
    assert only(verify(damaged)) == (EP_API, "is a directory, not a header")


def test_an_unreadable_header_is_named(damaged: Path) -> None:
    # A link to itself: unreadable for root, too, which a mode of 0 is not.
    (damaged / EP_API).unlink()
    (damaged / EP_API).symlink_to(EP_API)
    file, message = only(verify(damaged))
    assert file == EP_API
    assert message.startswith("cannot be read")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0.05, 0.995), name=st.sampled_from([C_API, EP_API]))
def test_a_cut_off_header_never_passes(damaged: Path, where: float, name: str) -> None:
    whole = (damaged / name).read_bytes()
    (damaged / name).write_bytes(whole[: int(len(whole) * where)])
    try:
        assert verify(damaged) != []
    finally:
        (damaged / name).write_bytes(whole)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_found_even_below_a_name_with_a_space(
    layout: str, headers27: Path, tmp_path: Path
) -> None:
    root = tmp_path / "my ort"
    shutil.copytree(headers27, root / layout)
    assert locate(root) == root / layout
    assert verify(root, 27) == []


def test_a_broken_cmake_config_beside_good_headers_does_not_matter(
    headers27: Path, tmp_path: Path
) -> None:
    shutil.copytree(headers27, tmp_path / "include")
    config = tmp_path / "lib64/cmake/onnxruntime/onnxruntimeConfig.cmake"
    config.parent.mkdir(parents=True)
    config.write_text("message(FATAL_ERROR broken)\n", encoding="utf-8")
    assert verify(tmp_path, 27) == []


def test_a_root_without_headers_gives_one_problem_with_all_that_was_searched(
    tmp_path: Path,
) -> None:
    file, message = only(verify(tmp_path))
    assert file == tmp_path.name
    for layout in LAYOUTS:
        assert str(tmp_path / layout) in message


def test_a_whole_set_wins_over_a_partial_one_nearer_to_the_root(
    headers27: Path, tmp_path: Path
) -> None:
    shutil.copy(headers27 / C_API, tmp_path / C_API)
    shutil.copytree(headers27, tmp_path / "include")
    assert locate(tmp_path) == tmp_path / "include"
