"""Runs the scripts of a GitHub workflow on this machine, as its Linux runner would."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
HOOKS = ".pre-commit-hooks.yaml"
#: How a runner starts `shell: bash`.
_BASH = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")


def load(path: Path) -> dict[str, Any]:
    """A workflow's YAML; the key ``on`` is a string, as GitHub reads it."""
    data: dict[str, Any] = YAML(typ="safe", pure=True).load(path)
    return data


def hooks_of(path: Path) -> list[dict[str, Any]]:
    """The hooks that a repository offers to pre-commit."""
    hooks: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(path)
    return hooks


def yaml_blocks(document: Path) -> list[str]:
    """The YAML that a document shows."""
    return re.findall(r"^```yaml\n(.*?)^```", document.read_text(encoding="utf-8"), re.M | re.S)


def steps_of(workflow: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All steps of all jobs."""
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@dataclass
class Runner:
    """A job's scripts with what they are given.

    Args:
        workflow: of one job, called by another workflow.
        checkout: where `actions/checkout` would have put the repository.
        temp: the runner's temporary directory; exists.
        inputs: those that the caller gives.
        environment: variables that every step gets.
    """

    workflow: Mapping[str, Any]
    checkout: Path
    temp: Path
    inputs: Mapping[str, Any]
    environment: Mapping[str, str]
    outputs: dict[str, str] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)

    def run(self) -> subprocess.CompletedProcess[str] | None:
        """Runs the scripts whose condition holds; returns the result of the first that fails."""
        (job,) = self.workflow["jobs"].values()
        for step in job["steps"]:
            if "run" not in step or not self.holds(step.get("if", True)):
                continue
            result = self._step(job, step)
            self.ran.append(step["name"])
            if result.returncode:
                return result
        return None

    def _step(
        self, job: Mapping[str, Any], step: Mapping[str, Any]
    ) -> subprocess.CompletedProcess[str]:
        script, output = self.temp / "script.sh", self.temp / "output.txt"
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("", encoding="utf-8")
        given = {**job.get("env", {}), **step.get("env", {})}
        result = subprocess.run(
            [*_BASH, script],
            cwd=self.checkout,
            env={
                **self.environment,
                **{key: self.filled(str(value)) for key, value in given.items()},
                "RUNNER_TEMP": str(self.temp),
                "GITHUB_OUTPUT": str(output),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        for line in output.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            self.outputs[f"steps.{step['id']}.outputs.{name}"] = value
        return result

    def filled(self, text: str) -> str:
        """The text with its expressions evaluated."""
        return _EXPRESSION.sub(lambda match: _text(self.value(match[1])), text)

    def holds(self, condition: object) -> bool:
        """Does the condition of a step hold?"""
        if not isinstance(condition, str):
            return bool(condition)
        return all(bool(self.value(part)) for part in condition.split(" && "))

    def value(self, expression: str) -> object:
        """What an expression means; of the language only what the workflows use."""
        if " || " in expression:
            return next(filter(None, map(self.value, expression.split(" || "))), "")
        if expression.endswith(" != ''"):
            return self.value(expression.removesuffix(" != ''")) != ""
        if expression == "!cancelled()":
            return True
        place, _, name = expression.partition(".")
        sources: dict[str, Callable[[str], object]] = {
            "inputs": self._input,
            "secrets": lambda name: "",
            "github": {"token": "a-token", "ref_name": "main"}.__getitem__,
            "runner": {"temp": str(self.temp)}.__getitem__,
            "steps": lambda name: self.outputs.get(f"steps.{name}", ""),
        }
        return sources[place](name)

    def _input(self, name: str) -> object:
        declared = self.workflow["on"]["workflow_call"]["inputs"][name]
        return (
            self.inputs[name]
            if declared.get("required")
            else self.inputs.get(name, declared.get("default"))
        )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def tools(place: Path, programs: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without git's variables, and with shell programs before all.

    Args:
        place: a directory for the programs; made.
        programs: name to script, without its first line.
    """
    place.mkdir()
    for name, script in programs.items():
        (place / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (place / name).chmod(0o755)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**kept, "PATH": f"{place}{os.pathsep}{os.environ['PATH']}"}
