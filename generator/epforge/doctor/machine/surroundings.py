"""The cache, the disk, the network as pip is configured, and the terminal. No host is asked."""

from __future__ import annotations

import locale
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from epforge.cache import cache_dir
from epforge.doctor.model import Finding, command, error, note, ok, pip, warning
from epforge.doctor.running import ask
from epforge.errors import MissingError
from epforge.network import unreachable

_MOST_FILES = 200_000
_LITTLE_MB = 2048  # of room, in which an SDK, a runtime and a build just fit
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_SCHEMES = ("http", "https", "socks4", "socks5", "socks5h")
_PIP = ("index-url", "extra-index-url", "find-links", "no-index", "proxy", "cert")


@dataclass(frozen=True)
class Cache:
    """epforge's cache.

    Args:
        place: its directory; empty where there is no place for one.
        problem: why there is none.
        there: the directory exists.
        writable: a file can be made in it, or the directory itself.
        runs: programs in it may be started.
        size_mb: MiB that it takes; at_least: there are too many files to count them all.
        free_mb: MiB of room on its disk.
    """

    place: str = ""
    problem: str = ""
    there: bool = False
    writable: bool = True
    runs: bool = True
    size_mb: int = 0
    at_least: bool = False
    free_mb: int = 1 << 20


@dataclass(frozen=True)
class Network:
    """How pip reaches the world.

    Args:
        proxies: the variables that are set, in lower case; no passwords.
        differing: variables whose two spellings say different things.
        pip: what pip's configuration says of it, by key; no passwords.
        problem: why pip does not say its configuration.
        offline: this machine knows no way to another one.
    """

    proxies: Mapping[str, str]
    differing: tuple[str, ...] = ()
    pip: Mapping[str, str] | None = None
    problem: str = ""
    offline: bool = False


@dataclass(frozen=True)
class Terminal:
    """How text reaches the user.

    Args:
        output: the encoding of stdout.
        files: the encoding of file names.
        locale: as the environment names it.
        system: as `sys.platform` spells it.
    """

    output: str = "utf-8"
    files: str = "utf-8"
    locale: str = ""
    system: str = "linux"


@dataclass(frozen=True)
class Surroundings:
    """What is around a Python.

    Args:
        temporary: the directory of temporary files; empty where there is none.
    """

    cache: Cache
    network: Network
    terminal: Terminal
    temporary: str = "/tmp"


def gather(env: Mapping[str, str] = os.environ) -> Surroundings:
    """This process's."""
    try:
        temporary = tempfile.gettempdir()
    except OSError:
        temporary = ""
    terminal = Terminal(
        output=str(getattr(sys.stdout, "encoding", "") or "ascii").lower(),
        files=sys.getfilesystemencoding().lower(),
        locale=_locale(env),
        system=sys.platform,
    )
    return Surroundings(_cache(), _network(env), terminal, temporary)


