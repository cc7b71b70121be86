"""Jobs of rung `memory` behind the shim plugin: lives of sessions, and calls that fail."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from epforge.validate.options import UNKNOWN
from epforge.validate.worker import (
    exhausting,
    failing,
    host,
    leftover,
    samples,
    session,
    shimmed,
    twins,
)
from epforge.validate.worker.case import Cases, NotCheckedError
from epforge.validate.worker.here import Here
from epforge.validate.worker.leftover import left_by
from epforge.validate.worker.records import Records

_WARM = 50
_ONCE = 1  # the round after which what is made once is there
_ARENAS = ("OrtAllocator.Alloc", "OrtAllocator.AllocOnStream", "OrtAllocator.Reserve")
_REFUSED = 20
_WINDOWS = 4  # what grows once is no leak: that grows in each of them
_MOST_RESIDENT = 1 << 20  # that a process may grow by in its rounds
_MOST_ALLOCATED = 400  # bytes for each session: the runtime itself has some 100


def run(job: Mapping[str, Any], records: Records) -> None:
    """Lives that end well, or with ``job["fail"]`` those in which calls fail, or with
    ``job["exhaust"]`` those in which allocations do; records cases."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    records.write("runtime", version=onnxruntime.__version__)
    shim = shimmed.Shim(job["library"])
    if job["level"]:
        shim.expect(int(job["level"]))
    with records.step("register"):
        models = _models(job)
    if job["fail"]:
        failing.run(job, records, shim, models)
        twins.run(job, records, shim, models)
    elif job["exhaust"]:
        exhausting.run(job, records, shim, models)
    else:
        _Lives(job, Cases(job, records), records, shim, models).run()


def _models(job: Mapping[str, Any]) -> list[session.Model]:
    """Models that the library takes. Whatever is wrong with it, its lives will show."""
    with host.registered(job["name"], job["library"]):
        found = host.devices(job["library"], job["ep"])
        models = list(samples.models(Here(), found[0], job["ep"], job["claims"])) if found else []
        found.clear()
    return models


