"""The Python package beside the library, and the project's Python tests."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.names import Identifier
from epforge.plan import memory, packaging, python_options, services
from epforge.plan.cases import op_cases
from epforge.plan.custom_reference import reference_view
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, VirtualPolicy
from epforge.resolve.services import Layout

# The modules that compile models. They know nothing of the package that they are in.
_COMPILING = {
    "_compile_command.py": "the command that compiles models",
    "_compile_devices.py": "the devices to compile models for",
    "_outputs.py": "where compiled models go",
    "_plugin_config.py": "options, and ONNX Runtime's own plugin configuration",
    "_wire.py": "reads the nodes of a model",
    "compiling.py": "compiles models ahead of time",
}

_PYTHON_PLATFORMS = {"linux": "linux", "macos": "darwin", "windows": "win32"}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The Python side of a project."""
    return [
        *_package(blueprint),
        *_tests(blueprint),
    ]


def compiling_files(folder: str) -> list[FileSpec]:
    """The modules that compile models, as a package of their own or a part of one.

    Args:
        folder: where they go, relative, with forward slashes.
    """
    return [
        FileSpec(
            path=f"{folder}/{name}",
            template=f"plugin/python/PACKAGE/{name}",
            owner=Owner.GENERATED,
            params={},
            reason=reason,
        )
        for name, reason in _COMPILING.items()
    ]


def _runtime_libraries(blueprint: Blueprint) -> list[tuple[str, tuple[str, ...]]]:
    """The files to be beside the library, by Python's names of the platforms."""
    files = packaging.runtime_files(blueprint)
    return [(_PYTHON_PLATFORMS[platform], names) for platform, names in files.items()]


def _package(blueprint: Blueprint) -> list[FileSpec]:
    names = blueprint.names
    custom = {
        "package": names.package,
        "custom_ops": bool(blueprint.custom_ops),
        "custom_library": blueprint.custom_library is not None,
    }
    several = {"several": len(blueprint.providers) > 1}
    parts: dict[str, tuple[Mapping[str, object], str]] = {
        "__init__.py": ({**custom, **several, "ep": names.ep}, "the package's functions"),
        "__main__.py": (
            {
                "package": names.package,
                "contexts": blueprint.has_contexts,
                "virtual": _virtual(blueprint),
            },
            "prints what the library is and offers",
        ),
        "_diagnostics.py": (
            {"package": names.package, "macro": names.macro},
            "prints what may explain a failure",
        ),
        "_identity.py": (
            {
                "distribution": packaging.distributions(blueprint)[0],
                "distributions": packaging.distributions(blueprint),
                "version": str(blueprint.version),
                "vendor": blueprint.vendor.name,
                "ep": names.ep,
                "eps": blueprint.providers,
                "library": names.library,
                "library_variable": _library_variable(blueprint),
                "custom_library": blueprint.custom_library,
                "custom_library_variable": _custom_library_variable(blueprint),
                "runtime_libraries": _runtime_libraries(blueprint),
                "ort_minimum": blueprint.ort.minimum_text,
            },
            "names and versions that the package shares with the library",
        ),
        "_library.py": (custom, "finds the library"),
        "_options.py": (
            {"options": python_options.table(blueprint)},
            "the provider options, and the text that values become",
        ),
        "_registration.py": (
            {**custom, **several, "device_memory": blueprint.memory.on_device},
            "registers the library, and ends that in time",
        ),
        "_report.py": ({}, "what there is of this installation"),
        "_runtime.py": ({}, "finds onnxruntime, and judges it"),
        "_sessions.py": (
            {
                **python_options.signature(blueprint),
                "nhwc": blueprint.layout is Layout.NHWC,
            },
            "options of sessions on the execution provider, and where they run",
        ),
        "_types.py": ({}, "the types of onnxruntime's objects"),
        "py.typed": ({}, "says that the package is typed"),
    }
    folder = f"python/{names.package}"
    return [
        *(
            FileSpec(
                path=f"{folder}/{name}",
                template=f"plugin/python/PACKAGE/{name}",
                owner=Owner.GENERATED,
                params=params,
                reason=reason,
            )
            for name, (params, reason) in parts.items()
        ),
        *(compiling_files(folder) if blueprint.has_contexts else ()),
    ]


