"""What ``epforge doctor MODEL`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from epforge.verbs.wording import count

if TYPE_CHECKING:
    from epforge.doctor.onnx_model import ModelCheckup
    from epforge.doctor.placement.model import Group, Placement
    from epforge.doctor.reading import Compiled

_MOST_OPS = 12


def lines(found: ModelCheckup) -> Iterator[str]:
    """Findings and domains, what is compiled, and who takes which nodes."""
    yield from _findings(found)
    for each in found.compiled:
        yield from _compiled(each)
    yield from placement_lines(str(found.model), found.placement)


def _findings(found: ModelCheckup) -> Iterator[str]:
    diagnosis = found.diagnosis
    for offer in found.offers:
        if not offer.known:
            yield f"note: {offer.file} is a {offer.kind} without a manifest: its ops are unknown"
    for finding in diagnosis.findings:
        yield f"{finding.severity}: {finding.line}"
        yield f"  {finding.hint}"
    if diagnosis.untyped and diagnosis.domains:
        yield f"note: element types only as the model states them: {diagnosis.untyped}"
    for domain in diagnosis.domains:
        if domain.fine and domain.by:
            version = f" version {domain.version}" if domain.version is not None else ""
            yield f"ok: {domain.domain}{version}, {count(domain.nodes, 'node')}: {domain.by}"
    if not diagnosis.domains and not diagnosis.findings:
        yield f"ok: {found.model}: no node of a custom domain; there is nothing to register"


def _compiled(each: Compiled) -> Iterator[str]:
    """Whose work it is, and who runs it."""
    made = f" {', '.join(each.sdk)}" if each.sdk else ""
    for_ = f" for {', '.join(each.hardware)}" if each.hardware else ""
    who = each.ep or "an execution provider that does not say its name"
    yield f"compiled: {count(each.nodes, 'EPContext node')} by {who}{made}{for_}"
    if each.embedded:
        yield f"  {each.embedded:,} bytes in the model"
    for name, size, wrong in each.files:
        yield f"  {name}: {wrong or f'{size:,} bytes'}"
    if each.main < each.nodes:
        yield f"  {each.main} of them with data of their own, the others share it"
    if each.compatibility:
        yield f"  compatibility: {each.compatibility}"
    if each.by:
        judged = f", which says: {each.verdict}" if each.verdict else ""
        yield f"  can be run by: {', '.join(each.by)}{judged}"
    else:
        yield "  no library here or given can run it"


def placement_lines(model: str, found: Placement) -> Iterator[str]:
    """Who takes which nodes, and why not the others."""
    for file, text in found.unregistered:
        yield f"error: onnxruntime {found.runtime} does not register {file}: {text}"
        yield f"  Run: epforge doctor {file}"
    if found.refused:
        yield f"error: onnxruntime {found.runtime} makes no session: {found.refused}"
    if not found.groups:
        return
    yield f"{model}: {_headline(found)}"
    for group in found.groups:
        yield from _group(group, found)


def _headline(found: Placement) -> str:
    total = f"{found.taken} of {count(found.nodes, 'node')}"
    who = " and ".join(found.eps) or "no execution provider"
    if found.how == "asked":
        return f"{who} takes {total}; onnxruntime {found.runtime} was asked"
    if found.how == "claims":
        return f"{who} claims {total}, by {found.source}"
    return f"epforge has kernels for {total}"


def _group(group: Group, found: Placement) -> Iterator[str]:
    ops = ", ".join(f"{op} {number}" for op, number in group.ops[:_MOST_OPS])
    if len(group.ops) > _MOST_OPS:
        ops += f" and {len(group.ops) - _MOST_OPS} more operators"
    if group.taken:
        yield f"  taken{f' by {group.by}' if len(found.eps) > 1 else ''}: {ops}"
    else:
        by = f" to {group.by}" if group.by else ""
        yield f"  left{by}: {ops}: {group.reason}"
    if group.change:
        yield f"    Write in the blueprint: {group.change}"
    if group.command:
        yield f"    Run: {group.command}"
