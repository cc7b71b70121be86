"""Uses an installed package as an application would. Runs in an environment of its own, where
nothing of epforge can be imported.

    python smoke.py JOB RECORDS

JOB is a file of JSON that says what to do; RECORDS gets a line of JSON for whatever is seen.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

_THREADS = 4
_RUNS = 25
_HEAVY = ("onnxruntime", "numpy", "onnx")
_WRONG = "no_such_option_42"
_TOLERANCE = {"f": (1e-4, 1e-5)}  # relative, absolute; other kinds of numbers must be equal


class _Records:
    def __init__(self, path: str) -> None:
        self._path = path

    def write(self, record: str, **values: object) -> None:
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"record": record, **values}) + "\n")

    def case(self, label: str, check: Callable[[], str | None]) -> None:
        """Runs one check, which returns what is wrong."""
        self.write("begin", step=label)
        try:
            wrong = check() or ""
        except Exception as error:
            wrong = " ".join(f"{type(error).__name__}: {error}".split())[:400]
        self.write("end", step=label)
        outcome = "failed" if wrong else "passed"
        self.write("case", label=label, outcome=outcome, detail=wrong)


def bare(job: Mapping[str, Any], records: _Records) -> None:
    """Without onnxruntime and numpy: what works, and what says what is missing."""
    before = set(sys.modules)
    records.case("import", lambda: _imported(job["package"], before, _HEAVY))
    package = importlib.import_module(job["package"])

    def names() -> str | None:
        found = (package.get_ep_name(), list(package.get_ep_names()), package.__version__)
        wanted = (job["ep"], job["eps"], job["package_version"])
        return f"it says {found}, the manifest {wanted}" if found != wanted else None

    def library() -> str | None:
        path = Path(package.get_library_path())
        home = Path(str(package.__file__)).parent
        inside = path.is_absolute() and path.is_file() and path.parent.samefile(home)
        return None if inside else f"the library is {path}, the package in {home}"

    def register() -> str | None:
        try:
            package.register()
        except ImportError as error:
            lacking = [word for word in ("pip install", job["minimum"]) if word not in str(error)]
            return f"{error}: it does not say {' and '.join(lacking)}" if lacking else None
        return "register() works without onnxruntime"

    records.case("names", names)
    records.case("library", library)
    records.case("register", register)


def _imported(name: str, before: set[str], unwanted: Sequence[str]) -> str | None:
    importlib.import_module(name)
    heavy = {m.split(".")[0] for m in set(sys.modules) - before}.intersection(unwanted)
    return f"importing it imports {', '.join(sorted(heavy))}" if heavy else None


def diagnose(job: Mapping[str, Any], records: _Records) -> None:
    """What helps to understand a failure on a machine that nobody can look at."""
    try:
        found = importlib.import_module(f"{job['package']}._diagnostics")
        for line in found.lines(virtual=bool(job["virtual"])):
            records.write("diagnostic", text=line)
    except Exception as error:
        records.write("diagnostic", text=f"{type(error).__name__}: {error}")


def smoke(job: Mapping[str, Any], records: _Records) -> None:
    """With onnxruntime: from registration to its end, under a name that is not the EP's."""
    run = _Smoke(job)
    records.write("runtime", version=run.runtime.__version__, python=sys.version.split()[0])
    records.case("register", run.register)
    if not run.name:
        return
    records.write("devices", count=len(run.devices), text=run.text(), name=run.name)
    if run.devices:
        records.case("devices by name", run.devices_by_name)
        records.case("devices by library", run.devices_by_library)
        if job["folder"]:
            run.load(Path(job["folder"]))
            records.case("values", run.values)
            records.case("options", run.options)
            records.case("wrong option", run.wrong_option)
            records.case("second session", run.second_session)
            records.case("threads", run.threads)
            if hasattr(run.package, "session_options"):
                records.case("helpers", run.helpers)
    records.case("unregister", run.unregister)


