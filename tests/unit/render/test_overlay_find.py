"""Reading an overlay: where it may lie, what it may consist of, what its hash depends on."""

import os
from pathlib import Path

import pytest

from epforge.render.overlay.errors import OverlayError
from epforge.render.overlay.find import MAX_FILES, Found, find
from epforge.resolve.services import Overlay, OverlayKind


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def source(directory: Path, place: str = "./style") -> Found:
    return find(Overlay(OverlayKind.SOURCE, place, where="b.yaml:7"), directory)


def refusal(directory: Path, place: str = "./style") -> str:
    with pytest.raises(OverlayError) as caught:
        source(directory, place)
    assert caught.value.message.startswith(f"b.yaml:7: overlay {place}: ")
    return caught.value.message


def test_a_directory_is_read_in_order_without_what_is_not_the_style(tmp_path: Path) -> None:
    files = {"b": "2", "a/x": "1", ".git/config": "", "__pycache__/x": "", "m.pyc": "", ".x": "3"}
    write(tmp_path / "style", files)
    assert [*source(tmp_path).files] == [".x", "a/x", "b"]


def test_it_travels_to_the_same_path(tmp_path: Path) -> None:
    write(tmp_path / "house/style", {"a/x": "1"})
    assert [*source(tmp_path, "house/./style/").travels] == ["house/style/a/x"]
    for place, path in (("house/style/a/x", "house/style/a/x"), ("x", "x")):
        write(tmp_path, {place: "a header"})
        found = find(Overlay(OverlayKind.HEADER, place), tmp_path)
        assert [*found.travels] == [path]


def test_the_hash_follows_names_contents_and_x_bits_alone(tmp_path: Path) -> None:
    write(tmp_path / "one/style", {"a": "x", "b": "y"})
    write(tmp_path / "two/style", {"b": "y", "a": "x"})
    os.utime(tmp_path / "two/style/a", (0, 0))
    same = source(tmp_path / "one").digest
    assert source(tmp_path / "two").digest == same
    (tmp_path / "two/style/a").chmod(0o755)
    assert source(tmp_path / "two").digest != same
    write(tmp_path / "three/style", {"a": "xb", "c": "y"})
    assert source(tmp_path / "three").digest not in (same, source(tmp_path / "two").digest)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    assert str(tmp_path / "style") in refusal(tmp_path)
    write(tmp_path, {"style": "a file"})
    assert "there is no directory" in refusal(tmp_path)
    (tmp_path / "empty").mkdir()
    assert "no files" in refusal(tmp_path, "empty")


def test_links_that_lead_out_and_links_to_directories_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"secret": "s", "style/a": "x", "style/d/e": "y"})
    (tmp_path / "style/in").symlink_to("a")
    assert source(tmp_path).files["in"].content == b"x"
    for name, target in (("out", "../secret"), ("abs", "/etc/hostname"), ("dir", "d")):
        (tmp_path / "style" / name).symlink_to(target)
        assert f"{name} is a symbolic link" in refusal(tmp_path)
        (tmp_path / "style" / name).unlink()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/style").symlink_to("../style")
    assert "out of" in refusal(tmp_path / "sub")


def test_a_pipe_is_refused_and_not_read(tmp_path: Path) -> None:
    write(tmp_path / "style", {"a": "x"})
    os.mkfifo(tmp_path / "style/pipe")
    assert "pipe is no file" in refusal(tmp_path)


def test_too_many_files_and_too_many_bytes_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "many/style", {f"f{index}": "" for index in range(MAX_FILES + 1)})
    assert "500 files or 5 MB" in refusal(tmp_path / "many")
    write(tmp_path / "large/style", {"a": "x" * 3_000_000, "b": "x" * 3_000_000})
    assert "500 files or 5 MB" in refusal(tmp_path / "large")


def test_too_many_directories_are_refused_however_deep_they_lie(tmp_path: Path) -> None:
    write(tmp_path / "deep/style", {"a": "x"})
    write(tmp_path / "wide/style", {"a": "x"})
    folder = os.open(tmp_path / "deep/style", os.O_RDONLY)
    for index in range(MAX_FILES + 1):
        (tmp_path / f"wide/style/{index}").mkdir()
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    assert "500 files or 5 MB" in refusal(tmp_path / "deep")
    assert "500 files or 5 MB" in refusal(tmp_path / "wide")


def test_a_package_is_found_and_never_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "site/acme_style", {"__init__.py": "raise SystemError", "ep/a": "x"})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    found = source(tmp_path, "python:acme_style/ep")
    assert found.files["a"].content == b"x"
    assert not found.travels
    assert "has no nowhere" in refusal(tmp_path, "python:acme_style/nowhere")
    assert "no Python package acme_nothing" in refusal(tmp_path, "python:acme_nothing/ep")
    assert "has no ep" in refusal(tmp_path, "python:json/ep")
    assert "has no directory" in refusal(tmp_path, "python:this")
