"""The workflows of a generated project: valid, no wider than they must be, and about what is there.

What they run is in the project: each preset, script, option and path.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from workflows import load, steps_of

from epforge.verbs.scaffold import scaffold_project

SMALL = "{epforge: 1, name: contoso-npu, vendor: Contoso, ops: [Relu]}\n"
PACKAGED = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
devices: [{name: npu, type: npu}]
ops: [Relu]
runtime_libs: [acme_rt]
python: {native: separate, min: "3.12"}
targets: [linux-arm64, windows-x64]
"""
CUDA = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
runtime: cuda
devices: [{name: gpu, type: gpu}]
memory: {default: arena, host_accessible: plain, streams: true}
ops: [Relu]
python: {distributions: [{suffix: -cu12}, {suffix: -cu13}]}
"""
TEXTS = {"small": SMALL, "packaged": PACKAGED, "cuda": CUDA}
ACTIONS = {
    "actions/checkout@v4",
    "actions/setup-python@v5",
    "actions/setup-dotnet@v4",
    "actions/upload-artifact@v4",
    "actions/download-artifact@v4",
    "pypa/gh-action-pypi-publish@release/v1",
}
NAME = "onnxruntime-ep-contoso-npu"


@pytest.fixture(scope="module", params=TEXTS)
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp(request.param)
    (place / "blueprint.yaml").write_text(TEXTS[request.param])
    scaffold_project(place / "blueprint.yaml", place / request.param)
    return place / request.param


@pytest.fixture(scope="module")
def packages(project: Path) -> dict[str, Any]:
    return load(project / ".github/workflows/packages.yml")


def scripts(project: Path) -> list[str]:
    """All scripts of the project's workflows, lines that go on as one."""
    return [
        step["run"].replace("\\\n", " ")
        for path in sorted((project / ".github/workflows").glob("*.yml"))
        for step in steps_of(load(path))
        if "run" in step
    ]


def commands(project: Path, start: str) -> list[list[str]]:
    """The words behind each command that begins so."""
    found = re.findall(rf"(?:^|[\s(]){re.escape(start)}(.*)", "\n".join(scripts(project)), re.M)
    return [shlex.split(line.split("||")[0].split(">")[0].rstrip(")")) for line in found]


