"""Public bug reports as tests, part one: the library as a file, and how it loads.

The numbers are those of the reports that the project keeps; each test says what went wrong there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from compilers import needed
from projects import Project, built, sdk
from runtimes import SUPPORTED, TOO_OLD, runtime

EXPORTS = {"CreateEpFactories", "ReleaseEpFactory"}


def exported(library: Path) -> set[str]:
    out = subprocess.run(
        ["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def epforge(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "epforge", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("project", ["minimal", "full", "device_memory"])
def test_fr_1_two_symbols_are_exported(project: str, request: pytest.FixtureRequest) -> None:
    """A release had no entry point on Linux: only the Windows export list had been updated."""
    assert exported(request.getfixturevalue(project).library) == EXPORTS


def test_fr_1_a_stripped_library_registers(minimal: Project, tmp_path: Path) -> None:
    stripped = tmp_path / minimal.library.name
    subprocess.run(["strip", "-o", str(stripped), str(minimal.library)], check=True)
    result = Project(minimal.root, stripped).python("assert device is not None; print('ok')")
    assert result.stdout == "ok\n", result.stderr


@pytest.mark.lab
def test_fr_1_a_library_with_link_time_optimization_registers(repository: Path) -> None:
    text = (repository / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    project = built(text, variables={"CMAKE_INTERPROCEDURAL_OPTIMIZATION": "ON"})
    assert exported(project.library) == EXPORTS
    result = project.python("assert device is not None; print('ok')")
    assert result.stdout == "ok\n", result.stderr


def test_fr_1_a_missing_entry_point_is_named_before_the_runtime_sees_it(
    minimal: Project, tmp_path: Path
) -> None:
    """The library without one of its exports, as a faulty export list would leave it."""
    data = minimal.library.read_bytes()
    assert data.count(b"\0ReleaseEpFactory\0")
    doctored = tmp_path / minimal.library.name
    doctored.write_bytes(data.replace(b"\0ReleaseEpFactory\0", b"\0ReleaseEpFact0ry\0"))
    result = epforge("validate", "--library", doctored)
    assert result.returncode == 1
    assert "ReleaseEpFactory" in result.stdout
    assert "static" in result.stdout


@pytest.mark.parametrize("version", SUPPORTED)
def test_fr_2_and_4_a_session_runs_on_every_runtime(minimal: Project, version: str) -> None:
    """Hosts refused libraries whose structs bore no version, or one above the host's own."""
    result = minimal.python(
        """
        assert ort.__version__ == VERSION, ort.__version__
        models.check(models.mul(), device)
        models.check(models.add_mul_add(), device)
        del device
        plugin.unregister()
        print("ok")
        """.replace("VERSION", repr(version)),
        runtime=runtime(version),
    )
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stderr


def test_fr_3_too_old_a_runtime_is_told_both_versions(minimal: Project) -> None:
    """Older hosts crashed: they return no table for an API that they do not know."""
    result = minimal.run_python(
        f"""
        import {minimal.package} as plugin
        try:
            plugin.register()
        except Exception as error:
            print(error)
        """,
        runtime=runtime(TOO_OLD),
    )
    assert result.returncode == 0, result.stderr
    assert "1.24" in result.stdout
    assert "1.23" in result.stdout


def _other_files(minimal: Project, tmp_path: Path) -> dict[str, Path]:
    """Files that are not plugin libraries, by a word that the explanation must have."""
    import numpy

    extension = next(Path(numpy.__file__).parent.rglob("_multiarray_umath*.so"))
    text = tmp_path / "notes.so"
    text.write_text("not a library\n", encoding="utf-8")
    foreign = tmp_path / "foreign.so"
    data = bytearray(minimal.library.read_bytes())
    data[18:20] = (183).to_bytes(2, "little")  # e_machine: AArch64
    foreign.write_bytes(data)
    source = tmp_path / "ops.c"
    source.write_text("int RegisterCustomOps(void) { return 0; }\n", encoding="utf-8")
    custom = tmp_path / "libops.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(custom), str(source)], check=True)
    return {"python": extension, "text": text, "aarch64": foreign, "custom": custom}


def test_fr_7_each_wrong_file_gets_its_own_explanation(minimal: Project, tmp_path: Path) -> None:
    """Somebody passed a Python extension and was told of a missing symbol."""
    said = {}
    for word, file in _other_files(minimal, tmp_path).items():
        result = epforge("validate", "--library", file)
        assert result.returncode in (1, 2), (word, result.stdout, result.stderr)
        assert "Traceback" not in result.stderr
        said[word] = result.stdout + result.stderr
        assert re.search(word, said[word], re.IGNORECASE), said[word]
    assert len(set(said.values())) == len(said)


