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

# A registration under a name that is nobody's: nothing that is reported may depend on it.
_ANYTHING_42 = """
    import json
    import <%= package %> as package
    from support import Plugin, trials
    with open(package.get_library_path() + ".manifest.json", encoding="utf-8") as file:
        manifest = json.load(file)
    package.register("anything-42", virtual=manifest["virtual"])
    devices = package.devices()
    own = next(device for device in devices if device.ep_name == package.get_ep_name())
    model = next(trials(manifest)).build().model
"""


def test_the_devices_names_are_the_package_s(plugin: Plugin) -> None:
    result = fresh(
        _ANYTHING_42
        + """
    for device in devices:
        assert device.ep_name in package.get_ep_names(), device.ep_name
        assert device.ep_vendor == package._identity.VENDOR, device.ep_vendor
        assert device.ep_metadata["version"] == package.__version__, device.ep_metadata
"""
    )
    assert result.returncode == 0, result.stderr


def test_a_session_s_names_are_the_package_s(plugin: Plugin) -> None:
    result = fresh(
        _ANYTHING_42
        + """
    session = Plugin(manifest, own).session(model)
    assert session.get_providers()[0] == package.get_ep_name(), session.get_providers()
    assert package.get_ep_name() in session.get_provider_options()
    package.assert_ep_selected(session)
"""
    )
    assert result.returncode == 0, result.stderr


def test_the_kernels_names_are_the_package_s(plugin: Plugin) -> None:
    result = fresh(
        _ANYTHING_42
        + """
    from onnxruntime.capi import onnxruntime_pybind11_state as state
    if not hasattr(state, "get_registered_ep_kernel_defs"):
        print("this onnxruntime does not tell")
        raise SystemExit
    for name in {device.ep_name for device in devices}:
        owners = {kernel.provider for kernel in state.get_registered_ep_kernel_defs(name)}
        assert owners <= {name}, owners
"""
    )
    assert result.returncode == 0, result.stderr
    if result.stdout:
        pytest.skip(result.stdout)


<% if contexts %>
def test_a_compiled_model_names_the_package_s_execution_provider(plugin: Plugin) -> None:
    result = fresh(
        _ANYTHING_42
        + """
    import tempfile, onnx
    from pathlib import Path
    from <%= package %> import compiling
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "model.onnx")
        source.write_bytes(model)
        (done,) = compiling.compile_models([source], [own])
        nodes = onnx.load(done.output).graph.node
    contexts = [node for node in nodes if node.op_type == "EPContext"]
    assert contexts
    for node in contexts:
        values = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        assert values["source"] == package.get_ep_name().encode(), values["source"]
"""
    )
    assert result.returncode == 0, result.stderr


<% endif %>
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
    assert path.samefile(library)
    assert path == path.resolve()


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
