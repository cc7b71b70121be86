"""Where headers are looked for, in which order, and what is said when there are none."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ort_sdk import contents, tar_of

from epforge.errors import ExitStatus, MissingError, UsageError
from epforge.ort.sdk import BadSdkError, damage, find_sdk, install, installed


@pytest.fixture(scope="module")
def archives(headers23: Path, headers27: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives ort-1.23.2.tgz and ort-1.27.1.tgz."""
    directory = tmp_path_factory.mktemp("archives")
    for name, headers in (("ort-1.23.2.tgz", headers23), ("ort-1.27.1.tgz", headers27)):
        files = {f"include/{path}": data for path, data in contents(headers).items()}
        (directory / name).write_bytes(tar_of(files))
    return directory


def search(level: int) -> str:
    """Text of the error when only looking for headers of a level."""
    with pytest.raises(MissingError) as caught:
        find_sdk(None, level, install_missing=False)
    assert caught.value.exit_status is ExitStatus.MISSING
    return str(caught.value)


def test_what_a_person_names_comes_first(
    own_cache: Path,
    archives: Path,
    headers27: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = shutil.copytree(headers27, tmp_path / "system/include")
    assert find_sdk(None, 27).include == system
    cached = install(str(archives / "ort-1.27.1.tgz"))
    assert find_sdk(None, 27) == cached
    home = shutil.copytree(headers27, tmp_path / "home dir/include")
    monkeypatch.setenv("ORT_HOME", str(tmp_path / "home dir"))
    assert find_sdk(None, 27).include == home
    own = shutil.copytree(headers27, tmp_path / "own")
    monkeypatch.setenv("EPFORGE_ORT_SDK", str(own))
    assert find_sdk(None, 27).source == "EPFORGE_ORT_SDK"
    assert find_sdk(None, 27).include == own
    flag = shutil.copytree(headers27, tmp_path / "flag")
    found = find_sdk(flag, 27)
    assert (found.include, found.level, found.source) == (flag, 27, "--ort-sdk")


def test_an_archive_can_be_named_in_the_place_of_a_directory(
    own_cache: Path, archives: Path
) -> None:
    found = find_sdk(archives / "ort-1.27.1.tgz", 27)
    assert found.root.parent == own_cache / "sdk"
    assert find_sdk(None, 27) == found


def test_the_nearest_level_of_the_cache_is_taken(own_cache: Path, archives: Path) -> None:
    old = install(str(archives / "ort-1.23.2.tgz"), level=23)
    new = install(str(archives / "ort-1.27.1.tgz"))
    assert installed() == (old, new)
    assert find_sdk(None, 23) == old
    assert find_sdk(None, 24) == new
    assert str(old.root) in search(28)


@pytest.mark.parametrize("variable", ["EPFORGE_ORT_SDK", "ORT_HOME"])
def test_a_variable_that_leads_nowhere_is_an_error_that_names_it(
    variable: str, own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "nowhere"))
    assert f"nowhere (from {variable}) does not exist" in search(27)
    (tmp_path / "nowhere").mkdir()
    text = search(27)
    assert f"(from {variable}) has no ONNX Runtime headers" in text
    assert str(tmp_path / "nowhere/include/onnxruntime/core/session") in text


def test_named_headers_that_are_bad_are_an_error_file_by_file(
    own_cache: Path, damaged: Path, headers23: Path
) -> None:
    (damaged / "onnxruntime_float16.h").unlink()
    with pytest.raises(BadSdkError, match=r"onnxruntime_float16\.h: the file is missing"):
        find_sdk(damaged, 27)
    with pytest.raises(BadSdkError, match="of API level 23"):
        find_sdk(headers23, 27)


def test_the_error_names_everything_that_was_searched(own_cache: Path, tmp_path: Path) -> None:
    text = search(27)
    for part in ("EPFORGE_ORT_SDK", "ORT_HOME", str(own_cache / "sdk"), str(tmp_path / "system")):
        assert part in text
    assert "epforge sdk install --ort 1.27" in text


def test_installing_twice_changes_nothing(own_cache: Path, archives: Path) -> None:
    first = install(str(archives / "ort-1.27.1.tgz"))
    before = (first.root / "sdk.json").stat()
    assert install(str(archives / "ort-1.27.1.tgz")) == first
    after = (first.root / "sdk.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert len(installed()) == 1


def test_a_damaged_install_is_told_passed_over_and_replaced(
    own_cache: Path, archives: Path
) -> None:
    sdk = install(str(archives / "ort-1.27.1.tgz"))
    header = sdk.include / "onnxruntime_ep_c_api.h"
    header.write_bytes(header.read_bytes() + b"\n")
    assert [problem.message for problem in damage(sdk)] == ["was changed after it was installed"]
    assert f"{header}: was changed after it was installed" in search(27)
    assert damage(install(str(archives / "ort-1.27.1.tgz"))) == []
    header.unlink()
    assert [problem.message for problem in damage(sdk)] == ["the file is missing"]
    assert damage(install(str(archives / "ort-1.27.1.tgz"))) == []


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"format": 2}', '{"format": 1, "level": "x"}'])
def test_a_directory_with_a_broken_record_is_no_sdk(
    record: str, own_cache: Path, archives: Path
) -> None:
    sdk = install(str(archives / "ort-1.27.1.tgz"))
    (sdk.root / "sdk.json").write_text(record, encoding="utf-8")
    assert installed() == ()
    assert install(str(archives / "ort-1.27.1.tgz")) == sdk
    assert installed() == (sdk,)


def test_installs_at_the_same_time_agree(own_cache: Path, archives: Path) -> None:
    code = (
        "import sys; from epforge.ort.sdk import install, damage; "
        "sdk = install(sys.argv[1]); assert not damage(sdk); print(sdk.root)"
    )
    command = [sys.executable, "-c", code, str(archives / "ort-1.27.1.tgz")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    outputs = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0] * 6
    assert outputs == {f"{installed()[0].root}\n"}
    assert list((own_cache / "stage").iterdir()) == []


def test_the_record_says_where_headers_come_from(own_cache: Path, archives: Path) -> None:
    sdk = install(str(archives / "ort-1.27.1.tgz"))
    record = json.loads((sdk.root / "sdk.json").read_text(encoding="utf-8"))
    assert record["origin"] == "ort-1.27.1.tgz"
    assert record["level"] == 27
    assert set(record["files"]) == set(contents(sdk.include))


def test_a_cache_that_cannot_be_written_is_named(
    own_cache: Path, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "file/cache"))
    with pytest.raises(MissingError, match="cannot be written to") as caught:
        install(str(archives / "ort-1.27.1.tgz"))
    assert "EPFORGE_CACHE" in caught.value.cure


def test_an_archive_that_is_not_there_is_a_wrong_call(own_cache: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        install("/no/such/file.tgz")
