"""What packages are made of follows the blueprint, with everything that its owner wrote there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import cli_project
import pytest
from cli_project import appended, call, files, replaced, written
from projects import built_copy

BLUEPRINT = """\
# What Contoso's NPU computes.
epforge: 1
name: contoso-npu
version: 0.1.0
vendor: {name: Contoso, pci_id: 0xB357}
ort: {min: "1.24.4", target: "1.25"}
ops: [Relu, Add]
options:
  - {name: effort, type: int, range: [0, 3], default: 0, doc: Effort of the compiler.}
python: {native: separate}
targets: [linux-x64, windows-x64]
"""
_PYPROJECT, _PRESETS = "pyproject.toml", "CMakePresets.json"
_CI, _PACKAGES = ".github/workflows/ci.yml", ".github/workflows/packages.yml"
_NUSPEC, _PYPI = "packaging/nuget/package.nuspec", "packaging/README.pypi.md"
_OWN_STEP = "      - name: Contoso's licence check\n        run: ./tools/licences\n"
_OWN_PRESET = '    {"name": "board7", "inherits": "release", "displayName": "Board 7"}'

#: What an owner does to the files that are shared, and to folders that are not: path, text there,
#: text instead. No text: at the end.
_EDITS = (
    (_PYPROJECT, '{ name = "Contoso" }', '{ name = "Contoso" }, { name = "Mara Lind" }'),
    (_PYPROJECT, "[tool.ruff]\nline-length = 100", "[tool.ruff]\nline-length = 88"),
    (_PYPROJECT, "", '\n[tool.coverage.run]\nsource = ["python"]\n'),
    (_PRESETS, '    }\n  ],\n  "buildPresets"', f'    }},\n{_OWN_PRESET}\n  ],\n  "buildPresets"'),
    (_CI, "", "\n  contoso-lab:\n    runs-on: [self-hosted, board-7]\n"),
    (_PACKAGES, "      - name: Install tools\n", _OWN_STEP + "      - name: Install tools\n"),
    (_PACKAGES, "", "\n  contoso-share:\n    runs-on: [self-hosted, board-7]\n"),
    (_NUSPEC, "<tags>onnxruntime", "<tags>contoso onnxruntime"),
    (_PYPI, "", "\n## Support\n\nWrite to npu@contoso.example.\n"),
    ("packaging/README.md", "", "\n## Contoso's index\n\nUpload to the share, too.\n"),
    ("packaging/nuget/README.md", "", "\nContoso's samples are in another repository.\n"),
    ("packaging/paths.txt", "src/\n", "src/\ncontoso/\n"),
    ("README.md", "## Use\n", "## Contoso's boards\n\nBoard 7 is in the lab.\n\n## Use\n"),
)
_OWN = {
    "native/contoso/notes.md": b"# How Contoso uses the kernels\n",
    "native/tests/test_contoso.py": b"def test_contoso() -> None:\n    pass\n",
    "cmake/toolchains/board7.cmake": b"set(CMAKE_SYSTEM_NAME Linux)\n",
    "packaging/contoso.sh": b"#!/bin/sh\n",
}

#: What is changed in the blueprint: text there, text instead.
_CHANGES = {
    "version": ("version: 0.1.0", "version: 0.2.0"),
    "option": (
        "options:\n",
        "options:\n  - {name: trace, type: bool, default: false, doc: Log every run.}\n",
    ),
    "target more": ("windows-x64]", "windows-x64, linux-arm64, macos-arm64]"),
    "target less": (", windows-x64]", "]"),
    "distributions": ("separate}", "separate, distributions: [{suffix: -a}, {suffix: -b}]}"),
    "libraries": ("ops: [", "runtime_libs: [acme_rt]\nsystem_libs: [libnpu.so.1]\nops: ["),
    "native off": ("python: {native: separate}\n", ""),
    "minimum": ('min: "1.24.4"', 'min: "1.25.0"'),
}


@pytest.fixture(scope="module")
def scaffolded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, with its owner's work in it."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "contoso.yaml").write_text(BLUEPRINT)
    result = call("scaffold", folder / "contoso.yaml", folder / "npu")
    assert result.exit_code == 0, result.output
    for path, old, new in _EDITS:
        (replaced(path, old, new) if old else appended(path, new))(folder / "npu")
    for path, content in _OWN.items():
        written(path, content)(folder / "npu")
    return folder / "npu"


@pytest.fixture
def project(scaffolded: Path, tmp_path: Path) -> Path:
    return cli_project.copied(scaffolded, tmp_path / "npu")


def _follow(project: Path, change: str) -> dict[str, str]:
    """Changes the blueprint and regenerates; returns the project's files, of which none has lost
    a line of its owner's."""
    replaced("blueprint.yaml", *_CHANGES[change])(project)
    result = call("regenerate", project)
    assert result.exit_code == 0, result.output
    for path, old, new in _EDITS:
        own = set(new.splitlines()) - set(old.splitlines())
        lines = (project / path).read_text().splitlines()
        assert all(any(each in line for line in lines) for each in own), path
    for path, content in _OWN.items():
        assert (project / path).read_bytes() == content
    return {path: content.decode() for path, content in files(project).items()}


