"""What is found in a model, and who takes care of its domains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"  # ONNX Runtime does not load the model, or cannot run it
    WARNING = "warning"  # it loads; or it cannot be told whether it does


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with some nodes.

    Args:
        code: what kind of thing; stable.
        domain: "" is ai.onnx.
        op: empty when it is about the whole domain.
        nodes: names of the first of them.
        count: how many nodes; 0 when it is about no node but about libraries.
        message: the reason, one line.
        hint: the cure, one line.
    """

    severity: Severity
    code: str
    domain: str
    op: str
    message: str
    hint: str
    nodes: tuple[str, ...] = ()
    count: int = 0

    @property
    def line(self) -> str:
        """The message, and of how many nodes it is true."""
        if not self.count:
            return self.message
        if self.count == 1:
            return f"{self.message} (node: {self.nodes[0]})"
        return f"{self.message} ({self.count} nodes, first: {self.nodes[0]})"


@dataclass(frozen=True)
class Domain:
    """A domain of the model.

    Args:
        version: as the model imports it; None: it does not.
        nodes: how many.
        by: what takes care of it, in words; empty when nothing does.
        fine: there is no error about it.
    """

    domain: str
    version: int | None
    nodes: int
    by: str
    fine: bool


@dataclass(frozen=True)
class Diagnosis:
    """Everything that was found.

    Args:
        untyped: why element types are only known as far as the model states them; mostly empty.
    """

    findings: tuple[Finding, ...]
    domains: tuple[Domain, ...]
    untyped: str = ""

    @property
    def fine(self) -> bool:
        """No error; there may be warnings."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)

    def to_json(self) -> dict[str, object]:
        """For programs; the keys are stable."""
        return {
            "findings": [asdict(finding) for finding in self.findings],
            "domains": [asdict(domain) for domain in self.domains],
        }


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Equal findings as one, errors first."""
    groups: dict[tuple[object, ...], Finding] = {}
    for one in findings:
        key = (one.severity, one.code, one.domain, one.op, one.message, one.hint)
        seen = groups.get(key)
        if seen is not None:
            names = (*seen.nodes, *one.nodes)[:20]
            one = Finding(
                seen.severity, seen.code, seen.domain, seen.op, seen.message, seen.hint,
                names, seen.count + one.count,
            )  # fmt: skip
        groups[key] = one
    return tuple(sorted(groups.values(), key=lambda each: each.severity is not Severity.ERROR))
