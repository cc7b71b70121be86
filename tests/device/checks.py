"""What a device must do that only a device can show: `python checks.py PROJECT`.

Needs numpy, onnx, onnxruntime, and on PYTHONPATH the project's package and its tests' `support`.
Each check prints a line; exit status 1 when one of them fails.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

from support import Plugin, assert_same, expected, trials

ELEMENTS = 1 << 18  # long enough for a copy to be seen half done
RUNS = 500
SESSIONS = 2
THREADS = 8
RUNS_PER_THREAD = 25
DEVICE, HOST = ort.OrtDeviceMemoryType.DEFAULT, ort.OrtDeviceMemoryType.HOST_ACCESSIBLE
#: Operators that some project may leave to the CPU.
FOREIGN = ("Atanh", "Sinh", "Cosh", "Asin", "Softsign")

Array = Any  # numpy's are generic, which says no more here


def chain(foreign: str | None = None) -> onnx.ModelProto:
    """Many steps of the device's, each of which needs the last; one of the CPU's in the middle."""
    nodes = [helper.make_node("Mul", ["x", "x"], ["t0"])]
    steps = 12
    for step in range(steps):
        if foreign and step == steps // 2:
            nodes.append(helper.make_node("Mul", [f"t{step}", "small"], ["f0"]))
            nodes.append(helper.make_node(foreign, ["f0"], ["f1"]))
            nodes.append(helper.make_node("Add", ["f1", "k"], [f"t{step + 1}"]))
        else:
            op = ("Add", "Mul")[step % 2]
            nodes.append(helper.make_node(op, [f"t{step}", "k"], [f"t{step + 1}"]))
    nodes.append(helper.make_node("Relu", [f"t{steps}"], ["z"]))
    constants = {"k": 0.875, **({"small": 0.0625} if foreign else {})}
    tensor = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", tensor, [ELEMENTS])],
        [helper.make_tensor_value_info("z", tensor, [ELEMENTS])],
        [
            numpy_helper.from_array(np.full(1, value, np.float32), name)
            for name, value in constants.items()
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model


def foreign_op(plugin: Plugin) -> str:
    """An operator that the project has no kernel for."""
    own = {op["op"] for op in plugin.manifest["ops"]}
    return next(op for op in FOREIGN if op not in own)


def inputs(seed: int) -> Array:
    return np.random.default_rng(seed).uniform(-1, 1, ELEMENTS).astype(np.float32)


def on_cpu(model: onnx.ModelProto) -> Callable[[Array], Array]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return lambda x: session.run(None, {"x": x})[0]


def close(actual: Array, wanted: Array, what: str) -> None:
    np.testing.assert_allclose(actual, wanted, rtol=1e-5, atol=1e-6, err_msg=what)


def mixed_session(plugin: Plugin, model: onnx.ModelProto) -> ort.InferenceSession:
    """A session in which the CPU has what the device does not take."""
    return plugin.session(
        model.SerializeToString(), config={"session.disable_cpu_ep_fallback": "0"}
    )


def tensor_in(plugin: Plugin, kind: Any, value: Array) -> ort.OrtValue:
    """Room for ``value`` in memory of the device's, of that kind."""
    info = plugin.device.memory_info(kind)
    return ort.OrtValue.ortvalue_from_shape_and_type(value.shape, value.dtype, memory_info=info)


def check_every_op(plugin: Plugin) -> str:
    """Each op, version and combination of types computes what the CPU does."""
    count = 0
    for trial in trials(plugin.manifest):
        one = trial.build()
        try:
            wanted = expected(one)
        except Exception as error:
            if "under development" in str(error):
                continue  # this onnxruntime does not know the opset
            raise
        session = plugin.session(one.model)
        assert plugin.taken(session) == [one.op], f"{trial} is not taken"
        try:
            assert_same(session.run(None, one.feeds), wanted)
        except AssertionError as error:
            raise AssertionError(f"{trial}: {error}") from error
        count += 1
    ops = {(op["domain"], op["op"]) for op in plugin.manifest["ops"] if op["ready"]}
    assert count >= len(ops)
    return f"{len(ops)} ops, {count} calls"


