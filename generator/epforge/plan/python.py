"""The Python package beside the library, its metadata, and the project's Python tests."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.names import Identifier
from epforge.plan import memory, services
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


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The Python side of a project."""
    return [
        *_package(blueprint),
        _metadata(blueprint),
        _plugin_config(blueprint),
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


def _package(blueprint: Blueprint) -> list[FileSpec]:
    names = blueprint.names
    parts: dict[str, tuple[Mapping[str, object], str]] = {
        "__init__.py": (
            {
                "ep": names.ep,
                "package": names.package,
                "several": len(blueprint.providers) > 1,
                "device_memory": blueprint.memory.on_device,
                "custom_ops": bool(blueprint.custom_ops),
                "custom_library": blueprint.custom_library is not None,
            },
            "registers the library from Python",
        ),
        "__main__.py": (
            {"package": names.package, "contexts": blueprint.has_contexts},
            "prints what the library is and offers",
        ),
        "_identity.py": (
            {
                "distribution": names.distribution,
                "version": str(blueprint.version),
                "vendor": blueprint.vendor.name,
                "ep": names.ep,
                "eps": blueprint.providers,
                "library": names.library,
                "library_variable": _library_variable(blueprint),
                "custom_library": blueprint.custom_library,
                "custom_library_variable": _custom_library_variable(blueprint),
                "ort_minimum": blueprint.ort.minimum_text,
            },
            "names and versions that the package shares with the library",
        ),
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
                "ep_library_path": f"../build/release/{_file_names(names.library)[0]}",
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
            "distribution": names.distribution,
            "version": blueprint.version.pep440,
            "description": f"{names.ep}: an ONNX Runtime plugin execution provider",
            "requires_python": f">={minimum}",
            "python_minimum": minimum,
            "license": blueprint.license,
            "vendor": blueprint.vendor.name,
            "onnxruntime_requirement": f"onnxruntime>={blueprint.ort.minimum_text}",
            "package": names.package,
            "package_directory": f"python/{names.package}",
        },
        reason="metadata of the Python package; settings of its tests and checks",
    )


def _tests(blueprint: Blueprint) -> list[FileSpec]:
    names = blueprint.names
    package = {"package": names.package}
    variable = {"library_variable": _library_variable(blueprint)}
    custom = blueprint.custom_library
    own = {"custom_ops": bool(blueprint.custom_ops)}
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
        "support.py": ({**own, **layout}, "models and sessions for the tests"),
        "op_cases.json": ({"cases": op_cases(blueprint)}, "what the tests feed to each op"),
        "test_identity.py": (
            {
                **package,
                **variable,
                "several": len(blueprint.providers) > 1,
                "no_device_variable": no_device,
            },
            "library and package agree",
        ),
        "test_library.py": ({}, "the library's symbols"),
        "test_ops.py": (own, "placement and values of every op"),
        "test_options.py": (
            {
                "options": bool(blueprint.provider_options),
                "excludes": any(option.excludes for option in blueprint.provider_options),
                "dynamic_options": services.has_dynamic_options(blueprint),
            },
            "the options' parser",
        ),
        "test_registration.py": ({**package, "virtual": virtual}, "registration and its end"),
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
