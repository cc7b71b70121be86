"""Entry of a worker process."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from epforge.validate.worker.ended import EndedError
from epforge.validate.worker.records import Records


def _limit(megabytes: int, seconds: int) -> None:
    """Bounds this process: no core files, no endless computing, no runaway memory.

    The bound is on memory that can be written, not on addresses: simulated devices and sanitizers
    reserve plenty of those. Files are not bounded, because memory that is mapped twice is one.
    """
    if sys.platform == "win32":
        return
    import resource

    bounds = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
    ]
    if megabytes:
        bounds.append((resource.RLIMIT_DATA, megabytes << 20))
    for what, limit in bounds:
        with contextlib.suppress(ValueError, OSError):  # a lower hard limit is already in force
            resource.setrlimit(what, (limit, limit))


def _run(job: Mapping[str, Any], records: Records) -> None:
    kind = job["job"]
    if kind == "binary":
        from epforge.validate.binary import read

        records.write("binary", **read(Path(job["library"])).to_json())
        return
    if kind == "model":
        from epforge.validate.worker import model

        model.run(job, records)
        return
    if kind in ("needs", "dlopen"):
        from epforge.validate.worker import needs

        (needs.run if kind == "needs" else needs.dlopen)(job, records)
        return
    if kind == "driver":
        from epforge.validate.worker import survey

        survey.driver(records)
        return
    from epforge.validate.worker import host

    host.check_runtime(job.get("runtime_dir"))
    if kind == "ops":
        from epforge.validate.worker.ops import run
    elif kind == "conformance":
        from epforge.validate.worker.conformance import run
    elif kind == "graphs":
        from epforge.validate.worker.graphs import run
    elif kind == "fuzz":
        from epforge.validate.worker.fuzz import run
    elif kind == "context":
        from epforge.validate.worker.context import run
    elif kind == "options":
        from epforge.validate.worker.options import run
    elif kind == "surroundings":
        from epforge.validate.worker.surroundings import run
    elif kind == "crowds":
        from epforge.validate.worker.crowds import run
    elif kind == "threads":
        from epforge.validate.worker.threads import run
    elif kind == "probe":
        from epforge.validate.worker.probe import run
    elif kind == "entry":
        from epforge.validate.worker.entry import run
    elif kind == "sample":
        from epforge.validate.worker.sample import run
    elif kind == "probing":
        from epforge.validate.worker.probing import run
    elif kind == "memory":
        from epforge.validate.worker.memory import run
    elif kind == "placing":
        from epforge.validate.worker.placing import run
    elif kind == "survey":
        from epforge.validate.worker.survey import run
    elif kind == "compile":
        from epforge.validate.worker.compiling import run
    else:
        from epforge.validate.worker.load import run
    run(job, records)


def main() -> None:
    job_path, records_path = map(Path, sys.argv[1:3])
    # epforge itself may run in another encoding: its paths arrive as bytes that are read anew.
    job: dict[str, Any] = {
        key: os.fsdecode(os.fsencode(value)) if isinstance(value, str) else value
        for key, value in json.loads(job_path.read_text(encoding="utf-8")).items()
    }
    os.environ.update(job.get("environment", {}))
    _limit(int(job["limit_mb"]), int(job["limit_cpu_s"]))
    with Records(records_path) as records:
        try:
            _run(job, records)
        except EndedError as error:  # the program that did the work is what is judged
            records.write("ended", returncode=error.returncode, at_exit=error.at_exit)
        else:
            records.write("done")


if __name__ == "__main__":
    main()
