"""Jobs of rung `load`, each in a fresh process; and a baseline without any library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epforge.validate.worker.engines import Engine, engine_of
from epforge.validate.worker.records import Records


def run(job: Mapping[str, Any], records: Records) -> None:
    """Does the job and records what was seen; an exception of ORT's is a record, not an error."""
    with engine_of(job) as engine:
        engine.severity(int(job.get("severity", 2)))
        records.write("runtime", version=engine.version())
        try:
            _JOBS[job["job"]](job, records, engine)
        except Exception as error:
            records.write("error", type=type(error).__name__, text=str(error))


def _baseline(job: Mapping[str, Any], records: Records, engine: Engine) -> None:
    records.write("devices", count=len(engine.devices("")))


def _register(job: Mapping[str, Any], records: Records, engine: Engine) -> None:
    library = job["library"]
    for name in job["names"]:
        with records.step(f"register as {name}"):
            manager = engine.registered(name, library)
            manager.__enter__()
        with records.step(f"list devices of {name}"):
            found = [engine.describe(device) for device in engine.devices(library)]
        records.write("devices", name=name, devices=found, mapped=engine.mapped(library))
        with records.step(f"unregister {name}"):
            manager.__exit__(None, None, None)
        left = [engine.describe(device) for device in engine.devices(library)]
        records.write("unregistered", name=name, devices=left, mapped=engine.mapped(library))


def _twice(job: Mapping[str, Any], records: Records, engine: Engine) -> None:
    """Two registrations at once, released in the order they were made and in the other."""
    library, names = job["library"], list(job["names"])
    for order in (names, names[::-1]):
        for name in names:
            with records.step(f"register as {name}"):
                engine.register(name, library)
        both = len(engine.devices(library))
        with records.step(f"unregister {order[0]}"):
            engine.unregister(order[0])
        one = len(engine.devices(library))
        with records.step("session on what is left"):
            compute(engine, library, records, run=False)
        with records.step(f"unregister {order[1]}"):
            engine.unregister(order[1])
        records.write("twice", both=both, one=one, none=len(engine.devices(library)))


def _rounds(job: Mapping[str, Any], records: Records, engine: Engine) -> None:
    library, name = job["library"], job["name"]
    for index in range(int(job["rounds"])):
        with records.step(f"round {index + 1}: register"):
            manager = engine.registered(name, library)
            manager.__enter__()
        with records.step(f"round {index + 1}: session"):
            difference = compute(engine, library, records, run=bool(job["compute"]))
        with records.step(f"round {index + 1}: unregister"):
            manager.__exit__(None, None, None)
        records.write("round", index=index, difference=difference)


def _abandon(job: Mapping[str, Any], records: Records, engine: Engine) -> None:
    """Leaves without unregistering, as programs do."""
    with records.step("register"):
        engine.register(job["name"], job["library"])
    records.write("devices", count=len(engine.devices(job["library"])))


def compute(engine: Engine, library: str, records: Records, run: bool) -> float:
    """Makes a session with the library's first device for Relu(a * b + a); what the library does
    not take goes to the CPU. Returns the largest difference to the CPU alone, 0 unless ``run``.
    That there is no session with the device is a record.
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
    found = engine.devices(library)
    if not found:
        return 0.0
    try:
        session = engine.open_usual(model, found[0])
    except Exception as error:  # whose fault it is, the rung decides
        records.write("no session", text=str(error))
        return 0.0
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
