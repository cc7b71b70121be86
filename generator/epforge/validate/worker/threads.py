"""Jobs of rung `threads`: sessions and runs at once, compared with the CPU."""

from __future__ import annotations

import gc
import itertools
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from epforge.validate.cases.model import Array
from epforge.validate.worker import compare, host, session
from epforge.validate.worker.blocks import NONE
from epforge.validate.worker.case import Cases
from epforge.validate.worker.graphs import blocks_of, chosen, open_model
from epforge.validate.worker.records import Records
from epforge.validate.worker.shimmed import Shim
from epforge.validate.worker.sketch import Sketch, row

THREADS = 8
_RUNS = 200  # of each thread
_LENGTHS = (1, 300, 7)
_BLOCKS = 5  # of nodes, on either side of one that the library does not take
_MOST_S = 15.0  # for the runs of one case, however few those are then
_ROUNDS = 4  # of registering and making EPs at once
_POOL = 4
_DELAY_MS = 60  # for which the making of a kernel registry is held up

Feeds = Mapping[str, Array]


def run(job: Mapping[str, Any], records: Records) -> None:
    """Does one set of cases, ``job["set"]``: "runs", "creation" or, through the shim, "shim"."""
    if job["set"] == "runs":
        with host.at_work(job, records) as found:
            if found:
                _runs(job, records, found[0])
            else:
                records.write("error", type="NoDevice", text=f"no device of {job['ep']}")
    elif job["set"] == "creation":
        _creation(job, records)
    else:
        _through_shim(job, records)


def _runs(job: Mapping[str, Any], records: Records, device: host.Device) -> None:
    blocks = blocks_of(job, device)
    if not blocks.any:
        records.write("error", type="NoBlocks", text=NONE)
        return
    cases = Cases(job, records)
    crowd = Crowd(Sketch(blocks), device, str(job["ep"]))
    for label, check in crowd.cases():
        before = crowd.done
        cases.run(label, check)
        records.write("runs", label=label, number=crowd.done - before, nodes=crowd.taken)


def _draw(s: Sketch, name: str = "X") -> Sketch:
    """A chain with a node in the middle that the library does not take, where there is one."""
    x = s.input(name)
    for index in range(_BLOCKS):
        x = s.mix(s.unary(x), row(index))
    if s.blocks.foreign:
        x = s.foreign(x)
    for index in range(_BLOCKS):
        x = s.mix(x, row(100 + index))
    s.output(x)
    return s


@dataclass(frozen=True)
class Task:
    """What one thread runs, and what comes out."""

    feeds: tuple[Feeds, ...]
    expected: tuple[Sequence[Array], ...]