def test_github_reads_them(project: Path) -> None:
    checker = [sys.executable, "-m", "check_jsonschema"]
    done = subprocess.run(
        [*checker, "--builtin-schema", "vendor.github-workflows",
         *sorted((project / ".github/workflows").glob("*.yml"))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_they_give_nobody_more_than_they_must(packages: dict[str, Any]) -> None:
    """Publishing alone may ask for a token of the package index, and it runs no script."""
    assert packages["permissions"] == {"contents": "read"}
    for name, job in packages["jobs"].items():
        assert job.get("permissions") == ({"id-token": "write"} if name == "publish" else None)
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")  # values reach a script as variables
            assert "secrets" not in json.dumps(step)
            assert step.get("uses", "actions/checkout@v4") in ACTIONS
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
    publish = packages["jobs"]["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert not [step for step in publish["steps"] if "run" in step]
    others = packages["jobs"].keys() - {"publish", "wheel"}
    assert set(publish["needs"]) == others
    assert all(packages["jobs"][name].get("needs", "wheel") == "wheel" for name in others)


def test_only_wheels_are_published(packages: dict[str, Any]) -> None:
    download, _ = packages["jobs"]["publish"]["steps"]
    assert download["with"] == {"pattern": "wheel-*", "path": "dist", "merge-multiple": True}
    assert "sdist" not in json.dumps(packages)
    for name, job in packages["jobs"].items():
        for step in job["steps"]:
            if step.get("uses") != "actions/upload-artifact@v4":
                continue
            given = step["with"]
            assert given["if-no-files-found"] == "error"
            assert given["name"].startswith("wheel-") == (given["path"] == "dist/*.whl"), name


def test_every_preset_is_there(project: Path) -> None:
    presets = json.loads((project / "CMakePresets.json").read_text(encoding="utf-8"))
    known = {each["name"] for each in presets["buildPresets"]}
    used = {words[0] for words in commands(project, "cmake --preset ")}
    used |= {words[0] for words in commands(project, "cmake --build --preset ")}
    for path in (project / ".github/workflows").glob("*.yml"):
        for job in load(path)["jobs"].values():
            entries = job.get("strategy", {}).get("matrix", {}).get("include", ())
            used |= {entry["preset"] for entry in entries if "preset" in entry}
    assert used - {"${{"} <= known
    assert "release" in used


def test_every_script_has_the_options_that_it_is_given(project: Path) -> None:
    called = commands(project, "python packaging/")
    assert {words[0] for words in called} == {"build_wheel.py", "pack_nuget.py", "release_notes.py"}
    for script, *words in called:
        text = subprocess.run(
            [sys.executable, project / "packaging" / script, "--help"],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        options = [word for word in words if word.startswith("--")]
        assert options
        assert set(options) <= set(re.findall(r"--[a-z_]+", text)), script


def test_every_path_is_there(project: Path) -> None:
    """Everything that a script reads, and does not make itself."""
    made = {"build", "dist", "artifacts", "notes.md"}
    words = {word for script in scripts(project) for word in re.split(r"[\s\"'=();:]+", script)}
    tops = "|".join(re.escape(each.name) for each in project.iterdir() if each.is_dir())
    read = {word for word in words if re.fullmatch(rf"(?:{tops})(?:/[\w./-]+)+", word)}
    read = {word for word in read if word.split("/")[0] not in made}
    assert {word.split("/")[0] for word in read} >= {"packaging", "python", "tests"}
    for word in read:
        assert (project / word).exists(), word


def test_the_builds_are_the_blueprint_s(project: Path, packages: dict[str, Any]) -> None:
    """Each target on a machine of its own kind; on Linux in a container with an old C library."""
    builds = packages["jobs"]["wheel"]["strategy"]["matrix"]["include"]
    found = {(each["distribution"], each["target"], each["runner"]) for each in builds}
    x64, arm64 = ("linux-x64", "ubuntu-24.04"), ("linux-arm64", "ubuntu-24.04-arm")
    windows, macos = ("windows-x64", "windows-2022"), ("macos-arm64", "macos-14")
    assert (
        found
        == {
            "small": {(NAME, *each) for each in (x64, arm64, windows, macos)},
            "packaged": {(NAME, *arm64), (NAME, *windows)},
            "cuda": {
                (f"{NAME}{cuda}", *each) for cuda in ("-cu12", "-cu13") for each in (x64, arm64)
            },
        }[project.name]
    )
    for each in builds:
        assert ("manylinux" in each["container"]) == each["target"].startswith("linux-")
    tested = packages["jobs"]["test"]["strategy"]["matrix"]
    assert tested["build"] == [
        {key: each[key] for key in ("target", "runner", "distribution")} for each in builds
    ]
    assert tested["onnxruntime"] == ["onnxruntime==1.24.4", "onnxruntime"]
    oldest = "3.12" if project.name == "packaged" else "3.11"
    assert tested["python"] == [oldest, "3.13"]


def test_what_one_job_leaves_another_finds(project: Path, packages: dict[str, Any]) -> None:
    """The NuGet package is made of each target's library; its targets are those that are built."""
    jobs = packages["jobs"]
    targets = {each["target"] for each in jobs["wheel"]["strategy"]["matrix"]["include"]}
    downloads = {
        step["with"]["name"].rpartition("}}-")[2]: step["with"]["path"]
        for step in jobs["nuget"]["steps"]
        if step.get("uses") == "actions/download-artifact@v4"
    }
    assert downloads == {target: f"artifacts/{target}" for target in targets}
    (words,) = commands(project, "python packaging/pack_nuget.py")
    assert set(words[words.index("--required_platforms") + 1].split(",")) == targets
    uploads = [
        step["with"]["name"]
        for step in jobs["wheel"]["steps"]
        if step.get("uses") == "actions/upload-artifact@v4"
    ]
    matrix = "${{ matrix.distribution }}-${{ matrix.target }}"
    assert uploads == [f"wheel-{matrix}", f"library-{matrix}"]
    wanted = [
        step["with"]["name"].replace("matrix.build.", "matrix.")
        for step in jobs["test"]["steps"]
        if step.get("uses") == "actions/download-artifact@v4"
    ]
    assert wanted == [f"wheel-{matrix}"]


def test_a_project_with_kernels_for_numpy_has_wheels_of_them(
    project: Path, packages: dict[str, Any]
) -> None:
    if project.name != "packaged":
        assert "native" not in packages["jobs"]
        return
    (step,) = [step for step in packages["jobs"]["native"]["steps"] if "run" in step]
    assert "cibuildwheel native" in step["run"]
    assert (project / "native/pyproject.toml").is_file()
    assert step["env"]["CIBW_BUILD"] == "cp312-* cp313-*"  # the stable ABI, tested on a newer one
    matrix = packages["jobs"]["native"]["strategy"]["matrix"]["include"]
    assert [each["target"] for each in matrix] == ["linux-arm64", "windows-x64"]


def test_shipped_libraries_are_fetched_from_where_a_variable_says(
    project: Path, packages: dict[str, Any]
) -> None:
    steps = [step for step in packages["jobs"]["wheel"]["steps"] if "vendor" in str(step)]
    if project.name != "packaged":
        assert steps == []
        return
    (step,) = steps
    assert step["env"]["RUNTIME_LIBS_URL"] == "${{ vars.RUNTIME_LIBS_URL }}"
    text = (project / ".github/workflows/packages.yml").read_text(encoding="utf-8")
    assert "variable RUNTIME_LIBS_URL" in text.partition("\nname:")[0]
    assert text.count("-DCONTOSO_NPU_RUNTIME_DIR=build/runtime") == 2
    cmake = (project / "cmake/gen/runtime_libs.cmake").read_text(encoding="utf-8")
    assert "CONTOSO_NPU_RUNTIME_DIR" in cmake


def test_cuda_12_gets_a_compiler_of_its_own(project: Path, packages: dict[str, Any]) -> None:
    steps = {step.get("name"): step for step in packages["jobs"]["wheel"]["steps"]}
    builds = packages["jobs"]["wheel"]["strategy"]["matrix"]["include"]
    if project.name != "cuda":
        assert not [name for name in steps if name and "nvcc" in name]
        return
    toolkits = {(each["distribution"], each["cuda"]) for each in builds}
    assert toolkits == {(f"{NAME}-cu12", "12-9"), (f"{NAME}-cu13", "")}
    assert steps["Install nvcc"]["if"] == "matrix.cuda == ''"
    assert steps["Install nvcc of CUDA 12"]["if"] == "matrix.cuda != ''"


def test_a_machine_without_the_device_is_told_so(project: Path, packages: dict[str, Any]) -> None:
    variable = "CONTOSO_NPU_ALLOW_NO_DEVICE"
    assert packages["env"].get(variable) == (None if project.name == "small" else "1")
    conftest = (project / "tests/python/conftest.py").read_text(encoding="utf-8")
    assert variable in conftest


def test_python_in_the_scripts_is_python(project: Path) -> None:
    for script in scripts(project):
        for code in re.findall(r'python -c "([^"]+)"', script):
            ast.parse(code)


def test_shell_in_the_scripts_is_shell(project: Path) -> None:
    for path in (project / ".github/workflows").glob("*.yml"):
        for step in steps_of(load(path)):
            if "run" in step and step.get("shell") != "cmd":
                done = subprocess.run(
                    ["bash", "-n"], input=step["run"], capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, (step["name"], done.stderr)


def test_every_other_target_is_tested_on_every_change(project: Path) -> None:
    jobs = load(project / ".github/workflows/ci.yml")["jobs"]
    entries = jobs["others"]["strategy"]["matrix"]["include"] if "others" in jobs else []
    assert [each["target"] for each in entries] == {
        "small": ["linux-arm64", "windows-x64", "macos-arm64"],
        "packaged": ["linux-arm64", "windows-x64"],
        "cuda": ["linux-arm64"],
    }[project.name]
