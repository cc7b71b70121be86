"""Debian's provider on the real mirror: as root and without, on a machine that is not told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import epforge
from epforge.ort.sdk import damage, find_sdk, install, installed, verify
from epforge.ort.sdk import debian as provider
from epforge.ort.sdk.debian import NoDebianError, fetch_package

NOBODY = 65534

pytestmark = pytest.mark.skipif(
    shutil.which("apt-get") is None,
    reason="no apt on this machine: nothing to test the provider on",
)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and no SDK named."""
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "my cache"))
    for variable in provider_variables():
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "my cache"


def provider_variables() -> tuple[str, ...]:
    from epforge.ort.sdk import ENVIRONMENT

    return ENVIRONMENT


def machine_state() -> list[tuple[str, int, int]]:
    """apt's own files on this machine: name, size, time of change."""
    files: list[Path] = []
    for root in ("/var/lib/apt", "/var/cache/apt", "/var/lib/dpkg/status"):
        path = Path(root)
        files += path.rglob("*") if path.is_dir() else [path]
    return [
        (str(file), file.stat().st_size, file.stat().st_mtime_ns)
        for file in sorted(files)
        if file.is_file()
    ]


def test_headers_are_installed_where_there_are_none_and_nothing_else_changes(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epforge.ort.sdk.find.system_roots", lambda: ())
    before = machine_state()
    lines: list[str] = []
    sdk = find_sdk(None, 27, report=lines.append)
    assert sdk.level >= 27
    assert verify(sdk.root, 27) == []
    assert damage(sdk) == []
    assert sdk.source.startswith("Debian libonnxruntime-dev 1.")
    assert any("libonnxruntime-dev" in line for line in lines)
    assert machine_state() == before
    assert list((empty_cache / "stage").iterdir()) == []
    assert find_sdk(None, 27, install_missing=False) == sdk


@pytest.mark.lab
def test_the_level_asked_for_decides_which_version_comes(empty_cache: Path) -> None:
    old = install(level=23)
    new = install(level=27)
    assert old.level >= 23
    assert new.level >= 27
    assert installed() == tuple(sorted({old, new}, key=lambda sdk: sdk.level))


@pytest.mark.lab
def test_a_level_debian_does_not_have_is_told_with_what_it_has(empty_cache: Path) -> None:
    with pytest.raises(NoDebianError, match=r"has 1\.\d+.*needed is 1\.999 or newer") as caught:
        install(level=999)
    assert "epforge sdk install ARCHIVE" in caught.value.cure


@pytest.fixture
def place_of_all() -> Iterator[Path]:
    """A directory that every user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        yield Path(directory)


@pytest.mark.lab
def test_an_unprivileged_user_installs_too(place_of_all: Path) -> None:
    """As user nobody when the tests run as root, else as the user they run as."""
    package = shutil.copytree(Path(epforge.__file__).parent, place_of_all / "lib/epforge")
    cache = place_of_all / "cache"
    cache.mkdir()
    python = sys.executable
    identity: dict[str, int] = {}
    if os.geteuid() == 0:
        os.chown(cache, NOBODY, NOBODY)
        identity = {"user": NOBODY, "group": NOBODY}
        # Root's own interpreter may lie where nobody can enter; this room needs only Python.
        system = Path("/usr/bin/python3")
        python = str(system) if system.exists() else python
    done = subprocess.run(
        [python, "-m", "epforge.ort.sdk", "path", "1.27"],
        env={
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": "/nonexistent",
            "EPFORGE_CACHE": str(cache),
            "PYTHONPATH": str(package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        | {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")},
        cwd=place_of_all,
        capture_output=True,
        text=True,
        check=False,
        **identity,  # type: ignore[arg-type]
    )
    assert done.returncode == 0, done.stderr
    assert verify(Path(done.stdout.strip()), 27) == []


@pytest.mark.lab
@pytest.mark.parametrize("architecture", ["arm64", "none-such"])
def test_other_architectures_get_the_same_headers(
    architecture: str, empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epforge.ort.sdk.archive import read_headers_of

    monkeypatch.setattr(provider._Apt, "native", lambda self: architecture)
    file, package = fetch_package(27, tmp_path, lambda line: None)
    assert package.architecture == (architecture if architecture == "arm64" else "amd64")
    assert "onnxruntime_ep_c_api.h" in read_headers_of(file)


def test_an_unreachable_mirror_is_told_with_its_cause(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "etc/apt").mkdir(parents=True)
    (tmp_path / "etc/os-release").write_text("ID=debian\n", encoding="utf-8")
    text = "deb http://127.0.0.1:9/debian bookworm main\n"
    (tmp_path / "etc/apt/sources.list").write_text(text, encoding="utf-8")
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    machine = provider.Machine(etc=tmp_path / "etc")
    with pytest.raises(
        NoDebianError, match=r"127\.0\.0\.1:9/debian has none.*apt says: "
    ) as caught:
        fetch_package(27, tmp_path, lambda line: None, machine)
    assert "epforge sdk install ARCHIVE" in caught.value.cure
