"""Wheels: the project's metadata, and the one way that a wheel is made."""

from __future__ import annotations

from epforge.names import Safe
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.libraries import PLATFORMS, file_name, shipped_files, versionless
from epforge.resolve.model import Blueprint, VirtualPolicy
from epforge.resolve.services import Native

README = "packaging/README.pypi.md"

# Comes with the application: its ONNX Runtime, and the driver that its machine has.
_NEVER_SHIPPED = ("onnxruntime",)
# And with a device of NVIDIA's, or with the packages that its owner installs for it.
_NEVER_SHIPPED_CUDA = ("cuda", "cudart", "cublas", "cublasLt", "cudnn", "nvidia-ml", "nvrtc")

_SCRIPTS = {
    "build_wheel.py": "makes the wheel of a built library",
    "wheel_binaries.py": "which binaries go into a wheel",
    "wheel_checks.py": "what a finished wheel must be",
    "wheel_metadata.py": "name, version and description of a wheel",
    "wheel_settings.py": "what the wheels consist of",
}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The metadata, the wheel's script and what it needs, and the list of shipped libraries."""
    return [
        _metadata(blueprint),
        _plugin_config(blueprint),
        _readme(blueprint),
        *_wheel(blueprint),
        _runtime_libs(blueprint),
        _ninja(),
    ]


def distributions(blueprint: Blueprint) -> tuple[str, ...]:
    """The names of the Python distributions, the default one first."""
    return tuple(f"{blueprint.names.distribution}{suffix}" for suffix in blueprint.distributions)


def runtime_files(blueprint: Blueprint) -> dict[str, tuple[str, ...]]:
    """What is shipped beside the library without being built here, for each platform."""
    return shipped_files(blueprint.runtime_libs)


def _wheel(blueprint: Blueprint) -> list[FileSpec]:
    names = blueprint.names
    shipped = runtime_files(blueprint)
    never = (*_NEVER_SHIPPED, *(_NEVER_SHIPPED_CUDA if blueprint.cuda is not None else ()))
    stems = (*never, *map(versionless, blueprint.system_libs))
    settings = {
        "macro": names.macro,
        "package": names.package,
        "distributions": distributions(blueprint),
        "several": len(blueprint.distributions) > 1,
        "binaries": [(platform, _binaries(blueprint, platform)) for platform in PLATFORMS],
        "runtime_libs": list(shipped.items()),
        "system_libs": [
            pattern
            for stem in dict.fromkeys(stems)
            for pattern in (f"lib{stem}.so", f"lib{stem}.so.*")
        ],
    }
    return [
        *(
            FileSpec(
                path=f"packaging/{name}",
                template=f"plugin/packaging/{name}",
                owner=Owner.GENERATED,
                params=settings,
                reason=reason,
                executable=name == "build_wheel.py",
            )
            for name, reason in _SCRIPTS.items()
        ),
        FileSpec(
            path="packaging/pyproject.toml.in",
            template="plugin/packaging/pyproject.toml.in",
            owner=Owner.GENERATED,
            params={},
            reason="what a wheel is built from, once the binaries are there",
        ),
        FileSpec(
            path="packaging/requirements-build-wheel.txt",
            template="plugin/packaging/requirements-build-wheel.txt",
            owner=Owner.GENERATED,
            params={"native": blueprint.native is Native.SEPARATE},
            reason="the tools that make and check a wheel",
        ),
        FileSpec(
            path="packaging/README.md",
            template="plugin/packaging/README.md",
            owner=Owner.SHARED,
            params={
                "macro": names.macro,
                "distribution": distributions(blueprint)[0],
                "distributions": distributions(blueprint),
                "several": len(blueprint.distributions) > 1,
                "cuda": blueprint.cuda is not None,
                "native": blueprint.native is Native.SEPARATE,
                "runtime_libs": ", ".join(blueprint.runtime_libs),
            },
            reason="how the packages are made",
        ),
    ]


def _binaries(blueprint: Blueprint, platform: str) -> tuple[str, ...]:
    """What a wheel takes from the directory of a build."""
    libraries = (blueprint.names.library, blueprint.custom_library)
    named = [file_name(each, platform) for each in libraries if each is not None]
    plugin, *others = [name for name in named if name is not None]
    return (plugin, f"{plugin}.manifest.json", *others, *runtime_files(blueprint)[platform])


def _runtime_libs(blueprint: Blueprint) -> FileSpec:
    return FileSpec(
        path="cmake/gen/runtime_libs.cmake",
        template="plugin/cmake/gen/runtime_libs.cmake",
        owner=Owner.GENERATED,
        params={
            "macro": blueprint.names.macro,
            "any_runtime_libs": bool(blueprint.runtime_libs),
            "runtime_libs": runtime_files(blueprint),
        },
        reason="libraries beside the library",
    )


def _ninja() -> FileSpec:
    return FileSpec(
        path="cmake/gen/ninja.cmake",
        template="plugin/cmake/gen/ninja.cmake",
        owner=Owner.GENERATED,
        params={},
        reason="finds Ninja again after pip",
    )


def _readme(blueprint: Blueprint) -> FileSpec:
    names = blueprint.names
    return FileSpec(
        path=README,
        template=f"plugin/{README}",
        owner=Owner.SHARED,
        params={
            "ep": names.ep,
            "vendor": blueprint.vendor.name,
            "package": names.package,
            "distribution": distributions(blueprint)[0],
            "distributions": " and ".join(distributions(blueprint)),
            "several": len(blueprint.distributions) > 1,
            "ort_minimum": Safe(blueprint.ort.minimum_text),
        },
        reason="the package's page in an index",
    )


def _plugin_config(blueprint: Blueprint) -> FileSpec:
    """What ONNX Runtime's own tools are told about the library, as it is built on Linux."""
    names = blueprint.names
    suffix = ".virtual" if _virtual(blueprint) else ""
    return FileSpec(
        path="packaging/plugin_ep.json",
        template="plugin/packaging/plugin_ep.json",
        owner=Owner.GENERATED,
        params={
            "config": {
                "ep_library_registration_name": f"{names.name.kebab}{suffix}",
                "ep_library_path": f"../build/release/lib{names.library}.so",
                "selected_ep_name": str(names.ep),
                "default_ep_options": {},
            }
        },
        reason="the library as ONNX Runtime's own tools are told of it",
    )


def _metadata(blueprint: Blueprint) -> FileSpec:
    names = blueprint.names
    minimum = ".".join(map(str, blueprint.python_min))
    return FileSpec(
        path="pyproject.toml",
        template="plugin/pyproject.toml",
        owner=Owner.SHARED,
        params={
            "distribution": distributions(blueprint)[0],
            "version": blueprint.version.pep440,
            "description": f"{names.ep}: an ONNX Runtime plugin execution provider",
            "readme": README,
            "requires_python": f">={minimum}",
            "python_minimum": minimum,
            "license": blueprint.license,
            "vendor": blueprint.vendor.name,
            "onnxruntime_requirement": f"onnxruntime>={blueprint.ort.minimum_text}",
            "package": names.package,
            "package_directory": f"python/{names.package}",
            "macro": names.macro,
            "after_failure": (
                "The library could not be built; CMake says why above. ONNX Runtime's headers are "
                "found in a directory that you name: "
                f"pip install . -C cmake.define.{names.macro}_ORT_INCLUDE_DIR=DIR"
            ),
        },
        reason="metadata of the Python package; settings of its tests and checks",
    )


def _virtual(blueprint: Blueprint) -> bool:
    """Can a virtual device be asked for?"""
    return any(device.virtual is VirtualPolicy.ALLOWED for device in blueprint.devices)
