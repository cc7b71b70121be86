"""Edits of whole files: renamed, deleted, reformatted, moved about, generated ones, own ones."""

from __future__ import annotations

from edit_model import (
    ATTRIBUTES,
    CI,
    CMAKE,
    COMPLEX,
    DISCOVERY,
    OPTIONS,
    OWN_CI_STEP,
    OWN_OPTION,
    PRESETS,
    README,
    RUNTIME,
    SAMPLE,
    SAMPLE_README,
    STYLE,
    WARNINGS,
    Edit,
    Kind,
)
from edit_steps import (
    Append,
    Change,
    Delete,
    FormatCpp,
    MoveText,
    Put,
    Rename,
    Write,
    after,
    before,
    crlf,
    deeper,
    spread_json,
    with_bom,
)

_OWN_STYLE = "BasedOnStyle: LLVM\nStandard: c++17\nColumnLimit: 120\n"
RENAMES = (
    Edit(
        "the workflow, renamed",
        Kind.RENAME,
        CI,
        (Rename(CI, ".github/workflows/contoso.yml"),),
        renamed=".github/workflows/contoso.yml",
    ),
    Edit(
        "the workflow, renamed and edited",
        Kind.RENAME,
        CI,
        (
            before(CI, "      - name: C++ tests\n", OWN_CI_STEP),
            Rename(CI, ".github/workflows/contoso.yml"),
        ),
        ("      - name: Contoso's licence check",),
        renamed=".github/workflows/contoso.yml",
    ),
    Edit(
        "the README, in a folder of its own",
        Kind.RENAME,
        README,
        (
            before(README, "## Use\n", "## Contoso's boards\n\n"),
            Rename(README, "docs/overview.md"),
        ),
        ("## Contoso's boards",),
        renamed="docs/overview.md",
    ),
    Edit(
        "the sample's README, renamed",
        Kind.RENAME,
        SAMPLE_README,
        (
            Append(SAMPLE_README, "\nContoso's viewer began as this.\n"),
            Rename(SAMPLE_README, "samples/cpp/HOWTO.md"),
        ),
        ("Contoso's viewer began as this.",),
        renamed="samples/cpp/HOWTO.md",
    ),
    Edit(
        "the sample's build, in another folder",
        Kind.RENAME,
        SAMPLE,
        (Rename(SAMPLE, "viewer/CMakeLists.txt"),),
        renamed="viewer/CMakeLists.txt",
    ),
    Edit(
        "a file of the owner's, renamed and edited",
        Kind.RENAME,
        RUNTIME,
        (
            Append(RUNTIME, "// Contoso: board 7 has another one.\n"),
            Rename(RUNTIME, "src/device/board_runtime.cc"),
        ),
        ("// Contoso: board 7 has another one.",),
        renamed="src/device/board_runtime.cc",
    ),
)

DELETIONS = tuple(
    Edit(f"{path}, deleted", Kind.DELETION, path, (Delete(path),))
    for path in (README, ATTRIBUTES, SAMPLE_README, CI, "LICENSE", RUNTIME)
)

ENCODINGS = (
    Edit(
        "the README with CRLF",
        Kind.ENCODING,
        README,
        (before(README, "## Use\n", "Board 7 is Contoso's.\n\n"), Change(README, crlf)),
        ("Board 7 is Contoso's.",),
    ),
    Edit(
        "CMakeLists.txt with CRLF",
        Kind.ENCODING,
        CMAKE,
        (
            after(CMAKE, "set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)", f"{OWN_OPTION}\n"),
            Change(CMAKE, crlf),
        ),
        (OWN_OPTION,),
    ),
    Edit(
        "the workflow with a byte order mark",
        Kind.ENCODING,
        CI,
        (before(CI, "      - name: C++ tests\n", OWN_CI_STEP), Change(CI, with_bom)),
        ("      - name: Contoso's licence check",),
    ),
    Edit(
        "a kernel with CRLF and a byte order mark",
        Kind.ENCODING,
        COMPLEX,
        (
            Append(COMPLEX, "// Contoso: to be written.\n"),
            Change(COMPLEX, crlf),
            Change(COMPLEX, with_bom),
        ),
        ("// Contoso: to be written.",),
    ),
)

REFORMATS = (
    Edit(
        "every C++ file, in a style of the owner's",
        Kind.REFORMAT,
        STYLE,
        (Change(STYLE, lambda _: _OWN_STYLE.encode()), FormatCpp()),
        ("BasedOnStyle: LLVM", "ColumnLimit: 120"),
        style=_OWN_STYLE,
    ),
    Edit(
        "the presets, by a formatter",
        Kind.REFORMAT,
        PRESETS,
        (Change(PRESETS, spread_json),),
        ('            "name": "release",',),
    ),
    Edit(
        "CMakeLists.txt, indented by four",
        Kind.REFORMAT,
        CMAKE,
        (Change(CMAKE, deeper),),
        ("    OUTPUT_NAME onnxruntime_ep_contoso_npu", "    enable_testing()"),
    ),
    Edit(
        "a generated file, indented by four",
        Kind.REFORMAT,
        OPTIONS,
        (Change(OPTIONS, deeper),),
    ),
)

