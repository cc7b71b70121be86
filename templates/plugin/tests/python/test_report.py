<%= banner %>
"""What the package says of itself, to people and to programs: with a device and without one."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import <%= package %> as package
from support import Plugin, fresh


def _report(
    *arguments: str, before: str = "", module: str = <%= package_name | py_string %>
) -> subprocess.CompletedProcess[str]:
    """Runs the module, after some code, in a process of its own."""
    return fresh(
        "import runpy, sys\n"
        f"{textwrap.dedent(before)}\n"
        f"sys.argv = ['', *{arguments!r}]\n"
        f"runpy.run_module({module!r}, run_name='__main__')\n"
    )


@pytest.fixture(scope="module")
def arguments(manifest: dict[str, Any]) -> list[str]:
    """What it takes to have a device."""
    return ["--virtual"] if manifest["virtual"] else []


def test_it_names_the_library_the_versions_and_the_devices(
    plugin: Plugin, arguments: list[str]
) -> None:
    result = _report(*arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    for text in (
        package.get_library_path(),
        package.get_ep_name(),
        package.__version__,
        package._identity.MINIMUM_ONNXRUNTIME,
        "device: ",
        *(f"option: {option.name} " for option in package.OPTIONS),
    ):
        assert text in result.stdout


def test_it_says_the_same_to_programs(plugin: Plugin, arguments: list[str]) -> None:
    result = _report("--json", *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert report["library"] == package.get_library_path()
    assert report["ep"] == package.get_ep_name()
    assert report["package"]["version"] == package.__version__
    assert report["operators"] == len(
        {(each["domain"], each["op"]) for each in plugin.manifest["ops"]}
    )
    assert {device["ep"] for device in report["devices"]} <= set(package.get_ep_names())
    assert [each["name"] for each in report["options"]] == [each.name for each in package.OPTIONS]
    assert report["problems"] == []


def test_without_onnxruntime_it_says_so(library: Path) -> None:
    result = _report("--json", before='sys.modules["onnxruntime"] = None')
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert report["onnxruntime"]["version"] is None
    assert report["devices"] == []
    assert any("pip install" in problem for problem in report["problems"])


def test_without_a_library_it_says_where_it_looked(library: Path) -> None:
    before = f"import os; os.environ[{package._identity.LIBRARY_VARIABLE!r}] = '/no/such/file'"
    result = _report(before=before)
    assert result.returncode == 1
    assert "problem: " in result.stdout
    assert "file" in result.stdout.partition("problem: ")[2]


def test_a_wrong_call_is_2(library: Path) -> None:
    assert _report("--no-such-argument").returncode == 2


def test_the_diagnostics_name_what_may_matter(plugin: Plugin, library: Path) -> None:
    result = _report("--virtual", module=<%= diagnostics | py_string %>)
    assert result.returncode == 0, result.stderr
    python = os.path.normpath(sys.executable)  # called by `../venv/bin/python`, say
    for text in (python, package.get_library_path(), f"{library.stat().st_size} bytes"):
        assert text in result.stdout
    assert "onnxruntime: " in result.stdout
