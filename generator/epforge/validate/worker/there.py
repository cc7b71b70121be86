"""A library at work in a program for another machine, which an emulator runs.

The program is `cross/host`; it is told what to do line by line and says what it saw.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from epforge.validate.cases.model import Array
from epforge.validate.worker import session, tensors
from epforge.validate.worker.ended import EndedError

_CODES = (
    *("OK", "FAIL", "INVALID_ARGUMENT", "NO_SUCHFILE", "NO_MODEL", "ENGINE_ERROR"),
    *("RUNTIME_EXCEPTION", "INVALID_PROTOBUF", "MODEL_LOADED", "NOT_IMPLEMENTED"),
    *("INVALID_GRAPH", "EP_FAIL", "MODEL_LOAD_CANCELED", "MODEL_REQUIRES_COMPILATION", "NOT_FOUND"),
)
_TYPES = ("cpu", "gpu", "npu")
_SILENT, _INFO = 4, 1
_END_S = 20.0

Event = Mapping[str, Any]
Device = Mapping[str, Any]


class ToldError(Exception):
    """What the runtime says in an error, worded as onnxruntime's Python package words it.

    Args:
        said: the events before it.
    """

    def __init__(self, text: str, said: Sequence[Event] = ()) -> None:
        super().__init__(text)
        self.said = said


@contextmanager
def started(host: Mapping[str, Any], scratch: Path) -> Iterator[There]:
    """The program at work.

    Args:
        host: how to start it: `process.Host.job`.
        scratch: where models and tensors may be written.

    Raises EndedError, also for an end that is not clean.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        process = subprocess.Popen(
            [*host["command"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(host["env"]),
        )
        try:
            there = There(process, Path(folder), bool(host["windows"]))
            yield there
            there.leave()
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    with suppress(OSError):
                        pipe.close()


class Session:
    """The one session that the program has open."""

    def __init__(self, there: There, nodes: list[Event]) -> None:
        self._there = there
        self.nodes = nodes

    def run(self, _: None, feeds: Mapping[str, Array]) -> list[Array]:
        """All outputs, in their order."""
        return self._there.run(feeds)


class There:
    """See `engines.Engine`. One session at a time: opening another one closes it."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, windows: bool) -> None:
        self._process = process
        self._folder = folder
        self._windows = windows
        self._places: dict[Path, Path] = {}
        self.calling = ""  # the function of the library that was called last, if that was said
        first = self._next()
        if first["event"] == "error":
            raise ToldError(_worded(first))
        self._version = str(first["version"])
        self._usual = {device["ep"] for device in self._all_devices()}

    # ---- the talk

    def _tell(
        self,
        verb: str,
        *,
        config: tuple[str, ...] = (),
        output: tuple[str, ...] = (),
        **values: str,
    ) -> list[Event]:
        """Gives a command and returns what was said until it was done. Raises ToldError."""
        words = [verb, *(f"{key}={quote(value)}" for key, value in values.items())]
        words += [f"config={quote(entry)}" for entry in config]
        words += [f"output={quote(name)}" for name in output]
        self._send("\t".join(words))
        said: list[Event] = []
        while True:
            event = self._next()
            if event["event"] == "done":
                return said
            if event["event"] == "error":
                raise ToldError(_worded(event), said)
            if event["event"] == "log":
                _log(event)
            elif event["event"] == "calling":
                self.calling = str(event["where"])
            said.append(event)

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._ended(None)

    def _next(self) -> Event:
        """The next event. What libraries print in between is passed on, to where stderr goes."""
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline()
            if not line:
                self._ended(None)
            event = parse(line)
            if event is None:
                sys.stderr.write(line.decode("utf-8", "replace"))
                sys.stderr.flush()
            elif event["event"] == "fault":
                self._ended(int(event["code"]))
            else:
                return event

    def _ended(self, code: int | None, at_exit: bool = False) -> None:
        status = self._process.wait()
        raise EndedError(status if code is None else code, at_exit)

    def leave(self) -> None:
        """Lets the program end. Raises EndedError if it does not end well."""
        self._send("quit")
        assert self._process.stdout is not None
        fault = None
        for line in self._process.stdout:
            event = parse(line)
            if event and event["event"] == "fault":
                fault = int(event["code"])
        status = self._process.wait(_END_S)
        if fault is not None or status:
            raise EndedError(status if fault is None else fault, at_exit=True)

    def _path(self, path: str | Path) -> str:
        """A path as the program reaches it.

        Windows has no such directories as can be here: they get a name that it can have.
        """
        place = Path(path)
        if not self._windows:
            return str(place)
        if place.parent != self._folder:
            link = self._places.setdefault(place.parent, self._folder / f"d{len(self._places)}")
            if not link.is_symlink():
                link.symlink_to(place.parent.resolve(), target_is_directory=True)
            place = link / place.name
        return "Z:" + str(place).replace("/", "\\")

    # ---- libraries

    def version(self) -> str:
        return self._version

    def severity(self, level: int) -> None:
        self._tell("severity", level=str(level))

    def register(self, name: str, library: str) -> None:
        self._tell("register", name=name, library=self._path(library))

    def unregister(self, name: str) -> None:
        self._tell("close")
        self._tell("unregister", name=name)

    @contextmanager
    def registered(self, name: str, library: str) -> Iterator[None]:
        self.register(name, library)
        yield
        self.unregister(name)

    def _all_devices(self) -> list[Device]:
        found: list[Device] = []
        for event in self._tell("devices"):
            if event["event"] == "devices":
                found += event["devices"]
        return found

    def devices(self, library: str, ep: str = "") -> list[Device]:
        """Those that are not the runtime's own: no other library is ever registered."""
        new = [device for device in self._all_devices() if device["ep"] not in self._usual]
        return [device for device in new if ep in ("", device["ep"])]

    def describe(self, device: Device) -> dict[str, object]:
        number = int(device["type"])
        kind = _TYPES[number] if number < len(_TYPES) else str(number)
        return {**device, "version": device["metadata"].get("version", ""), "type": kind}

    def mapped(self, library: str) -> bool | None:
        said = self._tell("loaded", library=self._path(library))
        return any(event["event"] == "loaded" and event["loaded"] for event in said)

    # ---- sessions

    def _open(
        self, model: bytes, *config: str, severity: int = _SILENT, **values: str
    ) -> tuple[Session, list[Event]]:
        path = self._folder / "model.onnx"
        path.write_bytes(model)
        said = self._tell(
            "open",
            model=self._path(path),
            severity=str(severity),
            config=config,
            output=(),
            **values,
        )
        nodes = [node for event in said if event["event"] == "opened" for node in event["nodes"]]
        return Session(self, nodes), said

    def open(self, model: session.Model, device: Device, fallback: bool = False) -> Session:
        try:
            made, _ = self._open(model.data, *session.entries(fallback), ep=device["ep"])
        except ToldError as error:
            if session.NOT_TAKEN in str(error):
                raise session.NotTakenError from error
            raise
        return made

    def open_usual(self, model: bytes, device: Device) -> Session:
        return self._open(model, ep=device["ep"], optimize="1")[0]

    def open_converted(self, model: session.Model, device: Device, ep: str) -> Session:
        place = self._folder / "converted.onnx"
        place.unlink(missing_ok=True)
        made, _ = self._open(
            model.data, *session.entries(True), ep=device["ep"], optimized=self._path(place)
        )
        if not session.is_converted(place) and not self.taken(made, ep):
            raise session.NotTakenError
        return made

    def taken(self, made: Session, ep: str) -> bool:
        return any(node["ep"] == ep and node["name"] == session.NODE for node in made.nodes)

    def why_not_taken(self, model: session.Model, device: Device, op: str) -> str:
        events: Sequence[Event]
        try:
            _, events = self._open(
                model.data, *session.entries(True), severity=_INFO, ep=device["ep"]
            )
        except ToldError as error:  # only the log is wanted
            events = error.said
        said = [str(event["message"]) for event in events if event["event"] == "log"]
        return session.refusal_in(said, op)

    def newest_opset(self) -> int:
        return session.newest_opset(self._loads)

    def _loads(self, model: bytes) -> bool:
        try:
            self._open(model)
        except ToldError:
            return False
        return True

    def run(self, feeds: Mapping[str, Array]) -> list[Array]:
        """What the open session computes."""
        inputs, outputs = self._folder / "inputs", self._folder / "outputs"
        tensors.write(inputs, feeds)
        outputs.unlink(missing_ok=True)
        self._tell("run", inputs=self._path(inputs), outputs=self._path(outputs))
        return list(tensors.read(outputs).values())

    # ---- what no other engine can

    def probe(self, what: str, library: str, name: str) -> Event:
        """Calls a library as no runtime does: `host/probes.h` has the list. What it says of it."""
        said = self._tell("probe", what=what, library=self._path(library), name=name)
        return next(event for event in said if event["event"] == "probe")

    def cycles(self, model: session.Model, device: Device, count: int) -> None:
        """So many sessions, one after the other, each with one run."""
        path, inputs = self._folder / "model.onnx", self._folder / "inputs"
        path.write_bytes(model.data)
        tensors.write(inputs, model.feeds)
        self._tell(
            "cycles",
            count=str(count),
            model=self._path(path),
            inputs=self._path(inputs),
            severity=str(_SILENT),
            ep=device["ep"],
            config=session.entries(True),
        )

    def crowd(
        self, what: str, model: session.Model, device: Device, threads: int, runs: int
    ) -> None:
        """Sessions of a model by many threads; what they do is said in main.cc."""
        path, inputs = self._folder / "model.onnx", self._folder / "inputs"
        path.write_bytes(model.data)
        tensors.write(inputs, model.feeds)
        self._tell(
            "crowd",
            what=what,
            threads=str(threads),
            runs=str(runs),
            model=self._path(path),
            inputs=self._path(inputs),
            output=tuple(each.name for each in model.proto.graph.output),
            severity=str(_SILENT),
            ep=device["ep"],
            config=session.entries(True),
        )

    def control(self, library: str, command: str) -> str:
        """What the shim plugin replies to a command."""
        said = self._tell("control", library=self._path(library), command=command)
        return next(str(event["reply"]) for event in said if event["event"] == "control")

    def leaks(self) -> Event:
        """Looks for memory that is lost; reports go to stderr."""
        return next(event for event in self._tell("leaks") if event["event"] == "leaks")

    def reference(self, model: session.Model, library: str = "") -> session.Reference:
        """By this machine's CPU; by the other machine's where a library for that has the kernel."""
        if not library:
            return session.reference(model)
        try:
            made, _ = self._open(model.data, *session.entries(True), custom_ops=self._path(library))
            return session.Reference(tuple(made.run(None, model.feeds)), "cpu")
        except ToldError as error:
            return session.Reference((), "", session.one_line(error))


def parse(line: bytes) -> Event | None:
    """An event of the program's; None for a line that something else printed."""
    try:
        event = json.loads(line.decode("utf-8", "replace"))
    except ValueError:
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None


def _worded(error: Event) -> str:
    code = int(error["code"])
    if not 0 <= code < len(_CODES):
        return str(error["text"])
    return f"[ONNXRuntimeError] : {code} : {_CODES[code]} : {error['text']}"


def _log(event: Event) -> None:
    """Writes a line of the log as the runtime itself writes it."""
    now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    letter = "VIWEF"[min(int(event["severity"]), 4)]
    text = " ".join(str(event["message"]).split())
    sys.stderr.write(
        f"{now} [{letter}:{event['category']}:, {event['location']}] {text}{os.linesep}"
    )
    sys.stderr.flush()
