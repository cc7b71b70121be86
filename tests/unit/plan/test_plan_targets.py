"""Platforms: a toolchain file and a preset for each that the blueprint lists, and no others."""

from __future__ import annotations

import json

import pytest
from blueprints import example

from epforge.plan import make_plan
from epforge.render import render

TEXT = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n"
ALL = ["linux-x64", "linux-arm64", "windows-x64", "macos-arm64"]


def rendered(targets: str) -> dict[str, str]:
    files = render(make_plan(example(f"{TEXT}targets: {targets}\n")))
    return {path: file.content.decode() for path, file in files.items()}


def toolchains(files: dict[str, str]) -> set[str]:
    place = "cmake/toolchains/"
    return {path.removeprefix(place) for path in files if path.startswith(place)}


def test_every_target_has_a_preset_that_names_its_toolchain_file() -> None:
    files = rendered("[macos-arm64, windows-x64, linux-x64, linux-arm64]")
    presets = json.loads(files["CMakePresets.json"])
    found = [p for p in presets["configurePresets"] if "toolchainFile" in p]
    assert [preset["name"] for preset in found] == ALL
    for preset in found:
        assert preset["inherits"] == "release"
        path = preset["toolchainFile"].removeprefix("${sourceDir}/")
        assert path == f"cmake/toolchains/{preset['name']}.cmake"
        assert path in files
    builds = {p["name"]: p["configurePreset"] for p in presets["buildPresets"]}
    assert {name: builds[name] for name in ALL} == {name: name for name in ALL}


@pytest.mark.parametrize(
    ("target", "beside"),
    [
        ("windows-x64", set()),
        ("linux-arm64", {"linux.cmake", "older_systems.cc", "older_systems.h", "unload.cc"}),
        ("macos-arm64", {"macos.cmake", "link_macos.py"}),
    ],
)
def test_only_what_the_listed_targets_need_is_there(target: str, beside: set[str]) -> None:
    files = rendered(f"[{target}]")
    assert toolchains(files) == {f"{target}.cmake", "compiler.cmake", *beside}
    presets = json.loads(files["CMakePresets.json"])["configurePresets"]
    assert [p["name"] for p in presets if "toolchainFile" in p] == [target]


def test_what_is_for_targets_alone_is_in_no_other_build() -> None:
    files = rendered("[linux-x64]")
    assert "toolchains" not in files["cmake/gen/sources.cmake"]
