"""Debian's provider: which mirror, which version, and what is said where there is no Debian."""

from __future__ import annotations

from pathlib import Path

import pytest

from epforge.errors import ExitStatus
from epforge.ort.sdk import debian
from epforge.ort.sdk.debian import Machine, NoDebianError, Package, choose, fetch_package, mirror_of

BOOKWORM = """
Types: deb
# http://snapshot.example/archive
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main

Types: deb-src
URIs: http://source.example/debian
Suites: bookworm
Components: main

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb deb-src
URIs: http://mirror.example/debian
 http://second.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 URIs: nothing
"""


def machine(etc: Path, release: str = "ID=debian\n", **files: str) -> Machine:
    """A made-up /etc: sources.list and files of sources.list.d by name (``_`` for ``.``)."""
    parts = etc / "apt/sources.list.d"
    parts.mkdir(parents=True)
    (etc / "os-release").write_text(release, encoding="utf-8")
    for name, text in files.items():
        place = etc / "apt" / "sources.list" if name == "list" else parts / name.replace("_", ".")
        place.write_text(text, encoding="utf-8")
    return Machine(etc=etc)


def test_the_mirror_comes_from_the_newer_format(tmp_path: Path) -> None:
    assert mirror_of(machine(tmp_path, debian_sources=BOOKWORM)) == "http://mirror.example/debian"


def test_the_mirror_comes_from_the_older_format(tmp_path: Path) -> None:
    text = (
        "# deb http://comment.example/debian bookworm main\n"
        "deb-src http://source.example/debian bookworm main\n"
        "deb http://mirror.example/debian-security bookworm-security main\n"
        "deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main non-free\n"
    )
    assert mirror_of(machine(tmp_path, list=text)) == "http://mirror.example/debian"


def test_sources_of_others_are_passed_over(tmp_path: Path) -> None:
    vendor = "deb https://packages.example/apt cloud-sdk contrib\n"
    found = mirror_of(machine(tmp_path, a_list=vendor, debian_sources=BOOKWORM))
    assert found == "http://mirror.example/debian"


@pytest.mark.parametrize("release", ['ID=fedora\nPRETTY_NAME="Fedora 44"\n', "ID=ubuntu\n", ""])
def test_another_system_is_told_with_a_cure(release: str, tmp_path: Path) -> None:
    with pytest.raises(NoDebianError, match="is no Debian") as caught:
        mirror_of(machine(tmp_path, release, debian_sources=BOOKWORM))
    assert caught.value.exit_status is ExitStatus.MISSING
    assert "epforge sdk install ARCHIVE" in caught.value.cure


def test_a_debian_without_a_mirror_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoDebianError, match="no Debian mirror"):
        mirror_of(machine(tmp_path))


def test_a_machine_without_apt_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoDebianError, match="no apt-get"):
        fetch_package(27, tmp_path, print)


def packages(*versions: str) -> tuple[Package, ...]:
    return tuple(
        Package(version, int(version.split(".")[1]), architecture="amd64") for version in versions
    )


@pytest.mark.parametrize(
    ("offered", "level", "chosen"),
    [
        (("1.27.1+dfsg-1", "1.23.2+dfsg-6.1"), 27, "1.27.1+dfsg-1"),
        (("1.27.1+dfsg-1", "1.23.2+dfsg-6.1"), 23, "1.23.2+dfsg-6.1"),
        (("1.27.1+dfsg-1", "1.23.2+dfsg-6.1"), 24, "1.27.1+dfsg-1"),
        (("1.30.0-1", "1.28.2-1", "1.28.1-1"), 27, "1.28.2-1"),
        (("1.23.2-1",), 27, None),
        ((), 27, None),
    ],
)
def test_the_version_is_chosen_by_level(
    offered: tuple[str, ...], level: int, chosen: str | None
) -> None:
    found = choose(packages(*offered), level)
    assert (found.version if found else None) == chosen


@pytest.mark.parametrize(
    ("version", "release"),
    [("1.27.1+dfsg-1", "1.27.1"), ("1:1.28.0~rc1-2", "1.28.0"), ("1.23.2-6", "1.23.2")],
)
def test_the_upstream_release_is_read_from_the_package_version(version: str, release: str) -> None:
    assert Package(version, 0, "amd64").release == release


def test_the_cause_is_picked_from_what_apt_says() -> None:
    output = "Ign:1 x\nW: Failed to fetch http://x  Could not connect\nW: Some index files failed\n"
    assert debian._reason(output) == "W: Failed to fetch http://x  Could not connect"
