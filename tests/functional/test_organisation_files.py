"""Hooks and workflows for others: valid, and no wider than they must be."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from workflows import HOOKS, hooks_of, load, steps_of, yaml_blocks

REPOSITORY = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github/workflows").glob("*.yml"))
CI = load(REPOSITORY / ".github/workflows/epforge-ci.yml")
UPGRADE = load(REPOSITORY / ".github/workflows/epforge-upgrade.yml")


def check_schema(*paths: Path) -> None:
    """Are these workflows to GitHub?"""
    checker = [sys.executable, "-m", "check_jsonschema"]
    done = subprocess.run(
        [*checker, "--builtin-schema", "vendor.github-workflows", *paths],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", [CI, UPGRADE], ids=["ci", "upgrade"])
def test_a_workflow_gives_nobody_more_than_it_must(workflow: dict[str, Any]) -> None:
    """Values from outside reach a script as variables, never as its text."""
    assert workflow["permissions"] == {"contents": "read"}
    assert "concurrency" in workflow
    assert all(job["timeout-minutes"] <= 60 for job in workflow["jobs"].values())
    for step in steps_of(workflow):
        assert "${{" not in step.get("run", "")
        if "uses" in step:
            assert re.fullmatch(
                r"actions/(checkout@v4|setup-python@v5|upload-artifact@v4)", step["uses"]
            )


@pytest.mark.parametrize("workflow", [CI, UPGRADE], ids=["ci", "upgrade"])
def test_a_repository_s_own_code_does_not_come_near_a_token(workflow: dict[str, Any]) -> None:
    """A json.py at its top is not what Python imports, and git does not keep the token."""
    (job,) = workflow["jobs"].values()
    for step in steps_of(workflow):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        if re.search(r"\bpython -", step.get("run", "")):
            assert {**job["env"], **step["env"]}["PYTHONSAFEPATH"] == "1"


def test_the_workflows_and_what_the_document_shows_are_valid(tmp_path: Path) -> None:
    hooks, *workflows = yaml_blocks(REPOSITORY / "docs/organisation.md")
    config = tmp_path / ".pre-commit-config.yaml"
    config.write_text(hooks)
    pre_commit = [sys.executable, "-m", "pre_commit"]
    subprocess.run([*pre_commit, "validate-config", str(config)], check=True)
    subprocess.run([*pre_commit, "validate-manifest", str(REPOSITORY / HOOKS)], check=True)
    (used,) = YAML(typ="safe", pure=True).load(hooks)["repos"]
    assert {hook["id"] for hook in used["hooks"]} == {
        hook["id"] for hook in hooks_of(REPOSITORY / HOOKS)
    }
    assert len(workflows) == 2
    callers = [tmp_path / f"{number}.yml" for number in range(2)]
    for path, text in zip(callers, workflows, strict=True):
        path.write_text(text)
    check_schema(*WORKFLOWS, *callers)
    for path in callers:
        (job,) = load(path)["jobs"].values()
        called = re.fullmatch(r"OWNER/epforge/(.+)@REVISION", job["uses"])
        assert called is not None
        call = load(REPOSITORY / called[1])["on"]["workflow_call"]
        assert job["with"].keys() <= call["inputs"].keys()
        assert job.get("secrets", {}).keys() <= call.get("secrets", {}).keys()
        assert {name for name, each in call["inputs"].items() if each.get("required")} <= {
            *job["with"]
        }
