"""Constant inputs that kernels pack once, when a session begins, instead of at every call."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.resolve.model import Blueprint, Op, Runtime

# A project of so few operators is there to be read as a whole: it does without.
_FEW = 5


def packs(op: Op) -> bool:
    """Whether the operator's kernel has the functions for it.

    Args:
        op: an operator of a blueprint.
    """
    return op.row is not None and bool(op.row.params.get("packs"))


def switches(blueprint: Blueprint) -> Mapping[str, object]:
    """What the templates ask: whether a project has the machinery.

    Weights in a device's memory stay as they are: what would pack them is code of the host.
    """
    on_host = blueprint.runtime is not Runtime.CUDA and not blueprint.memory.on_device
    many = len(blueprint.ops) > _FEW
    return {"packing": on_host and many and any(map(packs, blueprint.ops))}
