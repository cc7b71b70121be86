"""Job of rung `package`: a model that the library should take, with inputs and right outputs, as
files. The library itself is not loaded."""

from __future__ import annotations

import json
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
            _write_call(folder, model.proto, model.feeds, opset)
            return


def _write_call(folder: Path, model: Any, feeds: Mapping[str, Any], opset: int) -> None:
    """The same as the call of a kernel, for those who read no models. Nothing where it has
    attributes that are no plain numbers or texts."""
    import numpy as np
    from onnx import helper, numpy_helper

    (node,) = model.graph.node
    constants = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    attributes = {each.name: _plain(helper.get_attribute_value(each)) for each in node.attribute}
    if None in attributes.values():
        return
    arrays = {name: each for name, each in {**constants, **feeds}.items() if name in node.input}
    np.savez(folder / "arrays.npz", **arrays)
    call = {
        "op": node.op_type,
        "domain": node.domain,
        "opset": opset,
        "inputs": list(node.input),
        "outputs": len(node.output),
        "attributes": attributes,
    }
    (folder / "call.json").write_text(json.dumps(call), encoding="utf-8")


def _plain(value: Any) -> Any:
    """A value as JSON has it; None for a tensor or a graph."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, list):
        found = [_plain(each) for each in value]
        return None if None in found else found
    return value if isinstance(value, int | float) else None


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
