"""Runs in a process of its own: a library behind the shim plugin, and sessions on it.

``python shim_sessions.py SHIM TARGET JOB``, JOB in JSON: cycles, threads, fail (name and number),
hardware, pretend, level, log, exhaust, ask (commands in words, while it is registered), unload,
breaches (the values of TOY_BREACH, one after the other). Prints what the shim noted, as JSON.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from epforge.validate.worker import shimmed

NAMES = ("check", "check.virtual")


def model() -> bytes:
    """Relu(x * x + x), of an opset and format that all runtimes read."""
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Mul", ["x", "x"], ["m"]),
        helper.make_node("Add", ["m", "x"], ["s"]),
        helper.make_node("Relu", ["s"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", TensorProto.FLOAT, [2, 3])],
        [value("y", TensorProto.FLOAT, [2, 3])],
    )
    opset = [helper.make_opsetid("", 17)]
    return bytes(helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString())


def cycle(devices: list[Any], count: int, said: list[str]) -> None:
    """Sessions made, run and released."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
    for _ in range(count):
        options = onnxruntime.SessionOptions()
        options.add_provider_for_devices(devices[:1], {})
        try:
            session = onnxruntime.InferenceSession(model(), options, enable_fallback=0)
            got = session.run(None, {"x": x})[0]
            np.testing.assert_allclose(got, np.maximum(x * x + x, 0))
        except Exception as error:  # what is said is looked at by the test
            said.append(f"{type(error).__name__}: {error}")


def exhaust(shim: shimmed.Shim, devices: list[Any], said: list[str]) -> int:
    """A session for every allocation that can fail in one; how many those are."""
    nth = 0
    left = False
    while not left:
        nth += 1
        shim.exhaust(nth)
        cycle(devices, 1, said)
        left = shim.exhaust_off()
    return nth - 1


def sessions(shim: shimmed.Shim, path: str, job: dict[str, Any]) -> dict[str, Any]:
    """Registers, runs sessions, unregisters."""
    said: list[str] = []
    found: dict[str, int] = {}
    asked: list[Any] = []
    for name in NAMES:
        if job.get("fail"):
            shim.fail(*job["fail"])
        try:
            onnxruntime.register_execution_provider_library(name, path)
        except Exception as error:
            said.append(f"{type(error).__name__}: {error}")
            continue
        own = [d for d in onnxruntime.get_ep_devices() if d.ep_vendor != "Microsoft"]
        found[name] = len(own)
        if own:
            threads = [
                Thread(target=cycle, args=(own, job.get("cycles", 2), said))
                for _ in range(job.get("threads", 1))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if job.get("exhaust"):
                asked.append(exhaust(shim, own, said))
            asked += [shim.control(command) for command in job.get("ask", ())]
        enough = bool(own)
        del own
        gc.collect()
        onnxruntime.unregister_execution_provider_library(name)
        if enough:
            break
    return {"said": said, "devices": found, "asked": asked}


def notes(shim: shimmed.Shim) -> dict[str, Any]:
    """All that the shim noted."""
    return {
        "counts": {kind: asdict(count) for kind, count in shim.counts().items()},
        "calls": shim.calls(),
        "stamps": [asdict(stamp) for stamp in shim.stamps()],
        "findings": [asdict(finding) for finding in shim.findings()],
    }


def broken(shim: shimmed.Shim, path: str, breach: str) -> dict[str, Any]:
    """A session on the toy that breaks the contract in that way; "NAME/LEVEL" in an older
    runtime."""
    name, _, level = breach.partition("/")
    os.environ["TOY_BREACH"] = name
    shim.pretend(int(level or 0))
    shim.reset()
    return sessions(shim, path, {"cycles": 1}) | notes(shim)


def main() -> None:
    path, target, text = sys.argv[1:]
    job = json.loads(text)
    onnxruntime.set_default_logger_severity(4)
    shimmed.prepare(target, job.get("log"), job.get("pretend", 0))
    shim = shimmed.Shim(path)
    if "hardware" in job:
        shim.hardware([shimmed.Hardware(**one) for one in job["hardware"]])
    if "level" in job:
        shim.expect(job["level"])
    if "breaches" in job:
        print(json.dumps({breach: broken(shim, path, breach) for breach in job["breaches"]}))
        return
    result = sessions(shim, path, job)
    if job.get("unload"):  # of its own accord: the shim is not held any more
        shim.close()
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
        print(json.dumps({"mapped": [name for name in (path, target) if name in lines]}))
        return
    print(json.dumps(result | notes(shim)))


if __name__ == "__main__":
    main()
