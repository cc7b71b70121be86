"""What is made for the cache gets there in one step, and what is compiled for it fails in words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from epforge.cache import publish
from epforge.compiling import Compilation
from epforge.errors import EpforgeError


def made(place: Path, text: str = "") -> Path:
    place.mkdir()
    if text:
        (place / "file").write_text(text)
    return place


def whole(place: Path) -> bool:
    return (place / "file").is_file()


def test_a_directory_is_published(tmp_path: Path) -> None:
    publish(made(tmp_path / "stage", "new"), tmp_path / "place", whole)
    assert (tmp_path / "place/file").read_text() == "new"
    assert not (tmp_path / "stage").exists()


def test_what_another_process_has_published_stays(tmp_path: Path) -> None:
    made(tmp_path / "place", "theirs")
    publish(made(tmp_path / "stage", "mine"), tmp_path / "place", whole)
    assert (tmp_path / "place/file").read_text() == "theirs"


def test_what_is_torn_gives_way(tmp_path: Path) -> None:
    (made(tmp_path / "place") / "part").write_text("torn")
    publish(made(tmp_path / "stage", "new"), tmp_path / "place", whole)
    assert [path.name for path in (tmp_path / "place").iterdir()] == ["file"]


def test_what_cannot_be_published_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        publish(tmp_path / "nowhere", tmp_path / "place", whole)


def test_a_compiler_s_first_error_is_told_with_the_cure(tmp_path: Path) -> None:
    failing = (
        "import sys; print('note\\nx.cc:1: error: no\\nerror: more', file=sys.stderr); exit(1)"
    )
    compilation = Compilation("the toy", EpforgeError, "Write another.")
    with pytest.raises(EpforgeError) as caught:
        compilation.run_all([[sys.executable, "-c", code] for code in ("", failing)], tmp_path)
    assert caught.value.message.startswith("the toy does not compile with ")
    assert caught.value.message.endswith(": x.cc:1: error: no")
    assert caught.value.cure == "Write another."
