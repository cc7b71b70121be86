"""The example that goes from PyTorch to C++: four runs of one model agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from projects import Project, sdk
from torch_venv import torch_python


@pytest.fixture
def own_project(repository: Path) -> Project:
    from projects import built

    text = (repository / "examples/torch-to-cpp/blueprint.yaml").read_text(encoding="utf-8")
    return built(text)


@pytest.mark.lab
def test_all_four_runs_agree(own_project: Project, repository: Path, tmp_path: Path) -> None:
    result = subprocess.run(
        [
            *(sys.executable, str(repository / "examples/torch-to-cpp/run.py")),
            *("--work", str(tmp_path), "--project", str(own_project.root)),
            *("--torch-python", str(torch_python())),
        ],
        env={**os.environ, "EPFORGE_ORT_SDK": str(sdk().root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.findall(r"^(\w+): .*largest difference (\S+)$", result.stdout, re.M)
    assert [name for name, _ in found] == ["dynamo", "legacy"]
    assert max(float(difference) for _, difference in found) <= 1e-6


@pytest.mark.lab
def test_a_run_that_differs_is_told(own_project: Project, repository: Path, tmp_path: Path) -> None:
    # What PyTorch is said to have computed is not what it did.
    example = tmp_path / "example"
    shutil.copytree(repository / "examples/torch-to-cpp", example)
    train = (example / "train.py").read_text(encoding="utf-8")
    (example / "train.py").write_text(
        train.replace("model(x).numpy())", "model(x).numpy() + 1e-5)"), encoding="utf-8"
    )
    result = subprocess.run(
        [
            *(sys.executable, str(example / "run.py")),
            *("--work", str(tmp_path / "work"), "--project", str(own_project.root)),
            *("--torch-python", str(torch_python())),
        ],
        env={**os.environ, "EPFORGE_ORT_SDK": str(sdk().root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1, result.stdout + result.stderr
    assert "largest difference 1.0e-05" in result.stdout
