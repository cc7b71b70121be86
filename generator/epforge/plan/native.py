"""The kernels for NumPy: an extension module, as a distribution of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from epforge.names import Identifier
from epforge.plan import (
    compiled,
    control_flow,
    custom_ops,
    devices,
    memory,
    services,
    test_variant,
)
from epforge.plan.model import FileSpec, Owner
from epforge.plan.native_ops import functions, schemas
from epforge.resolve.model import Blueprint
from epforge.resolve.services import Native

_FOLDER = "native"

_SOURCES = {
    "call.h": "calls kernels as the execution provider does",
    "call.cc": "calls kernels as the execution provider does",
    "claim.h": "which nodes the execution provider takes",
    "claim.cc": "which nodes the execution provider takes",
    "convert.h": "what Python hands over, as kernels read it",
    "convert.cc": "what Python hands over, as kernels read it",
    "info.h": "what the module says about itself",
    "info.cc": "what the module says about itself",
    "module.cc": "the functions that Python sees",
    "node.h": "a node that exists only for one call",
}
_PACKAGE = {
    "__init__.py": "the package's functions",
    "_call.py": "checks arrays and attributes, and allocates",
    "_errors.py": "the exceptions",
    "_native.pyi": "the types of the module's functions",
    "_preview.py": "which nodes of a model are taken",
    "_schemas.py": "what a call may have",
    "ops.py": "a function for each operator",
    "py.typed": "says that the package is typed",
}
_TESTS = {
    "calls.py": "the operators' cases as calls",
    "test_calls.py": "inputs, outputs and errors",
    "test_info.py": "what the package says about itself",
    "test_ops.py": "values of every operator",
    "test_preview.py": "what the preview says, and what ONNX Runtime does",
}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The module and its package; nothing where the blueprint has no ``native: separate``."""
    if blueprint.native is not Native.SEPARATE:
        return []
    params = _params(blueprint)
    folder = f"{_FOLDER}/python/{package_name(blueprint)}"  # not where tests would import it from
    licence = "Apache-2.0" if blueprint.license == "Apache-2.0" else "notice"
    return [
        _file(f"{_FOLDER}/pyproject.toml", "pyproject.toml", params, "metadata of the package"),
        _file(f"{_FOLDER}/CMakeLists.txt", "CMakeLists.txt", params, "builds the module"),
        _file(f"{_FOLDER}/README.md", "README.md", params, "how to use the package"),
        FileSpec(
            path=f"{_FOLDER}/LICENSE",
            template=f"plugin/licenses/{licence}.txt",
            owner=Owner.YOURS,
            params={} if licence == "Apache-2.0" else {"license": blueprint.license},
            reason=f"license: {blueprint.license}",
        ),
        *(
            _file(f"{_FOLDER}/src/{name}", f"src/{name}", params, reason)
            for name, reason in _SOURCES.items()
        ),
        *(
            _file(f"{folder}/{name}", f"PACKAGE/{name}", params, reason)
            for name, reason in _PACKAGE.items()
        ),
        *(
            _file(f"{_FOLDER}/tests/{name}", f"tests/{name}", params, reason)
            for name, reason in _TESTS.items()
        ),
    ]


def package_name(blueprint: Blueprint) -> Identifier:
    """The import name: onnxruntime_ep_contoso_npu_native."""
    return Identifier(f"{blueprint.names.package}_native")


def distribution_name(blueprint: Blueprint) -> str:
    """The distribution's name: onnxruntime-ep-contoso-npu-native."""
    return f"{blueprint.names.distribution}-native"


def _file(path: str, template: str, params: Mapping[str, object], reason: str) -> FileSpec:
    return FileSpec(path, f"plugin/native/{template}", Owner.GENERATED, params, reason)


def _params(blueprint: Blueprint) -> Mapping[str, object]:
    names = blueprint.names
    package = package_name(blueprint)
    minimum = ".".join(map(str, blueprint.python_min))
    made = functions(blueprint)
    return {
        **compiled.switches(blueprint),
        **control_flow.switches(blueprint),
        **devices.switches(blueprint),
        **custom_ops.switches(blueprint),
        **memory.switches(blueprint),
        **services.switches(blueprint),
        **test_variant.switches(blueprint),
        "project": names.namespace,
        "ep": names.ep,
        "package": package,
        "package_directory": f"python/{package}",
        "wheel_stem": Identifier(re.sub(r"[-_.]+", "_", distribution_name(blueprint)).lower()),
        "has_functions": bool(made),
        "errors_module": f"{package}._errors",
        "distribution": distribution_name(blueprint),
        "version": blueprint.version.pep440,
        "description": f"The kernels of {names.ep} for NumPy",
        "requires_python": f">={minimum}",
        "python_minimum": minimum,
        "license": blueprint.license,
        "vendor": blueprint.vendor.name,
        "onnxruntime_requirement": f"onnxruntime>={blueprint.ort.minimum_text}",
        "library_variable": Identifier(f"{names.macro}_LIBRARY"),
        "paradigm": blueprint.paradigm.value,
        "custom_domains": sorted({op.domain for op in blueprint.custom_ops}),
        "schemas": schemas(blueprint),
        "functions": [function.lines for function in made],
        "names": sorted(function.name for function in made),
        "sequences": any("Sequence[" in line for each in made for line in each.lines),
        "example": made[0].name if made else Identifier("relu"),
        "example_op": blueprint.ops[0].op if blueprint.ops else "Relu",
    }
