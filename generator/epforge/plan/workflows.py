"""The workflows of the project: one tests every change, one makes all packages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, Device, DeviceType, VirtualPolicy
from epforge.resolve.services import Native

_PYTHONS = ((3, 11), (3, 13))  # the oldest and the newest that are tested
_STABLE_ABI = (3, 12)  # from here on one wheel of the kernels for NumPy serves all


@dataclass(frozen=True)
class _Machine:
    """A hosted machine that builds for a target.

    Args:
        runner: GitHub's name of it.
        container: an image with an old C library, for libraries that run on old systems, too.
        cuda: NVIDIA's name of the processor, where its compiler is got; "" where it is not.
    """

    runner: str
    container: str = ""
    cuda: str = ""


_MACHINES = {
    "linux-x64": _Machine("ubuntu-24.04", "quay.io/pypa/manylinux_2_28_x86_64", "x86_64"),
    "linux-arm64": _Machine("ubuntu-24.04-arm", "quay.io/pypa/manylinux_2_28_aarch64", "sbsa"),
    "windows-x64": _Machine("windows-2022"),
    "macos-arm64": _Machine("macos-14"),
}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """Both workflows."""
    return [
        FileSpec(
            path=".github/workflows/ci.yml",
            template="plugin/.github/workflows/ci.yml",
            owner=Owner.SHARED,
            params=_ci(blueprint),
            reason="builds the project and runs its tests on its oldest and the newest runtime",
        ),
        FileSpec(
            path=".github/workflows/packages.yml",
            template="plugin/.github/workflows/packages.yml",
            owner=Owner.SHARED,
            params=_packages(blueprint),
            reason="makes all packages, tests them, and publishes the wheels",
        ),
    ]


def _machines(blueprint: Blueprint) -> dict[str, _Machine]:
    """The machines for the blueprint's targets.

    Device code is compiled on Linux alone: nowhere else is nvcc to be had as a package.
    """
    return {
        target: machine
        for target, machine in _MACHINES.items()
        if target in blueprint.targets and (blueprint.cuda is None or machine.cuda)
    }


def _common(blueprint: Blueprint) -> dict[str, object]:
    machines = _machines(blueprint)
    return {
        "macro": blueprint.names.macro,
        "headers": f"1.{blueprint.ort.target}.0",
        "device_everywhere": any(_is_everywhere(device) for device in blueprint.devices),
        "cuda": blueprint.cuda is not None,
        "windows": "windows-x64" in machines,
        "machines": [
            {"target": target, "runner": machine.runner} for target, machine in machines.items()
        ],
    }


def _ci(blueprint: Blueprint) -> dict[str, object]:
    common = _common(blueprint)
    return {
        **common,
        "oldest": f"onnxruntime=={blueprint.ort.minimum_text}",
        "python_version": ".".join(map(str, blueprint.python_min)),
        "others": [
            {"target": target, "runner": machine.runner}
            for target, machine in _machines(blueprint).items()
            if target != "linux-x64"
        ],
    }


def _packages(blueprint: Blueprint) -> dict[str, object]:
    names = blueprint.names
    machines = _machines(blueprint)
    oldest = max(_PYTHONS[0], blueprint.python_min)
    return {
        **_common(blueprint),
        "package": names.package,
        "pythons": [".".join(map(str, each)) for each in dict.fromkeys((oldest, _PYTHONS[-1]))],
        "runtimes": [f"onnxruntime=={blueprint.ort.minimum_text}", "onnxruntime"],
        "runtime_libs": bool(blueprint.runtime_libs),
        "old_cuda": blueprint.cuda is not None and any(map(_toolkit, blueprint.distributions)),
        "distributions": [names.distribution + suffix for suffix in blueprint.distributions],
        "targets": list(machines),
        "builds": [
            {
                "target": target,
                "distribution": names.distribution + suffix,
                "runner": machine.runner,
                "container": machine.container,
                "processor": machine.cuda,
                "cuda": _toolkit(suffix) if blueprint.cuda is not None else "",
            }
            for suffix in blueprint.distributions
            for target, machine in machines.items()
        ],
        "native": blueprint.native is Native.SEPARATE,
        "native_distribution": f"{names.distribution}-native",
        "native_builds": _native_builds(blueprint.python_min),
    }


def _toolkit(suffix: str) -> str:
    """The CUDA toolkit of a distribution whose suffix asks for one that no package index has."""
    match = re.search(r"cu(?:da)?12(?![0-9])", suffix)
    return "12-9" if match else ""


def _native_builds(minimum: tuple[int, int]) -> str:
    """What cibuildwheel is to build: a wheel for each Python before the stable ABI, and that."""
    minors = [minor for minor in range(minimum[1], _STABLE_ABI[1]) if minimum[0] == 3]
    stable = max(minimum[1], _STABLE_ABI[1])
    newest = _PYTHONS[-1][1]  # gets no wheel of its own: there, the one of the stable ABI is tested
    return " ".join(f"cp3{minor}-*" for minor in dict.fromkeys((*minors, stable, newest)))


def _is_everywhere(device: Device) -> bool:
    """Is it offered on any machine?"""
    any_vendor = device.match.vendor_id is None and not device.match.device_ids
    generic = device.type is DeviceType.CPU and any_vendor and not device.match.metadata
    return generic or device.virtual is VirtualPolicy.ALLOWED