class _Lives:
    """The library's lives, one after the other."""

    def __init__(
        self,
        job: Mapping[str, Any],
        cases: Cases,
        records: Records,
        shim: shimmed.Shim,
        models: list[session.Model],
    ) -> None:
        self._job = job
        self._cases = cases
        self._records = records
        self._shim = shim
        self._models = models

    def run(self) -> None:
        job, cases = self._job, self._cases
        with host.registered(job["name"], job["library"]):
            found = host.devices(job["library"], job["ep"])
            names = ("one node", "two parts")
            for name, model in zip(names, self._models, strict=False):
                count = int(job["cycles"] if name == names[0] else job["cycles_divided"])
                cases.run(f"sessions/{name}", partial(self._sessions, found, model, count))
            if not self._models:
                cases.run("sessions/one node", _nothing)
            else:
                cases.run("sessions/refused", partial(self._refused, found, self._models[0]))
            found.clear()
        cases.run("registrations/rounds", self._registrations)
        cases.run("handles/after the last unregistering", self._balance)
        cases.run("versions/structs", self._stamps)
        cases.run("contracts/calls", self._contracts)

    def _sessions(self, found: list[Any], model: session.Model, count: int) -> str:
        """Sessions made, run and released: as much is held, and allocated, as before."""
        once = partial(_live, found, model)
        for _ in range(min(_WARM, count)):
            once()
        gc.collect()
        before, blocks, grown = self._held(), left_by(self._shim), _Growth(_allocated)
        for window in range(_WINDOWS):
            for _ in range(count // _WINDOWS):
                once()
            gc.collect()
            grown.note()
            self._records.write("cycles", count=(window + 1) * (count // _WINDOWS))
        wrong = [
            f"{held - before.get(kind, 0)} {kind} not given back in {count} sessions"
            for kind, held in sorted(self._held().items())
            if held != before.get(kind, 0)
        ]
        # What an arena holds may grow until there is no room; `_registrations` sees it given back.
        after = {key: left for key, left in left_by(self._shim).items() if key[0] not in _ARENAS}
        more = leftover.grown(blocks, after, least=count)
        wrong += [f"{text} never freed in {count} sessions" for text in more]
        if not wrong and grown.size > _MOST_ALLOCATED * count:
            wrong = [f"{grown.size // count} bytes stay allocated in each of {count} sessions"]
        return "; ".join(wrong)

    def _refused(self, found: list[Any], model: session.Model) -> str:
        """Sessions with an option that nobody has: what was made for them is given back, too."""
        import onnxruntime

        before, blocks = self._held(), left_by(self._shim)
        for _ in range(_REFUSED):
            made = session.options(fallback=True)
            made.add_provider_for_devices(found[:1], {UNKNOWN: "1"})
            with contextlib.suppress(Exception):  # the refusal
                onnxruntime.InferenceSession(model.data, made, enable_fallback=0)
        gc.collect()
        wrong = [
            f"{held - before.get(kind, 0)} {kind} not given back"
            for kind, held in sorted(self._held().items())
            if held != before.get(kind, 0)
        ]
        wrong += leftover.grown(blocks, left_by(self._shim), least=_REFUSED)
        text = "; ".join(wrong)
        return f"{_REFUSED} sessions that OrtEpFactory.CreateEp may refuse: {text}" if text else ""

    def _registrations(self) -> str:
        """FR 8: register, session, unregister, again and again in one process."""
        job, rounds, grown = self._job, int(self._job["rounds"]), _Growth(_resident)
        blocks = leftover.NOTHING
        for index in range(rounds):
            if index and index % (rounds // _WINDOWS) == 0:
                grown.note()
            with host.registered(job["name"], job["library"]):
                found = host.devices(job["library"], job["ep"])
                for model in self._models:
                    _live(found, model)
                found.clear()
            if index == _ONCE:
                blocks = left_by(self._shim)
            if left := self._held():
                kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(left.items()))
                return f"round {index + 1}: not given back when it is unregistered: {kinds}"
        grown.note()
        if more := leftover.grown(blocks, left_by(self._shim), least=rounds - 1 - _ONCE):
            return f"never freed in {rounds - 1 - _ONCE} rounds: {'; '.join(more[:3])}"
        if grown.size > _MOST_RESIDENT:
            return f"the process grows by {grown.size >> 10} KB in {rounds} rounds"
        return ""

    def _balance(self) -> str:
        counts = self._shim.counts()
        self._records.write("kinds", count=sum(c.created for c in counts.values()))
        return "; ".join(
            f"{kind}: {count.created} made, {count.released} given back"
            for kind, count in sorted(counts.items())
            if count.held
        )

    def _stamps(self) -> str:
        """FR 2, 4: one version in all structs, min(target, runtime); no slot that is no code."""
        stamps = self._shim.stamps()
        if not self._job["level"]:
            stamps = agreed(stamps)
        self._records.write("stamps", count=sum(stamp.count for stamp in stamps))
        return "; ".join(_stamp_wrong(stamp) for stamp in stamps if _stamp_wrong(stamp))

    def _contracts(self) -> str:
        self._records.write("calls", count=sum(self._shim.calls().values()))
        found = [f for f in self._shim.findings() if f.rule not in ("bad-slot", "bad-stamp")]
        return "; ".join(finding_words(finding) for finding in found[:6])

    def _held(self) -> dict[str, int]:
        return {kind: count.held for kind, count in self._shim.counts().items() if count.held}


def finding_words(finding: shimmed.Finding) -> str:
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    return f"{finding.where}: {finding.rule}: {finding.text}{times}"


def agreed(stamps: Sequence[shimmed.Stamp]) -> list[shimmed.Stamp]:
    """The stamps of a library of which nobody says what it is built for: for the lowest version
    that its structs have."""
    built_for = min((stamp.version for stamp in stamps if stamp.version), default=0)
    return [
        replace(each, expected=min(each.expected, built_for or each.expected)) for each in stamps
    ]


def _stamp_wrong(stamp: shimmed.Stamp) -> str:
    if stamp.slots_bad:
        many = "slots are" if stamp.slots_bad > 1 else "slot is"
        return f"{stamp.struct}: {stamp.slots_bad} {many} neither null nor code"
    if stamp.version != stamp.expected:
        return f"{stamp.struct}: version {stamp.version}, expected {stamp.expected}"
    return ""


def _live(found: list[Any], model: session.Model) -> None:
    """A session, from its making to its end."""
    made = session.open_session(model, found[0], fallback=True)
    made.run(None, model.feeds)


def _nothing() -> str:
    raise NotCheckedError("it takes no model that could be run")


class _Growth:
    """What something grows by, again and again.

    Args:
        measure: how much there is of it, in bytes.
    """

    def __init__(self, measure: Callable[[], int]) -> None:
        self._measure = measure
        self._marks = [measure()]

    def note(self) -> None:
        self._marks.append(self._measure())

    @property
    def size(self) -> int:
        """In all, if it grew in each of the windows behind the first by what it grew least."""
        steps = [b - a for a, b in itertools.pairwise(self._marks)][1:]
        return max(0, min(steps)) * (len(steps) + 1) if steps else 0


def _resident() -> int:
    """Bytes of this process that are in memory; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * 4096


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def _allocated() -> int:
    """Bytes that are allocated and not freed; 0 where the C library does not say."""
    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None) if sys.platform == "linux" else None
    if mallinfo is None:
        return 0
    mallinfo.restype = _Mallinfo
    found = mallinfo()
    return int(found.uordblks) + int(found.hblkhd)
