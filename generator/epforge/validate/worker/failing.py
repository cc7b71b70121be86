"""Functions of the runtime that fail when the library calls them: each must end in a status, in
less being offered, or in results that are right all the same; and nothing may stay behind."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from epforge.validate.worker import host, session, shimmed
from epforge.validate.worker.case import Cases
from epforge.validate.worker.leftover import Left, grown, left_by
from epforge.validate.worker.records import Records

# Functions that return no status, by their names; of any other the shim knows.
_NEVER = re.compile(
    r"\.(Release\w*|GetErrorCode|GetErrorMessage|CreateStatus|CreateKeyValuePairs|AddKeyValuePair"
    r"|GetKeyValue\w*|RemoveKeyValuePair|HardwareDevice_\w+|MemoryDevice_\w+|\w+_GetMemoryDevice"
    r"|GetEpApi|GetVersionString|MemoryInfoGet(DeviceType|VendorId|DeviceMemType))$"
)
# An error of these is how ORT says that there is no such attribute: then the default of the schema
# holds, and what it gives is what the library has to compute.
_ABSENT = re.compile(r"\.KernelInfoGetAttribute\w*$")
_LOGGING = "Logger_LogMessage"  # no reason to fail what it reports on
_TABLES = ("OrtApi.", "OrtEpApi.", "OrtModelEditorApi.", "OrtCompileApi.")


@dataclass
class Life:
    """How a life went: what was said, how far it came, and what was computed."""

    said: list[str] = field(default_factory=list)
    devices: int = 0
    taken: int = 0  # nodes
    results: list[list[Any]] = field(default_factory=list)

    def less_than(self, other: Life) -> bool:
        """Was something refused, or less offered?"""
        return bool(self.said) or (self.devices, self.taken) != (other.devices, other.taken)

    def wrong_beside(self, other: Life) -> bool:
        """Was something else computed, though nothing was said and nothing declined?"""
        if self.less_than(other):
            return False
        return any(
            not np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
            for one, two in zip(self.results, other.results, strict=True)
            for mine, theirs in zip(one, two, strict=True)
        )


def run(
    job: Mapping[str, Any], records: Records, shim: shimmed.Shim, models: list[session.Model]
) -> None:
    """A case for each function that the library calls in a life, and some of its calls."""
    bench = Bench(job, shim, models)
    cases = Cases(job, records)
    with records.step("a life in which nothing fails"):
        usual, calls = bench.usual()
    cases.run("failures/none", lambda: "; ".join(usual.said))
    chosen = list(points(calls, int(job["most"])))
    records.write("points", count=len(chosen))
    for name, nth in chosen:
        cases.run(f"failures/{name} ({nth})", partial(bench.failing, usual, name, nth))


def points(calls: Mapping[str, int], most: int) -> Iterator[tuple[str, int]]:
    """The calls that are to fail: of each function the first and the second, the last, and the one
    in the middle, where things that were made before have to be undone."""
    names = [name for name in sorted(calls) if name.startswith(_TABLES) and not _NEVER.search(name)]
    chosen = [
        (name, nth)
        for name in names
        for nth in sorted({1, 2, (calls[name] + 1) // 2, calls[name]})
        if 1 <= nth <= calls[name]
    ]
    step = max(1, -(-len(chosen) // most))
    yield from chosen[::step]


class Bench:
    """The library behind the shim, and its lives."""

    def __init__(
        self, job: Mapping[str, Any], shim: shimmed.Shim, models: list[session.Model]
    ) -> None:
        self._job = job
        self._shim = shim
        self._models = models
        self._log = Path(job["log"])
        self._usually: set[str] = set()  # what stays behind when nothing fails

    def usual(self) -> tuple[Life, dict[str, int]]:
        """A life in which nothing fails, and the functions that the library calls in it."""
        self._life()  # what is made once is there
        self._shim.reset()
        before = left_by(self._shim)
        life = self._life()
        calls = self._shim.calls()
        self._usually = set(grown(before, left_by(self._shim)))
        return life, calls

    def failing(self, usual: Life, name: str, nth: int) -> str:
        """What is wrong with a life in which that call fails."""
        self._shim.reset()
        read_from = self._log.stat().st_size if self._log.is_file() else 0
        before = left_by(self._shim)
        life = self._life_without(name, nth)
        where = _failed_in(self._log, read_from, name)
        if where is None:  # it came to no such call, or the function returns no status
            return ""
        within = f"in {where}: " if where else ""
        if findings := breaches(self._shim):
            return f"{within}{'; '.join(findings[:3])}"
        held = {kind: count.held for kind, count in self._shim.counts().items() if count.held}
        left = [f"{n} {kind}" for kind, n in sorted(held.items()) if not is_struct(kind)]
        if left:
            return f"{within}not given back: {', '.join(left)}"
        # What the runtime keeps after an error has blocks of the library.
        lost = [] if held else self._lost(before, name, nth)
        if lost:
            return f"{within}not freed: {'; '.join(lost[:3])}"
        if name.endswith(_LOGGING) and life.less_than(usual):
            return f"{within}what cannot be logged fails: {' '.join(life.said)[:200]}"
        if life.wrong_beside(usual) and not _ABSENT.search(name):
            return f"{within}nobody is told, and what is computed is wrong"
        return ""

    def _lost(self, before: Left, name: str, nth: int) -> list[str]:
        """What such a life has not freed, and another one again: what is made once, and what a
        thread frees later, is no leak."""
        after = left_by(self._shim)
        if not set(grown(before, after)) - self._usually:
            return []
        self._life_without(name, nth)
        again = grown(after, left_by(self._shim))
        return [text for text in again if text not in self._usually]

    def _life_without(self, name: str, nth: int) -> Life:
        self._shim.fail(name, nth)
        life = self._life()
        self._shim.fail_off()
        return life

    def _life(self) -> Life:
        """Registered, listed, used, unregistered; whatever fails is noted."""
        import onnxruntime

        life = Life()
        job = self._job
        try:
            onnxruntime.register_execution_provider_library(job["name"], job["library"])
        except Exception as error:  # one of the results that a failed call may have
            life.said.append(str(error))
            return life
        found = host.devices(job["library"], job["ep"])
        life.devices = len(found)
        for model in self._models if found else ():
            self._session(life, found[0], model)
        found.clear()
        gc.collect()
        try:
            onnxruntime.unregister_execution_provider_library(job["name"])
        except Exception as error:  # one of the results that a failed call may have
            life.said.append(str(error))
        return life

    def _session(self, life: Life, device: Any, model: session.Model) -> None:
        try:
            made = session.open_session(model, device, fallback=True)
            life.taken += sum(
                len(part.get_nodes())
                for part in made.get_provider_graph_assignment_info()
                if part.ep_name == self._job["ep"]
            )
            life.results.append(list(map(np.asarray, made.run(None, model.feeds))))
        except Exception as error:  # one of the results that a failed call may have
            life.said.append(str(error))


def is_struct(kind: str) -> bool:
    """Is it a struct of callbacks, rather than a handle? Those are released by the runtime: what it
    keeps after an error is no fault of the library's."""
    return kind.startswith("Ort")


def breaches(shim: shimmed.Shim) -> list[str]:
    """The breaches of contract that the shim has seen; those of the structs have a line."""
    found = [each for each in shim.findings() if each.rule not in ("bad-slot", "bad-stamp")]
    return [f"{each.where}: {each.rule}: {each.text}" for each in found]


def _failed_in(log: Path, start: int, name: str) -> str | None:
    """The callback in which a function failed, by the log from ``start`` on: empty outside of any;
    None if it did not fail."""
    steps: dict[int, list[str]] = {}
    with log.open("rb") as file:
        file.seek(start)
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if record["event"] == "finding":
                continue
            stack = steps.setdefault(int(record["thread"]), [])
            if record["event"] == "enter":
                stack.append(str(record["what"]))
            elif record["event"] in ("leave", "failed") and stack:
                stack.pop()
                if record["event"] == "failed" and record["what"] == name:
                    return stack[-1] if stack else ""
    return None
