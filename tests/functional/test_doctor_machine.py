"""`epforge doctor` on machines that lack something: environments, tools, networks that are real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

GENERATOR = Path(__file__).resolve().parents[2] / "generator"


def doctor(*paths: Path, **environment: str) -> tuple[int, dict[str, Any]]:
    """Exit status, and findings by their codes.

    Args:
        paths: directories of packages that come before this Python's.
    """
    done = subprocess.run(
        [sys.executable, "-m", "epforge", "doctor", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            **environment,
            "PYTHONPATH": os.pathsep.join(map(str, (*paths, GENERATOR))),
        },
    )
    assert done.stdout, done.stderr
    data = json.loads(done.stdout)
    assert data["format"] == 1
    assert data["exit_status"] == done.returncode
    return done.returncode, {each["code"]: each for each in data["findings"]}


def wheel(folder: Path, name: str, version: str) -> Path:
    """A wheel of an onnxruntime distribution, as small as one can be."""
    stem = f"{name.replace('-', '_')}-{version}"
    path = folder / f"{stem}-py3-none-any.whl"
    files = {
        "onnxruntime/__init__.py": f"__version__ = {version!r}\n",
        "onnxruntime/capi/build_and_package_info.py": (
            f"package_name = {name!r}\n__version__ = {version!r}\n"
        ),
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
        record = "".join(f"{file},,\n" for file in (*files, f"{stem}.dist-info/RECORD"))
        archive.writestr(f"{stem}.dist-info/RECORD", record)
    return path


def unpacked(path: Path, to: Path, only: str = "") -> None:
    """Installs a wheel as it was done before there was pip."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(to, [name for name in archive.namelist() if name.startswith(only)])


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An empty environment of this Python; its directory of packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    return next((tmp_path / "venv").rglob("site-packages"))


def pip(environment: Path, *words: object) -> None:
    python = environment.parents[2] / "bin/python"
    command = [sys.executable, "-m", "pip", "--python", python, *words]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)


def test_this_machine_is_well() -> None:
    status, found = doctor()
    assert status == 0
    assert {
        "python",
        "compiler",
        "cmake",
        "ninja",
        "clang-format",
        "headers",
        "runtime",
        "cache",
    } <= (set(found))
    assert all(each["command"] for each in found.values() if each["severity"] != "ok")


@pytest.mark.lab  # pip installs and uninstalls
def test_two_distributions_in_one_environment(environment: Path, tmp_path: Path) -> None:
    for name, version in (("onnxruntime", "1.27.1"), ("onnxruntime-gpu", "1.26.0")):
        pip(environment, "install", "--no-deps", "--no-index", wheel(tmp_path, name, version))
    status, found = doctor(environment)
    assert status == 1
    said = found["two-runtimes"]["message"]
    assert (
        f"onnxruntime 1.27.1 and onnxruntime-gpu 1.26.0 share the directory {environment}" in said
    )
    assert said.endswith("the files are of onnxruntime-gpu 1.26.0")
    remove, _, install = found["two-runtimes"]["command"].partition(" && ")
    assert remove.endswith("pip uninstall --yes onnxruntime onnxruntime-gpu")
    assert install.endswith("pip install --no-deps onnxruntime-gpu==1.26.0")
    # What is left when one of the two is uninstalled: metadata without files.
    pip(environment, "uninstall", "--yes", "onnxruntime")
    status, found = doctor(environment)
    assert status == 1
    assert found["runtime-gone"]["message"].startswith("onnxruntime-gpu 1.26.0 is installed")
    assert "two-runtimes" not in found


@pytest.mark.lab
def test_a_distribution_whose_files_another_has_overwritten(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    unpacked(wheel(tmp_path, "onnxruntime", "1.27.1"), packages)
    unpacked(wheel(tmp_path, "onnxruntime-gpu", "1.26.0"), packages, "onnxruntime/")
    _, found = doctor(packages)
    assert found["runtime-mixed"]["severity"] == "error"
    assert "the files in" in found["runtime-mixed"]["message"]


@pytest.mark.lab
def test_extensions_are_no_second_runtime(tmp_path: Path) -> None:
    """Their names begin alike, and they have directories of their own."""
    path = wheel(tmp_path, "onnxruntime-extensions", "0.14.0")
    other = path.with_name("onnxruntime_extensions-0.14.0-py3-none-any.whl")
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(other, "w") as archive:
        for name, data in content.items():
            moved = data.replace(b"onnxruntime/", b"onnxruntime_extensions/")
            archive.writestr(name.replace("onnxruntime/", "onnxruntime_extensions/"), moved)
    unpacked(other, tmp_path / "packages")
    _, found = doctor(tmp_path / "packages")
    assert found["runtime"]["severity"] == "ok"
    assert not {"two-runtimes", "runtime-gone", "runtime-mixed"} & set(found)


def test_a_runtime_that_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "onnxruntime").mkdir()
    (tmp_path / "onnxruntime/__init__.py").write_text("import os\nos.abort()\n")
    status, found = doctor(tmp_path)
    assert status == 1
    assert "SIGABRT" in found["runtime"]["message"]


@pytest.mark.lab
def test_a_path_without_a_compiler(tmp_path: Path) -> None:
    status, found = doctor(PATH=str(tmp_path))
    assert found["compiler"]["severity"] != "error"
    assert found["compiler"]["message"].startswith(("no C++ compiler", "C++17: zig"))
    assert found["git"]["severity"] == "note"
    assert found["cmake"]["severity"] == "ok"
    assert status in (0, 4)


def test_what_variables_name_in_vain(tmp_path: Path) -> None:
    """A compiler that is none, headers that are not there, a proxy that is no address."""
    program = tmp_path / "c++"
    program.write_text("#!/bin/sh\necho 'fatal error: the licence has expired' >&2\nexit 1\n")
    program.chmod(0o755)
    status, found = doctor(
        CXX=str(program),
        EPFORGE_ORT_SDK=str(tmp_path / "none"),
        EPFORGE_CACHE=str(program / "cache"),
        https_proxy="gopher://me:secret@proxy",
        HTTPS_PROXY="",
        PIP_INDEX_URL="https://me:secret@mirror.invalid/simple",
    )
    assert status == 1
    assert found["compiler"]["message"].endswith("fatal error: the licence has expired")
    assert found["compiler"]["command"] == "unset CXX"
    assert found["headers"]["command"] == "unset EPFORGE_ORT_SDK"
    assert found["proxy"]["command"] == "unset https_proxy HTTPS_PROXY"
    assert found["cache"]["severity"] == "error"
    assert "secret" not in json.dumps(found)
    assert "https://***@mirror.invalid/simple" in found["network"]["message"]
