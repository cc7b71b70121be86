"""Job of rung `graphs`: models of several nodes, divided between the library and the CPU."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from epforge.validate.cases.model import Array
from epforge.validate.worker import compare, host, session, sketch
from epforge.validate.worker.blocks import FOREIGN, NONE, Blocks, choose
from epforge.validate.worker.case import Cases, NotCheckedError
from epforge.validate.worker.hostlog import Log, complaints, in_runtime
from epforge.validate.worker.records import Records
from epforge.validate.worker.sketch import Sketch

Feeds = Mapping[str, Array]
Draw = Callable[[Sketch], None]
_LENGTHS = (1, 16, 1, 3)
_THREADS = 4
_WARNING = 2


def run(job: Mapping[str, Any], records: Records) -> None:
    """Runs every case that is not in ``job["skip"]`` and records how each went; those of
    ``job["only"]`` alone, if there is such a list."""
    import onnxruntime

    with host.at_work(job, records) as found:
        if not found:
            records.write("error", type="NoDevice", text=f"no device of {job['ep']}")
            return
        onnxruntime.set_default_logger_severity(_WARNING)
        blocks = blocks_of(job, found[0])
        if not blocks.any:
            records.write("error", type="NoBlocks", text=NONE)
            return
        bench = Bench(found, blocks, str(job["ep"]), bool(job["declared"]), Log(job["stderr"]))
        cases = Cases(job, records)
        only = job.get("only")
        for label, check in _cases(bench):
            if only and label not in only:
                continue
            bench.declared, bench.picture = set(), []
            cases.run(label, check)
            if bench.declared:
                records.write("placement", label=label, **bench.placement())
            if bench.picture:
                records.write("picture", label=label, nodes=bench.picture)
        if not only:
            cases.run("sessions/two registrations", lambda: _two_registrations(bench, job))


def blocks_of(job: Mapping[str, Any], device: host.Device) -> Blocks:
    """What graphs for this library are built of."""
    blocks = chosen(job["claims"])
    for wanted in FOREIGN:
        drawn = Sketch(replace(blocks, foreign=wanted))
        drawn.output(drawn.foreign(drawn.input()))
        try:
            made = open_model(drawn, [device])
        except Exception:  # neither the library nor the CPU computes it in this opset
            continue
        if not any(part.ep_name == job["ep"] for part in made.get_provider_graph_assignment_info()):
            return replace(blocks, foreign=wanted)
    return blocks


def chosen(claims: Sequence[Mapping[str, Any]]) -> Blocks:
    """What graphs for this library are built of, without what it leaves to the CPU."""
    return choose(claims, session.newest_opset(), _computed)


def _computed(blocks: Blocks, op: str) -> bool:
    """Does the CPU compute it?"""
    drawn = Sketch(blocks)
    x = drawn.input()
    drawn.output(drawn.node(op, *([x, x] if op in blocks.binary else [x])))
    try:
        open_model(drawn)
    except Exception:  # the runtime has no class of its own for that
        return False
    return True


def open_model(
    drawn: Sketch, devices: Sequence[host.Device] = (), config: Mapping[str, Any] | None = None
) -> Any:
    """A session for a sketch, on the devices or on the CPU alone.

    Args:
        config: members of the session's options to set.
    """
    import onnxruntime

    options = session.options(fallback=True)
    options.log_severity_level = _WARNING
    for name, value in (config or {}).items():
        setattr(options, name, value)
    if devices:
        options.add_provider_for_devices(list(devices), {})
    data = drawn.model().SerializeToString()
    providers = None if devices else ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(data, options, providers=providers, enable_fallback=0)


@dataclass
class Bench:
    """The library beside the CPU.

    Args:
        strict: what the library claims it must take.
    """

    devices: list[host.Device]
    blocks: Blocks
    ep: str
    strict: bool
    log: Log
    taken: list[str] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    groups: int = 0
    picture: list[dict[str, object]] = field(default_factory=list)

    def draw(self, drawing: Draw) -> Sketch:
        drawn = Sketch(self.blocks)
        drawing(drawn)
        return drawn

    def placement(self) -> dict[str, int]:
        """Of the last graph: declared nodes, how many of them were taken, in how many groups."""
        taken = self.declared.intersection(self.taken)
        return {"declared": len(self.declared), "taken": len(taken), "groups": self.groups}

    def compare(
        self, drawing: Draw, lengths: Iterable[int] = (2,), config: Mapping[str, Any] | None = None
    ) -> str:
        """What is wrong with a graph's placement, numbers and log, run with inputs of several
        lengths one after the other in one session."""
        drawn = self.draw(drawing)
        feeds = [drawn.feeds(length, seed) for seed, length in enumerate(lengths)]
        return self.compare_feeds(drawn, feeds, config)

    def compare_feeds(
        self, drawn: Sketch, feeds: Sequence[Feeds], config: Mapping[str, Any] | None = None
    ) -> str:
        start = self.log.mark()
        reference = open_model(drawn, (), config)
        expected = [reference.run(None, dict(feed)) for feed in feeds]
        usual, start = self.log.since(start), self.log.mark()
        made = open_model(drawn, self.devices, config)
        self.look_at(made, drawn)
        renamed = "graph_optimization_level" in (config or {})
        if renamed:  # and others are gone
            self.picture = []
        wrong = run_all(made, feeds, expected)
        said = complaints(self.log.since(start), usual, in_runtime)
        if said:
            return f"onnxruntime says: {said[0][:300]}"
        return wrong if renamed else self._misplaced(made) or wrong

    def look_at(self, made: Any, drawn: Sketch) -> None:
        parts = made.get_provider_graph_assignment_info()
        ours = [part for part in parts if part.ep_name == self.ep]
        self.taken = [node.name for part in ours for node in part.get_nodes()]
        self.declared, self.groups = drawn.declared, len(ours)
        owners: dict[str, set[tuple[str, int]]] = {}
        for index, part in enumerate(parts):
            for node in part.get_nodes():
                owners.setdefault(node.name, set()).add((part.ep_name, index))
        self.picture = list(pictured(drawn.graph(), owners))

    def _misplaced(self, made: Any) -> str:
        """The first declared node that another provider got."""
        if not self.strict:
            return ""
        for part in made.get_provider_graph_assignment_info():
            for node in part.get_nodes() if part.ep_name != self.ep else ():
                if node.name in self.declared:
                    return f"{node.op_type} is declared, but left to {part.ep_name}"
        return ""


def pictured(
    graph: Any, owners: Mapping[str, Collection[tuple[str, int]]], within: str = ""
) -> Iterator[dict[str, object]]:
    """The nodes of a graph and of the graphs inside it, for a record.

    Args:
        graph: an onnx.GraphProto.
        owners: who took the nodes of a name, and in which parts of the model.
        within: name of the node that the graph belongs to.
    """
    for node in graph.node:
        taken = owners.get(node.name, ())
        eps, groups = {ep for ep, _ in taken}, {group for _, group in taken}
        yield {
            "name": node.name,
            "op": f"{node.domain}::{node.op_type}" if node.domain else node.op_type,
            "ep": min(eps) if len(eps) == 1 else "",
            "group": min(groups) if len(groups) == 1 else -1,
            "inputs": [name for name in node.input if name],
            "outputs": list(node.output),
            "within": within,
        }
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from pictured(attribute.g, owners, node.name)


def run_all(made: Any, feeds: Sequence[Feeds], expected: Sequence[Sequence[Array]]) -> str:
    """What is wrong with the results of one run after the other: each must be right, and stay so
    while the others run; the inputs must not change."""
    results = []
    for feed, wanted in zip(feeds, expected, strict=True):
        given = {name: np.copy(value) for name, value in feed.items()}
        results.append(made.run(None, given))
        changed = [name for name, value in feed.items() if not np.array_equal(given[name], value)]
        if changed:
            return f"run {len(results)} changes its input {changed[0]}"
        wrong = _missing(results[-1]) or compare.difference(results[-1], wanted)
        if wrong:
            return f"run {len(results)}{_shapes(feed)}: {wrong}" if len(feeds) > 1 else wrong
    for number, (result, wanted) in enumerate(zip(results, expected, strict=True), 1):
        if compare.difference(result, wanted):
            return f"a later run changes the result of run {number}"
    return ""


def _missing(results: Sequence[Array | None]) -> str:
    lacking = [str(index) for index, one in enumerate(results) if one is None]
    return f"output {lacking[0]} is never computed" if lacking else ""


def _shapes(feed: Feeds) -> str:
    return f" with {', '.join(f'{name}{list(value.shape)}' for name, value in feed.items())}"


# ---- cases: line of the report / what it is ----


def _cases(bench: Bench) -> Iterable[tuple[str, Callable[[], str]]]:
    def compare(drawing: Draw, *lengths: int, **config: object) -> Callable[[], str]:
        return lambda: bench.compare(drawing, lengths or (2,), config)

    for name, drawing in sketch.PARTITIONS.items():
        yield f"partitions/{name}", compare(drawing)
        yield f"partitions/{name}, optimised", compare(drawing, graph_optimization_level=_all())
    yield "inputs/overridable initializer", lambda: _overridden(bench)
    yield "inputs/absent optional", compare(sketch.absent)
    yield "shapes/rank 0", compare(sketch.scalar)
    yield "shapes/zero size", compare(sketch.chain, 0)
    yield "shapes/zero size through two parts", compare(sketch.parts, 0)
    yield "shapes/batch 1, 16, 1, 3", compare(sketch.chain, *_LENGTHS)
    yield "shapes/batch 1, 16, 1, 3 through two parts", compare(sketch.parts, *_LENGTHS)
    yield f"shapes/batch 1, 16, 1, 3 on {_THREADS} threads", lambda: _threads(bench)
    yield "subgraphs/loop in a loop", compare(sketch.loops)
    yield "subgraphs/both branches", compare(sketch.branch)
    divided = sketch.parts if bench.blocks.foreign else sketch.chain
    for pattern, reuse in itertools.product((True, False), repeat=2):
        name = f"buffers/8, 1, 8 with pattern {_on(pattern)}, reuse {_on(reuse)}"
        settings = {"enable_mem_pattern": pattern, "enable_mem_reuse": reuse}
        yield name, compare(divided, 8, 1, 8, **settings)
    yield "sessions/two at once", lambda: _two_sessions(bench)
    yield "sessions/the same model twice", lambda: _same_model(bench)


def _all() -> Any:
    import onnxruntime

    return onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL


def _on(flag: bool) -> str:
    return "on" if flag else "off"


def _overridden(bench: Bench) -> str:
    drawn = bench.draw(sketch.overridable)
    given = drawn.feeds()
    usual = {name: value for name, value in given.items() if name != "W"}
    return bench.compare_feeds(drawn, [usual, given, usual])


def _threads(bench: Bench) -> str:
    drawn = bench.draw(sketch.chain)
    made = open_model(drawn, bench.devices)
    reference = open_model(drawn)
    bench.look_at(made, drawn)

    def work(seed: int) -> str:
        feeds = [drawn.feeds(length, seed) for length in _LENGTHS * 3]
        return run_all(made, feeds, [reference.run(None, feed) for feed in feeds])

    return _at_once([partial(work, seed) for seed in range(_THREADS)])


def _two_sessions(bench: Bench) -> str:
    """Two models at once, then the second when the first is gone."""
    drawn = [bench.draw(sketch.chain), bench.draw(sketch.fan_out)]
    feeds = [[one.feeds(length, 1) for length in _LENGTHS] for one in drawn]
    expected = [_expected(one, some) for one, some in zip(drawn, feeds, strict=True)]
    made = [open_model(one, bench.devices) for one in drawn]
    bench.look_at(made[0], drawn[0])
    wrong = _at_once([partial(run_all, made[i], feeds[i], expected[i]) for i in (0, 1)])
    del made[0]
    gc.collect()
    return wrong or run_all(made[0], feeds[1], expected[1])


def _same_model(bench: Bench) -> str:
    """A model twice: the first session goes on when the second is made, and when it is gone."""
    drawn = bench.draw(sketch.parts if bench.blocks.foreign else sketch.chain)
    feeds = [drawn.feeds(length, 1) for length in _LENGTHS]
    expected = _expected(drawn, feeds)
    made = [open_model(drawn, bench.devices) for _ in range(2)]
    bench.look_at(made[0], drawn)
    wrong = _at_once([partial(run_all, one, feeds, expected) for one in made])
    made.pop()
    gc.collect()
    return wrong or run_all(made[0], feeds, expected)


def _two_registrations(bench: Bench, job: Mapping[str, Any]) -> str:
    """A session on each of two registrations of the library, at once; both in one session; and
    the first one when the second is gone."""
    drawn = bench.draw(sketch.chain)
    feeds = [drawn.feeds(2)]
    expected = _expected(drawn, feeds)
    with host.registered(f"second-{job['name']}", job["library"]):
        wrong = _on_both(drawn, job, feeds, expected)
        gc.collect()
    if wrong is None:
        raise NotCheckedError("the second registration offers no device")
    return wrong or run_all(open_model(drawn, bench.devices), feeds, expected)


def _on_both(
    drawn: Sketch,
    job: Mapping[str, Any],
    feeds: Sequence[Feeds],
    expected: Sequence[Sequence[Array]],
) -> str | None:
    """What is wrong; None without a second device. Nothing is raised: an exception would keep
    sessions alive when the registration ends."""
    devices = host.devices(job["library"], job["ep"])
    if len(devices) < 2:
        return None
    try:
        made = [open_model(drawn, [device]) for device in (devices[0], devices[-1])]
        wrong = _at_once([partial(run_all, one, feeds, expected) for one in made])
    except Exception as error:
        return session.one_line(error)
    try:
        both = open_model(drawn, [devices[0], devices[-1]])
        return wrong or run_all(both, feeds, expected)
    except Exception:  # the runtime wants one provider of a name in a session
        return wrong


def _expected(drawn: Sketch, feeds: Sequence[Feeds]) -> list[list[Array]]:
    """What the CPU computes."""
    reference = open_model(drawn)
    return [reference.run(None, dict(feed)) for feed in feeds]


def _at_once(works: Sequence[Callable[[], str]]) -> str:
    """The first of what is wrong with things that are done at the same time."""
    with ThreadPoolExecutor(len(works)) as pool:
        return next(filter(None, [job.result() for job in [pool.submit(w) for w in works]]), "")
