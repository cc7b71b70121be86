"""The libraries that an application registers, taken together: whose domain counts, what is lost.

ONNX Runtime keeps one set of ops per domain and session: the first it gets. A plugin EP's domain
that comes second is passed over with a warning; a custom-op library's makes the session fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from epforge.validate.models.findings import Finding, Severity
from epforge.validate.models.offers import Offer, OpOffer
from epforge.validate.static import Kind


@dataclass(frozen=True)
class Given:
    """All offers, in the order in which a session gets the libraries."""

    offers: tuple[Offer, ...]

    @cached_property
    def registered(self) -> tuple[Offer, ...]:
        plugins: set[str] = set()  # the same plugin twice is one
        found = []
        for offer in self.offers:
            if offer.given and offer.file not in plugins:
                found.append(offer)
                if offer.kind is Kind.PLUGIN_EP:
                    plugins.add(offer.file)
        return tuple(found)

    @cached_property
    def possible(self) -> tuple[Offer, ...]:
        """What could be registered, too; what is registered under the same name is not again."""
        files = {offer.file for offer in self.registered}
        return tuple(o for o in self.offers if not o.given and o.file not in files)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Registered libraries that may offer anything."""
        return tuple(offer.file for offer in self.registered if not offer.known)

    def keeper(self, domain: str) -> Offer | None:
        """The library whose ops of a domain count."""
        return next((offer for offer in self.registered if domain in offer.domains), None)

    def named(self, op: str) -> list[OpOffer]:
        """The ops of one name in all domains, what is registered first."""
        found = [
            each for offer in (*self.registered, *self.possible) for each in offer.ops
            if each.op == op
        ]  # fmt: skip
        return list({each.domain: each for each in reversed(found)}.values())[::-1]

    def with_op(self, domain: str, op: str, offers: Sequence[Offer]) -> list[Offer]:
        return [offer for offer in offers if offer.versions(domain, op)]

    def newest(self, domain: str) -> int:
        """The newest version that an op of a domain begins with; 0 if the domain is unknown."""
        offers = (*self.registered, *self.possible)
        return max(
            (o.version for offer in offers for o in offer.ops if o.domain == domain), default=0
        )

    def conflicts(self) -> Iterator[Finding]:
        """What libraries do to each other, whatever the model."""
        first: dict[str, Offer] = {}
        for offer in self.registered:
            for domain in offer.domains:
                if domain in first:
                    yield from _conflict(domain, first[domain], offer)
                else:
                    first[domain] = offer


def _conflict(domain: str, first: Offer, second: Offer) -> Iterator[Finding]:
    kinds = (first.kind, second.kind)
    both = f"{first.file} and {second.file} both have the domain {domain}"
    plugin = next((o.file for o in (first, second) if o.kind is Kind.PLUGIN_EP), first.file)
    alone = f"Register {plugin} alone."
    if kinds == (Kind.CUSTOM_OPS, Kind.PLUGIN_EP):
        text = f"{both}: ONNX Runtime keeps the first and warns; the other way round it fails"
        yield Finding(Severity.WARNING, "domain-twice", domain, "", text, alone)
    elif second.kind is Kind.CUSTOM_OPS:
        text = f'{both}: ONNX Runtime makes no session, "Domain already set in registry"'
        if first.file == second.file:
            text = f'{first.file} is registered twice: no session, "Domain already set in registry"'
            alone = "Register it once."
        elif first.kind is Kind.CUSTOM_OPS:
            alone = "Register one of them, with all the ops."
        yield Finding(Severity.ERROR, "domain-twice", domain, "", text, alone)
        return
    lost = [op for op in names(second, domain) if op not in names(first, domain)]
    if lost:
        yield Finding(
            Severity.WARNING,
            "lost-op",
            domain,
            "",
            f"{both}, and ONNX Runtime takes the ops of the first: {', '.join(lost)} of "
            f"{second.file} {'is' if len(lost) == 1 else 'are'} lost",
            declare(domain, first, second),
        )


def names(offer: Offer, domain: str) -> tuple[str, ...]:
    """The ops of a library in a domain."""
    return tuple(dict.fromkeys(op.op for op in offer.ops if op.domain == domain))


def declare(domain: str, first: Offer, second: Offer) -> str:
    """The cure for two libraries with different ops of one domain."""
    return (
        f"In the blueprint of {first.file}, list the ops of {second.file} in custom_ops with "
        "`kernel: elsewhere`, and the other way round; or give each a domain of its own."
    )
