"""The PyTorch package: the project's own operators with gradients, and their way to ONNX."""

from __future__ import annotations

import re
from collections.abc import Mapping

from epforge.names import Identifier
from epforge.plan.model import FileSpec, Owner
from epforge.plan.torch_call import Call, dtypes, safe
from epforge.plan.torch_cases import case
from epforge.plan.torch_code import OpView, op_view
from epforge.plan.torch_names import functions, import_lines, order
from epforge.plan.torch_yours import yours_view
from epforge.resolve.model import Blueprint
from epforge.resolve.services import CustomOp, Torch

_FOLDER = "torch"


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The PyTorch package; nothing where the blueprint has no ``torch``, or no operators for it."""
    ops = [op for op in blueprint.custom_ops if supported(op)]
    if blueprint.torch is None or not ops:
        return []
    names = functions(ops)
    calls = [Call(op, name) for op, name in zip(ops, names, strict=True)]
    versions = _versions(blueprint.custom_ops)
    package = package_name(blueprint)
    views = [op_view(call_, versions[call_.op.domain]) for call_ in calls]
    shared = _shared(blueprint, calls, views, blueprint.torch)
    folder = f"{_FOLDER}/{package}"
    specs = [
        _file(f"{_FOLDER}/pyproject.toml", "pyproject.toml", shared, "metadata of the package"),
        _file(f"{_FOLDER}/README.md", "README.md", shared, "how to use the package"),
    ]
    specs += [
        _file(f"{folder}/{name}", f"PACKAGE/{name}", shared, reason)
        for name, reason in _PACKAGE.items()
    ]
    specs.append(_file(f"{folder}/ops/__init__.py", "PACKAGE/ops_init.py", shared, "the table"))
    specs += [
        _file(f"{_FOLDER}/tests/{name}", f"tests/{name}", shared, reason)
        for name, reason in _TESTS.items()
    ]
    yours = []
    for call_, view in zip(calls, views, strict=True):
        reason = f"{call_.op.label} in PyTorch"
        path = f"{folder}/ops/_{call_.function}.py"
        specs.append(_file(path, "PACKAGE/op.py", {"op": view}, reason))
        if view.has_yours:
            path = f"{folder}/yours/{call_.function}.py"
            params = {"view": yours_view(call_)}
            yours.append(_file(path, "PACKAGE/yours.py", params, f"{reason}: yours", Owner.YOURS))
    if yours:
        path = f"{folder}/yours/__init__.py"
        yours.append(_file(path, "PACKAGE/yours_init.py", {}, "the package of what is yours"))
    return [*specs, *yours]


_PACKAGE = {
    "__init__.py": "the operators as functions and modules",
    "__main__.py": "the command that exports",
    "_attributes.py": "attributes from PyTorch to ONNX",
    "_library.py": "describes, checks and registers operators",
    "_numbers.py": "functions that PyTorch has not",
    "export.py": "exports models and checks the result",
    "modules.py": "the operators as modules",
    "onnx_dynamo.py": "the operators for the exporter on torch.export",
    "onnx_legacy.py": "the operators for the exporter on tracing",
    "py.typed": "says that the package is typed",
}
_TESTS = {
    "cases.json": "what the tests feed to each operator",
    "conftest.py": "the cases as fixtures",
    "support.py": "inputs and models for the tests",
    "test_export.py": "models that come out of both exporters",
    "test_gradients.py": "gradients against differences",
    "test_ops.py": "values, types, shapes",
    "test_runtime.py": "ONNX Runtime computes what PyTorch does",
}


def supported(op: CustomOp) -> bool:
    """Can PyTorch have the operator? It has no strings, and knows an operator by its tensors."""
    return bool(op.inputs) and all(dtypes(op, p.type) for p in (*op.inputs, *op.outputs))


def package_name(blueprint: Blueprint) -> Identifier:
    """The import name: contoso_npu_torch."""
    return Identifier(f"{blueprint.names.namespace}_torch")


def distribution_name(blueprint: Blueprint) -> str:
    """The distribution's name."""
    return f"{blueprint.names.distribution}-torch"


def _file(
    path: str,
    template: str,
    params: Mapping[str, object],
    reason: str,
    owner: Owner = Owner.GENERATED,
) -> FileSpec:
    return FileSpec(path, f"plugin/torch/{template}", owner, params, reason)


def _versions(ops: tuple[CustomOp, ...]) -> dict[str, int]:
    """The version of each domain: what its newest operator begins with."""
    found: dict[str, int] = {}
    for op in ops:
        found[op.domain] = max(op.version, found.get(op.domain, 1))
    return found


def _shared(
    blueprint: Blueprint,
    calls: list[Call],
    views: list[OpView],
    torch: Torch,
) -> dict[str, object]:
    names = blueprint.names
    minimum = ".".join(map(str, blueprint.python_min))
    modules = sorted((view.module for view in views), key=order)
    functions_ = sorted((view.function for view in views), key=order)
    text = " ".join(line for view in views for line in view.parameters)
    left_out = [op.label for op in blueprint.custom_ops if not supported(op)]
    return {
        "ops": views,
        "functions": functions_,
        "package_imports": safe(
            [
                *import_lines("from .modules import ", modules),
                *import_lines("from .ops import ", functions_),
            ]
        ),
        "table_imports": safe(import_lines("from . import ", [f"_{name}" for name in functions_])),
        "exports": sorted((*modules, *functions_, "__version__"), key=order),
        "table_exports": sorted(("DOMAINS", "OPERATORS", *functions_), key=order),
        "cases": [case(call_) for call_ in calls],
        "package": package_name(blueprint),
        "distribution": distribution_name(blueprint),
        "version": blueprint.version.pep440,
        "description": f"The operators of {names.ep} for PyTorch",
        "requires_python": f">={minimum}",
        "python_minimum": minimum,
        "license": blueprint.license,
        "vendor": blueprint.vendor.name,
        "onnxruntime_requirement": f"onnxruntime>={blueprint.ort.minimum_text}",
        "ep": names.ep,
        "legacy": torch.legacy,
        "dynamo": torch.dynamo,
        "sequences": bool(re.search(r"\bSequence\[", text)),
        "library_variable": Identifier(f"{names.macro}_CUSTOM_OPS_LIBRARY"),
        "left_out": left_out,
        "stubs": [view for view in views if view.has_yours],
    }
