"""Fetches one file by URL and checks its hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, cast
from urllib.parse import unquote, urlsplit

from epforge.errors import EpforgeError, MissingError, UsageError
from epforge.network import pip_setting

_MAX_BYTES = 1 << 30
_CHUNK = 1 << 18
_TIMEOUT_S = 60.0


class HashError(EpforgeError):
    """A file is not the one whose hash was given. Exit status 1."""

    def __init__(self, name: str, expected: str, actual: str) -> None:
        super().__init__(
            f"{name}: its SHA-256 is {actual}, expected was {expected}",
            "The file is damaged or another one; nothing was installed.",
        )


def is_url(text: str) -> bool:
    """Whether ``text`` is a URL and not a path (a drive letter is no scheme)."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text) is not None


def checked_digest(text: str) -> str:
    """A SHA-256 in lower case. Raises UsageError when it is none."""
    digest = text.strip().lower().removeprefix("sha256:")
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise UsageError(f"{text!r} is no SHA-256", "It has 64 hexadecimal digits.")
    return digest


def check_file(file: Path, digest: str) -> None:
    """Raises HashError unless the file has that SHA-256."""
    with file.open("rb") as stream:
        actual = hashlib.file_digest(stream, "sha256").hexdigest()
    if actual != digest:
        raise HashError(file.name, digest, actual)


def _open(url: str, scheme: str) -> IO[bytes]:
    """Opens a URL by way of the proxy that the variables of the scheme name, else of pip's; with
    the certificates that Python trusts, and those that pip is told to trust."""
    import ssl
    from urllib.request import HTTPSHandler, ProxyHandler, build_opener, getproxies

    if scheme == "file":
        return cast("IO[bytes]", build_opener().open(url, timeout=_TIMEOUT_S))
    proxies = getproxies()
    if scheme not in proxies and (proxy := pip_setting("proxy")):
        proxies[scheme] = proxy if "://" in proxy else f"http://{proxy}"
    context = ssl.create_default_context()
    if scheme == "https" and (trusted := pip_setting("cert")):
        context.load_verify_locations(trusted)
    opener = build_opener(ProxyHandler(proxies), HTTPSHandler(context=context))
    return cast("IO[bytes]", opener.open(url, timeout=_TIMEOUT_S))


def fetch(url: str, digest: str, directory: Path, report: Callable[[str], None]) -> Path:
    """Download ``url`` into ``directory`` and return the file.

    Raises UsageError for a URL that is not http(s) or file, MissingError when it cannot be had,
    HashError when it is not the file with that SHA-256; then the file is gone.
    """
    from urllib.error import URLError

    parts = urlsplit(url)
    if parts.scheme not in ("https", "http", "file"):
        raise UsageError(f"{url}: only https, http and file URLs are fetched")
    name = re.sub(r"[^\w.+~-]", "_", PurePosixPath(unquote(parts.path)).name) or "archive"
    target = directory / name
    hasher = hashlib.sha256()
    size = 0
    report(f"fetching {url}")
    try:
        with _open(url, parts.scheme) as response, target.open("wb") as file:
            while chunk := response.read(_CHUNK):
                size += len(chunk)
                if size > _MAX_BYTES:
                    raise UsageError(f"{url}: is bigger than any release of ONNX Runtime")
                hasher.update(chunk)
                file.write(chunk)
    except (URLError, OSError, ValueError) as error:
        target.unlink(missing_ok=True)
        reason = getattr(error, "reason", None) or error
        raise MissingError(
            f"{url}: cannot be fetched: {reason}",
            "Fetch it by other means and give its path: epforge sdk install PATH",
        ) from error
    if hasher.hexdigest() != digest:
        target.unlink()
        raise HashError(name, digest, hasher.hexdigest())
    return target
