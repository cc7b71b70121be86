"""Text of a user in C++, CMake and comments, through the real compiler and the real CMake."""

import subprocess
import sys
from pathlib import Path

import pytest
from compilers import needed

from epforge.names import Identifier
from epforge.plan import FileSpec, Owner, Plan
from epforge.render import render

HOSTILE = [
    'x"; rm -rf ~ #',
    "*/ int evil; /*",
    ')" ]] }} %> <% <%= 7 %> <# #>',
    "ends in a backslash \\",
    "C:\\new\\table\\0",
    "two\nlines\r\nand\ttabs",
    "${HOME} $ENV{HOME} $<CONFIG> @VAR@ a;b;c",
    "??/ ??= trigraphs, a digraph <: :>",
    "Grüße, 漢字 \U0001f600",
    "\u202e reversed \u2066 isolated",
    "bell \a, escape \x1b[31m, delete \x7f",
    "\\1\\x41\\u0041 1",
    "a" * 300,
    "",
]

CPP = """\
<%= banner %>
#include <cstdio>
#include <cstring>
<% for text in texts %>
// <%= text | cpp_comment %>
/* <%= text | cpp_comment %> */
<% endfor %>
namespace <%= ns %> {
static const char* const kTexts[] = {
<% for text in texts %>
    <%= text | cpp_string %>,
<% endfor %>
};
}  // namespace <%= ns %>

int main() {
  for (const char* text : <%= ns %>::kTexts) std::fwrite(text, 1, std::strlen(text) + 1, stdout);
}
"""
CMAKE = """\
<%= banner %>
<% for text in texts %>
set(TEXT_<%= loop.index0 %> <%= text | cmake_string %>)
file(WRITE "${OUT}/<%= loop.index0 %>" "${TEXT_<%= loop.index0 %>}")
<% endfor %>
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "cpp").write_text(CPP)
    (templates / "cmake").write_text(CMAKE)
    params = {"texts": HOSTILE, "ns": Identifier("acme")}
    plan = Plan(
        (
            FileSpec("a.cc", "cpp", Owner.GENERATED, params, "a test"),
            FileSpec("a.cmake", "cmake", Owner.GENERATED, params, "a test"),
        )
    )
    for path, file in render(plan, templates).items():
        (tmp_path / path).write_bytes(file.content)
    return tmp_path


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_cpp_prints_the_text_it_was_given(files: Path, compiler: str) -> None:
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wtrigraphs", "-Wcomment", "-Werror"]
    subprocess.run([needed(compiler), *flags, "a.cc", "-o", "a"], cwd=files, check=True)
    out = subprocess.run([files / "a"], capture_output=True, check=True).stdout
    assert out.split(b"\0")[:-1] == [text.encode() for text in HOSTILE]


def test_cmake_holds_the_text_it_was_given(files: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "cmake", f"-DOUT={files / 'out'}", "-P", "a.cmake"],
        cwd=files,
        check=True,
    )
    for index, text in enumerate(HOSTILE):
        assert (files / "out" / str(index)).read_bytes() == text.encode(), text
