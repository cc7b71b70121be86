"""From the shape of a blueprint to its meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace

from epforge.blueprint.diagnostic import BlueprintErrors, Diagnostic, Severity
from epforge.blueprint.nodes import Path
from epforge.blueprint.source import BlueprintSource
from epforge.ops import control_flow
from epforge.ops.model import DType
from epforge.resolve.custom_ops import check_runtimes, resolve_custom_ops
from epforge.resolve.custom_schema import as_op, as_schema
from epforge.resolve.extras import (
    resolve_compile,
    resolve_features,
    resolve_torch,
)
from epforge.resolve.findings import Findings
from epforge.resolve.layout import resolve_layout
from epforge.resolve.libraries import resolve_distributions, resolve_libraries
from epforge.resolve.model import Blueprint, Op, Paradigm
from epforge.resolve.naming import resolve_license, resolve_names, resolve_vendor, resolve_version
from epforge.resolve.operators import resolve_ops
from epforge.resolve.opnames import split_op
from epforge.resolve.options import resolve_options
from epforge.resolve.overlays import resolve_overlays
from epforge.resolve.pending import note_unsupported
from epforge.resolve.roles import resolve_roles, without_packed
from epforge.resolve.runtime import (
    resolve_cuda,
    resolve_devices,
    resolve_memory,
    resolve_ort,
    resolve_python,
    resolve_runtime,
    resolve_targets,
)
from epforge.resolve.services import CustomKernel, Layout, Native


@dataclass(frozen=True)
class Analysis:
    """Everything there is to say about a blueprint, each tuple in the order of the text.

    Args:
        source: the blueprint as read.
        blueprint: its meaning; None when there are errors.
        errors: what must be corrected.
        warnings: what is likely a mistake.
        unsupported: notes "not supported yet": right, but nothing can be generated from it.
    """

    source: BlueprintSource
    blueprint: Blueprint | None
    errors: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    unsupported: tuple[Diagnostic, ...]


def analyse(source: BlueprintSource) -> Analysis:
    """Work out what a blueprint means. Raises nothing: errors are in the result.

    Args:
        source: what `epforge.blueprint.load` or `parse` returned.
    """
    found = Findings(source)
    blueprint = _blueprint(source, found)
    note_unsupported(source, blueprint.names.ep, found)
    errors = found.errors
    return Analysis(
        source, None if errors else blueprint, errors, found.warnings, found.unsupported
    )


def resolve(source: BlueprintSource) -> Blueprint:
    """The meaning of a blueprint.

    Raises:
        BlueprintErrors: everything that is wrong with it, of shape and of meaning.
    """
    analysis = analyse(source)
    if analysis.blueprint is None:
        raise BlueprintErrors(analysis.errors, source.text.text)
    return analysis.blueprint


def resolve_supported(source: BlueprintSource) -> Blueprint:
    """The meaning of a blueprint that can be generated from as it is.

    Raises:
        BlueprintErrors: everything that is wrong with it, or else everything in it that is not
            supported yet.
    """
    analysis = analyse(source)
    if analysis.blueprint is None:
        raise BlueprintErrors(analysis.errors, source.text.text)
    if analysis.unsupported:
        notes = (replace(note, severity=Severity.ERROR) for note in analysis.unsupported)
        raise BlueprintErrors(notes, source.text.text)
    return analysis.blueprint


def _blueprint(source: BlueprintSource, found: Findings) -> Blueprint:
    shape = source.shape
    paradigm = Paradigm(shape.paradigm)
    names = resolve_names(shape.name, shape.names, found)
    types = _types(shape.types, found)
    custom_ops = resolve_custom_ops(shape.custom_ops, found)
    own = {(custom.domain, str(custom.op)): as_schema(custom) for custom in custom_ops}
    compiling = resolve_compile(shape.compile, paradigm, found, own)
    cuda = shape.runtime == "cuda"
    ops = resolve_ops(shape.ops, types, found, _named_elsewhere(source), cuda)
    if compiling is not None:
        ops = without_packed(ops, compiling, found)
    _check_use(ops, types, found)
    graphs = tuple(op for op in ops if control_flow.is_control_flow(op.row))
    ops = tuple(op for op in ops if not control_flow.is_control_flow(op.row))
    _check_control_flow(source, paradigm, found)
    computed = [custom for custom in custom_ops if custom.kernel is not CustomKernel.ELSEWHERE]
    ops = tuple(sorted((*ops, *map(as_op, computed)), key=lambda op: (op.domain, op.op)))
    ops = resolve_layout(shape.layout, ops, shape.ops, found)
    if compiling is not None:
        ops = resolve_roles(ops, compiling, source)
    vendor = resolve_vendor(shape.vendor, found)
    devices = resolve_devices(shape.devices, names, paradigm, vendor, found)
    ort = resolve_ort(shape.ort, found)
    check_runtimes(shape.custom_ops, ort, found)
    runtime_libs, system_libs = resolve_libraries(shape, names, found)
    return Blueprint(
        edition=shape.epforge,
        names=names,
        version=resolve_version(shape.version, found),
        vendor=vendor,
        license=resolve_license(shape.license, found),
        paradigm=paradigm,
        ort=ort,
        runtime=resolve_runtime(shape.runtime, shape.memory, found),
        devices=devices,
        memory=resolve_memory(shape.memory, devices, found),
        types=types,
        ops=ops,
        options=resolve_options(
            shape.options, shape.memory.streams, shape.features.graph_capture, found
        ),
        python_min=resolve_python(shape.python, found),
        targets=resolve_targets(shape.targets, found),
        text=source.text.whole,
        custom_ops=custom_ops,
        compile=compiling,
        layout=Layout(shape.layout),
        features=resolve_features(shape, ort.target, found),
        runtime_libs=runtime_libs,
        system_libs=system_libs,
        native=Native(shape.python.native),
        distributions=resolve_distributions(shape.python, names.distribution, found),
        cuda=resolve_cuda(shape.cuda, shape.runtime, found),
        torch=resolve_torch(shape, names.namespace, found),
        overlays=resolve_overlays(shape.overlays, found),
        control_flow=graphs,
    )


def _check_control_flow(source: BlueprintSource, paradigm: Paradigm, found: Findings) -> None:
    """Where graphs within nodes cannot be run."""
    shape = source.shape
    unable = {
        "runtime cuda": shape.runtime == "cuda",
        f"paradigm {paradigm}": paradigm is not Paradigm.KERNEL_REGISTRY,
        "graph capture": shape.features.graph_capture,
    }
    for index, entry in enumerate(shape.ops):
        parts = split_op(entry.op)
        if entry.kernel == "yours" or parts is None or control_flow.row(*parts) is None:
            continue
        for what in (what for what, there in unable.items() if there):
            found.later(("ops", index), f"{entry.op} with {what}")


def _types(texts: tuple[str, ...], found: Findings) -> tuple[DType, ...]:
    if not texts and not found.source.incomplete("types"):
        what, usual = "types: the list is empty", "[float32]"
        found.error(("types",), "empty-list", what, f"such as {usual}", f"write {usual}", usual)
    for index, text in enumerate(texts):
        if text in texts[:index]:
            what, out = f"types: {text} is listed twice", found.without(("types", index))
            found.error(("types", index), "listed-twice", what, "", "delete one of them", out)
    return tuple(DType.parse(text) for text in dict.fromkeys(texts))


def _named_elsewhere(source: BlueprintSource) -> dict[Path, str]:
    """The operators that `compile` names, by their place."""
    shape = source.shape.compile
    if shape is None:
        return {}
    place: Path = ("compile",)
    named = {(*place, "also_kernels", i): text for i, text in enumerate(shape.also_kernels)}
    for i, pattern in enumerate(shape.patterns):
        named |= {(*place, "patterns", i, "match", j): op for j, op in enumerate(pattern.match)}
    return named


def _check_use(ops: tuple[Op, ...], types: tuple[DType, ...], found: Findings) -> None:
    """Warn of a blueprint that takes no node, and of default types that no operator has."""
    source = found.source
    if source.incomplete("ops") or source.errors:
        return
    if not ops and not source.shape.ops and not source.shape.custom_ops:
        what = "the blueprint has no operators: no node of a model will be taken"
        found.warning(("ops",), "no-ops", what, "such as 'ops: [Relu, Add, Mul]'")
        return
    used = {
        dtype
        for op in ops
        for version in op.versions
        for group in version.types.values()
        for dtype in group
    }
    for index, dtype in enumerate(types):
        if source.has("types", index) and dtype not in used and not found.errors:
            what = f"types: no operator here has a kernel for {dtype.text}"
            found.warning(("types", index), "unused-type", what)
