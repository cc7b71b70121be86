"""Collects the files that every part of the plan contributes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

from epforge.plan import (
    docs,
    kernels,
    native,
    nuget,
    packaging,
    project,
    python,
    samples,
    shell,
    targets,
)
from epforge.plan.model import FileSpec, Plan
from epforge.resolve.model import Blueprint

_PARTS = (project, shell, kernels, python, packaging, native, targets, nuget, samples, docs)


def make_plan(blueprint: Blueprint) -> Plan:
    """The plan of the project that ``blueprint`` describes.

    Every file gets the C++ namespace as the parameter ``ns``, beside its own.

    Raises:
        RuntimeError: two parts want the same path, which is a fault of epforge.
    """
    files: list[FileSpec] = []
    for part in _PARTS:
        files += part.files(blueprint)
    if blueprint.torch is not None:
        from epforge.plan import torch  # with the language of expressions; few projects need it

        files += torch.files(blueprint)
    shared = {"ns": blueprint.names.namespace}
    return collect(dataclasses.replace(spec, params={**shared, **spec.params}) for spec in files)


def collect(files: Iterable[FileSpec]) -> Plan:
    """``files`` as a plan: sorted by the bytes of their paths, each path once."""
    ordered = sorted(files, key=lambda spec: spec.path.encode())
    for before, after in itertools.pairwise(ordered):
        if before.path == after.path:
            raise RuntimeError(
                f"two parts of the plan want {after.path}: "
                f"{before.template or 'a copy'} and {after.template or 'a copy'}"
            )
    return Plan(tuple(ordered))
