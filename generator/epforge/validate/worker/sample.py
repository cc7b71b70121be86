"""Job of rung `package`: a model that the library should take, with inputs and right outputs, as
files. The library itself is not loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from epforge.validate.cases import Ask, Case, cases, custom
from epforge.validate.worker import schema, session
from epforge.validate.worker.ops import combinations
from epforge.validate.worker.records import Records


def run(job: Mapping[str, Any], records: Records) -> None:
    """Writes the first model that there is a reference for; says which, or that there is none.

    A model whose node the runtime converts to another layout comes last: around it the CPU has to
    work, too.
    """
    import numpy as np

    folder = Path(job["folder"])
    newest = session.newest_opset()
    for claim in sorted(job["claims"], key=lambda claim: bool(claim["converted"])):
        for ask, case, opset in _models(claim, newest):
            try:
                model = session.build(ask, case, opset)
            except Exception:  # onnx has its own view of some ops: the next one is tried
                continue
            expected = session.reference(model, str(claim["library"]))
            arrays = [*model.feeds.values(), *expected.outputs]
            if not expected.by or not all(a.size and a.dtype.kind in "fiub" for a in arrays):
                continue
            (folder / "model.onnx").write_bytes(model.data)
            outputs = {f"o{index}": each for index, each in enumerate(expected.outputs)}
            np.savez(folder / "inputs.npz", **model.feeds)  # type: ignore[arg-type]
            np.savez(folder / "outputs.npz", **outputs)  # type: ignore[arg-type]
            name = f"{claim['domain']}::{claim['op']}" if claim["domain"] else claim["op"]
            records.write("sample", op=name, converted=bool(claim["converted"]))
            return


def _models(claim: Mapping[str, Any], newest: int) -> Iterator[tuple[Ask, Case, int]]:
    """The models of a claim that whoever makes it must take: float32 before other types."""
    since = int(claim["since"])
    opsets = schema.opsets(claim["domain"], claim["op"], since, newest)
    if not opsets:
        return
    choices = sorted(
        combinations(claim["types"]), key=lambda types: "float32" not in types.values()
    )
    for chosen in choices:
        ask = Ask(claim["domain"], claim["op"], since, chosen)
        found = custom.from_manifest(ask, claim["custom"]) if claim["custom"] else cases(ask)
        for case in found:
            feeds = [feed for feed in case.inputs if feed is not None]
            if case.basic and case.defined and all(feed.runnable for feed in feeds):
                yield ask, case, opsets[-1]
