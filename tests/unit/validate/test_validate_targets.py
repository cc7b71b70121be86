"""Libraries for other platforms: what is pure of getting, running and judging them."""

from __future__ import annotations

import io
import os
import struct
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from epforge.errors import MissingError, UsageError
from epforge.validate.binary import Binary, read
from epforge.validate.cross import program, runner, runtimes
from epforge.validate.cross.targets import TARGETS, find_target
from epforge.validate.cross.unpack import BadArchiveError, unpack
from epforge.validate.model import Outcome
from epforge.validate.static import ENTRY_POINTS, Kind, check
from epforge.validate.worker import tensors
from epforge.validate.worker.there import parse

WANTED = r"capi/onnxruntime\w*\.dll"
WINDOWS = TARGETS["windows-x64"]
ARM = TARGETS["linux-arm64"]
MAC = TARGETS["macos-arm64"]


def quiet(_: str) -> None:
    pass


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


@pytest.fixture
def into(tmp_path: Path) -> Path:
    (tmp_path / "into").mkdir()
    return tmp_path / "into"


def test_only_what_is_wanted_is_unpacked(tmp_path: Path, into: Path) -> None:
    members = {"capi/onnxruntime.dll": b"a", "capi/onnxruntime_shared.dll": b"b", "capi/x.py": b"c"}
    found = unpack(zipped(tmp_path / "a.whl", members), WANTED, into)
    assert [path.name for path in found] == ["onnxruntime.dll", "onnxruntime_shared.dll"]
    assert sorted(os.listdir(into)) == ["onnxruntime.dll", "onnxruntime_shared.dll"]
    archive = tarred(tmp_path / "a.tgz", (tarfile.TarInfo("capi/onnxruntime.dll"), b"t"))
    (tmp_path / "other").mkdir()
    assert unpack(archive, WANTED, tmp_path / "other")[0].read_bytes() == b"t"


@pytest.mark.parametrize(
    "name", ["../capi/onnxruntime.dll", "/capi/onnxruntime.dll", "capi\\..\\x", "C:/x", "a/../../b"]
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_path_that_leads_out_of_an_archive_is_refused(
    name: str, kind: str, tmp_path: Path, into: Path
) -> None:
    path = tmp_path / "bad"
    archive = (
        zipped(path, {name: b"x"}) if kind == "zip" else tarred(path, (tarfile.TarInfo(name), b"x"))
    )
    with pytest.raises(BadArchiveError, match="leads out of it"):
        unpack(archive, WANTED, into)
    assert os.listdir(into) == []


def test_an_archive_that_swells_is_refused(tmp_path: Path, into: Path) -> None:
    archive = zipped(tmp_path / "bomb.whl", {"capi/onnxruntime.dll": bytes(5 << 20)})
    assert archive.stat().st_size < 1 << 16
    with pytest.raises(BadArchiveError, match="more than is sensible"):
        unpack(archive, WANTED, into, most_bytes=4 << 20)


def test_a_link_is_no_library(tmp_path: Path, into: Path) -> None:
    link = tarfile.TarInfo("capi/onnxruntime.dll")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with pytest.raises(BadArchiveError, match="no plain file"):
        unpack(tarred(tmp_path / "a.tgz", (link, b"")), WANTED, into)
    assert os.listdir(into) == []


def test_a_file_that_comes_twice_is_refused(tmp_path: Path, into: Path) -> None:
    twice = [(tarfile.TarInfo("capi/onnxruntime.dll"), b"x") for _ in range(2)]
    with pytest.raises(BadArchiveError, match=r"has onnxruntime\.dll twice"):
        unpack(tarred(tmp_path / "a.tgz", *twice), WANTED, into)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_what_is_no_archive_is_refused(content: bytes, tmp_path: Path, into: Path) -> None:
    (tmp_path / "a.whl").write_bytes(content)
    with pytest.raises(BadArchiveError, match=r"a\.whl cannot be unpacked"):
        unpack(tmp_path / "a.whl", WANTED, into)


ARRAYS = [
    *(np.arange(6).reshape(2, 3).astype(t) for t in ("f2", "f4", "f8", "i1", "i2", "i4", "i8")),
    *(np.arange(6).reshape(3, 2).astype(t) for t in ("u1", "u2", "u4", "u8", "?")),
    np.array(["a", "\u00fc", ""], dtype=np.object_),
    np.float32(2.5).reshape(()),
    np.empty((0, 3), dtype=np.int64),
    np.empty((0,), dtype=np.object_),
]


def test_tensors_come_back_as_they_were(tmp_path: Path) -> None:
    given = {f"t{index}": array for index, array in enumerate(ARRAYS)}
    tensors.write(tmp_path / "t", given)
    back = tensors.read(tmp_path / "t")
    assert list(back) == list(given)
    for name, array in given.items():
        assert back[name].dtype == array.dtype
        assert back[name].shape == array.shape
        assert (back[name] == array).all()


def test_a_file_of_tensors_that_is_not_whole_is_noticed(tmp_path: Path) -> None:
    tensors.write(tmp_path / "t", {"x": ARRAYS[1], "s": ARRAYS[12]})
    whole = (tmp_path / "t").read_bytes()
    for size in range(len(whole)):
        (tmp_path / "t").write_bytes(whole[:size])
        with pytest.raises(tensors.DamagedError):
            tensors.read(tmp_path / "t")


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b'{"event":"done"}\n', "done"),
        (b'{"event":"log","message":"\xff"}\r\n', "log"),
        (b"hello from a library\n", None),
        (b'{"other":1}\n', None),
        (b'{"event":7}\n', None),
        (b'["event"]\n', None),
        (b'{"event":"do', None),
        (b"", None),
    ],
)
def test_events_are_told_from_what_libraries_print(line: bytes, event: str | None) -> None:
    found = parse(line)
    assert (found["event"] if found else None) == event