_HEX = """\
std::string Hex(uint32_t number) {
  char text[16] = "";
  std::snprintf(text, sizeof(text), "0x%04X", number);
  return text;
}

"""
_DEBUG = """\
    {
      "name": "debug",
      "displayName": "Debug",
      "description": "With symbols and the C++ tests",
      "inherits": "base",
      "cacheVariables": {"CMAKE_BUILD_TYPE": "Debug", "CONTOSO_NPU_BUILD_TESTS": "ON"}
    },
"""
_VISIBILITY = """\
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
"""

MOVES = (
    Edit(
        "a function, to the top of its file",
        Kind.MOVED,
        DISCOVERY,
        (MoveText(DISCOVERY, _HEX, "std::string NameOf(DeviceType type) {\n"),),
        tuple(filter(None, _HEX.splitlines())),
    ),
    Edit(
        "settings of CMake, below the includes",
        Kind.MOVED,
        CMAKE,
        (MoveText(CMAKE, _VISIBILITY, "# What the library is made of"),),
        tuple(_VISIBILITY.splitlines()),
    ),
    Edit(
        "a preset, behind another",
        Kind.MOVED,
        PRESETS,
        (MoveText(PRESETS, _DEBUG, '    {\n      "name": "tsan",\n'),),
        tuple(_DEBUG.splitlines()),
    ),
    Edit(
        "a function, to a file of its own",
        Kind.MOVED,
        DISCOVERY,
        (
            Put(DISCOVERY, _HEX, ""),
            Put(DISCOVERY, "#include <cstdio>\n", '#include "device/hex.h"\n'),
            Write(
                "src/device/hex.h",
                b"// Contoso's.\n#pragma once\n\n#include <cstdint>\n#include <cstdio>\n"
                b"#include <string>\n\nnamespace contoso_npu {\n\ninline "
                + _HEX.encode()
                + b"}  // namespace contoso_npu\n",
            ),
        ),
        ("// Contoso's.", f"inline {_HEX.splitlines()[0]}", *_HEX.splitlines()[1:-1]),
    ),
)

GENERATED = (
    Edit(
        "a warning more",
        Kind.GENERATED,
        WARNINGS,
        (Put(WARNINGS, "-Wshadow -Wconversion $<", "-Wshadow -Wconversion -Wundef $<"),),
        (
            "      -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef "
            "$<$<BOOL:${CONTOSO_NPU_WERROR}>:-Werror>)",
        ),
    ),
    Edit(
        "a kernel that is generated",
        Kind.GENERATED,
        "src/gen/kernels/softmax.cc",
        (
            after(
                "src/gen/kernels/softmax.cc",
                "  T largest = x[0];  // taken off first, so that exp cannot overflow",
                "  // Contoso: board 7 does this in hardware.\n",
            ),
        ),
        ("  // Contoso: board 7 does this in hardware.",),
    ),
    Edit(
        "an option's error, reworded",
        Kind.GENERATED,
        OPTIONS,
        (Put(OPTIONS, '": unknown option \'"', '": Contoso knows no option \'"'),),
        (
            "  return InvalidArgument(std::string(kEpName) + "
            '": Contoso knows no option \'" + text.key + "\' (value \'" +',
        ),
    ),
    Edit(
        "a generated test, deleted",
        Kind.GENERATED,
        "tests/python/test_sessions.py",
        (Delete("tests/python/test_sessions.py"),),
    ),
)

_PIXELS = bytes([137, 80, 78, 71, 13, 10, 26, 10, *range(256)])

OWN = (
    Edit(
        "a folder with sources",
        Kind.OWN,
        "contoso/tuner.cc",
        (Write("contoso/tuner.cc", b"// Contoso's tuner.\nint Tune() { return 7; }\n"),),
        ("// Contoso's tuner.", "int Tune() { return 7; }"),
    ),
    Edit(
        "a page where one of epforge's may come",
        Kind.OWN,
        "docs/upgrading.md",
        (Write("docs/upgrading.md", b"# How Contoso upgrades\n\nOn Fridays.\n"),),
        ("# How Contoso upgrades", "On Fridays."),
    ),
    Edit(
        "a kernel where one of epforge's may come",
        Kind.OWN,
        "src/gen/kernels/sub.cc",
        (Write("src/gen/kernels/sub.cc", b"// Contoso's subtraction.\n"),),
        ("// Contoso's subtraction.",),
    ),
    Edit("a picture", Kind.OWN, "docs/board.png", (Write("docs/board.png", _PIXELS),)),
)
