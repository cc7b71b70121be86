"""The operators of models, as far as the blueprint can have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epforge.blueprint import parse
from epforge.blueprint.diagnostic import visible
from epforge.resolve import analyse
from epforge.resolve.catalogue import Status
from epforge.resolve.wanted import Wanted
from epforge.starter.compose import blueprint_text
from epforge.starter.entries import entry, nodes
from epforge.starter.questions import STAND_INS, Value


@dataclass(frozen=True)
class Left:
    """An operator whose nodes stay on the CPU.

    Args:
        op: Relu, or com.microsoft::BiasGelu.
        nodes: how many there are.
        reason: why.
    """

    op: str
    nodes: int
    reason: str


def entries(found: Sequence[Wanted]) -> str:
    """The answer about operators with all of them, whatever the blueprint says beside them."""
    return "\n".join(map(entry, _had(found)))


def granted(found: Sequence[Wanted], answers: Mapping[str, Value]) -> tuple[str, tuple[Left, ...]]:
    """What of the models' operators the blueprint has with these answers.

    Args:
        found: the operators of the models.
        answers: to the other questions.

    Returns:
        the answer about operators: a line for each, those that stay on the CPU as comments; and
        what stays there.
    """
    had = _had(found)
    text = blueprint_text({**STAND_INS, **answers, "ops": entries(found)})
    analysis = analyse(parse(text, "blueprint.yaml"))
    refused: dict[str, str] = {}
    for problem in (*analysis.errors, *analysis.unsupported):
        for index, each in enumerate(had):
            if analysis.source.span("ops", index).line == problem.line:
                refused.setdefault(each.name, problem.message.removeprefix("ops: "))
    left = tuple(
        Left(visible(each.name), each.nodes, refused.get(each.name, visible(each.reason)))
        for each in found
        if each.status is Status.IMPOSSIBLE or each.name in refused
    )
    lines = [entry(each) for each in had if each.name not in refused]
    lines += [f"# {each.op}, {nodes(each.nodes)}, on the CPU: {each.reason}" for each in left]
    return "\n".join(lines), left


def _had(found: Sequence[Wanted]) -> list[Wanted]:
    return [each for each in found if each.status is not Status.IMPOSSIBLE]
