"""A proxy on this machine that writes down what is asked of it, and serves from a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any


@dataclass
class Proxy:
    """A proxy.

    Args:
        url: where it listens.
        asked: the URLs that were asked for, in order; of ``https`` the host and port.
        pages: what it answers, by URL; any other is not found.
    """

    url: str
    asked: list[str] = field(default_factory=list)
    pages: dict[str, bytes] = field(default_factory=dict)

    @property
    def variables(self) -> Mapping[str, str]:
        """By which programs are told of it."""
        names = ("http_proxy", "https_proxy", "HTTPS_PROXY")
        return {**dict.fromkeys(names, self.url), "no_proxy": "", "NO_PROXY": ""}

    def index(self, host: str, *wheels: Path) -> dict[str, str]:
        """Serves wheels as a package index; the variables by which pip knows it and no other."""
        base = f"http://{host}/simple"
        for wheel in wheels:
            project = wheel.name.split("-")[0].replace("_", "-").lower()
            page = f'<a href="{base}/files/{wheel.name}">{wheel.name}</a>'.encode()
            self.pages[f"{base}/{project}/"] = page
            self.pages[f"{base}/files/{wheel.name}"] = wheel.read_bytes()
        return {"PIP_INDEX_URL": base, "PIP_TRUSTED_HOST": host, "PIP_RETRIES": "0"}


@contextmanager
def recording_proxy() -> Iterator[Proxy]:
    """Such a proxy, as long as the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            proxy.asked.append(self.path)
            page = proxy.pages.get(self.path)
            self.send_response(404 if page is None else 200)
            kind = "text/html" if self.path.endswith("/") else "application/octet-stream"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(page or b"")))
            self.end_headers()
            self.wfile.write(page or b"")

        def do_CONNECT(self) -> None:
            proxy.asked.append(self.path)
            self.send_error(502)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        proxy = Proxy(f"http://127.0.0.1:{server.server_address[1]}")
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()
