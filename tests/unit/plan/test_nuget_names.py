"""The names of the NuGet package: one's own, valid, and the same everywhere."""

from __future__ import annotations

import re

import pytest
from blueprints import example

from epforge.names import Name
from epforge.plan import FileSpec, make_plan, nuget
from epforge.resolve.model import Blueprint

# What the gallery takes.
ID = re.compile(r"\w+([_.-]\w+)*")
CUDA = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
runtime: cuda
devices: [{name: gpu, type: gpu}]
memory: {default: arena, host_accessible: plain, streams: true}
ops: [Relu]
python: {distributions: [{suffix: -cu12}, {suffix: -cu13}]}
"""


@pytest.mark.parametrize(
    ("vendor", "name", "expected"),
    [
        ("Contoso", "contoso-npu", "Contoso.OnnxRuntime.EP.Npu"),
        ("Fabrikam", "contoso-npu", "Fabrikam.OnnxRuntime.EP.ContosoNpu"),
        ("Contoso", "contoso", "Contoso.OnnxRuntime.EP.Contoso"),
        ("Contoso", "contoso-3d", "Contoso.OnnxRuntime.EP.Contoso3d"),
        ("Contoso, Inc.", "npu", "ContosoInc.OnnxRuntime.EP.Npu"),
        ("Société Générale", "npu", "SocieteGenerale.OnnxRuntime.EP.Npu"),
        ("3Com", "npu", "OnnxRuntime.EP.Npu"),
        ("深度 3D", "npu", "OnnxRuntime.EP.Npu"),
        ("<&>", "npu", "OnnxRuntime.EP.Npu"),
        ("x" * 128, "npu", "X" + "x" * 39 + ".OnnxRuntime.EP.Npu"),
    ],
)
def test_an_id_has_the_vendor_and_the_name_once(vendor: str, name: str, expected: str) -> None:
    made = nuget.package_id(vendor, Name.parse(name))
    assert made == expected
    assert ID.fullmatch(made)
    assert len(made) <= 100
    assert all(re.fullmatch(r"[A-Za-z_]\w*", part) for part in made.split("."))


@pytest.mark.parametrize("vendor", ["Microsoft", "microsoft research", "Microsoft.ML"])
def test_nobody_claims_the_prefix_that_is_reserved(vendor: str) -> None:
    assert not nuget.package_id(vendor, Name.parse("npu")).lower().startswith("microsoft.")


def test_each_distribution_has_a_package_of_its_own() -> None:
    assert nuget.package_ids(example(CUDA)) == {
        "onnxruntime-ep-contoso-npu-cu12": "Contoso.OnnxRuntime.EP.Npu.Cu12",
        "onnxruntime-ep-contoso-npu-cu13": "Contoso.OnnxRuntime.EP.Npu.Cu13",
    }
    assert list(nuget.package_ids(example()).values()) == ["Contoso.OnnxRuntime.EP.Npu"]


@pytest.mark.parametrize(("name", "expected"), [("npu", "NpuEp"), ("fast-ep", "FastEp")])
def test_the_class_is_named_for_what_it_speaks_of(name: str, expected: str) -> None:
    assert nuget.helper_class(Name.parse(name)) == expected


def spec(blueprint: Blueprint, path: str) -> FileSpec:
    return next(file for file in make_plan(blueprint).files if file.path == path)


def test_a_license_is_told_by_its_expression_or_as_a_file() -> None:
    """The gallery refuses another address, and an expression that is not on SPDX's list."""
    path = "packaging/nuget/package.nuspec"
    known = spec(example(license="Apache-2.0 WITH LLVM-exception"), path).params
    assert (known["license_kind"], known["license"]) == (
        "expression",
        "Apache-2.0 WITH LLVM-exception",
    )
    assert str(known["license_url"]).endswith("/Apache-2.0%20WITH%20LLVM-exception")
    own = spec(example(license="LicenseRef-Contoso"), path).params
    assert (own["license_kind"], own["license"]) == ("file", "LICENSE")
    assert str(own["license_url"]).endswith("/deprecateLicenseUrl")


def test_a_package_without_windows_has_nothing_for_net_framework() -> None:
    paths = {file.path for file in make_plan(example(targets=("linux-x64",))).files}
    assert "packaging/nuget/package.nuspec" in paths
    assert "packaging/nuget/package.targets" not in paths
