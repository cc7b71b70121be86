"""A node beside what a library claims: is it taken, and if not, why not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from epforge.doctor.placement.choices import choose, version_of
from epforge.doctor.placement.usage import Used, used_by
from epforge.resolve.catalogue import Status
from epforge.validate.manifest import CustomOpClaim, Manifest, OpClaim
from epforge.validate.models.facts import NodeFact, is_custom, label

TAKEN = "taken"


@dataclass(frozen=True)
class Verdict:
    """What becomes of nodes that are alike.

    Args:
        code: why they are not taken; stable. "taken" if they are.
        reason: in words.
        change: what to change in the blueprint, in words, where no command does it.
        words: what ``epforge add op`` is told behind the operator's name; None where it is not
            the cure.
    """

    code: str
    reason: str = ""
    change: str = ""
    words: tuple[str, ...] | None = None

    @property
    def taken(self) -> bool:
        return self.code == TAKEN


def judge(node: NodeFact, manifest: Manifest, every: Used) -> Verdict:
    """Judges a node by a manifest: the operator, its version, its element types.

    Args:
        every: the types that all nodes of this operator in the model use.
    """
    if (node.domain, node.op) == ("", "Constant"):
        return Verdict("constant", "onnxruntime makes its nodes into constants beforehand")
    custom = manifest.custom_op(node.domain, node.op)
    if custom is not None:
        return _of_custom(node, custom)
    claims = [c for c in manifest.ops if (c.domain, c.op) == (node.domain, node.op)]
    version = version_of(node.domain, node.op, node.version)
    used = used_by(node, version)
    if not claims:
        return _unlisted(node, every, manifest.paradigm)
    since = version.since if version is not None else _latest(claims, node.version)
    claim = next((each for each in claims if each.since == since), None)
    if claim is None:
        return _other_version(node, every, since, claims, manifest.paradigm)
    lacking = {name: sorted(group - set(claim.types.get(name, ()))) for name, group in used.items()}
    for name, rest in lacking.items():
        if rest and name in claim.types:
            return _other_types(node, every, name, rest, claim, manifest.paradigm)
    if not claim.ready:
        return Verdict(
            "not-ready",
            "its kernel is yours, and a stub is not taken until it is written",
            f"Write the kernel of {label(node.domain, node.op)} in src/kernels, and set kReady.",
        )
    return Verdict(TAKEN)


def _latest(claims: list[OpClaim], opset: int | None) -> int:
    """Of an operator whose schema nobody knows: the newest version that suits."""
    fitting = [claim.since for claim in claims if opset is None or claim.since <= opset]
    return max(fitting, default=0)


def _of_custom(node: NodeFact, op: CustomOpClaim) -> Verdict:
    """A custom operator: whether it is right is judged elsewhere; here it is who computes it."""
    if op.kernel == "elsewhere":
        return Verdict("elsewhere", "the blueprint leaves its kernel to another library")
    for given, formal in ((node.inputs, op.inputs), (node.outputs, op.outputs)):
        for dtype, parameter in zip(given, formal, strict=False):
            takes = op.types.get(parameter.type, (parameter.type,))
            if dtype and dtype not in takes:
                return Verdict(
                    "types",
                    f"{dtype} as {parameter.name}; taken are {', '.join(takes)}",
                    f"In custom_ops, add {dtype} to the types of {op.name}.",
                )
    return Verdict(TAKEN)


def _unlisted(node: NodeFact, used: Used, paradigm: str) -> Verdict:
    if is_custom(node.domain):
        return Verdict(
            "not-claimed",
            "it is a custom operator of others",
            f"An entry of {label(node.domain, node.op)} in custom_ops makes it yours.",
        )
    if (node.domain, node.op) == ("com.microsoft", "EPContext"):
        return Verdict("compiled", "it is compiled already, for whoever compiled it")
    found = choose(node.domain, node.op, node.version, used, paradigm)
    if found.status is Status.IMPOSSIBLE:
        return Verdict("impossible", found.reason)
    if found.status is Status.STUB:
        return Verdict("stub", found.reason, words=found.words)
    return Verdict("not-claimed", "the blueprint does not list it", words=found.words)


def _other_version(
    node: NodeFact, used: Used, since: int, claims: list[OpClaim], paradigm: str
) -> Verdict:
    has = ", ".join(str(claim.since) for claim in claims)
    reason = f"opset {node.version} means its version {since}; taken are {has}"
    found = choose(node.domain, node.op, node.version, used, paradigm, listed=True)
    if found.status is Status.IMPOSSIBLE:
        return Verdict("version", f"{reason}; {found.reason}")
    if found.status is Status.STUB:
        return Verdict("version", f"{reason}; {found.reason}", words=found.words)
    return Verdict("version", reason, words=found.words)


def _other_types(
    node: NodeFact, used: Used, name: str, rest: list[str], claim: OpClaim, paradigm: str
) -> Verdict:
    takes = claim.types[name]
    reason = f"{', '.join(rest)} as {name}; taken are {', '.join(takes)}"
    wanted = [*takes, *sorted(used.get(name, frozenset(rest)) - set(takes))]
    both = {**used, name: frozenset(wanted)}
    found = choose(node.domain, node.op, node.version, both, paradigm)
    shown = f"types: {{{name}: [{', '.join(wanted)}]}}"
    if found.status is Status.IMPLEMENTED:
        return Verdict("types", reason, f"{{op: {label(node.domain, node.op)}, {shown}}}")
    if found.status is Status.STUB:
        entry = f"{{op: {label(node.domain, node.op)}, {shown}, kernel: yours}}"
        return Verdict("types", f"{reason}; {found.reason}", entry)
    return Verdict("types", f"{reason}; {found.reason}")


def by_catalogue(node: NodeFact, every: Used) -> Verdict:
    """Judges a node by what epforge could make: "taken" where it has a kernel of its own.

    Args:
        every: the types that all nodes of this operator in the model use.
    """
    if (node.domain, node.op) == ("", "Constant"):
        return Verdict("constant", "onnxruntime makes its nodes into constants beforehand")
    found = _unlisted(node, every, "kernel-registry")
    if found.code == "not-claimed" and found.words is not None:
        return replace(found, code=TAKEN, reason="epforge has a kernel for it")
    return found
