"""Makes a graph that fails smaller, as long as it fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from epforge.validate.worker.fuzz.draw import computed
from epforge.validate.worker.fuzz.graph import PLAIN, Graph, Input

_MOST_TRIES = 120


def shrunk(graph: Graph, fails: Callable[[Graph], bool]) -> Graph:
    """The smallest graph found that fails."""
    tries = 0
    smaller = True
    while smaller:
        smaller = False
        for candidate in candidates(graph):
            tries += 1
            if tries > _MOST_TRIES:
                return graph
            if fails(candidate):
                graph, smaller = candidate, True
                break
    return graph


def candidates(graph: Graph) -> Iterator[Graph]:
    """Graphs that are a step simpler, the simplest first."""
    if len(graph.outputs) > 1:
        for name in graph.outputs:
            yield graph.pruned([name])
    if graph.form != PLAIN:
        yield replace(graph, form=PLAIN)
    if graph.level:
        yield replace(graph, level=0)
    if graph.through:
        yield replace(graph, through=frozenset())
    if len(graph.steps) > 1:
        for step in reversed(graph.steps):  # the last of them alone
            yield from _from(graph, tuple(step.made.values()))
        yield from _without(graph)


def _from(graph: Graph, values: tuple[str, ...]) -> Iterator[Graph]:
    """What makes some values, and nothing else."""
    found = graph.pruned(values)
    if len(found.steps) < len(graph.steps):
        yield found


def _without(graph: Graph) -> Iterator[Graph]:
    """The graph without one of its nodes: what that makes is an input."""
    everything = replace(graph, form=PLAIN, outputs=graph.values).model()
    results = computed(everything, graph.feeds)
    if results is None:
        return
    values = dict(zip(graph.values, results, strict=True))
    for step in graph.steps[:-1]:
        left = tuple(each for each in graph.steps if each is not step)
        fresh = {
            name: Input(values[name], tuple(values[name].shape)) for name in step.made.values()
        }
        outputs = tuple(name for name in graph.outputs if name not in fresh)
        if outputs:
            fewer = replace(graph, steps=left, inputs={**graph.inputs, **fresh})
            yield fewer.pruned(outputs)
