"""What a blueprint has to say of an operator, so that its nodes are taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from epforge.blueprint import BlueprintErrors, parse
from epforge.doctor.placement.usage import Used, spelt
from epforge.ops import schemas
from epforge.ops.model import SchemaVersion
from epforge.resolve import analyse
from epforge.resolve.catalogue import Status, entry
from epforge.resolve.model import KernelSource


@dataclass(frozen=True)
class Choice:
    """How an operator can be had.

    Args:
        status: a generated kernel, a stub to be written, or not at all.
        words: what ``epforge add op`` is told behind the operator's name.
        reason: why there is no generated kernel; empty if there is one.
    """

    status: Status
    words: tuple[str, ...] = ()
    reason: str = ""


def version_of(domain: str, op: str, opset: int | None) -> SchemaVersion | None:
    """The version of an operator's schema that models of an opset use; None where that is not
    known."""
    schema = schemas.find(domain, op)
    if schema is None or opset is None:
        return None
    older = [version for version in schema.versions if version.since <= opset]
    return older[-1] if older else None


def choose(
    domain: str, op: str, opset: int | None, used: Used, paradigm: str, listed: bool = False
) -> Choice:
    """How nodes can be had.

    Args:
        domain: "" is ai.onnx.
        opset: the version of the domain that the model imports.
        used: the element types of the nodes, per type constraint.
        paradigm: the blueprint's.
        listed: the blueprint has the operator, for other opsets.
    """
    there, version = entry(domain, op), version_of(domain, op, opset)
    if there is None:
        return Choice(Status.IMPOSSIBLE, reason="no schema of it is known")
    if there.status is Status.IMPOSSIBLE:
        return Choice(Status.IMPOSSIBLE, reason=there.reason)
    if version is None:
        return Choice(Status.IMPOSSIBLE, reason=f"it is in no version of opset {opset}")
    opsets = _opsets(domain, op, version.since)
    types = tuple(sorted((constraint, tuple(sorted(group))) for constraint, group in used.items()))
    usual = _resolved(_name(domain, op), (), paradigm)
    has = usual.versions.get(version.since, {})
    uncovered = tuple((name, group) for name, group in types if set(group) - set(has.get(name, ())))
    for words in _ways(uncovered, opsets, listed):
        found = _covers(domain, op, version.since, types, words, paradigm)
        if found is not None:
            reason = "" if found is Status.IMPLEMENTED else _why(domain, op, version.since, used)
            return Choice(found, words, reason)
    why = usual.problem or _why(domain, op, version.since, used)
    return Choice(Status.IMPOSSIBLE, reason=why)


Types = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class _Meaning:
    """What a blueprint with one entry means.

    Args:
        versions: per since-version, the element types per constraint.
        problem: why it means nothing.
    """

    status: Status
    versions: Mapping[int, Mapping[str, tuple[str, ...]]]
    problem: str = ""


def _name(domain: str, op: str) -> str:
    return f"{domain}::{op}" if domain else op


def _opsets(domain: str, op: str, since: int) -> str:
    """The opsets whose models use a version: "6-12", ">=14"; empty outside of ONNX's domain."""
    schema = schemas.find(domain, op)
    if schema is None or domain:
        return ""
    later = [version.since for version in schema.versions if version.since > since]
    return f"{since}-{later[0] - 1}" if later else f">={since}"


def _ways(types: Types, opsets: str, listed: bool) -> Iterator[tuple[str, ...]]:
    """What could be said, the shortest first."""
    named = tuple(w for name, group in types for w in ("--types", f"{name}={','.join(group)}"))
    models = ("--models", opsets) if opsets else ()
    yours = ("--kernel", "yours")
    if not listed:
        yield from ((), named, yours, (*named, *yours))
    yield from (models, (*models, *named), (*models, *yours), (*models, *named, *yours))


def _covers(
    domain: str, op: str, since: int, types: Types, words: tuple[str, ...], paradigm: str
) -> Status | None:
    """What becomes of nodes with a blueprint's entry; None when they are not covered."""
    found = _resolved(_name(domain, op), words, paradigm)
    has = found.versions.get(since)
    if has is None or any(set(group) - set(has.get(name, ())) for name, group in types):
        return None
    return found.status


@cache
def _resolved(name: str, words: tuple[str, ...], paradigm: str) -> _Meaning:
    said = dict(zip(words[::2], words[1::2], strict=True))
    keys = [f"op: {name}"]
    keys += [f"models: '{said['--models']}'"] if "--models" in said else []
    keys += ["kernel: yours"] if "--kernel" in said else []
    pairs = (word.split("=") for word, flag in zip(words[1::2], words[::2], strict=True)
             if flag == "--types")  # fmt: skip
    types = ", ".join(f"{constraint}: [{group}]" for constraint, group in pairs)
    keys += [f"types: {{{types}}}"] if types else []
    text = f"epforge: 1\nname: probe\nvendor: Probe\nparadigm: {paradigm}\n"
    try:
        analysis = analyse(parse(f"{text}ops:\n  - {{{', '.join(keys)}}}\n", "probe.yaml"))
    except BlueprintErrors as error:
        return _Meaning(Status.IMPOSSIBLE, {}, error.diagnostics[0].message)
    wrong = (*analysis.errors, *analysis.unsupported)
    if analysis.blueprint is None or wrong:
        return _Meaning(Status.IMPOSSIBLE, {}, wrong[0].message)
    for each in analysis.blueprint.claimed:
        own = each.kernel is KernelSource.GENERATED
        versions = {
            version.schema.since: {k: tuple(map(spelt, v)) for k, v in version.types.items()}
            for version in each.versions
        }
        return _Meaning(Status.IMPLEMENTED if own else Status.STUB, versions)
    return _Meaning(Status.IMPOSSIBLE, {})


def _why(domain: str, op: str, since: int, used: Used) -> str:
    """Why there is no generated kernel."""
    there = entry(domain, op)
    if there is None or there.status is not Status.IMPLEMENTED:
        return there.reason if there else ""
    version = next((each for each in there.versions if each.since == since), None)
    if version is None or not version.done:
        return f"no generated kernel of its version {since}"
    for name, group in used.items():
        able = {dtype.text for dtype in version.types.get(name, ())}
        rest = sorted(set(group) - able)
        if rest:
            return f"no generated kernel for {', '.join(rest)} as {name}"
    return "no generated kernel for it"
