<%= banner %>
"""What the package says about itself."""

import importlib.metadata
import subprocess
import sys

import pytest

import <%= package %> as native
from calls import KERNELS, MANIFEST


def test_it_is_the_library_of_the_manifest() -> None:
    info = native.build_info()
    assert info["eps"] == MANIFEST["eps"]
    assert (info["vendor"], info["vendor_id"]) == (MANIFEST["vendor"], MANIFEST["vendor_id"])
    assert info["version"] == MANIFEST["version"]
    assert (info["ort_minimum"], info["ort_target"]) == (
        MANIFEST["ort"]["min"],
        MANIFEST["ort"]["target"],
    )
    assert info["paradigm"] == MANIFEST["paradigm"]
    assert info["compiler"]


def test_it_has_the_kernels_of_the_manifest() -> None:
    wanted = {
        (each["domain"], each["op"], each["since"]): {
            name: types for name, types in each["types"].items() if types
        }
        for each in KERNELS
    }
    found = {
        (each["domain"], each["op"], each["since"]): each["types"]
        for each in native.build_info()["kernels"]
    }
    assert {key: found[key] for key in wanted} == wanted


def test_it_has_the_version_of_its_distribution() -> None:
    try:
        installed = importlib.metadata.version(<%= distribution | py_string %>)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is on the path, and not installed")
    assert native.__version__ == installed


def test_it_knows_its_devices() -> None:
    devices = native.devices()
    assert {device["ep"] for device in devices} == set(MANIFEST["eps"])
    assert {device["type"] for device in devices} == set(MANIFEST["device_types"])
    for device in devices:
        number = next(iter(device["device_ids"]), 0)
        vendor = device["vendor_id"] or 0
        found = native.match_device(
            device["type"], vendor_id=vendor, device_id=number, metadata=device["metadata"]
        )
        assert found is not None
        assert found["type"] == device["type"]


def test_hardware_of_no_known_type_is_an_error() -> None:
    with pytest.raises(native.InvalidArgumentError, match="'tpu'"):
        native.match_device("tpu")
    with pytest.raises(native.InvalidArgumentError, match="vendor_id"):
        native.match_device("cpu", vendor_id=-1)


def test_it_needs_no_onnx_runtime() -> None:
    code = "import sys, <%= package %>; print({'onnx', 'onnxruntime'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_counters_count_or_say_how_to() -> None:
    try:
        assert native.counters()["launches"] >= 0
    except native.NotSupportedError as error:
        assert "count" in str(error)
