"""The generated README is true: its snippets run and compile, its error texts are the real ones."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from projects import Project, sdk
from runtimes import TOO_OLD, runtime

PROJECTS = ["minimal", "device_memory"]


def readme(project: Project) -> str:
    return (project.root / "README.md").read_text(encoding="utf-8")


def block(project: Project, language: str, part: str) -> str:
    """The code block of ``language`` that has ``part`` in it."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", readme(project), re.M | re.S)
    (found,) = [text for text in blocks if part in text]
    return str(found)


@pytest.mark.parametrize("name", PROJECTS)
def test_its_python_runs(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    project: Project = request.getfixturevalue(name)
    code = block(project, "python", "InferenceSession")
    setting = f"""
        import os, models
        os.chdir({str(tmp_path)!r})
        open("model.onnx", "wb").write(models.mul().SerializeToString())
        inputs = models.feeds(models.mul())
    """
    script = tmp_path / "usage.py"
    script.write_text(code + "\nprint(outputs[0].shape)\n", encoding="utf-8")
    result = project.run_python(f"{setting}\n        exec(open({str(script)!r}).read())\n")
    assert (result.returncode, result.stdout) == (0, "(3, 2)\n"), result.stderr


@pytest.mark.parametrize("name", PROJECTS)
def test_its_c_plus_plus_compiles(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    project: Project = request.getfixturevalue(name)
    body = block(project, "cpp", "Ort::Session")
    source = tmp_path / "usage.cc"
    source.write_text(
        "#include <onnxruntime_cxx_api.h>\n#include <stdexcept>\n#include <string>\n"
        f"#include <unordered_map>\n#include <vector>\nint main() {{\n{body}}}\n",
        encoding="utf-8",
    )
    command = ["c++", "-std=c++17", "-fsyntax-only", f"-isystem{sdk().include}", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_its_kernel_compiles(minimal: Project, tmp_path: Path) -> None:
    body = block(minimal, "cpp", "Status Compute")
    source = tmp_path / "kernel.cc"
    namespace = minimal.package.removeprefix("onnxruntime_ep_")
    source.write_text(
        '#include "gen/api/exec.h"\n#include "gen/api/tensor.h"\n'
        f"namespace {namespace} {{\nstruct ReluAttrs {{}};\n{body}}}\n",
        encoding="utf-8",
    )
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only"]
    command = ["c++", *flags, f"-I{minimal.root / 'src'}", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_its_error_texts_are_the_real_ones(minimal: Project, tmp_path: Path) -> None:
    """Provokes each row of the table of troubles, and finds the row's text in what is said."""
    table = readme(minimal).partition("## Troubleshooting")[2]
    texts = [text.removesuffix("...") for text in re.findall(r"^\| `(.+?)` \|", table, re.M)]
    old = minimal.run_python(
        f"import {minimal.package} as plugin; plugin.register()", runtime=runtime(TOO_OLD)
    )
    bare_python = "import sys; sys.modules['onnxruntime'] = None  # as if it were not installed"
    without = minimal.run_python(
        f"{bare_python}\nimport {minimal.package} as plugin; plugin.register()"
    )
    bare = minimal.copy(tmp_path / "bare")
    missing = Project(bare, minimal.library).environment()
    del missing["CONTOSO_NPU_LIBRARY"]
    lost = subprocess.run(
        ["python3", "-c", f"import {minimal.package} as plugin; plugin.get_library_path()"],
        env=missing,
        capture_output=True,
        text=True,
        check=False,
    )
    said = minimal.python(
        """
        def provoke(call):
            try:
                call()
            except Exception as error:
                print(error)
        session = models.session(models.mul(), device)
        provoke(plugin.unregister)
        provoke(lambda: models.session(models.chain(), device))
        library = plugin.get_library_path()
        provoke(lambda: ort.register_execution_provider_library(plugin.get_ep_name(), library))
        """
    )
    suite = (minimal.root / "tests/python/conftest.py").read_text(encoding="utf-8")
    heard = old.stderr + without.stderr + lost.stderr + said.stdout + suite
    assert len(texts) >= 6
    assert [text for text in texts if text not in heard] == []


def test_its_table_of_options_is_the_blueprint_s(full: Project) -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", readme(full), re.M)
    assert rows == [(option["name"], option["type"]) for option in full.manifest["options"]]


@pytest.mark.parametrize("name", PROJECTS)
def test_its_workflow_is_yaml_that_github_reads(name: str, request: pytest.FixtureRequest) -> None:
    from ruamel.yaml import YAML

    project: Project = request.getfixturevalue(name)
    text = (project.root / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    workflow = YAML(typ="safe").load(text)
    job = workflow["jobs"]["linux"]
    entries = job["strategy"]["matrix"]["include"]
    assert {entry["preset"] for entry in entries} == {"release", "asan"}
    assert any(entry["onnxruntime"].endswith("==1.24.4") for entry in entries)
    # Every expression is closed, and asks only for what is there without a secret.
    expressions = re.findall(r"\$\{\{ ([\w.]+) \}\}", text)
    assert len(expressions) == text.count("${{")
    assert {each.split(".")[0] for each in expressions} <= {"matrix", "github"}
    assert "secrets" not in text
