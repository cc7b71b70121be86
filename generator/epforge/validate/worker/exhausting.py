"""Memory that is exhausted while a session is made, run and released: each `operator new` in a
callback of the library fails once, and each time that must end in a status."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from epforge.validate.worker import host, session, shimmed
from epforge.validate.worker.case import Cases, NotCheckedError
from epforge.validate.worker.records import Records

_MOST = 400  # allocations of one session that are made to fail
_WARM = 2  # sessions after which what is made once is there
_OF_EXCEPTIONS = "exception-left-callback"


def run(
    job: Mapping[str, Any], records: Records, shim: shimmed.Shim, models: Sequence[session.Model]
) -> None:
    """A case for each allocation, until a session has come to its end without one that fails."""
    cases = Cases(job, records)
    with host.registered(job["name"], job["library"]):
        found = host.devices(job["library"], job["ep"])
        for name, model in zip(("one node", "two parts"), models if found else (), strict=False):
            cases.run(f"exhausted/{name}, before", partial(_undisturbed, found[0], model, _WARM))
            bench = _Exhausted(shim, found[0], model)
            for nth in range(1, _MOST + 1):
                cases.run(f"exhausted/{name}, allocation {nth}", partial(bench.fail, nth))
                if bench.done:
                    break
            cases.run(f"exhausted/{name}, afterwards", partial(_undisturbed, found[0], model, 1))
        found.clear()
        gc.collect()


class _Exhausted:
    """Lives of one model's sessions, in each of which another allocation fails.

    Args:
        done: a life had no allocation left to fail.
    """

    def __init__(self, shim: shimmed.Shim, device: Any, model: session.Model) -> None:
        self._shim, self._device, self._model = shim, device, model
        self.done = False

    def fail(self, nth: int) -> str:
        """What is wrong with a life in which that allocation fails."""
        known = {(finding.rule, finding.where) for finding in self._shim.findings()}
        try:
            self._shim.exhaust(nth)
        except shimmed.ShimCommandError as error:
            self.done = True
            raise NotCheckedError(str(error)) from error
        try:
            _live(self._device, self._model)
        except Exception:  # the status that is due
            pass
        finally:
            self.done = self._shim.exhaust_off()
        gc.collect()
        new = [
            finding
            for finding in self._shim.findings()
            if finding.rule == _OF_EXCEPTIONS and (finding.rule, finding.where) not in known
        ]
        return "; ".join(f"{f.where}: {f.rule}: {f.text}" for f in new)


def _undisturbed(device: Any, model: session.Model, count: int) -> str:
    """Sessions in which nothing fails, whatever has failed before. Raises what the runtime says."""
    for _ in range(count):
        _live(device, model)
    return ""


def _live(device: Any, model: session.Model) -> None:
    """A session, from its making to its end."""
    made = session.open_session(model, device, fallback=True)
    made.run(None, model.feeds)
