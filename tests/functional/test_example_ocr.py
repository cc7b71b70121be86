"""The text-direction example: a real model on what was built, compared with the CPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from projects import Project, sdk
from selection import plain


@pytest.mark.parametrize("project", plain("ocr", of=["ocr", "ocr_device_memory"]))
@pytest.mark.parametrize("level", ["ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_ALL"])
def test_the_model_runs_on_the_device_alone(
    project: str, level: str, model: Path, request: pytest.FixtureRequest
) -> None:
    built: Project = request.getfixturevalue(project)
    result = built.python(
        f"""
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.{level}
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        options.add_provider_for_devices([device], {{}})
        session = ort.InferenceSession({str(model)!r}, options)
        parts = session.get_provider_graph_assignment_info()
        assert {{part.ep_name for part in parts}} == {{plugin.get_ep_name()}}
        cpu = ort.InferenceSession({str(model)!r}, providers=["CPUExecutionProvider"])
        for batch in (1, 3):
            x = np.random.default_rng(batch).uniform(-1, 1, (batch, 3, 48, 192)).astype(np.float32)
            mine, theirs = session.run(None, {{"x": x}})[0], cpu.run(None, {{"x": x}})[0]
            assert mine.shape == theirs.shape
            print(float(abs(mine - theirs).max()))
        """
    )
    assert result.returncode == 0, result.stderr
    assert max(map(float, result.stdout.split())) <= 1e-4


@pytest.mark.lab
@pytest.mark.parametrize("blueprint", ["blueprint.yaml", "device-memory.yaml"])
def test_the_example_runs_as_its_readme_says(
    blueprint: str, repository: Path, tmp_path: Path, model: Path
) -> None:
    result = subprocess.run(
        [
            *(sys.executable, str(repository / "examples/ocr-direction/run.py")),
            *("--blueprint", blueprint, "--model", str(model)),
        ],
        cwd=tmp_path,
        env={**os.environ, "EPFORGE_ORT_SDK": str(sdk().root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "drawn at 0 degrees: seen at 0" in result.stdout
    assert "drawn at 180 degrees: seen at 180" in result.stdout
    assert re.search(r"ExecutionProvider runs \d+ nodes: .*Conv \d+", result.stdout)


def test_the_pictures_are_told_apart(example: ModuleType, ocr: Project, model: Path) -> None:
    """The example on a project that is built already, in a process of its own."""
    code = f"""
        import importlib.util, pathlib, sys
        spec = importlib.util.spec_from_file_location("example", {example.__file__!r})
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        example.build = lambda blueprint, project: None  # it is there already
        sys.exit(example.main(["--project", {str(ocr.root)!r}, "--model", {str(model)!r}]))
    """
    result = ocr.run_python(code)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "drawn at 180 degrees: seen at 180" in result.stdout
