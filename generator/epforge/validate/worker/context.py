"""Jobs of rung `context`: compiled models written, read in another process, refused where due."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from epforge.validate.worker import host, hostile, reading, sharing, temporary, writing
from epforge.validate.worker.blocks import NONE
from epforge.validate.worker.case import Cases, refusal
from epforge.validate.worker.graphs import blocks_of
from epforge.validate.worker.press import MODES, WAYS, Check, Press, context_nodes, read
from epforge.validate.worker.records import Records


def _output(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    yield from writing.output(press, modes)
    yield from temporary.temporary(press, modes)


_SETS: Mapping[str, Callable[[Press, tuple[str, ...]], Iterable[Check]]] = {
    "write": writing.write,
    "output": _output,
    "read": reading.read,
    "share": sharing.share,
    "read shared": sharing.read_shared,
    "damage": hostile.damage,
    "names": hostile.names,
}


def run(job: Mapping[str, Any], records: Records) -> None:
    """Runs one set of cases, ``job["set"]``; set "try" finds out what can be asked for."""
    with host.at_work(job, records) as found:
        if not found:
            records.write("error", type="NoDevice", text=f"no device of {job['ep']}")
            return
        blocks = blocks_of(job, found[0])
        if not blocks.any:
            records.write("error", type="NoBlocks", text=NONE)
            return
        root = Path(job["folder"])
        _run(Press(found[0], blocks, job["ep"], root, job["set"], job["strict"]), job, records)


def _run(press: Press, job: Mapping[str, Any], records: Records) -> None:
    if job["set"] == "try":
        _try(press, records)
        return
    cases = Cases(job, records)
    for label, check in _SETS[job["set"]](press, tuple(job["modes"])):
        cases.run(label, check)


def _try(press: Press, records: Records) -> None:
    """Says what comes of asking for either kind of compiled model."""
    source = press.original()
    for mode in MODES:
        for way in WAYS:
            output = press.folder / mode / way / "m.onnx"
            with records.step(f"{mode}, by {way}"):
                text = ""
                try:
                    press.compile(source, output, mode, way)
                except Exception as error:  # the library's answer, or raised again
                    text = refusal(error)
            there = output.is_file() and any(True for _ in context_nodes(read(output)))
            records.write("tried", mode=mode, way=way, refused=text, written=there)
