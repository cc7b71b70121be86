"""Which nodes of a model an execution provider takes, and why not the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from epforge.doctor.model import command
from epforge.doctor.placement.asking import Asked
from epforge.doctor.placement.choices import version_of
from epforge.doctor.placement.claims import TAKEN, Verdict, by_catalogue, judge
from epforge.doctor.placement.model import Group, How, Placement
from epforge.doctor.placement.usage import Used, used_by
from epforge.validate.manifest import Manifest
from epforge.validate.models.facts import NodeFact

__all__ = ["Asked", "Group", "How", "Placement", "by_claims", "could_be", "divided"]

_MOST_NAMES = 3
_ORDER = (TAKEN, "not-claimed", "types", "version", "not-ready", "stub", "refused")


@dataclass(frozen=True)
class _Part:
    """Some of the nodes of a fact, with their fate."""

    node: NodeFact
    count: int
    by: str
    verdict: Verdict


def by_claims(
    nodes: Sequence[NodeFact], manifest: Manifest, source: str, where: Sequence[str]
) -> Placement:
    """By what a library or a blueprint claims.

    Args:
        nodes: all of a model.
        source: what the manifest is of.
        where: what tells ``epforge add`` where to add: ("--project", "my-ep"); empty if nothing.
    """
    every = _every(nodes)
    parts = [
        _Part(node, node.count, manifest.ep if verdict.taken else "", verdict)
        for node in nodes
        if not node.function
        for verdict in (judge(node, manifest, every[_key(node)]),)
    ]
    return Placement(How.CLAIMS, source, manifest.eps, groups=tuple(_groups(parts, where)))


def could_be(nodes: Sequence[NodeFact], model: str) -> Placement:
    """By what epforge could make of a blueprint.

    Args:
        nodes: all of a model.
        model: its path.
    """
    every = _every(nodes)
    parts = [
        _Part(node, node.count, "", by_catalogue(node, every[_key(node)]))
        for node in nodes
        if not node.function
    ]
    groups = _groups(parts, ("--file", "blueprint.yaml"))
    write = command("epforge", "ops", "from-model", model)
    return Placement(
        How.CATALOGUE,
        groups=tuple(replace(g, command=write) if g.taken else g for g in groups),
    )


def divided(
    nodes: Sequence[NodeFact],
    asked: Asked,
    manifest: Manifest | None,
    source: str,
    where: Sequence[str],
) -> Placement:
    """By what onnxruntime answered; reasons are the manifest's or the libraries' own.

    Args:
        nodes: all of a model, with numbers.
        manifest: what the library claims; None without one.
        source: the libraries.
        where: as for `by_claims`.
    """
    every = _every(nodes)
    parts: list[_Part] = []
    for node in nodes:
        counts: Counter[str] = Counter()
        for number in node.numbers:
            takers = asked.takers.get(number, frozenset())
            others = sorted(takers - set(asked.eps))  # of several copies the one that is left
            counts[(others or sorted(takers) or [""])[0]] += 1
        claimed = judge(node, manifest, every[_key(node)]) if manifest else None
        for by, count in counts.items():
            if not by and (node.function or asked.refused):
                continue  # what is in the function counts
            parts.append(_Part(node, count, by, _fate(node, by, asked, claimed)))
    return Placement(
        how=How.ASKED,
        source=source,
        eps=asked.eps,
        runtime=asked.runtime,
        groups=tuple(_groups(parts, where)),
        refused=asked.refused or asked.ended,
        unregistered=asked.unregistered,
        verdicts=asked.verdicts,
    )


def _fate(node: NodeFact, by: str, asked: Asked, claimed: Verdict | None) -> Verdict:
    if by in asked.eps:
        return Verdict(TAKEN)
    if not by:
        what = "onnxruntime makes its nodes into constants, or does away with them"
        return Verdict("constant", what)
    if claimed is not None and not claimed.taken and claimed.code != "constant":
        return claimed
    silent = "the library does not say why" if asked.eps else "no library has a device here"
    return Verdict("refused", asked.said.get(node.label, silent))


def _key(node: NodeFact) -> tuple[str, str, int | None]:
    return node.domain, node.op, node.version


def _every(nodes: Iterable[NodeFact]) -> Mapping[tuple[str, str, int | None], Used]:
    """The element types that all nodes of an operator use."""
    found: dict[tuple[str, str, int | None], dict[str, frozenset[str]]] = {}
    for node in nodes:
        known = found.setdefault(_key(node), {})
        version = version_of(node.domain, node.op, node.version)
        for name, group in used_by(node, version).items():
            known[name] = known.get(name, frozenset()) | group
    return found


def _groups(parts: Iterable[_Part], where: Sequence[str]) -> list[Group]:
    """Nodes of the same fate together; what is taken first, then what a command takes."""
    by_fate: dict[tuple[str, str, str], list[_Part]] = {}
    for part in parts:
        fate = (part.by, part.verdict.code, part.verdict.reason)
        by_fate.setdefault(fate, []).append(part)
    groups = [_group(found, where) for found in by_fate.values()]

    def order(group: Group) -> tuple[int, int]:
        known = group.code in _ORDER
        return (_ORDER.index(group.code) if known else len(_ORDER), -group.nodes)

    return sorted(groups, key=order)


def _group(parts: Sequence[_Part], where: Sequence[str]) -> Group:
    first = parts[0]
    ops: Counter[str] = Counter()
    for part in parts:
        ops[part.node.label] += part.count
    names = [name for part in parts for name in part.node.names][:_MOST_NAMES]
    changes = dict.fromkeys(part.verdict.change for part in parts if part.verdict.change)
    return Group(
        by=first.by,
        taken=first.verdict.taken,
        code=first.verdict.code,
        reason=first.verdict.reason,
        ops=tuple(ops.most_common()),
        names=tuple(names),
        change="; ".join(changes),
        command=" && ".join(_commands(parts, where)) if where else "",
    )


def _commands(parts: Sequence[_Part], where: Sequence[str]) -> Iterator[str]:
    """The commands that add the operators, those that are told the same in one."""
    told: dict[str, tuple[str, ...]] = {}
    for part in parts:
        if part.verdict.words is not None:
            told.setdefault(part.node.label, part.verdict.words)
    same: dict[tuple[str, ...], list[str]] = {}
    for label, words in told.items():
        same.setdefault(words, []).append(label)
    for words, labels in same.items():
        yield command("epforge", "add", "op", *labels, *words, *where)