def test_fr_9_nothing_of_the_runtime_s_c_plus_plus_is_needed(full: Project) -> None:
    """A library that took `new` and `delete` from the host freed memory twice."""
    undefined = subprocess.run(
        ["nm", "-D", "-C", "--undefined-only", str(full.library)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert not re.search(r"\b(Ort|onnxruntime)", undefined)
    dynamic = subprocess.run(
        ["readelf", "-d", str(full.library)], capture_output=True, text=True, check=True
    ).stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    assert needed
    assert not [name for name in needed if "onnxruntime" in name]
    assert not exported(full.library) & {"GetProvider", "_Znwm", "_ZdlPv"}


def _configure(project: Path, headers: Path, build: Path) -> subprocess.CompletedProcess[str]:
    import cmake
    import ninja

    macro = "CONTOSO_NPU"
    return subprocess.run(
        [
            str(Path(cmake.CMAKE_BIN_DIR) / "cmake"),
            *("-S", str(project), "-B", str(build), "-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={Path(ninja.BIN_DIR) / 'ninja'}",
            f"-D{macro}_ORT_INCLUDE_DIR={headers}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "layout",
    ["include", "include/onnxruntime/core/session", "with a space/include", "broken cmake/include"],
)
def test_fr_10_headers_are_found_in_every_layout(
    minimal: Project, tmp_path: Path, layout: str
) -> None:
    """Release archives shipped a CMake package file that pointed to the wrong directories."""
    root = tmp_path / layout.split("/")[0] if "/include" in layout else tmp_path / "ort"
    place = tmp_path / layout if "/include" in layout else root / layout
    shutil.copytree(sdk().include, place)
    if "cmake" in layout:
        config = root / "lib/cmake/onnxruntime/onnxruntimeConfig.cmake"
        config.parent.mkdir(parents=True)
        config.write_text('include("/no/such/file.cmake")\n', encoding="utf-8")
    result = _configure(minimal.root, root, tmp_path / "build")
    assert result.returncode == 0, result.stderr


def test_fr_10_no_headers_is_one_error_that_names_the_places(
    minimal: Project, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "onnxruntime_c_api.h").write_text("// the other header is missing\n", encoding="utf-8")
    result = _configure(minimal.root, empty, tmp_path / "build")
    assert result.returncode != 0
    assert str(empty) in result.stderr
    assert result.stderr.count("CMake Error") == 1


def test_fr_11_every_header_compiles_alone(tmp_path: Path) -> None:
    """A package left out a file that one of its headers includes."""
    # The ones that are used: the C API, which includes that of plugins at its end, and the keys.
    headers = [sdk().include / "onnxruntime_c_api.h", *sdk().include.glob("*_keys.h")]
    assert len(headers) > 1
    for header in headers:
        source = tmp_path / f"{header.stem}.cc"
        source.write_text(f'#include "{header.name}"\n', encoding="utf-8")
        compile_ = ["c++", "-std=c++17", "-fsyntax-only", f"-I{header.parent}", str(source)]
        assert subprocess.run(compile_, check=False).returncode == 0, header


def test_fr_11_a_missing_header_is_named_before_cmake_runs(tmp_path: Path) -> None:
    partial = tmp_path / "partial"
    shutil.copytree(sdk().include, partial)
    (partial / "onnxruntime_ep_c_api.h").unlink()
    result = epforge("sdk", "verify", partial)
    assert result.returncode in (1, 4)
    assert "onnxruntime_ep_c_api.h" in result.stdout + result.stderr


@pytest.mark.lab
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("standard", ["17", "20"])
def test_fr_12_builds_without_a_warning(repository: Path, compiler: str, standard: str) -> None:
    """A sample needed a header that the release it was made for did not ship."""
    text = (repository / "blueprints/kernel-registry.yaml").read_text(encoding="utf-8")
    project = built(text, compiler=needed(compiler), variables={"CMAKE_CXX_STANDARD": standard})
    assert exported(project.library) == EXPORTS


def test_fr_12_headers_that_are_too_old_are_refused_with_the_needed_version(
    minimal: Project, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    shutil.copytree(sdk().include, old)
    header = old / "onnxruntime_c_api.h"
    text = header.read_text(encoding="utf-8")
    header.write_text(re.sub(r"(#define ORT_API_VERSION) \d+", r"\1 22", text), encoding="utf-8")
    result = _configure(minimal.root, old, tmp_path / "build")
    assert result.returncode != 0
    assert "27" in result.stderr
    assert "22" in result.stderr