class _Smoke:
    def __init__(self, job: Mapping[str, Any]) -> None:
        self.package: Any = importlib.import_module(job["package"])
        self.runtime: Any = importlib.import_module("onnxruntime")
        self.runtime.set_default_logger_severity(4)
        self.name = ""
        self.devices: list[Any] = []
        self._job = job
        self._model = b""
        self._inputs: dict[str, Any] = {}
        self._outputs: list[Any] = []

    def register(self) -> str | None:
        """Under another name; where only a virtual device is offered, for that."""
        wanted = str(self._job["name"])
        self.name = self.package.register(wanted)
        if self.name != wanted or self.package.register(wanted) != wanted:
            return f"register({wanted!r}) says {self.name!r}"
        self.devices = self.package.devices()
        if not self.devices and self._job["virtual"]:
            self.package.unregister()
            self.name = self.package.register(wanted, virtual=True)
            self.devices = self.package.devices()
        return None

    def text(self) -> str:
        """The devices, in words."""
        return ", ".join(f"{d.ep_name} on {d.device.type.name.lower()}" for d in self.devices)

    def devices_by_name(self) -> str | None:
        names = [d.ep_name for d in self.runtime.get_ep_devices() if d.ep_name in self._job["eps"]]
        if len(names) != len(self.devices):
            return f"onnxruntime lists {len(names)} devices of {self._job['eps']}"
        versions = {d.ep_metadata.get("version") for d in self.devices}
        if versions != {self._job["version"]}:
            return f"their versions are {versions}, the package's is {self._job['version']}"
        return None

    def devices_by_library(self) -> str | None:
        library = os.path.realpath(self.package.get_library_path())
        paths = [d.ep_metadata.get("library_path", "") for d in self.runtime.get_ep_devices()]
        found = [path for path in paths if path and os.path.realpath(path) == library]
        if any(paths) and len(found) != len(self.devices):
            return f"{len(found)} devices are of {library}; there are {sorted(set(paths))}"
        return None

    def load(self, folder: Path) -> None:
        """Reads the model, its inputs and what should come out."""
        import numpy as np

        self._model = (folder / "model.onnx").read_bytes()
        with np.load(folder / "inputs.npz") as arrays:
            self._inputs = dict(arrays)
        with np.load(folder / "outputs.npz") as arrays:
            self._outputs = [arrays[f"o{index}"] for index in range(len(arrays.files))]

    def _settings(self) -> Any:
        made = self.runtime.SessionOptions()
        made.log_severity_level = 4
        made.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        if not self._job["converted"]:  # else the CPU has to transpose
            made.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        made.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        return made

    def _session(self, options: Mapping[str, str] | None = None) -> Any:
        made = self._settings()
        made.add_provider_for_devices(self.devices[:1], dict(options or {}))
        return self.runtime.InferenceSession(self._model, made, enable_fallback=0)

    def _wrong(self, session: Any) -> str | None:
        return _difference(session.run(None, self._inputs), self._outputs)

    def values(self) -> str | None:
        session = self._session()
        name = self.devices[0].ep_name
        if name not in session.get_providers():
            return f"the session's providers are {session.get_providers()}"
        taken = {part.ep_name for part in session.get_provider_graph_assignment_info()}
        if not self._job["converted"] and taken != {name}:
            return f"the model is computed by {', '.join(taken) or 'nobody'}"
        return self._wrong(session)

    def options(self) -> str | None:
        device = self.devices[0]
        published, wanted = dict(device.ep_options), dict(self._job["defaults"])
        if published != wanted:
            return f"the device publishes the defaults {published}, the manifest has {wanted}"
        given = {**wanted, **self._job["options"]}
        session = self._session(given)
        told = session.get_provider_options().get(device.ep_name, {})
        for name, value in given.items():
            if told.get(name) != value:
                return f"given {name}={value}, the session says {told.get(name)!r}"
        return self._wrong(session)

    def wrong_option(self) -> str | None:
        try:
            self._session({_WRONG: "1"})
        except Exception as error:
            return None if _WRONG in str(error) else f"it is not named: {error}"
        return f"{_WRONG}=1 is accepted"

    def second_session(self) -> str | None:
        one, two = self._session(), self._session()
        return self._wrong(one) or self._wrong(two) or self._wrong(one)

    def threads(self) -> str | None:
        session = self._session()
        wrong: list[str] = []

        def work() -> None:
            try:
                for _ in range(_RUNS):
                    wrong.extend(filter(None, [self._wrong(session)]))
            except Exception as error:
                wrong.append(str(error))

        workers = [threading.Thread(target=work) for _ in range(_THREADS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return wrong[0] if wrong else None

    def helpers(self) -> str | None:
        """The package's own way to a session, and its check that a session uses it."""
        made = self.package.session_options()
        made.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = self.runtime.InferenceSession(self._model, made, enable_fallback=0)
        self.package.assert_ep_selected(session)
        settings = self.runtime.SessionOptions()
        other = self.runtime.InferenceSession(
            self._model, settings, providers=["CPUExecutionProvider"]
        )
        try:
            self.package.assert_ep_selected(other)
        except AssertionError:
            return self._wrong(session)
        return "assert_ep_selected() accepts a session on the CPU"

    def unregister(self) -> str | None:
        self.devices = []
        gc.collect()
        self.package.unregister()
        left = [d.ep_name for d in self.runtime.get_ep_devices() if d.ep_name in self._job["eps"]]
        return f"{len(left)} devices are still listed" if left else None


def _difference(found: Sequence[Any], wanted: Sequence[Any]) -> str | None:
    import numpy as np

    for got, want in zip(found, wanted, strict=True):
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"{got.dtype} {got.shape} comes out instead of {want.dtype} {want.shape}"
        relative, absolute = _TOLERANCE.get(want.dtype.kind, (0.0, 0.0))
        if want.dtype.itemsize == 2 and relative:
            relative = absolute = 1e-2
        if not np.allclose(got, want, rtol=relative, atol=absolute, equal_nan=True):
            return f"{got.ravel()[:4]} comes out instead of {want.ravel()[:4]}"
    return None


def native(job: Mapping[str, Any], records: _Records) -> None:
    """The kernels for NumPy, where no onnxruntime can be imported."""
    sys.modules["onnxruntime"] = None  # type: ignore[assignment]
    records.case("import", lambda: _imported(job["package"], set(sys.modules), ("onnx",)))
    package: Any = importlib.import_module(job["package"])
    records.case("versions", lambda: _versions(package, job))
    runtime = next((d["runtime"] for d in package.devices() if "runtime" in d), {"opens": True})
    call = Path(job["folder"], "call.json")
    if not runtime["opens"]:
        text, checked = f"no kernel was called: {runtime['error']}", False
    elif not call.is_file():
        text, checked = "no kernel was called: none that there is a plain call for", False
    else:
        wanted = json.loads(call.read_text(encoding="utf-8"))
        records.case("value", lambda: _value(package, wanted, call.parent))
        text, checked = f"{wanted['op']} computes the right values", True
    records.write("value", text=text, checked=checked)


def _versions(package: Any, job: Mapping[str, Any]) -> str | None:
    own, main = (importlib.metadata.version(job[name]) for name in ("distribution", "main"))
    if own != main:
        return f"it is installed as {own}, the main package as {main}"
    told = package.build_info()["version"]
    return None if told == job["version"] else f"it says {told}, the library {job['version']}"


def _value(package: Any, call: Mapping[str, Any], folder: Path) -> str | None:
    import numpy as np

    with np.load(folder / "arrays.npz") as arrays:
        inputs = [arrays[name] if name else None for name in call["inputs"]]
    with np.load(folder / "outputs.npz") as arrays:
        wanted = [arrays[f"o{index}"] for index in range(len(arrays.files))]
    found = package.run(
        call["op"],
        *inputs,
        domain=call["domain"],
        opset=call["opset"],
        outputs=len(wanted),
        dtypes=[each.dtype for each in wanted],
        attributes=call["attributes"],
    )
    return _difference(found if len(wanted) > 1 else [found], wanted)


def _limit(seconds: int, megabytes: int) -> None:
    """Bounds this process: no core files, no endless computing, no runaway memory."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if megabytes:
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    _limit(int(job["limit_cpu_s"]), int(job["limit_mb"]))
    records = _Records(sys.argv[2])
    jobs = {"bare": bare, "diagnose": diagnose, "smoke": smoke, "native": native}
    jobs[job["job"]](job, records)
    records.write("done")


if __name__ == "__main__":
    main()
