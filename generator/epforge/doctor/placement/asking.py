"""Asks onnxruntime to divide a model among libraries, in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from epforge.validate.models.facts import ModelFacts, NodeFact
from epforge.validate.process import Limits, run_worker

_LEFT = re.compile(r"does not take (?P<op>[\w.:-]+)-\d+: (?P<why>.*)")
_MOST_REASONS = 3


@dataclass(frozen=True)
class Asked:
    """What onnxruntime answered.

    Args:
        runtime: its version.
        eps: the execution providers that have a device.
        takers: per number of a node, who took it; a node of a function may have several.
        said: per operator, why the libraries say that they leave nodes of it.
        refused: why there was no session.
        unregistered: libraries that were not registered: (path, why).
        verdicts: (execution provider, what it says of a compiled model).
        ended: how the process ended, if not well.
    """

    runtime: str = ""
    eps: tuple[str, ...] = ()
    takers: Mapping[int, frozenset[str]] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    unregistered: tuple[tuple[str, str], ...] = ()
    verdicts: tuple[tuple[str, str], ...] = ()
    ended: str = ""


def ask(
    model: Path,
    facts: ModelFacts,
    plugins: Sequence[Path],
    custom_ops: Sequence[Path],
    limits: Limits | None = None,
) -> Asked:
    """Makes a session of a model with libraries; nothing is run.

    Args:
        facts: of the model, with numbers.
        plugins: the plugin EPs, in the order in which a session gets them.
        custom_ops: the custom-op libraries, likewise.
    """
    job = {
        "job": "placing",
        "model": str(model.absolute()),
        "plugins": [str(path.absolute()) for path in plugins],
        "custom_ops": [str(path.absolute()) for path in custom_ops],
        "compatibility": [list(pair) for pair in facts.compatibility],
    }
    run = run_worker(job, limits or Limits())
    takers: dict[int, set[str]] = {}
    for part in run.named("placed"):
        for number in part["numbers"]:
            takers.setdefault(int(number), set()).add(str(part["ep"]))
    return Asked(
        runtime=str(run.named("runtime")[0]["version"]) if run.named("runtime") else "",
        eps=tuple(str(ep) for each in run.named("registered") for ep in each["eps"]),
        takers={number: frozenset(eps) for number, eps in takers.items()},
        said=reasons(run.log, facts.nodes),
        refused=str(run.named("refused")[0]["text"]) if run.named("refused") else "",
        unregistered=tuple(
            (str(each["library"]), str(each["text"])) for each in run.named("unregistered")
        ),
        verdicts=tuple((str(v["ep"]), str(v["verdict"])) for v in run.named("verdict")),
        ended=run.ended,
    )


def reasons(log: Sequence[str], nodes: Sequence[NodeFact]) -> dict[str, str]:
    """Why libraries leave nodes, by operator: in the words of epforge's, else in what others log.

    Args:
        log: what was logged while the model was divided.
    """
    found: dict[str, list[str]] = {}
    for line in log:
        match = _LEFT.search(line)
        if match and match["why"] not in found.setdefault(match["op"], []):
            found[match["op"]].append(match["why"].strip()[:200])
    said = {op: "; ".join(each[:_MOST_REASONS]) for op, each in found.items()}
    others = {node.op: node.label for node in nodes if node.label not in said}
    if not others or said:
        return said
    from epforge.validate.worker.session import refusal_in

    lines = [line for line in log if any(op in line for op in others)]
    return {label: text for op, label in others.items() if (text := refusal_in(lines, op))}
