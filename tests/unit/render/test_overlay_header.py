"""Headers: which texts can be one, and where they stand."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epforge.names import Safe
from epforge.plan import FileSpec, Owner, Plan
from epforge.render import render
from epforge.render.banner import with_header
from epforge.render.overlay.errors import OverlayError
from epforge.render.overlay.find import Found, Item
from epforge.render.overlay.header import read_header
from epforge.resolve.services import Overlay, OverlayKind

OVERLAY = Overlay(OverlayKind.HEADER, "h.txt", where="b.yaml:7")


def read(text: str | bytes) -> tuple[str, ...]:
    content = text if isinstance(text, bytes) else text.encode()
    return read_header(Found(OVERLAY, Path(), {"h.txt": Item(content)}))


def test_the_lines_of_a_header_without_what_is_around_them() -> None:
    assert read("\r\n\nCopyright A. \r\n\nSPDX: x\n\n") == ("Copyright A.", "", "SPDX: x")
    assert read("© Contoso, Ärzte") == ("© Contoso, Ärzte",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nend */ here", 2),
        ("a --> b", 1),
        ("a --!> b", 1),
        ("a\n\nb \\ \nc", 3),
        ("what??/", 1),
        ("<% x %>", 1),
        ("-*- coding: latin-1 -*-", 1),
        ("encoding=x", 1),
        ("a\n/// script", 2),
        ("clang-format off", 1),
        ("a\n\x1b[31m", 2),
        ("a\tb", 1),
        ("a\rb", 1),
        ("a\u202eb", 1),
        ("\ufeffa", 1),
        ("a\u2028b", 1),
        (b"ok\n\xff", 2),
    ],
)
def test_what_cannot_stand_in_a_comment_is_refused_with_its_line(
    text: str | bytes, line: int
) -> None:
    with pytest.raises(OverlayError) as caught:
        read(text)
    assert caught.value.message.startswith(f"b.yaml:7: overlay h.txt: h.txt:{line}: ")


@pytest.mark.parametrize("text", ["", " \n\n", "x\n" * 300])
def test_nothing_and_too_much_are_refused(text: str) -> None:
    with pytest.raises(OverlayError):
        read(text)


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_whatever_is_accepted_stays_in_its_comment(text: str) -> None:
    try:
        header = read(text)
    except OverlayError:
        return
    cpp = with_header("// b\nint x;\n", "a.cc", "// b", header).split("\n")
    assert cpp[-3:] == ["", "int x;", ""] if len(cpp) > 3 else cpp[-2:] == ["int x;", ""]
    assert all(line.startswith("//") and not line.endswith("\\") for line in cpp[:-3])
    markdown = with_header("<!-- b -->\n# x\n", "a.md", "<!-- b -->", header)
    assert markdown.count("-->") == len(header) + 1
    namespace: dict[str, object] = {}
    exec(with_header("# b\nx = 1\n", "a.py", "# b", header), namespace)
    assert namespace["x"] == 1


@pytest.mark.parametrize(
    ("path", "banner", "comment"),
    [
        ("a.cc", "// B", "// H"),
        ("a.py", "# B", "# H"),
        ("a.md", "<!-- B -->", "<!-- H -->"),
        ("a.lds", "/* B */", "/* H */"),
        ("a.def", "; B", "; H"),
        ("CMakeLists.txt", "# B", "# H"),
    ],
)
def test_it_stands_below_the_banner_in_the_language_s_comments(
    path: str, banner: str, comment: str
) -> None:
    assert with_header(f"{banner}\nx\n", path, banner, ("H",)) == f"{banner}\n{comment}\n\nx\n"
    assert with_header(f"{banner}\n\nx\n", path, banner, ("H",)) == f"{banner}\n{comment}\n\nx\n"


def test_a_line_of_the_interpreter_stays_first() -> None:
    text = with_header("#!/bin/sh\n# B\nx\n", "a.sh", "# B", ("H", "", "I"))
    assert text == "#!/bin/sh\n# B\n# H\n#\n# I\n\nx\n"


def test_a_project_has_it_in_every_file_with_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "t").mkdir()
    (tmp_path / "t/a").write_text("<%= banner %>\n<%= x %>\n")
    (tmp_path / "t/b").write_text("{}\n")
    specs = (
        FileSpec("a.cc", "a", Owner.GENERATED, {"x": Safe("int   x ;")}, ""),
        FileSpec("b.json", "b", Owner.GENERATED, {}, ""),
        FileSpec("c.py", "", Owner.YOURS, {"content": b"# as it is\n"}, ""),
    )
    files = render(Plan(specs), tmp_path / "t", header=("Copyright A.",))
    assert files["a.cc"].content.decode().split("\n")[1:] == ["// Copyright A.", "", "int x;", ""]
    assert files["b.json"].content == b"{}\n"
    assert files["c.py"].content == b"# as it is\n"
