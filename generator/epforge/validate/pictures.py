"""Pictures of models: which nodes there were, and who took them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Node:
    """A node of a model.

    Args:
        ep: the execution provider that took it; empty where the runtime does not say.
        group: which of the parts that the model was divided into; -1 where that is not known.
        within: name of the node in whose subgraph it is; empty in the model's own graph.
    """

    name: str
    op: str
    ep: str
    group: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    within: str = ""


@dataclass(frozen=True)
class Picture:
    """A model that was divided.

    Args:
        label: the case that ran it.
    """

    label: str
    nodes: tuple[Node, ...]


def of_record(record: Mapping[str, Any]) -> Picture:
    """The picture that a worker has recorded, or that was kept."""
    return Picture(
        str(record["label"]),
        tuple(
            Node(
                str(node["name"]),
                str(node["op"]),
                str(node["ep"]),
                int(node["group"]),
                tuple(map(str, node["inputs"])),
                tuple(map(str, node["outputs"])),
                str(node["within"]),
            )
            for node in record["nodes"]
        ),
    )


def shown(
    lines: Iterable[tuple[str, str, tuple[Picture, ...]]],
) -> list[dict[str, object]]:
    """Pictures for programs: each once, with the cases that look like it; the keys are stable.

    Args:
        lines: version of the runtime, name of the check, and its pictures.
    """
    found: dict[tuple[str, tuple[Node, ...]], list[str]] = {}
    for runtime, check, pictures in lines:
        for picture in pictures:
            cases = found.setdefault((runtime, picture.nodes), [])
            cases.append(f"{check}/{picture.label}")
    return [
        {"runtime": runtime, "cases": cases, "nodes": [_plain(node) for node in nodes]}
        for (runtime, nodes), cases in found.items()
    ]


def _plain(node: Node) -> dict[str, object]:
    return {**asdict(node), "inputs": list(node.inputs), "outputs": list(node.outputs)}
