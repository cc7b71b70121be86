"""Jobs of rung `load`, each in a fresh process; and a baseline without any library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epforge.validate.worker import host
from epforge.validate.worker.records import Records


def run(job: Mapping[str, Any], records: Records) -> None:
    """Does the job and records what was seen; an exception of ORT's is a record, not an error."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(int(job.get("severity", 2)))
    records.write("runtime", version=host.version())
    try:
        _JOBS[job["job"]](job, records)
    except Exception as error:
        records.write("error", type=type(error).__name__, text=str(error))


def _baseline(job: Mapping[str, Any], records: Records) -> None:
    import onnxruntime

    records.write("devices", count=len(onnxruntime.get_ep_devices()))


def _register(job: Mapping[str, Any], records: Records) -> None:
    library = job["library"]
    for name in job["names"]:
        with records.step(f"register as {name}"):
            manager = host.registered(name, library)
            manager.__enter__()
        with records.step(f"list devices of {name}"):
            found = [host.describe(device) for device in host.devices(library)]
        records.write("devices", name=name, devices=found, mapped=host.mapped(library))
        with records.step(f"unregister {name}"):
            manager.__exit__(None, None, None)
        left = [host.describe(device) for device in host.devices(library)]
        records.write("unregistered", name=name, devices=left, mapped=host.mapped(library))


def _twice(job: Mapping[str, Any], records: Records) -> None:
    """Two registrations at once, released in the order they were made and in the other."""
    import onnxruntime

    library, names = job["library"], list(job["names"])
    for order in (names, names[::-1]):
        for name in names:
            with records.step(f"register as {name}"):
                onnxruntime.register_execution_provider_library(name, library)
        both = len(host.devices(library))
        with records.step(f"unregister {order[0]}"):
            onnxruntime.unregister_execution_provider_library(order[0])
        one = len(host.devices(library))
        with records.step("session on what is left"):
            _compute(library, run=False)
        with records.step(f"unregister {order[1]}"):
            onnxruntime.unregister_execution_provider_library(order[1])
        records.write("twice", both=both, one=one, none=len(host.devices(library)))


def _rounds(job: Mapping[str, Any], records: Records) -> None:
    library, name = job["library"], job["name"]
    for index in range(int(job["rounds"])):
        with records.step(f"round {index + 1}: register"):
            manager = host.registered(name, library)
            manager.__enter__()
        with records.step(f"round {index + 1}: session"):
            difference = _compute(library, run=bool(job["compute"]))
        with records.step(f"round {index + 1}: unregister"):
            manager.__exit__(None, None, None)
        records.write("round", index=index, difference=difference)


def _abandon(job: Mapping[str, Any], records: Records) -> None:
    """Leaves without unregistering, as programs do."""
    import onnxruntime

    with records.step("register"):
        onnxruntime.register_execution_provider_library(job["name"], job["library"])
    records.write("devices", count=len(host.devices(job["library"])))


def _compute(library: str, run: bool) -> float:
    """Makes a session with the library's first device for Relu(a * b + a); what the library does
    not take goes to the CPU. Returns the largest difference to the CPU alone, 0 unless ``run``.
    """
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper

    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 4]) for name in ("a", "b")
    ]
    nodes = [
        helper.make_node("Mul", ["a", "b"], ["p"]),
        helper.make_node("Add", ["p", "a"], ["q"]),
        helper.make_node("Relu", ["q"], ["y"]),
    ]
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])
    model = helper.make_model(
        helper.make_graph(nodes, "round", values, [out]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    ).SerializeToString()
    feeds = {
        "a": np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4),
        "b": np.linspace(3, -1, 12, dtype=np.float32).reshape(3, 4),
    }
    options = onnxruntime.SessionOptions()
    found = host.devices(library)
    if not found:
        return 0.0
    options.add_provider_for_devices(found[:1], {})
    session = onnxruntime.InferenceSession(model, options, enable_fallback=0)
    if not run:
        return 0.0
    got = session.run(None, feeds)[0]
    expected = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(
        None, feeds
    )[0]
    return float(np.max(np.abs(got - expected)))


_JOBS = {
    "baseline": _baseline,
    "register": _register,
    "twice": _twice,
    "rounds": _rounds,
    "abandon": _abandon,
}
