"""Whatever is fetched goes through the proxy that this machine is told of, however it is told."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ort_sdk import contents, sdk_of, tar_of
from package_index import release
from recording_proxy import Proxy, recording_proxy
from wheel_files import wheel_file

from epforge.build import zig
from epforge.build.environments import NotInstalledError, environment
from epforge.errors import MissingError
from epforge.ort.newest import newest_release
from epforge.ort.sdk import install
from epforge.ort.sdk.debian import Machine, fetch_package
from epforge.validate.cross import find_target
from epforge.validate.cross.runtimes import find_library
from epforge.validate.releases import find_releases
from epforge.validate.runtime import find_runtime

HOST = "packages.invalid"
VARIABLES = ("http_proxy", "https_proxy", "no_proxy")


@pytest.fixture
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """The only way out of a machine whose cache is empty."""
    for name in list(os.environ):
        if name.startswith("PIP_") or name.lower() in VARIABLES:
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "cache"))
    with recording_proxy() as made:
        yield made


@pytest.fixture
def told(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> Proxy:
    """The proxy, and variables that name it."""
    for name, value in proxy.variables.items():
        monkeypatch.setenv(name, value)
    return proxy


def serve(proxy: Proxy, monkeypatch: pytest.MonkeyPatch, *wheels: Path) -> None:
    for name, value in proxy.index(HOST, *wheels).items():
        monkeypatch.setenv(name, value)


def archive() -> bytes:
    files = contents(sdk_of(27).include)
    return tar_of({f"onnxruntime-1.27.0/include/{name}": text for name, text in files.items()})


@pytest.mark.parametrize("way", ["variables", "PIP_PROXY", "pip.conf"])
def test_headers_by_url(
    way: str, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://{HOST}/onnxruntime-1.27.0.tgz"
    data = proxy.pages[url] = archive()
    if way == "variables":
        for name, value in proxy.variables.items():
            monkeypatch.setenv(name, value)
    elif way == "PIP_PROXY":
        monkeypatch.setenv("PIP_PROXY", proxy.url)
    else:
        (tmp_path / "pip.conf").write_text(f"[global]\nproxy = {proxy.url}\n")
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    assert install(url, level=27, sha256=hashlib.sha256(data).hexdigest()).level == 27
    assert proxy.asked == [url]


def test_https_is_asked_of_the_proxy_too(told: Proxy) -> None:
    with pytest.raises(MissingError, match="cannot be fetched"):
        install(f"https://{HOST}/x.tgz", sha256="0" * 64)
    assert told.asked == [f"{HOST}:443"]


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="no apt")
def test_headers_by_apt(told: Proxy, tmp_path: Path) -> None:
    etc = tmp_path / "etc"
    (etc / "apt").mkdir(parents=True)
    (etc / "os-release").write_text("ID=debian\n")
    (etc / "apt/sources.list").write_text(f"deb http://{HOST}/debian bookworm main\n")
    with pytest.raises(MissingError):
        fetch_package(27, tmp_path, lambda _: None, Machine(etc))
    assert f"http://{HOST}/debian/dists/sid/InRelease" in told.asked


@pytest.mark.lab
@pytest.mark.skipif(bool(zig.why_not()), reason=zig.why_not())
def test_zig(told: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"#!/bin/sh\necho {HOST}\n"
    files = {"ziglang/__init__.py": "", "ziglang/zig": program}
    serve(told, monkeypatch, wheel_file(tmp_path / "index", "ziglang", "0.17.1", files))
    monkeypatch.setitem(sys.modules, "ziglang", None)
    said: list[str] = []
    for _ in range(2):
        found = zig.get_zig({"PATH": str(tmp_path)}, said.append)
        assert Path(found).read_text() == program
        assert os.access(found, os.X_OK)
    assert said == ["installing zig from PyPI into the cache (100 MB)"]
    assert [url.rsplit("/", 1)[-1] for url in told.asked] == ["", "ziglang-0.17.1-py3-none-any.whl"]


@pytest.mark.lab
def test_what_makes_wheels(told: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(wanted: str) -> Path:
        return environment(
            *("wheel-environments", [wanted], wanted.encode()),
            log=io.StringIO(), announce=lambda: None, progress=lambda _: None, timeout_s=300,
        )  # fmt: skip

    serve(told, monkeypatch, wheel_file(tmp_path, "contoso_tool", "1.0", {"contoso_tool.py": ""}))
    assert make("contoso-tool").is_file()
    with pytest.raises(NotInstalledError, match="No matching distribution found for other-tool"):
        make("other-tool")
    assert [url for url in told.asked if "-tool/" in url] == [
        f"http://{HOST}/simple/contoso-tool/",
        f"http://{HOST}/simple/other-tool/",
    ]


@pytest.mark.lab
def test_runtimes(told: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = tmp_path / "index"
    index.mkdir()
    release(index, "1.30.0")
    serve(told, monkeypatch, *index.iterdir())
    assert newest_release() == "1.30.0"
    assert find_releases().versions == ("1.30.0",)
    with pytest.raises(MissingError):  # the release has nothing in it
        find_runtime("1.30.0")
    with pytest.raises(MissingError):
        find_library(find_target("windows-x64"), "1.30.0", lambda _: None)
    assert sum(url.endswith("/onnxruntime/") for url in told.asked) == 4