def _tests(blueprint: Blueprint) -> list[FileSpec]:
    names = blueprint.names
    package = {"package": names.package}
    variable = {"library_variable": _library_variable(blueprint)}
    custom = blueprint.custom_library
    own = {"custom_ops": bool(blueprint.custom_ops)}
    graphs = [op.op for op in blueprint.control_flow]
    layout = {"nhwc": blueprint.layout is Layout.NHWC}
    virtual = _virtual(blueprint)
    no_device = Identifier(f"{names.macro}_ALLOW_NO_DEVICE")
    tests: dict[str, tuple[Mapping[str, object], str]] = {
        "conftest.py": (
            {
                **package,
                **variable,
                "macro": names.macro,
                "no_device_variable": no_device,
                "file_names": _file_names(names.library),
                "custom_library_variable": _custom_library_variable(blueprint),
                "custom_file_names": _file_names(custom) if custom is not None else (),
            },
            "finds and registers the library under test",
        ),
        "support.py": (
            {**own, **layout, "halves": blueprint.has_halves or blueprint.has_small_types},
            "models and sessions for the tests",
        ),
        "op_cases.json": ({"cases": op_cases(blueprint)}, "what the tests feed to each op"),
        "test_identity.py": (
            {
                **package,
                **variable,
                "several": len(blueprint.providers) > 1,
                "contexts": blueprint.has_contexts,
                "no_device_variable": no_device,
            },
            "library and package agree",
        ),
        "test_library.py": ({}, "the library's symbols"),
        "test_ops.py": ({**own, "graphs": graphs}, "placement and values of every op"),
        "test_options.py": (
            {
                "options": bool(blueprint.provider_options),
                "excludes": any(option.excludes for option in blueprint.provider_options),
                "dynamic_options": services.has_dynamic_options(blueprint),
            },
            "the options' parser",
        ),
        "test_registration.py": ({**package, "virtual": virtual}, "registration and its end"),
        "test_report.py": (
            {
                **package,
                "package_name": str(names.package),
                "diagnostics": f"{names.package}._diagnostics",
            },
            "what the package says of itself",
        ),
        "test_session_options.py": (
            {
                **package,
                **layout,
                "options": bool(blueprint.provider_options),
                "keyword": python_options.first_keyword(blueprint),
            },
            "sessions by way of the package",
        ),
        "test_sessions.py": ({}, "sessions, threads, open shapes"),
    }
    if blueprint.custom_ops:
        tests["custom_reference.py"] = (
            reference_view(blueprint),
            "what the custom operators compute, in NumPy",
        )
        tests["test_custom_ops.py"] = (
            {
                **package,
                "library": custom is not None,
                "custom_library_variable": _custom_library_variable(blueprint),
            },
            "the custom operators, on the execution provider and without it",
        )
    if graphs:
        tests["test_control_flow.py"] = ({"ops": graphs}, "nodes with graphs of their own")
    if blueprint.memory.on_device:
        params = {**package, **memory.switches(blueprint)}
        tests["test_memory.py"] = (params, "tensors in the device's memory")
    if layout["nhwc"]:
        tests["test_layout.py"] = ({}, "nodes that are converted to the preferred layout")
    if blueprint.has_contexts:
        features = blueprint.features
        ways = {"embed": features.embed, "external": features.external, "share": features.share}
        tests["test_compile.py"] = ({**package, **ways}, "models compiled ahead of time")
    return [
        FileSpec(
            path=f"tests/python/{name}",
            template=f"plugin/tests/python/{name}",
            owner=Owner.GENERATED,
            params=params,
            reason=reason,
        )
        for name, (params, reason) in tests.items()
    ]


def _virtual(blueprint: Blueprint) -> bool:
    """Can a virtual device be asked for?"""
    return any(device.virtual is VirtualPolicy.ALLOWED for device in blueprint.devices)


def _library_variable(blueprint: Blueprint) -> Identifier:
    return Identifier(f"{blueprint.names.macro}_LIBRARY")


def _custom_library_variable(blueprint: Blueprint) -> Identifier:
    return Identifier(f"{blueprint.names.macro}_CUSTOM_OPS_LIBRARY")


def _file_names(library: str) -> tuple[str, ...]:
    """The library's file on Linux, macOS and Windows."""
    return (f"lib{library}.so", f"lib{library}.dylib", f"{library}.dll")