def test_an_unknown_target_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="windows-x64"):
        find_target("windows-arm64")


@pytest.mark.parametrize(
    ("library", "fine"),
    [
        ("KERNEL32.dll", True),
        ("api-ms-win-crt-heap-l1-1-0.dll", True),
        ("libwinpthread-1.dll", False),
        ("libstdc++-6.dll", False),
        ("acme_rt.dll", False),
    ],
)
def test_what_windows_does_not_have_is_noticed(library: str, fine: bool, tmp_path: Path) -> None:
    binary = Binary("pe", "x86_64", True, exports=ENTRY_POINTS, needed=("msvcrt.dll", library))
    path = tmp_path / "ep.dll"
    path.write_bytes(b"x")
    needs = next(c for c in check(path, binary, Kind.PLUGIN_EP, WINDOWS.place) if c.name == "needs")
    assert (needs.outcome is Outcome.PASSED) is fine
    assert fine or library in needs.detail
    (tmp_path / library).write_bytes(b"x")  # a library that travels with it
    assert check(path, binary, Kind.PLUGIN_EP, WINDOWS.place)[2].outcome is Outcome.PASSED


def mach_o(path: Path, *commands: tuple[int, str]) -> Path:
    """A library for macOS on Arm that exports nothing: its load commands with a library's name."""
    words = b""
    for number, name in commands:
        text = name.encode().ljust(len(name) // 8 * 8 + 8, b"\0")
        words += struct.pack("<6I", number, 24 + len(text), 24, 1, 0x10000, 0x10000) + text
    head = (0xFEEDFACF, 0x0100000C, 0, 6, len(commands), len(words), 0x100085, 0)
    path.write_bytes(struct.pack("<8I", *head) + words)
    return path


def test_what_a_library_of_macos_calls_itself_is_nothing_that_it_needs(tmp_path: Path) -> None:
    system = "/usr/lib/libSystem.B.dylib"
    path = mach_o(tmp_path / "libonnxruntime_ep_x.dylib", (0xD, "@rpath/it"), (0xC, system))
    found = read(path)
    assert (found.format, found.machine, found.shared) == ("mach-o", "aarch64", True)
    assert found.needed == (system,)


@pytest.mark.parametrize(
    ("library", "fine"),
    [
        ("/usr/lib/libSystem.B.dylib", True),
        ("@rpath/libacme.dylib", True),
        ("@loader_path/libacme.dylib", True),
        ("libacme.dylib", True),
        ("/opt/acme/libacme.dylib", False),
        ("@rpath/../libacme.dylib", False),
        ("@rpath/libother.dylib", False),
    ],
)
def test_what_macos_does_not_have_is_noticed(library: str, fine: bool, tmp_path: Path) -> None:
    (tmp_path / "libacme.dylib").write_bytes(b"x")
    (tmp_path / "libep.dylib").write_bytes(b"x")
    binary = Binary("mach-o", "aarch64", True, exports=ENTRY_POINTS, needed=(library,))
    needs = check(tmp_path / "libep.dylib", binary, Kind.PLUGIN_EP, MAC.place)[2]
    assert (needs.outcome is Outcome.PASSED) is fine
    assert fine or f"needs {library}" in needs.detail


def test_a_library_for_another_platform_than_said_is_no_such_library(tmp_path: Path) -> None:
    path = tmp_path / "libep.so"
    path.write_bytes(b"x")
    binary = Binary("elf", "x86_64", True, exports=ENTRY_POINTS)
    assert (
        "x86_64, linux-arm64 is aarch64" in check(path, binary, Kind.PLUGIN_EP, ARM.place)[0].detail
    )
    assert "windows-x64 loads pe" in check(path, binary, Kind.PLUGIN_EP, WINDOWS.place)[0].detail
    good = check(path, replace(binary, machine="aarch64"), Kind.PLUGIN_EP, ARM.place)
    assert all(line.outcome is Outcome.PASSED for line in good)


def test_what_emulators_say_is_no_word_of_the_library() -> None:
    said = "Failed to create DXGI factory.\ntoy: hello\nqemu: uncaught target signal 11 (x)\n"
    assert runner.without_noise(said) == "toy: hello\n"


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH without programs, an empty cache, a Python without zig."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, "ziglang", None)
    return tmp_path


def _run(target: str) -> None:
    with runner.running(TARGETS[target], quiet):
        pass


@pytest.mark.parametrize(
    ("action", "install"),
    [
        (lambda: _run("windows-x64"), "apt-get install --no-install-recommends wine wine64"),
        (lambda: _run("linux-arm64"), "apt-get install --no-install-recommends qemu-user"),
        (lambda: program.find_program(WINDOWS, Path(), quiet), "g++-mingw-w64-x86-64"),
        (lambda: program.find_program(ARM, Path(), quiet), "g++-aarch64-linux-gnu"),
    ],
    ids=["wine", "qemu", "mingw", "arm gcc"],
)
def test_a_tool_that_is_missing_is_named_with_its_package(
    action: Callable[[], object], install: str, nothing_installed: Path
) -> None:
    with pytest.raises(MissingError) as raised:
        action()
    assert install in raised.value.cure
    assert not (nothing_installed / "cache").exists()


def test_a_runtime_that_cannot_be_fetched_leaves_nothing(
    nothing_installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(
        MissingError, match=r"onnxruntime 1\.30\.0 for windows-x64: pip says"
    ) as raised:
        runtimes.find_library(WINDOWS, "1.30.0", quiet)
    assert "npm is not there" in raised.value.message
    assert "--runtime DIR" in raised.value.cure
    assert not list((nothing_installed / "cache/targets").iterdir())


def test_a_directory_with_the_runtime_is_taken_as_it_is(tmp_path: Path) -> None:
    capi = tmp_path / "onnxruntime/capi"
    capi.mkdir(parents=True)
    with pytest.raises(UsageError, match="no library of onnxruntime"):
        runtimes.find_library(WINDOWS, str(tmp_path), quiet)
    (capi / "onnxruntime.dll").touch()
    assert runtimes.find_library(WINDOWS, str(tmp_path), quiet) == capi / "onnxruntime.dll"


@pytest.mark.parametrize("wanted", ["newest", "1.2", "../x", "1.26.0 --index"])
def test_what_is_no_release_is_refused(
    wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # beside which there is no "x"
    with pytest.raises(UsageError, match="neither a version"):
        runtimes.find_library(ARM, wanted, quiet)
