"""Kernels for tensors whose channels come last (NHWC), in projects that prefer that layout.

ONNX Runtime asks which operators to convert, once it knows which nodes the execution provider
takes. A converted node is in a domain of ONNX Runtime's own; its first input and its first output
have their channels last, weights stay as they were. Here that is a second operator, whose kernel
reads nodes as the first one's does.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from epforge.names import Name
from epforge.ops.model import DType, Sample, Value
from epforge.plan.kernel_view import kernel_view
from epforge.plan.once import once
from epforge.resolve.layout import is_convertible
from epforge.resolve.model import Blueprint, KernelSource, Op, OpVersion
from epforge.resolve.services import Layout

#: ONNX Runtime's domain of converted nodes.
DOMAIN = "com.ms.internal.nhwc"
_SUPPORT = ("channels_last.cc", "channels_last.h")


@once
def converted(blueprint: Blueprint) -> tuple[Op, ...]:
    """The operators that ONNX Runtime converts, as what they become. Those whose kernel is the
    owner's stay as they are, as do those whose family has no body for the layout."""
    if blueprint.layout is not Layout.NHWC:
        return ()
    return tuple(_converted(op) for op in blueprint.ops if is_convertible(op))


def claims(blueprint: Blueprint) -> Mapping[str, object]:
    """What the manifest says of the layout; nothing in projects of the usual one."""
    if blueprint.layout is not Layout.NHWC:
        return {}
    ops = [op.op for op in converted(blueprint)]
    return {"layout": {"preferred": blueprint.layout.value, "domain": DOMAIN, "ops": ops}}


def _converted(op: Op) -> Op:
    assert op.row is not None
    view = kernel_view(op)
    support = op.row.params.get("support", ())
    assert isinstance(support, tuple)
    params = {
        **op.row.params,
        "header": "nhwc",
        "support": (*support, *_SUPPORT),
        "base": {"attrs": view.attrs, "header": view.header},
    }
    return Op(
        domain=DOMAIN,
        op=op.op,
        name=Name.parse(f"{DOMAIN} {op.op}"),
        versions=_versions(op),
        kernel=KernelSource.GENERATED,
        row=dataclasses.replace(
            op.row,
            domain=DOMAIN,
            params=params,
            samples=tuple(_moved(each) for each in op.row.samples if len(each.outputs) == 1),
        ),
    )


def _moved(sample: Sample) -> Sample:
    """The same call with the channels of its first input and of its output last."""
    first, *others = sample.inputs
    assert first is not None
    outputs = tuple(_channels_last(value) for value in sample.outputs)
    return dataclasses.replace(sample, inputs=(_channels_last(first), *others), outputs=outputs)


def _channels_last(value: Value) -> Value:
    batch, channels, *spatial = value.shape
    pixels = math.prod(spatial)
    data = tuple(
        value.data[(image * channels + channel) * pixels + pixel]
        for image in range(batch)
        for pixel in range(pixels)
        for channel in range(channels)
    )
    return Value(data, (batch, *spatial, channels), value.type)


def _versions(op: Op) -> tuple[OpVersion, ...]:
    """The versions that the nodes of ``op`` have after the conversion.

    ONNX Runtime does not have all of ONNX's there: a node gets the newest one up to its own.
    Those that it may have some day are served as well.
    """
    known = op.row.channels_last if op.row else ()
    found: dict[int, list[OpVersion]] = {}
    for version in op.versions:
        since = version.schema.since
        older = [each for each in known if each <= since]
        for each in {max(older), since}:
            found.setdefault(each, []).append(version)
    return tuple(_joined(since, found[since]) for since in sorted(found))


def _joined(since: int, versions: list[OpVersion]) -> OpVersion:
    """One version for what were several: with all of their element types."""
    types: dict[str, tuple[DType, ...]] = {}
    for version in versions:
        for name, some in version.types.items():
            wanted = {*types.get(name, ()), *some}
            types[name] = tuple(dtype for dtype in DType if dtype in wanted)
    return OpVersion(dataclasses.replace(versions[0].schema, since=since), types)
