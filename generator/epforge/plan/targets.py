"""What is built for other platforms, and with which tools."""

from __future__ import annotations

from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint

_DIRECTORY = "cmake/toolchains"
_PLATFORMS = {
    "linux-x64": "Linux on x64",
    "linux-arm64": "Linux on 64-bit Arm",
    "windows-x64": "Windows on x64",
    "macos-arm64": "macOS on Apple silicon",
}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """A toolchain file for each target, and what they share."""
    systems = {target.partition("-")[0] for target in blueprint.targets}
    reasons = {
        f"{target}.cmake": f"builds for {_PLATFORMS[target]}"
        for target in _PLATFORMS
        if target in blueprint.targets
    }
    reasons["compiler.cmake"] = "finds a compiler for another platform"
    if "linux" in systems:
        reasons |= {
            "linux.cmake": "lets the library run on older systems",
            "older_systems.cc": "what older systems lack",
            "older_systems.h": "what older systems have in another version",
            "unload.cc": "ends static objects where the compiler does not",
        }
    if "macos" in systems:
        reasons |= {
            "macos.cmake": "builds for macOS on another system",
            "link_macos.py": "links for macOS on another system",
        }
    params = {"macro": blueprint.names.macro}
    return [
        FileSpec(
            f"{_DIRECTORY}/{name}",
            f"plugin/{_DIRECTORY}/{name}",
            Owner.GENERATED,
            params,
            reason,
        )
        for name, reason in reasons.items()
    ]


def presets(blueprint: Blueprint) -> list[dict[str, str]]:
    """The CMake presets of the targets, in one order whatever the blueprint's."""
    return [
        {
            "name": target,
            "platform": platform,
            "toolchain": f"${{sourceDir}}/{_DIRECTORY}/{target}.cmake",
        }
        for target, platform in _PLATFORMS.items()
        if target in blueprint.targets
    ]
