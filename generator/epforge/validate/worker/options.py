"""Job of rung `load`: sessions with provider options, as applications give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epforge.validate.worker import case, host, session
from epforge.validate.worker.records import Records


def run(job: Mapping[str, Any], records: Records) -> None:
    """Makes a session for each of ``job["given"]``, pairs of a name and a value, and for each
    default that the device publishes; records what came of it."""
    with host.at_work(job, records) as found:
        if not found:
            return
        published = dict(found[0].ep_options)
        records.write("published", options=published)
        for name, value in [*job["given"], *published.items()]:
            with records.step(f"option {name}={value}"):
                refusal = _refusal(found[0], name, value)
            records.write("option", name=name, value=value, refusal=refusal)


def _refusal(device: host.Device, name: str, value: str) -> str | None:
    """What is said against a session with that option, or against setting it in a session; None
    if nothing is."""
    import onnxruntime

    dynamic = name.startswith("ep.dynamic.")
    made = session.options(fallback=True)
    made.add_provider_for_devices([device], {} if dynamic else {name: value})
    try:
        opened = onnxruntime.InferenceSession(_model(), made, enable_fallback=0)
        if dynamic:
            opened.set_ep_dynamic_options({name: value})
    except Exception as error:  # the refusal, or raised again
        return case.refusal(error)
    return None


def _model() -> bytes:
    """A model that any runtime loads and no provider need take."""
    from onnx import TensorProto, helper

    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "options", [x], [y])
    imports = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    return bytes(model.SerializeToString())
