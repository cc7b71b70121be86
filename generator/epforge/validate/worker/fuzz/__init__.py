"""Job of rung `fuzz`: random graphs of what a library claims, against the CPU provider."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from epforge.validate.worker import host, session
from epforge.validate.worker.fuzz import blobs
from epforge.validate.worker.fuzz.draw import Drawing, Menu, menus
from epforge.validate.worker.fuzz.graph import Graph
from epforge.validate.worker.fuzz.judge import Judge, Verdict, is_invalid
from epforge.validate.worker.fuzz.shrink import candidates, shrunk
from epforge.validate.worker.records import BY_CPU, Records

_ENOUGH = 10  # graphs of one worker that fail


def run(job: Mapping[str, Any], records: Records) -> None:
    """Draws the graphs ``first`` to ``first + count`` of a seed and judges those that are not in
    ``job["skip"]``."""
    with host.at_work(job, records) as found:
        if not found:
            records.write("error", type="NoDevice", text=f"no device of {job['ep']}")
            return
        if job["set"] == "compiled models":
            blobs.run(job, records, found)
            return
        with records.step("looking for what to draw"):
            offers = menus(job["claims"], session.newest_opset())
        if not offers:
            records.write("error", type="NoBlocks", text="takes no op to build graphs of")
            return
        judge = Judge(found[0], str(job["ep"]), bool(job["declared"]))
        fuzzer = _Fuzzer(job, records, offers, judge)
        if job["set"] == "smaller":
            fuzzer.make_smaller(job["path"])
        else:
            fuzzer.run()


class _Fuzzer:
    def __init__(
        self, job: Mapping[str, Any], records: Records, offers: Mapping[int, Menu], judge: Judge
    ) -> None:
        self._seed, self._folder = int(job["seed"]), Path(job["output"])
        self._numbers = range(int(job["first"]), int(job["first"]) + int(job["count"]))
        self._done = set(job["skip"])
        self._records, self._offers, self._judge = records, offers, judge
        self._nodes: dict[str, int] = {}
        self._failed = 0

    def run(self) -> None:
        for number in self._numbers:
            label = f"graph {number}"
            if not self._done.isdisjoint((label, f"{BY_CPU}{label}")):
                continue
            with self._records.step(f"{BY_CPU}{label}"):
                graph = self._drawn(number)
            if graph is not None:
                self._one(label, number, graph)
            if self._failed >= _ENOUGH:
                left = f"{_ENOUGH} graphs of {number - self._numbers.start + 1} failed"
                self._records.write(
                    "case", label="the rest", outcome="not checked", detail=left, seconds=0
                )
                break
        self._records.write("nodes", nodes=self._nodes)

    def make_smaller(self, path: Sequence[int]) -> None:
        """Tries what is a step simpler than a graph that ends the process, in which that ends, too.

        Args:
            path: the steps that were made already: the number of the simpler graph, each time.
        """
        (number,) = self._numbers
        graph = self._drawn(number)
        for step in path:
            graph = next(itertools.islice(candidates(graph), step, None)) if graph else None
        if graph is None:
            return
        place = self._folder / f"graph-{self._seed}-{number}"
        self._keep(place, graph)
        self._records.write("graph", text=f"{graph.describe()}; {place.with_suffix('.onnx')}")
        for index, each in enumerate(candidates(graph)):
            with self._records.step(str(index)):
                self._judge(each)

    def _drawn(self, number: int) -> Graph | None:
        chance = random.Random(f"{self._seed}/{number}")
        menu = self._offers[chance.choice(sorted(self._offers))]
        return Drawing(menu, chance).graph()

    def _one(self, label: str, number: int, graph: Graph) -> None:
        for step in graph.steps:
            self._nodes[step.name] = self._nodes.get(step.name, 0) + 1
        started = time.monotonic()
        place = self._folder / f"graph-{self._seed}-{number}"
        with self._records.step(label):
            self._keep(place, graph)  # if the process ends here, this is what it was at
            verdict = self._judge(graph)
        detail = ""
        if verdict.wrong:
            with self._records.step(f"{label}, made smaller"):
                detail = self._smallest(place, graph, verdict)
        if not detail:
            place.with_suffix(".onnx").unlink()
            place.with_suffix(".npz").unlink()
        outcome = "failed" if detail else "passed"
        self._failed += bool(detail)
        seconds = round(time.monotonic() - started, 4)
        self._records.write("case", label=label, outcome=outcome, detail=detail, seconds=seconds)

    def _smallest(self, place: Path, graph: Graph, verdict: Verdict) -> str:
        """What is wrong with the smallest graph that fails; nothing if ONNX forbids that."""
        small = shrunk(graph, lambda each: self._judge(each).kind == verdict.kind)
        if is_invalid(small):  # to refuse it is as good as what the CPU makes of it
            return ""
        self._keep(place, small)
        wrong = self._judge(small).wrong or verdict.wrong
        return f"{wrong} ({small.describe()}; {place.with_suffix('.onnx')})"

    @staticmethod
    def _keep(place: Path, graph: Graph) -> None:
        """Writes a graph, and what it is fed."""
        place.with_suffix(".onnx").write_bytes(graph.model().SerializeToString())
        np.savez(place.with_suffix(".npz"), **graph.feeds)  # type: ignore[arg-type]  # numpy's stub takes the names for its own options