def _locale(env: Mapping[str, str]) -> str:
    named = (env.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return next(filter(None, named), "") or ".".join(filter(None, locale.getlocale()))


def _cache() -> Cache:
    try:
        place = cache_dir()
    except MissingError as problem:
        return Cache(problem=problem.message)
    nearest = next((p for p in (place, *place.parents) if p.exists()), place)
    size, whole = _size(place)
    try:
        free = shutil.disk_usage(nearest).free >> 20
    except OSError:
        free = 1 << 20
    runs = True
    if hasattr(os, "statvfs") and nearest.is_dir():
        runs = not os.statvfs(nearest).f_flag & getattr(os, "ST_NOEXEC", 0)
    return Cache(
        str(place), "", place.is_dir(), _writable(nearest), runs, size >> 20, not whole, free
    )


def _writable(folder: Path) -> bool:
    """Can a file be made in a directory? It is tried: rights alone do not say."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _size(folder: Path) -> tuple[int, bool]:
    """Bytes below a directory, and whether all of them were counted."""
    total = count = 0
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > _MOST_FILES:
                        return total, False
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue  # it is gone, or somebody else's
    return total, True


def _network(env: Mapping[str, str]) -> Network:
    proxies, differing = {}, []
    for name in _PROXIES:
        lower, upper = env.get(name, ""), env.get(name.upper(), "")
        if lower or upper:
            proxies[name] = without_password(lower or upper)
        if lower and upper and lower != upper and sys.platform != "win32":
            differing.append(name)
    answer = ask([sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"])
    settings = pip_settings(answer.text) if answer.fine else None
    problem = "" if answer.fine else answer.line
    return Network(proxies, tuple(differing), settings, problem, unreachable())


def pip_settings(text: str) -> dict[str, str]:
    """What ``pip config list`` says about the network; what comes later counts."""
    found = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        name = key.rpartition(".")[2].replace("_", "-")
        if equals and name in _PIP:
            found[name] = without_password(value.strip().strip("'\""))
    return found


def without_password(text: str) -> str:
    """Addresses without who logs in there."""
    return re.sub(r"(//)[^/@\s]*@", r"\1***@", text)


def judge(found: Surroundings) -> Iterator[Finding]:
    """What is wrong around."""
    yield from _judged_cache(found.cache)
    yield from _judged_network(found.network)
    yield from _judged_terminal(found.terminal)
    if not found.temporary:
        yield error(
            "temporary",
            "there is no directory for temporary files",
            "Validating and building need one.",
            _set("TMPDIR", "/path/to/a/directory", found.terminal.system),
        )


def _judged_cache(it: Cache) -> Iterator[Finding]:
    elsewhere = "export EPFORGE_CACHE=/path/to/a/directory"
    if not it.place:
        yield error("cache", it.problem, "What is fetched and made once is kept there.", elsewhere)
        return
    if not it.writable:
        kept = "What is there is used; what is not is neither fetched nor kept."
        yield (warning if it.there else error)(
            "cache", f"the cache {it.place} cannot be written to", kept, elsewhere
        )
    else:
        size = f"{'at least ' if it.at_least else ''}{it.size_mb} MiB"
        yield ok("cache", f"cache {it.place}, {size if it.there else 'not made yet'}")
    if not it.runs:
        yield error(
            "cache-noexec",
            f"programs in {it.place} may not be started: its file system says so",
            "Tools and runtimes that epforge fetches are there.",
            elsewhere,
        )
    if it.free_mb < _LITTLE_MB:
        yield warning(
            "disk",
            f"{it.free_mb} MiB are free on the disk of {it.place}",
            "Headers, another runtime and a build take about 2 GiB.",
            command("du", "-sh", it.place),
        )


def _judged_network(it: Network) -> Iterator[Finding]:
    for name, value in it.proxies.items():
        if name != "no_proxy" and not _is_proxy(value):
            yield error(
                "proxy",
                f"{name}={value} is no address of a proxy",
                "pip refuses it: nothing could be fetched.",
                f"unset {name} {name.upper()}",
            )
    for name in it.differing:
        yield warning(
            "proxy",
            f"{name} and {name.upper()} say different things",
            "Some programs read the one, some the other.",
            f'export {name.upper()}="${name}"',
        )
    only_plain = "http_proxy" in it.proxies and not {"https_proxy", "all_proxy"} & set(it.proxies)
    if only_plain and "proxy" not in (it.pip or {}):
        yield warning(
            "proxy",
            "http_proxy is set, https_proxy is not",
            "What pip fetches goes over https, past the proxy.",
            'export https_proxy="$http_proxy"',
        )
    if it.pip is None:
        if it.problem and "No module named pip" not in it.problem:
            yield warning(
                "pip-config",
                f"pip does not say its configuration: {it.problem}",
                "Nothing could be fetched.",
                pip("config", "debug"),
            )
        return
    yield from _settings(it)


def _settings(it: Network) -> Iterator[Finding]:
    settings = dict(it.pip or {})
    closed = settings.pop("no-index", "").lower() in ("true", "yes", "on", "1")
    said = [f"{key} {value}" for key, value in (*it.proxies.items(), *settings.items())]
    if it.offline:
        yield note(
            "network",
            "no network: this machine knows no way to another one",
            "What is in the cache is used; nothing else is fetched but from directories of pip's.",
            command("epforge", "sdk", "list"),
        )
    elif closed and not settings.get("find-links"):
        yield warning(
            "network",
            "pip is told to use no index, and no other place",
            "What is not in the cache cannot be fetched.",
            pip("config", "unset", "global.no-index"),
        )
    else:
        how = "; ".join(said) or "no proxy, and pip's own index"
        yield ok("network", f"pip fetches with: {how}{'; no index' if closed else ''}")


def _is_proxy(value: str) -> bool:
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        return parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _judged_terminal(it: Terminal) -> Iterator[Finding]:
    if not _is_utf8(it.files):
        yield warning(
            "locale",
            f"file names are {it.files} here (locale {it.locale or 'not set'})",
            "Paths with other letters fail.",
            _set("PYTHONUTF8", "1", it.system),
        )
    elif not _is_utf8(it.output):
        yield note(
            "terminal",
            f"the output is {it.output} (locale {it.locale or 'not set'})",
            "Letters that it does not have are shown as others.",
            _set("PYTHONUTF8", "1", it.system),
        )
    else:
        yield ok("terminal", f"text is UTF-8 (locale {it.locale or 'not set'})")


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "") == "utf8"


def _set(name: str, value: str, system: str) -> str:
    return f"set {name}={value}" if system == "win32" else f"export {name}={value}"
