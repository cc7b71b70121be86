"""What a model asks for beside what libraries offer: one reason per node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from epforge.validate.models.facts import CONTEXT_OP, ModelFacts, NodeFact
from epforge.validate.models.findings import Diagnosis, Domain, Finding, Severity, merged
from epforge.validate.models.given import Given, declare, names
from epforge.validate.models.offers import Offer, OpOffer
from epforge.validate.models.signature import against
from epforge.validate.static import Kind

_NEWEST = 1000  # of any domain that is not ONNX's, to ONNX Runtime


def judge(facts: ModelFacts, offers: Sequence[Offer]) -> Diagnosis:
    """Finds what is wrong.

    Args:
        facts: the model.
        offers: the libraries that the application registers, in the order in which its session
            gets them, and those that it could register.
    """
    given = Given(tuple(offers))
    found: list[Finding] = list(given.conflicts())
    if facts.cycle:
        found.append(_cycle(facts.cycle))
    for node in facts.nodes:
        found += _Judge(given, node).findings()
    findings = merged(found)
    return Diagnosis(findings, tuple(_domains(facts, given, findings)), facts.untyped)


def _cycle(cycle: Sequence[str]) -> Finding:
    domain, _, op = cycle[0].rpartition("::")
    text = f"functions of the model call each other in a circle: {' -> '.join((*cycle, cycle[0]))}"
    cure = "ONNX allows no recursive functions: export again without."
    return Finding(Severity.ERROR, "recursive-function", domain, op, text, cure)


class _Judge:
    """One node (or several alike) at a time."""

    def __init__(self, given: Given, node: NodeFact) -> None:
        self._given = given
        self._node = node

    def findings(self) -> Iterator[Finding]:
        """The one reason against the node; warnings about its domain."""
        node = self._node
        if node.op == CONTEXT_OP and node.domain == "com.microsoft":
            found = self._context()
        elif node.version is None and (node.function or node.inside):
            found = self._not_imported()
        elif node.function:
            found = None
        elif not node.domain:
            found = self._default_domain()
        else:
            found = self._custom()
        if found is not None:
            yield found
        if found is None or found.severity is not Severity.ERROR:
            yield from self._newer()

    def _finding(
        self, code: str, message: str, hint: str, severity: Severity = Severity.ERROR
    ) -> Finding:
        node = self._node
        return Finding(severity, code, node.domain, node.op, message, hint, node.names, node.count)

    def _perhaps(self, code: str, message: str, hint: str) -> Finding:
        """An error, unless a library without a manifest may be the cure."""
        unknown = self._given.unknown
        if not unknown:
            return self._finding(code, message, hint)
        message += f"; what {_and(unknown)} offers cannot be told, there is no manifest beside it"
        return self._finding(code, message, hint, Severity.WARNING)

    def _not_imported(self, *, loads: bool = False) -> Finding:
        node = self._node
        version = self._given.newest(node.domain) or (1 if node.domain else 17)
        importer = "a function with it" if node.inside else "the model"
        entry = f'onnx.helper.make_opsetid("{node.domain}", {version})'
        message = (
            f"{node.label} is used, but {importer} does not import the domain "
            f"{node.domain or 'ai.onnx'}"
        )
        hint = f"Add {entry} to the opset_import; exporters do it when they are told the version."
        if not loads:
            return self._finding("domain-not-imported", message, hint)
        message += ": ONNX Runtime loads it with the newest version there is, others do not"
        return self._finding("domain-not-imported", message, hint, Severity.WARNING)

    def _default_domain(self) -> Finding | None:
        node, named = self._node, self._given.named(self._node.op)
        if named:
            return self._wrong_domain(named)
        if node.since is None:
            return None
        if node.since:
            return self._finding(
                "version-too-old",
                f"{node.op} is in ONNX from version {node.since} on, the model imports "
                f"{node.version}",
                f"Export again with opset {node.since} or newer.",
            )
        return self._finding(
            "unknown-op",
            f"{node.op} has no domain, and neither ONNX nor a library that was given has an op of "
            "that name",
            "Export again with the domain of the op, and name the library that has it: --library.",
        )

    def _wrong_domain(self, named: Sequence[OpOffer]) -> Finding:
        node, right = self._node, named[0]
        offered = _and([op.label for op in named])
        hint = (
            f"Export again with the op as {right.label}; or in the model set the node's domain to "
            f'"{right.domain}" and import its version {right.version}.'
        )
        if node.domain:
            message = f"nobody offers {node.label}; it is {offered} that is offered"
            return self._perhaps("wrong-domain", message, hint)
        version = "" if node.version is None else f" {node.version}"
        message = f"{node.op} has no domain, and ONNX{version} has no {node.op}; {offered} is meant"
        return self._finding("wrong-domain", message, hint)

    def _custom(self) -> Finding | None:
        node, given = self._node, self._given
        keeper = given.keeper(node.domain)
        with_op = given.with_op(node.domain, node.op, (*given.registered, *given.possible))
        if not with_op:
            return self._unknown()
        if keeper is None or not keeper.versions(node.domain, node.op):
            others = given.with_op(node.domain, node.op, given.registered)
            if keeper is not None and others:
                return self._lost(keeper, others[0])
            return self._missing(with_op, keeper)
        if node.version is None:
            # ONNX Runtime itself imports the domains of what is registered.
            return self._kernel(keeper, _NEWEST) or self._not_imported(loads=True)
        return self._version(keeper, node.version) or self._kernel(keeper, node.version)

    def _unknown(self) -> Finding:
        node, given = self._node, self._given
        named = given.named(node.op)
        everyone = (*given.registered, *given.possible)
        holder = next((offer for offer in everyone if node.domain in offer.domains), None)
        if named:
            return self._wrong_domain(named)
        if node.version is None:
            return self._not_imported()
        if holder is None:
            return self._perhaps(
                "unknown-op",
                f"no library that was given offers {node.label}",
                "Name the library that the application registers for it: --library LIB, or the "
                "project that makes it: --project DIR.",
            )
        ops = names(holder, node.domain)
        close = get_close_matches(node.op, ops, n=1)
        meant = f"Is {node.domain}::{close[0]} meant? " if close else ""
        return self._perhaps(
            "unknown-op",
            f"{node.label} is in no library: {holder.file} has the domain, with {_and(ops)}",
            f"{meant}Use a library that is as new as the model, or export again.",
        )

    def _lost(self, keeper: Offer, other: Offer) -> Finding:
        node = self._node
        return self._finding(
            "lost-op",
            f"{node.label} of {other.file} is lost: ONNX Runtime takes the domain {node.domain} "
            f"from {keeper.file} alone, which comes first",
            declare(node.domain, keeper, other),
        )

    def _missing(self, with_op: Sequence[Offer], keeper: Offer | None) -> Finding:
        node, given = self._node, self._given
        able = [o for o in with_op if o.computes(node.domain, node.op)] or list(with_op)
        libraries = [offer for offer in able if offer.kind is Kind.CUSTOM_OPS]
        instead = f" instead of {keeper.file}, which has the domain without it" if keeper else ""
        cure = "; or ".join(offer.cure for offer in (*libraries, *_plugins(able)))
        cure = f"{cure[:1].upper()}{cure[1:]}{instead}."
        if libraries:
            others = (
                "no library that was given offers it" if given.registered else "it was not given"
            )
            return self._perhaps(
                "missing-library",
                f"{node.label} is an op of {libraries[0].file}, and {others}",
                cure,
            )
        return self._perhaps(
            "missing-ep",
            f"{node.label} is computed by {_and([offer.ep for offer in able])} alone, and no "
            "library of it was given",
            cure,
        )

    def _version(self, keeper: Offer, version: int) -> Finding | None:
        node = self._node
        oldest = keeper.versions(node.domain, node.op)[0].version
        if version < oldest:
            return self._finding(
                "version-too-old",
                f"{node.label} is there from version {oldest} of its domain on, the model imports "
                f"version {version}",
                f"Export again with version {oldest} of {node.domain}.",
            )
        if version > _NEWEST:
            return self._finding(
                "version-too-new",
                f"the model imports version {version} of {node.domain}; ONNX Runtime takes none "
                f"above {_NEWEST}",
                f"Export again with version {self._given.newest(node.domain)} of {node.domain}.",
            )
        return None

    def _kernel(self, keeper: Offer, version: int) -> Finding | None:
        node, given = self._node, self._given
        versions = keeper.versions(node.domain, node.op)
        op = [each for each in versions if each.version <= version][-1]
        if op.elsewhere and not _elsewhere(given, node.domain, node.op):
            able = [o for o in given.possible if o.computes(node.domain, node.op)]
            cure = "; or ".join(offer.cure for offer in _plugins(able))
            who = f" ({_and([offer.ep for offer in _plugins(able)])})" if cure else ""
            return self._perhaps(
                "missing-ep",
                f"{node.label} is known to {keeper.file}, which leaves computing it to another "
                f"library{who}, and that was not given",
                f"{cure[:1].upper()}{cure[1:]}."
                if cure
                else "Register the plugin EP that computes it, too.",
            )
        return against(node, op)

    def _newer(self) -> Iterator[Finding]:
        """Newer than any op: ONNX Runtime does not mind, but the model may mean other ops."""
        node, keeper = self._node, self._given.keeper(self._node.domain)
        if keeper is None or node.function or node.version is None:
            return
        newest = max(op.version for op in keeper.ops if op.domain == node.domain)
        if node.version <= newest:
            return
        text = (
            f"the model imports version {node.version} of {node.domain}, {keeper.file} has ops up "
            f"to version {newest}: ONNX Runtime loads it and runs those, though the model may "
            "have been made for others"
        )
        hint = f"Use a newer library, or export with version {newest} if that is what is meant."
        finding = self._finding("version-newer", text, hint, Severity.WARNING)
        yield replace(finding, op="")

    def _context(self) -> Finding | None:
        node, given = self._node, self._given
        registered = [offer.ep for offer in given.registered if offer.kind is Kind.PLUGIN_EP]
        if not node.source:
            return self._finding(
                "missing-ep",
                "a compiled node (EPContext) does not say which execution provider it is for",
                "Register the one that compiled the model; newer compilers write it down.",
                Severity.WARNING,
            )
        if node.source in registered:
            return None
        able = [o for o in _plugins(given.possible) if o.ep == node.source]
        cure = able[0].cure if able else f"register the plugin library of {node.source}"
        has = f"; given are {_and(list(filter(None, registered)))}" if any(registered) else ""
        return self._perhaps(
            "missing-ep",
            f"a compiled node (EPContext) is for {node.source}, and no library of it was given"
            f"{has}",
            f"{cure[:1].upper()}{cure[1:]}; nothing else can run what it compiled.",
        )


def _plugins(offers: Sequence[Offer]) -> list[Offer]:
    return [offer for offer in offers if offer.kind is Kind.PLUGIN_EP]


def _elsewhere(given: Given, domain: str, op: str) -> list[Offer]:
    """The plugin EPs that compute an op of a domain that another library holds."""
    return [offer for offer in _plugins(given.registered) if offer.computes(domain, op)]


def _and(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _domains(facts: ModelFacts, given: Given, findings: Sequence[Finding]) -> Iterator[Domain]:
    """Each domain of the model, and what takes care of it."""
    groups: dict[str, list[NodeFact]] = {}
    for node in facts.nodes:
        groups.setdefault(node.domain, []).append(node)
    for domain, nodes in groups.items():
        bad = any(f.domain == domain and f.severity is Severity.ERROR for f in findings)
        by: list[str] = []
        if any(node.function for node in nodes):
            by.append("functions of the model itself")
        for source in dict.fromkeys(node.source for node in nodes if node.source):
            by += [f"{o.file} ({o.what})" for o in _plugins(given.registered) if o.ep == source]
        keeper = given.keeper(domain)
        if keeper is not None and any(not node.function for node in nodes):
            by.append(f"{keeper.file} ({keeper.what})")
            others = [
                offer.file
                for node in nodes
                if any(op.elsewhere for op in keeper.versions(domain, node.op))
                for offer in _elsewhere(given, domain, node.op)
            ]
            if others:
                by.append(f"kernels of {_and(list(dict.fromkeys(others)))}")
        version = next((node.version for node in nodes if node.version is not None), None)
        count = sum(node.count for node in nodes)
        yield Domain(domain, version, count, ", ".join(by), not bad)
