"""Chromium without a window, told what to do over a pipe: what a page asks for and how it lies."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_PATIENCE_S = 120.0


def chromium() -> str | None:
    """The program; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@dataclass
class Browser:
    """A browser at work. Everything that it asks for is in ``requests``."""

    to: int
    back: int
    requests: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    _events: list[Mapping[str, Any]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _rest: bytes = b""
    _session: str = ""

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """Calls a method of the DevTools protocol; returns its result."""
        number = next(self._numbers)
        message: dict[str, object] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, path: Path, width: int, height: int, scheme: str = "light") -> None:
        """Opens a file in a new page of that size."""
        self._session = ""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = str(attached["sessionId"])
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", features=features)
        self._events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._next()

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives in the page."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """A screenshot: of what is seen, or of the whole page."""
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(data["data"]))

    def _next(self) -> dict[str, Any]:
        """The next message; events are noted."""
        end = time.monotonic() + _PATIENCE_S
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self.back], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser says nothing any more"
            chunk = os.read(self.back, 1 << 16)
            assert chunk, "the browser is gone"
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self._events.append(message)
            parameters = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(str(parameters["request"]["url"]))
            elif message["method"] == "Log.entryAdded":
                self.said.append(str(parameters["entry"]["text"]))
            elif message["method"] == "Runtime.consoleAPICalled":
                self.said.append(str(parameters["args"]))
        return message


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A browser that can reach nothing, for the time of the block."""
    program = chromium()
    assert program, "there is no chromium"
    into, to = os.pipe()
    back, out = os.pipe()
    with tempfile.TemporaryDirectory(prefix="epforge-browser-") as profile:
        command = [
            *("bash", "-c", f'exec "$@" 3<&{into} 4>&{out}', "bash", program, "--headless=new"),
            *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *("--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"),
            f"--user-data-dir={profile}",
        ]
        process = subprocess.Popen(
            command,
            pass_fds=(into, out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(into)
        os.close(out)
        made = Browser(to, back)
        try:
            yield made
        finally:
            with contextlib.suppress(OSError, AssertionError):
                made._session = ""
                made.ask("Browser.close")
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(to)
            os.close(back)