class Crowd:
    """Sessions of one model, and threads that run them."""

    def __init__(self, drawn: Sketch, device: host.Device, ep: str) -> None:
        self._drawn = _draw(drawn)
        self._device = device
        self._ep = ep
        reference = open_model(self._drawn)
        self._tasks = [_task(self._drawn, reference, seed) for seed in range(2 * THREADS)]
        self._lock = threading.Lock()
        self.done = 0  # runs
        self.taken = 0  # nodes of a session's, by the library

    def cases(self) -> Iterable[tuple[str, Callable[[], str]]]:
        """Label and check of each case."""
        yield f"runs/one session, {THREADS} threads", partial(self._crowded, 1)
        yield f"runs/two sessions, {THREADS} threads each", partial(self._crowded, 2)
        yield f"churn/sessions made and released while {THREADS} threads run", self._churn
        yield f"pool/{_POOL} sessions of a pool, released in another order", self._pool

    def _open(self) -> Any:
        made = open_model(self._drawn, [self._device])
        parts = made.get_provider_graph_assignment_info()
        ours = [part for part in parts if part.ep_name == self._ep]
        self.taken = sum(len(part.get_nodes()) for part in ours)
        return made

    def _repeat(self, made: Any, task: Task, until: float, times: int = _RUNS) -> str:
        """Runs a session again and again; what is wrong with a result, if anything is."""
        number, wrong = 0, ""
        for feed, wanted in itertools.islice(
            itertools.cycle(zip(task.feeds, task.expected, strict=True)), times
        ):
            got = made.run(None, dict(feed))
            number += 1
            wrong = _difference(got, wanted)
            if wrong or time.monotonic() > until:
                break
        with self._lock:
            self.done += number
        return f"run {number} of a thread: {wrong}" if wrong else ""

    def _crowded(self, sessions: int) -> str:
        made = [self._open() for _ in range(sessions)]
        until = time.monotonic() + _MOST_S
        works = [
            partial(self._repeat, made[index // THREADS], self._tasks[index], until)
            for index in range(sessions * THREADS)
        ]
        return at_once(works)

    def _churn(self) -> str:
        steady = self._open()
        until = time.monotonic() + _MOST_S
        ended = threading.Event()

        def work(index: int) -> str:
            return self._repeat(steady, self._tasks[index], until)

        def churn(index: int) -> str:
            wrong = ""
            while not wrong:
                wrong = self._repeat(self._open(), self._tasks[index], until, 3)
                if ended.is_set():
                    break
            return wrong

        with ThreadPoolExecutor(2) as pool:
            others = [pool.submit(churn, THREADS + index) for index in range(2)]
            try:
                wrong = at_once([partial(work, index) for index in range(THREADS)])
            finally:
                ended.set()
        found = [one.result() for one in others]
        return wrong or next(filter(None, found), "")

    def _pool(self) -> str:
        """Each session is made by one thread, run by another, and released by a third; those that
        are left still compute."""
        pools = [ThreadPoolExecutor(1) for _ in range(_POOL)]
        try:
            making = [pool.submit(self._open) for pool in pools]
            made = {index: one.result() for index, one in enumerate(making)}
            making.clear()
            wrong = ""
            for gone in (2, 0, 3, 1):
                wrong = wrong or self._shifted(pools, made)
                pools[(gone + 2) % _POOL].submit(_release, made, gone).result()
            return wrong
        finally:
            for pool in pools:
                pool.shutdown()

    def _shifted(self, pools: Sequence[ThreadPoolExecutor], made: Mapping[int, Any]) -> str:
        """Runs every session on the thread after that which made it."""
        until = time.monotonic() + _MOST_S / _POOL
        running = [
            pools[(index + 1) % _POOL].submit(self._repeat, one, self._tasks[index], until, 20)
            for index, one in made.items()
        ]
        return next(filter(None, [one.result() for one in running]), "")


def _task(drawn: Sketch, reference: Any, seed: int) -> Task:
    feeds = tuple(drawn.feeds(length, seed) for length in _LENGTHS)
    return Task(feeds, tuple(reference.run(None, dict(feed)) for feed in feeds))


def _difference(got: Sequence[Array], wanted: Sequence[Array]) -> str:
    if all(np.array_equal(a, b) for a, b in zip(got, wanted, strict=True)):
        return ""
    return compare.difference(got, wanted)


def _release(made: dict[int, Any], index: int) -> None:
    del made[index]
    gc.collect()


def at_once(works: Sequence[Callable[[], str]]) -> str:
    """The first of what is wrong with things that begin at the same moment, each on a thread."""
    gate = threading.Barrier(len(works))

    def one(work: Callable[[], str]) -> str:
        gate.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        results = [job.result() for job in [pool.submit(one, work) for work in works]]
    return next(filter(None, results), "")


# ---- EPs made at once ----


def _creation(job: Mapping[str, Any], records: Records) -> None:
    """Registers the library anew, and makes its first EPs by threads that begin together."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    blocks = chosen(job["claims"])
    if not blocks.any:
        records.write("error", type="NoBlocks", text=NONE)
        return
    drawn = _draw(Sketch(replace(blocks, foreign=None)))
    task = _task(drawn, open_model(drawn), 1)

    def made(device: host.Device) -> str:
        return _difference(open_model(drawn, [device]).run(None, task.feeds[0]), task.expected[0])

    def rounds() -> str:
        wrong = ""
        for index in range(_ROUNDS):
            with records.step(f"round {index + 1}"), host.registered(job["name"], job["library"]):
                found = host.devices(job["library"], job["ep"])
                if not found:
                    return "no device"
                wrong = wrong or _caught([partial(made, found[0])] * THREADS)
                found.clear()
        return wrong

    Cases(job, records).run(f"creation/{THREADS} EPs at once, {_ROUNDS} times", rounds)


def _caught(works: Sequence[Callable[[], str]]) -> str:
    """`at_once`, with an error as text: an exception would hold sessions."""
    try:
        return at_once(works)
    except Exception as error:
        return session.one_line(error)


# ---- through the shim ----


def _through_shim(job: Mapping[str, Any], records: Records) -> None:
    """Makes EPs, ``job["at once"]`` or one after the other; says what the library was asked and how
    many kernel registries it made."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    blocks = chosen(job["claims"])
    if not blocks.any:
        records.write("error", type="NoBlocks", text=NONE)
        return
    drawn = _draw(Sketch(replace(blocks, foreign=None)))
    with host.at_work(job, records) as found:
        if not found:
            records.write("error", type="NoDevice", text=f"no device of {job['ep']}")
            return
        shim = Shim(job["library"])
        shim.reset()
        shim.delay("OrtEpApi.CreateKernelRegistry", _DELAY_MS)

        def made() -> str:
            open_model(drawn, found[:1])
            return ""

        with records.step("making EPs"):
            wrong = _caught([made] * THREADS) if job["at once"] else ""
            for _ in () if job["at once"] else range(THREADS):
                with suppress(Exception):  # said by the other cases
                    made()
        gc.collect()
        shim.delay("OrtEpApi.CreateKernelRegistry", 0)
        registries = shim.counts().get("KernelRegistry")
        records.write(
            "shim",
            wrong=wrong,
            registries=registries.created if registries else 0,
            eps=shim.calls().get("OrtEpFactory.CreateEp", 0),
            asked=shim.calls().get("OrtEp.IsConcurrentRunSupported", 0),
            answer=shim.about().get("concurrent", -1),
        )
