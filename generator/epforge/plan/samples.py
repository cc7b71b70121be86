"""The sample application, for those who use the library from C++, and the CMake package."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.names import Safe
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, VirtualPolicy

_SOURCES = {
    "arguments": "the sample's command line",
    "devices": "lists the devices and picks one",
    "element_type": "the types of tensors",
    "files": "finds files and libraries, from wherever the sample is started",
    "inputs": "the inputs of a model: arrays or a pattern",
    "library": "opens a shared library",
    "npy": "reads and writes numpy's arrays",
    "outputs": "prints and writes what a model computes",
    "placement": "says where nodes ran",
    "registration": "registers the library, and ends that in time",
    "runtime": "opens ONNX Runtime, whichever release",
}
_HEADERS = {
    "failure": "an error that says what to do",
    "package": "what CMake found, as constants",
}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The sample, a project of its own that an application's engineer copies; and the package that
    it finds the library by."""
    params = _params(blueprint)
    sources = {f"{name}.{end}": why for name, why in _SOURCES.items() for end in ("h", "cc")}
    headers = {f"{name}.h": reason for name, reason in _HEADERS.items()}
    generated = {**sources, **headers, "main.cc": "registers, runs a model, says where it ran"}
    shared = {"CMakeLists.txt": "builds the sample", "README.md": "how to build and use it"}
    package = {
        "config": "what find_package gives",
        "ort_library": "finds ORT's library",
        "package": "installs the library, makes the CMake package",
    }
    return [
        *(
            _file(f"samples/cpp/{name}", Owner.GENERATED, params, generated[name])
            for name in generated
        ),
        *(_file(f"samples/cpp/{name}", Owner.SHARED, params, shared[name]) for name in shared),
        *(
            _file(f"cmake/gen/{name}.cmake", Owner.GENERATED, params, reason)
            for name, reason in package.items()
        ),
    ]


def registration_name(blueprint: Blueprint) -> str:
    """A name to register the library under so that it offers what it can: virtual devices are
    made only under a name that ends in ``.virtual``."""
    virtual = any(device.virtual is VirtualPolicy.ALLOWED for device in blueprint.devices)
    return f"{blueprint.names.ep}.virtual" if virtual else str(blueprint.names.ep)


def _file(path: str, owner: Owner, params: Mapping[str, object], reason: str) -> FileSpec:
    return FileSpec(path, f"plugin/{path}", owner, params, reason)


def _params(blueprint: Blueprint) -> Mapping[str, object]:
    names = blueprint.names
    return {
        "custom_library": blueprint.custom_library is not None,
        "ep": names.ep,
        "any_runtime_libs": bool(blueprint.runtime_libs),
        "macro": names.macro,
        "package": names.package,
        "ort_minimum": Safe(blueprint.ort.minimum_text),
        "virtual": registration_name(blueprint) != str(names.ep),
    }
