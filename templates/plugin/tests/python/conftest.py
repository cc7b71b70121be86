<%= banner %>
"""Finds the library, registers it once, and insists on a device.

`--library PATH`, then the environment variable <%= library_variable %>, then the newest library
below `build/`. A run that is offered no device fails: set <%= macro %>_ALLOW_NO_DEVICE=1 on a
machine that is known to have none, and the tests that need one are skipped. ORT_TEST_VERBOSE=1
prints what may explain a failure on a machine that nobody can look at.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import <%= package %> as package
from <%= package %> import _diagnostics
from support import Plugin, fresh

_PROJECT = Path(__file__).resolve().parents[2]
_LIBRARY_VARIABLE = <%= library_variable | py_string %>
_NO_DEVICE_VARIABLE = <%= no_device_variable | py_string %>
_FILE_NAMES = (
<% for name in file_names %>
    <%= name | py_string %>,
<% endfor %>
)
<% if custom_file_names %>
_CUSTOM_VARIABLE = <%= custom_library_variable | py_string %>
_CUSTOM_FILE_NAMES = (
<% for name in custom_file_names %>
    <%= name | py_string %>,
<% endfor %>
)
<% endif %>


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--library", type=Path, help="the plugin library under test")


@pytest.fixture(scope="session")
def library(pytestconfig: pytest.Config) -> Path:
    """The library under test; from here on the package uses this one, in child processes too."""
    path = pytestconfig.getoption("--library") or os.environ.get(_LIBRARY_VARIABLE)
    if not path:
        built = [file for name in _FILE_NAMES for file in _PROJECT.glob(f"build/*/{name}")]
        if not built:
            pytest.fail(f"no library below {_PROJECT / 'build'}: build one, or pass --library")
        path = max(built, key=lambda file: file.stat().st_mtime)
    path = Path(path).resolve()
    os.environ[_LIBRARY_VARIABLE] = str(path)
<% if custom_file_names %>
    beside = [path.with_name(name) for name in _CUSTOM_FILE_NAMES]
    for custom in filter(Path.is_file, beside):  # the custom operators alone, of the same build
        os.environ.setdefault(_CUSTOM_VARIABLE, str(custom))
<% endif %>
    reporter = pytestconfig.pluginmanager.get_plugin("terminalreporter")
    if _diagnostics.is_verbose() and reporter:
        # In a process of its own: it registers the library, and that may be what fails.
        shown = fresh(
            """
            from <%= package %> import _diagnostics
            _diagnostics.show()
            """
        )
        reporter.write(f"\n{shown.stderr}")
    return path


@pytest.fixture(scope="session")
def manifest(library: Path) -> dict[str, Any]:
    """What the library says of itself, from the file that the build put beside it."""
    text = library.with_name(f"{library.name}.manifest.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


@pytest.fixture(scope="session")
def plugin(library: Path, manifest: dict[str, Any]) -> Plugin:
    """The registered library with the device to test on.

    It stays registered: the sessions of tests that failed live until their reports are written.
    """
    package.register(virtual=manifest["virtual"])
    devices = [device for device in package.devices() if device.ep_name == manifest["ep"]]
    if not devices:
        message = f"{manifest['ep']} offers no device on this machine"
        if os.environ.get(_NO_DEVICE_VARIABLE) == "1":
            pytest.skip(message)
        pytest.fail(f"{message}; if that is right here, set {_NO_DEVICE_VARIABLE}=1")
    return Plugin(manifest, devices[0])
