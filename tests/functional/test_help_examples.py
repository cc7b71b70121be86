"""The examples of each verb's help run, in a directory that has what they name."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
import reports
import typer
from cli_project import call, replaced
from ort_sdk import copy_of
from projects import Project
from terminal import typed

from epforge.cli.main import app
from epforge.cli.show.reference import verbs

REPOSITORY = Path(__file__).resolve().parents[2]
BLUEPRINT = REPOSITORY / "blueprints/minimal.yaml"
#: Begin with these, and take long: they compile, or run a library on many models.
LONG = (
    *("epforge scaffold", "epforge build", "epforge validate", "epforge compile"),
    *("epforge inspect", "epforge doctor libother_ep.so"),
)
#: Says by its status what it has found on this machine.
FINDING = {"epforge doctor": {0, 1, 4}}
MARKERS = tuple(sign * 7 for sign in "<|=>")
HEADERS = "onnxruntime-linux-x64-1.27.0"
PLAIN = '<ir_version: 8, opset_import: ["": 17]> g (float[2, 2] x) => (float[2, 2] y) {y = Relu(x)}'

Prepare = Callable[[Path, pytest.FixtureRequest], Path | None]


@pytest.fixture(scope="session")
def usual_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A blueprint, its project under both names, and models."""
    place = tmp_path_factory.mktemp("usual") / "place"
    place.mkdir()
    shutil.copy(BLUEPRINT, place / "blueprint.yaml")
    for name in ("my-ep", "contoso-npu"):
        result = call("scaffold", place / "blueprint.yaml", place / name)
        assert result.exit_code == 0, result.output
    for name in ("model.onnx", "detector.onnx", "classifier.onnx"):
        onnx.save(onnx.parser.parse_model(PLAIN), place / name)
    return place


def usual(place: Path, request: pytest.FixtureRequest) -> None:
    shutil.copytree(request.getfixturevalue("usual_place"), place, dirs_exist_ok=True)


def empty(place: Path, _: pytest.FixtureRequest) -> None:
    shutil.copy(BLUEPRINT, place / "blueprint.yaml")


def begun(place: Path, _: pytest.FixtureRequest) -> None:
    """A directory that holds nothing but a blueprint."""
    (place / "my-ep").mkdir()
    shutil.copy(BLUEPRINT, place / "my-ep/blueprint.yaml")


def modelled(place: Path, _: pytest.FixtureRequest) -> None:
    onnx.save(onnx.parser.parse_model(PLAIN), place / "detector.onnx")


def in_conflict(place: Path, request: pytest.FixtureRequest) -> None:
    usual(place, request)
    replaced("README.md", "computes 4 operators", "computes four operators")(place / "my-ep")
    replaced("blueprint.yaml", "ops: [", "ops: [Sub, ")(place / "my-ep")
    result = call("regenerate", place / "my-ep", "--on-conflict", "markers")
    assert result.exit_code == 3, result.output


def decided(place: Path, request: pytest.FixtureRequest) -> None:
    """Somebody has edited the lines between the markers."""
    in_conflict(place, request)
    readme = place / "my-ep/README.md"
    lines = readme.read_text(encoding="utf-8").splitlines(keepends=True)
    readme.write_text("".join(each for each in lines if each[:7] not in MARKERS), encoding="utf-8")


def inside_one_in_conflict(place: Path, request: pytest.FixtureRequest) -> Path:
    in_conflict(place, request)
    return place / "my-ep"


def styled(place: Path, _: pytest.FixtureRequest) -> None:
    to = place / "house-style/templates"
    assert call("templates", "eject", "plugin/README.md", "--to", to).exit_code == 0


def reported(place: Path, _: pytest.FixtureRequest) -> None:
    for name in ("report.json", "yesterday.json", "today.json"):
        (place / name).write_text(json.dumps(reports.data(*reports.usual())), encoding="utf-8")
    ops = [{"op": "Relu", "passed": 1, "denominator": 1}]
    (place / "conformance.json").write_text(json.dumps({"conformance": [{"ops": ops}]}), "utf-8")


def headers(place: Path, _: pytest.FixtureRequest) -> None:
    folder = place / HEADERS
    copy_of(27, folder / "include")
    with tarfile.open(place / f"{HEADERS}.tgz", "w:gz") as archive:
        archive.add(folder, HEADERS)
    (place / "ep.cc").write_text("#include <onnxruntime_c_api.h>\nOrtStatus* none = nullptr;\n")


def built(place: Path, request: pytest.FixtureRequest) -> None:
    """A built project, and its library under another name."""
    project: Project = request.getfixturevalue("minimal")
    shutil.copytree(project.root, place / "my-ep", symlinks=True)
    shutil.copy(project.library, place / "libother_ep.so")


def compiling(place: Path, request: pytest.FixtureRequest) -> None:
    build = request.getfixturevalue("project_of")
    text = (REPOSITORY / "blueprints/compiled.yaml").read_text(encoding="utf-8")
    options = (
        "options:\n  - {name: effort, type: int, default: 0}\n"
        "  - {name: mode, choices: [fast, small], default: small}\n"
    )
    project: Project = build(text + options)
    shutil.copytree(project.root, place / "my-ep", symlinks=True)
    shutil.copy(project.library, place / "libother_ep.so")
    onnx.save(onnx.parser.parse_model(PLAIN), place / "model.onnx")


#: What the examples that begin so need; the longest beginning counts.
PREPARED: dict[str, Prepare] = {
    "": usual,
    "epforge init": modelled,
    "epforge scaffold": empty,
    "epforge scaffold my-ep": begun,
    "epforge resolve": decided,
    "epforge resolve --theirs": inside_one_in_conflict,
    "epforge templates diff": styled,
    "epforge report": reported,
    "epforge ops coverage": reported,
    "epforge sdk": headers,
    "g++": headers,
    "epforge build": built,
    "epforge validate": built,
    "epforge inspect": built,
    "epforge compile": compiling,
    "epforge doctor libother_ep.so": built,
}

LINES = sorted({line for verb in verbs(typer.main.get_command(app)) for line in verb.examples})


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=[pytest.mark.lab] if line.startswith(LONG) else [])
        for line in LINES
    ],
)
def test_an_example_of_help_runs(line: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    start = max((each for each in PREPARED if line.startswith(each)), key=len)
    place = PREPARED[start](tmp_path, request) or tmp_path
    environment: dict[str, Any] = {}
    if line.startswith("epforge sdk install"):
        environment["EPFORGE_CACHE"] = str(tmp_path / "cache")
    said = typed(line, place, **environment)
    right = FINDING.get(" ".join(line.split()[:2]), {0})
    assert said.status in right, f"$ {line}\n{said.text[-3000:]}"
    assert "Traceback" not in said.text
