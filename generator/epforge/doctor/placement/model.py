"""Who takes which nodes of a model, and why not the others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum


class How(StrEnum):
    """How it is known who takes a node."""

    ASKED = "asked"  # onnxruntime has divided the model
    CLAIMS = "claims"  # by what a library, or a blueprint, says of itself
    CATALOGUE = "catalogue"  # by what epforge has kernels for


@dataclass(frozen=True)
class Group:
    """Nodes with the same fate, for the same reason.

    Args:
        by: who takes them: an execution provider; empty where it is nobody, or not known.
        taken: by the one that the question is about.
        code: why not; stable. "taken" if they are.
        reason: in words.
        ops: (operator, nodes), the most frequent first.
        names: of the first of the nodes.
        change: what to change in the blueprint, in words.
        command: what does that; empty where no command does.
    """

    by: str
    taken: bool
    code: str
    reason: str
    ops: tuple[tuple[str, int], ...]
    names: tuple[str, ...] = ()
    change: str = ""
    command: str = ""

    @property
    def nodes(self) -> int:
        return sum(count for _, count in self.ops)

    def to_json(self) -> dict[str, object]:
        """For programs; the keys are stable."""
        ops = [{"op": op, "nodes": count} for op, count in self.ops]
        return {**asdict(self), "ops": ops, "names": list(self.names), "nodes": self.nodes}


@dataclass(frozen=True)
class Placement:
    """The nodes of a model.

    Args:
        source: whose taking it is: a library, a project, a blueprint; empty for the catalogue.
        eps: the execution providers that were asked, or that claim.
        runtime: the onnxruntime that divided the model.
        refused: what it said when it made no session.
        unregistered: libraries that it did not register: (file, its words).
        verdicts: (execution provider, what it says of a compiled model).
    """

    how: How
    source: str = ""
    eps: tuple[str, ...] = ()
    runtime: str = ""
    groups: tuple[Group, ...] = ()
    refused: str = ""
    unregistered: tuple[tuple[str, str], ...] = ()
    verdicts: tuple[tuple[str, str], ...] = ()

    @property
    def taken(self) -> int:
        return sum(group.nodes for group in self.groups if group.taken)

    @property
    def nodes(self) -> int:
        return sum(group.nodes for group in self.groups if group.code != "constant")

    def to_json(self) -> dict[str, object]:
        """For programs; the keys are stable."""
        return {
            "how": self.how.value,
            "source": self.source,
            "eps": list(self.eps),
            "runtime": self.runtime,
            "taken": self.taken,
            "nodes": self.nodes,
            "groups": [group.to_json() for group in self.groups],
            "refused": self.refused,
            "unregistered": [{"library": file, "text": text} for file, text in self.unregistered],
            "compatibility": [{"ep": ep, "verdict": text} for ep, text in self.verdicts],
        }