def check_stream(plugin: Plugin) -> str:
    """A chain of kernels that nothing waits between, over and over with other inputs."""
    model = chain()
    session = plugin.session(model.SerializeToString())
    reference = on_cpu(model)
    for run in range(RUNS // 5):
        x = inputs(run)
        close(session.run(None, {"x": x})[0], reference(x), f"run {run}")
    return f"{RUNS // 5} runs of {len(model.graph.node)} nodes"


def check_bound_memory(plugin: Plugin) -> str:
    """The same with inputs and outputs that stay in the device's memory."""
    model = chain()
    session = plugin.session(model.SerializeToString())
    reference = on_cpu(model)
    x = tensor_in(plugin, DEVICE, inputs(0))
    z = tensor_in(plugin, DEVICE, inputs(0))
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", x)
    binding.bind_ortvalue_output("z", z)
    for run in range(RUNS // 5):
        value = inputs(run)
        ort.copy_tensors([ort.OrtValue.ortvalue_from_numpy(value)], [x], None)
        session.run_with_iobinding(binding)
        close(z.numpy(), reference(value), f"run {run}")
    return f"{RUNS // 5} runs"


def check_fr_53(plugin: Plugin) -> str:
    """Device, CPU, device: neither may read what the other has not written yet."""
    model = chain(foreign_op(plugin))
    session = mixed_session(plugin, model)
    taken = plugin.taken(session)
    assert 0 < len(taken) < len(model.graph.node), taken
    reference = on_cpu(model)
    for run in range(RUNS):
        x = inputs(run)
        close(session.run(None, {"x": x})[0], reference(x), f"run {run}")
    return f"{RUNS} runs, {foreign_op(plugin)} on the CPU"


def check_user_stream(plugin: Plugin) -> str:
    """A session on a stream of the application's, with a node of the CPU's in it, too."""
    stream = plugin.device.create_sync_stream()
    handle = stream.get_handle()
    assert handle, "the stream has no handle"
    for foreign in (None, foreign_op(plugin)):
        model = chain(foreign)
        session = plugin.session(
            model.SerializeToString(),
            {"user_compute_stream": str(handle)},
            {"session.disable_cpu_ep_fallback": "0"},
        )
        reference = on_cpu(model)
        for run in range(RUNS if foreign else RUNS // 5):
            x = inputs(run)
            close(session.run(None, {"x": x})[0], reference(x), f"run {run}, {foreign}")
        del session
    return f"{RUNS + RUNS // 5} runs on stream {handle:#x}"


def check_pinned_copies(plugin: Plugin) -> str:
    """From and to memory that the host reaches, with and without a stream."""
    value = inputs(1)
    pinned = tensor_in(plugin, HOST, value)
    back = tensor_in(plugin, HOST, value)
    own = tensor_in(plugin, DEVICE, value)
    size = value.nbytes
    for run in range(RUNS // 5):
        value = inputs(run)
        ctypes.memmove(pinned.data_ptr(), value.ctypes.data, size)
        ctypes.memset(back.data_ptr(), 0, size)
        ort.copy_tensors([pinned], [own], None)
        ort.copy_tensors([own], [back], None)
        seen = np.frombuffer(ctypes.string_at(back.data_ptr(), size), np.float32)
        np.testing.assert_array_equal(seen, value, f"run {run}")
    # Queued: a copy that comes after another on a stream sees what that one wrote.
    stream = plugin.device.create_sync_stream()
    other = tensor_in(plugin, DEVICE, value)
    for run in range(RUNS // 5):
        value = inputs(run)
        ctypes.memmove(pinned.data_ptr(), value.ctypes.data, size)
        ort.copy_tensors([pinned], [own], stream)
        ort.copy_tensors([own], [other], stream)
        np.testing.assert_array_equal(other.numpy(), value, f"queued run {run}")
    return f"{2 * (RUNS // 5)} rounds of {size >> 10} KiB"


def check_graph_capture(plugin: Plugin) -> str:
    """Runs that are replayed see what is in their tensors now; each graph has its own."""
    if "enable_graph_capture" not in {option["name"] for option in plugin.manifest["options"]}:
        return "the project captures no graphs"
    if int(ort.__version__.split(".")[1]) < 26:
        return "this onnxruntime captures no graphs"
    model = chain()
    session = plugin.session(model.SerializeToString(), {"enable_graph_capture": "1"})
    reference = on_cpu(model)
    bound = {}
    for graph in (1, 2):
        x, z = (tensor_in(plugin, DEVICE, inputs(0)) for _ in range(2))
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", x)
        binding.bind_ortvalue_output("z", z)
        bound[graph] = (binding, x, z)
    for run in range(RUNS // 5):
        for graph, (binding, x, z) in bound.items():
            value = inputs(2 * run + graph)
            ort.copy_tensors([ort.OrtValue.ortvalue_from_numpy(value)], [x], None)
            options = ort.RunOptions()
            options.add_run_config_entry("gpu_graph_id", str(graph))
            session.run_with_iobinding(binding, options)
            close(z.numpy(), reference(value), f"run {run} of graph {graph}")
    return f"{len(bound)} graphs, {RUNS // 5} runs each"


def check_threads(plugin: Plugin) -> str:
    """Sessions that share the device, each run by several threads at once."""
    model = chain(foreign_op(plugin))
    sessions = [mixed_session(plugin, model) for _ in range(SESSIONS)]
    reference = on_cpu(model)
    values = [inputs(seed) for seed in range(THREADS)]
    wanted = [reference(x) for x in values]

    def work(number: int) -> None:
        session, which = sessions[number % SESSIONS], number // SESSIONS
        for run in range(RUNS_PER_THREAD):
            at = (which + run) % THREADS
            close(session.run(None, {"x": values[at]})[0], wanted[at], f"thread {number}, {run}")

    with ThreadPoolExecutor(SESSIONS * THREADS) as pool:
        list(pool.map(work, range(SESSIONS * THREADS)))
    return f"{SESSIONS} sessions x {THREADS} threads x {RUNS_PER_THREAD} runs"


CHECKS: tuple[Callable[[Plugin], str], ...] = (
    check_every_op,
    check_stream,
    check_bound_memory,
    check_fr_53,
    check_user_stream,
    check_pinned_copies,
    check_graph_capture,
    check_threads,
)


def main(project: Path) -> int:
    manifest = json.loads((project / "src/gen/manifest.json").read_text(encoding="utf-8"))
    package = importlib.import_module(manifest["library"])
    print(f"onnxruntime {ort.__version__}, {package.get_library_path()}", flush=True)
    package.register(virtual=manifest["virtual"])
    devices = package.devices()
    if not devices:
        print(f"FAILED: {manifest['ep']} offers no device here; its log says why")
        return 1
    ort.set_default_logger_severity(3)  # not before: the log says why there is no device
    failed = 0
    for check in CHECKS:
        name = check.__name__.removeprefix("check_")
        started = time.monotonic()
        try:
            said = check(Plugin(manifest, devices[0]))
        except Exception:
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()[-3000:]}", flush=True)
        else:
            print(f"ok     {name}: {said}, {time.monotonic() - started:.1f} s", flush=True)
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
