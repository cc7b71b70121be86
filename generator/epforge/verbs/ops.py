"""Which operators there are kernels for, and which ones models need."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus, UsageError
from epforge.resolve.catalogue import Entry, Status, entries, entry
from epforge.verbs.types import FORMAT, AnyPaths, paths
from epforge.verbs.wording import printable

if TYPE_CHECKING:
    from epforge.ops.model import DType, OpSchema
    from epforge.resolve.wanted import Wanted


@dataclass(frozen=True)
class OpList:
    """Operators, and what kernels there are for them."""

    ops: tuple[Entry, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "ops": [op_data(each) for each in self.ops]}


@dataclass(frozen=True)
class OpDetails:
    """An operator with all its versions.

    Args:
        op: what kernel there is for it.
        schema: what ONNX or ONNX Runtime says of it.
    """

    op: Entry
    schema: OpSchema

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **op_data(self.op)}


@dataclass(frozen=True)
class ModelOps:
    """The operators that models need.

    Args:
        ops: one for each, with what there is for it.
        untyped: by model, why element types could not all be told; models where they could are
            left out.
    """

    ops: tuple[Wanted, ...]
    untyped: Mapping[str, str]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "ops": [_wanted_data(each) for each in self.ops],
            "untyped": dict(self.untyped),
        }


def list_ops(*, domain: str | None = None, status: str | None = None) -> OpList:
    """The operators: their kernel family, versions and element types; `epforge ops list`.

    Args:
        domain: only this one, such as ``ai.onnx`` or ``com.microsoft``.
        status: only these: ``implemented``, ``stub`` or ``impossible``.

    Raises:
        UsageError: there is no such domain or status.
    """
    if status is not None and status not in [each.value for each in Status]:
        known = ", ".join(Status)
        raise UsageError(f"--status {status}: there is no such status", f"One of: {known}.")
    found = entries(known_domain(domain))
    return OpList(tuple(each for each in found if status in (None, each.status)))


def show_op(op: str) -> OpDetails:
    """Every version of an operator, with its element types; `epforge ops show`.

    Args:
        op: ``Relu``, or ``com.microsoft::BiasGelu``.

    Raises:
        UsageError: there is no such operator.
    """
    from epforge.ops import schemas
    from epforge.resolve.opnames import split_op

    parts = split_op(op)
    found = entry(*parts) if parts is not None else None
    schema = schemas.find(*parts) if parts is not None else None
    if found is None or schema is None:
        raise UsageError(f"{printable(op)}: there is no such operator", _meant(op))
    return OpDetails(found, schema)


def ops_from_model(model: AnyPaths) -> ModelOps:
    """The operators that models need, with opsets and element types as in their nodes;
    `epforge ops from-model`.

    Args:
        model: ONNX models; they are read, never run.

    Raises:
        UsageError: a file is no model.
    """
    from epforge.resolve.wanted import Use, wanted
    from epforge.validate.models import read_model

    files = paths(model)
    facts = [read_model(path, everything=True) for path in files]
    found = wanted(
        Use(node.domain, node.op, node.version, node.inputs, node.outputs, node.count)
        for each in facts
        for node in each.nodes
        if not node.function  # what is in the function counts
    )
    untyped = {
        str(path): each.untyped for path, each in zip(files, facts, strict=True) if each.untyped
    }
    return ModelOps(tuple(found), untyped)


def op_data(entry: Entry) -> dict[str, Any]:
    """An operator as JSON."""
    return {
        "domain": entry.domain,
        "op": entry.op,
        "status": entry.status.value,
        "family": entry.family,
        "device": entry.device,
        "reason": entry.reason,
        "versions": [
            {
                "since": version.since,
                "kernel": version.done,
                "types": _texts(version.types),
                "lacking": _texts(version.lacking),
            }
            for version in entry.versions
        ],
    }


def _texts(types: Mapping[str, tuple[DType, ...]]) -> dict[str, list[str]]:
    return {constraint: [dtype.text for dtype in found] for constraint, found in types.items()}


def _wanted_data(each: Wanted) -> dict[str, Any]:
    return {
        "domain": each.domain,
        "op": each.op,
        "opsets": list(each.opsets),
        "types": _texts(each.types),
        "nodes": each.nodes,
        "status": each.status.value,
        "reason": each.reason,
    }


def known_domain(text: str | None) -> str | None:
    """The domain as schemas have it. Raises UsageError for one without schemas."""
    from epforge.ops import schemas

    domain = "" if text == "ai.onnx" else text
    if domain is not None and domain not in schemas.domains():
        known = ", ".join(name or "ai.onnx" for name in schemas.domains())
        raise UsageError(
            f"--domain {printable(domain)}: its operators are not known", f"One of: {known}."
        )
    return domain


def _meant(op: str) -> str:
    from epforge.ops import schemas

    known = {
        f"{domain}::{name}" if domain else name
        for domain in schemas.domains()
        for name in schemas.names(domain)
    }
    close = difflib.get_close_matches(op, sorted(known), 1)
    return f"Did you mean {close[0]}?" if close else "epforge ops list has them all."
