"""Job that compiles models, with code that is given to it: that of generated packages."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import Any

from epforge.validate.worker.records import Records


def run(job: Mapping[str, Any], records: Records) -> None:
    """Does ``job["request"]`` with the package ``job["package"]``, which lies in ``job["code"]``.

    What came of it so far is recorded before every step, so that a crash does not hide it.
    """
    sys.path.insert(0, str(job["code"]))
    command = importlib.import_module(f"{job['package']}._compile_command")
    outputs = importlib.import_module(f"{job['package']}._outputs")

    def progress(step: str, outcome: Any) -> None:
        _record(records, outcome)
        records.write("begin", step=step)

    try:
        _record(records, command.run(command.Request(**job["request"]), progress))
    except outputs.CompileError as error:
        records.write("error", message=error.message, cure=error.cure, status=error.status)


def _record(records: Records, outcome: Any) -> None:
    records.write(
        "outcome",
        status=outcome.status,
        data=outcome.to_json(),
        lines=outcome.lines(),
        complaints=outcome.complaints(),
    )
