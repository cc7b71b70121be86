"""Cases of a job: each is run once and recorded, whatever it raises."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from epforge.validate.worker.records import Records

# What the runtime puts before the words of a library.
_WRAPPING = re.compile(r"\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : | Status Message: ")


class NotCheckedError(Exception):
    """A case cannot be judged here; the text says why."""


class Cases:
    """Runs the cases of a job that are not in ``job["skip"]`` and records how each went."""

    def __init__(self, job: Mapping[str, Any], records: Records) -> None:
        self._done = set(job["skip"])
        self._records = records

    def run(self, label: str, check: Callable[[], str]) -> None:
        """Runs one case.

        Args:
            label: tells it from the others of the job.
            check: returns what is wrong, or nothing. An exception of the runtime's is a failure.
        """
        if label in self._done:
            return
        started = time.monotonic()
        with self._records.step(label):
            outcome, detail = _judged(check)
        seconds = round(time.monotonic() - started, 4)
        self._records.write("case", label=label, outcome=outcome, detail=detail, seconds=seconds)


def _judged(check: Callable[[], str]) -> tuple[str, str]:
    try:
        wrong = check()
    except NotCheckedError as error:
        return "not checked", str(error)
    except Exception as error:  # whatever the runtime says about the library
        return "failed", _words(error)
    return ("failed", wrong) if wrong else ("passed", "")


def _words(error: Exception) -> str:
    """An exception in one line of bounded length, without the runtime's words around it."""
    return _WRAPPING.split(" ".join(str(error).split()))[-1][:400] or type(error).__name__


def refusal(error: Exception) -> str:
    """What the runtime says in an error of its own, or the library in one that the runtime passes
    on; any other exception is raised again."""
    ours = type(error).__module__.startswith("onnxruntime") or type(error) is RuntimeError
    if not ours:
        raise error
    return _words(error)


def refused(action: Callable[[], object], *mentions: str, accepted: str = "not refused") -> str:
    """What is wrong if ``action`` is not refused, or not in words that have all of ``mentions``.

    Args:
        accepted: what it means when it is not refused.
    """
    try:
        action()
    except Exception as error:  # the refusal, or raised again
        text = refusal(error)
        lacking = [word for word in mentions if word not in str(error)]
        return f"refused without naming {' and '.join(lacking)}: {text}" if lacking else ""
    return accepted
