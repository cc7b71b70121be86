<%= banner %>
"""The package and the library were made from the same blueprint, and say so."""

<% if several %>
import os
<% endif %>
from pathlib import Path
from typing import Any

import pytest

import <%= package %> as package
<% if several %>
from support import Plugin, assert_same, expected, fresh, trials
<% else %>
from support import Plugin, fresh
<% endif %>


def test_the_library_reports_the_package_s_names(plugin: Plugin) -> None:
    reported = {device.ep_name for device in package.devices()}
    assert package.get_ep_name() in reported
    assert reported <= set(package.get_ep_names())
    assert plugin.device.ep_vendor == plugin.manifest["vendor"]
    assert plugin.device.ep_metadata["version"] == package.__version__


def test_the_manifest_agrees(manifest: dict[str, Any], library: Path) -> None:
    assert manifest["ep"] == package.get_ep_name() == package.get_ep_names()[0]
    assert manifest["eps"] == package.get_ep_names()
    assert manifest["library"] in library.name
    assert manifest["version"]


<% if several %>
@pytest.mark.parametrize("name", package.get_ep_names())
def test_each_execution_provider_computes(plugin: Plugin, name: str) -> None:
    devices = [device for device in package.devices() if device.ep_name == name]
    if not devices and os.environ.get(<%= no_device_variable | py_string %>) == "1":
        pytest.skip(f"{name} offers no device on this machine")
    assert devices, f"{name} offers no device on this machine"
    one = next(trials(plugin.manifest)).build()
    each = Plugin({**plugin.manifest, "ep": name}, devices[0])
    session = each.session(one.model)
    assert each.taken(session) == [one.op]
    assert_same(session.run(None, one.feeds), expected(one))


<% endif %>
def test_the_path_is_absolute_and_names_a_file(library: Path) -> None:
    path = Path(package.get_library_path())
    assert path.is_absolute()
    assert path == library


def test_a_wrong_path_in_the_environment_is_an_error_that_names_it(
    library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(<%= library_variable | py_string %>, str(tmp_path / "nothing.so"))
    with pytest.raises(FileNotFoundError, match=r"<%= library_variable %>.*nothing\.so"):
        package.get_library_path()


def test_the_package_imports_without_onnxruntime_and_register_says_what_to_install() -> None:
    result = fresh(
        """
        import sys
        sys.modules["onnxruntime"] = None  # as if it were not installed
        import <%= package %> as package
        assert package.get_ep_name()
        try:
            package.register()
        except ImportError as error:
            print(error)
        """
    )
    assert result.returncode == 0, result.stderr
    assert "pip install" in result.stdout


def test_the_package_is_typed() -> None:
    assert (Path(package.__file__).parent / "py.typed").is_file()


def test_the_report_names_the_library_and_the_device(plugin: Plugin, library: Path) -> None:
    result = fresh(
        """
        import runpy
        runpy.run_module("<%= package %>", run_name="__main__")
        """
    )
    assert str(library) in result.stdout
    assert package.get_ep_name() in result.stdout