@pytest.mark.parametrize("change", _CHANGES)
def test_no_line_of_the_owner_s_is_lost_or_in_the_way(change: str, project: Path) -> None:
    _follow(project, change)
    json.loads((project / _PRESETS).read_text())
    assert call("status", project).exit_code == 0


def test_a_dropped_target_takes_its_files_along(project: Path) -> None:
    before = files(project).keys()
    after = _follow(project, "target less")
    assert before - after.keys() == {
        "cmake/toolchains/windows-x64.cmake",
        "packaging/nuget/package.targets",
    }
    presets = json.loads(after[_PRESETS])
    named = {
        each["name"] for kind in ("configurePresets", "buildPresets") for each in presets[kind]
    }
    assert named == {"base", "release", "debug", "asan", "tsan", "linux-x64", "board7"}
    assert "windows-x64" not in after[_PACKAGES] + after[_CI]


def test_a_new_distribution_is_told_everywhere(project: Path) -> None:
    after = _follow(project, "distributions")
    names = ("onnxruntime-ep-contoso-npu-a", "onnxruntime-ep-contoso-npu-b")
    for path in (
        "python/onnxruntime_ep_contoso_npu/_identity.py",
        "packaging/wheel_settings.py",
        "packaging/README.md",
        "packaging/pack_nuget.py",
        _PYPI,
        _PACKAGES,
    ):
        assert all(name in after[path] for name in names), path
    assert f'name = "{names[0]}"' in after[_PYPROJECT]


def test_native_switched_off_leaves_only_what_is_the_owner_s(project: Path) -> None:
    before = files(project)
    after = _follow(project, "native off")
    kept = {path for path in after if path.startswith("native/")}
    assert kept == {path for path in _OWN if path.startswith("native/")} | {"native/LICENSE"}
    assert after["native/LICENSE"].encode() == before["native/LICENSE"]
    assert "native/" not in after["packaging/paths.txt"]
    assert "  native:\n" not in after[_PACKAGES]


def test_an_edit_of_native_s_own_files_is_decided_before_they_go(project: Path) -> None:
    appended("native/src/module.cc", "// Contoso's.\n")(project)
    replaced("blueprint.yaml", *_CHANGES["native off"])(project)
    before = files(project)
    refused = call("regenerate", project)
    assert refused.exit_code == 3
    assert "native/src/module.cc" in refused.output
    assert files(project) == before


def test_native_comes_back_as_it_was(project: Path) -> None:
    before = files(project)
    _follow(project, "native off")
    old, new = _CHANGES["native off"]
    replaced("blueprint.yaml", "targets:", f"{old}targets:")(project)
    assert new == ""
    result = call("regenerate", project)
    assert result.exit_code == 0, result.output
    assert files(project) == before


def test_the_oldest_runtime_is_told_by_every_file(project: Path) -> None:
    told = {
        *("README.md", _PYPROJECT, _NUSPEC, _PYPI, _PACKAGES, _CI, "native/pyproject.toml"),
        *("packaging/nuget/README.md", "packaging/nuget/ContosoNpuEp.cs"),
    }
    assert all("1.24.4" in (project / path).read_text() for path in told)
    after = _follow(project, "minimum")
    others = {"samples/cpp/runtime.cc", "tests/cpp/entry_test.cc"}  # versions as examples
    assert {path for path, text in after.items() if "1.24.4" in text} == others
    assert all("1.25" in after[path] for path in told)


def test_an_upgrade_moves_the_headers_and_not_the_oldest_runtime(project: Path) -> None:
    result = call("upgrade", project, "--ort", "1.27")
    assert result.exit_code == 0, result.output
    for path in (_CI, _PACKAGES):
        assert 'ORT_HEADERS: "1.27.0"' in (project / path).read_text()
    for path in (_PYPROJECT, _NUSPEC, _PYPI, _PACKAGES, "native/pyproject.toml"):
        assert "1.24.4" in (project / path).read_text(), path
    assert call("status", project).exit_code == 0


def test_an_added_option_is_a_keyword_of_sessions(project: Path) -> None:
    result = call("add", "option", "trace", "--type", "bool", "--project", project)
    assert result.exit_code == 0, result.output
    code = """
        import inspect
        import onnxruntime_ep_contoso_npu as ep
        print(*inspect.signature(ep.session_options).parameters)
        """
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(line.strip() for line in code.splitlines())],
        env={**os.environ, "PYTHONPATH": str(project / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {"effort", "trace"} <= set(done.stdout.split())


@pytest.mark.lab
def test_native_that_is_added_later_builds(project: Path, tmp_path: Path) -> None:
    _follow(project, "native off")
    for path in _OWN:
        (project / path).unlink()
    replaced("blueprint.yaml", "targets:", "python: {native: separate}\ntargets:")(project)
    assert call("regenerate", project).exit_code == 0
    native = built_copy(project) / "native"
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(tmp_path)]
    done = subprocess.run([*command, str(native)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.glob("onnxruntime_ep_contoso_npu_native-0.1.0-*.whl"))
