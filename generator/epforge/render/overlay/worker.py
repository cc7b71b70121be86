"""The process in which a template of copier or cookiecutter is rendered.

It is run as a file of its own, in an empty directory that is thrown away, and imports nothing of
epforge. A JSON object on stdin says what to do, another one on stdout how it went. Unless the
template is trusted, Jinja is sandboxed for both kinds, an audit hook refuses programs, the network
and every write outside the directory, and what gives another result tomorrow is not there.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any


def _beside(name: str) -> Any:
    """A module beside this file, by its place: nothing else of epforge comes along."""
    spec: Any = importlib.util.spec_from_file_location(
        f"epforge_overlay_{name}", Path(__file__).with_name(f"{name}.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_asks = _beside("asks")
Refused: Any = _asks.Refused

TEMPLATE, OUT = "template", "out"
#: What differs from run to run, or from machine to machine: time, chance, the disk around.
_UNSTABLE_FILTERS = (
    *("ans_random", "expanduser", "expandvars", "fileglob", "random", "realpath", "relpath"),
    *("shuffle", "strftime", "to_datetime"),
)
_UNSTABLE_GLOBALS = ("lipsum", "random_ascii_string", "uuid4")
_PROGRAMS = re.compile(
    r"subprocess\.|os\.(system|exec|posix_spawn|spawn|fork|forkpty|startfile|kill|killpg)"
    r"|pty\.|socket\.|urllib\.|ctypes\.dl|webbrowser\."
)
_WRITES = frozenset(
    {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.chmod",
     "os.chown", "os.truncate", "os.utime"}
)  # fmt: skip
#: What parts of the tools read of a system: its time zones, its chance.
_SYSTEM = ("/usr/share/zoneinfo", "/etc/localtime", "/dev/urandom", "/dev/random")
_TOOLS = ("copier", "cookiecutter", "jinja2", "yaml")


def main() -> None:
    """Does what stdin asks for; stdout is for the answer alone."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    guard = Guard(Path.cwd(), request["max_bytes"])
    try:
        with contextlib.suppress(SystemExit):
            _render(request, guard)
        if guard.refused:
            raise guard.refused[0]
        said: dict[str, Any] = {"ok": True}
    except BaseException as error:
        cause = guard.refused[0] if guard.refused else error
        trust = getattr(cause, "trust", type(cause).__name__ == "UnsafeTemplateError")
        said = {"error": _words(cause), "place": _place(error), "trust": trust}
        if isinstance(error, ModuleNotFoundError) and error.name in _TOOLS:
            said = {"missing": error.name}
    guard.over = True
    json.dump(said, answer)
    answer.flush()
    os._exit(0)  # what a template may have left to run at exit does not run


def _render(request: dict[str, Any], guard: Guard) -> None:
    trust: bool = request["trust"]
    if request["kind"] == "copier":
        if not trust:
            _asks.check_copier(Path(TEMPLATE))
        tool, run = _with_sandbox("copier", request["values"]), _copier
    else:
        _asks.check_cookiecutter(Path(TEMPLATE), request["data"], trust=trust)
        tool, run = _with_sandbox("cookiecutter.main", request["values"]), _cookiecutter
    if not trust:
        importlib.import_module("ctypes")  # parts of the tools import it late, and it opens Python
        _limit(request["max_bytes"])
        sys.executable = "python"  # a template sees it, and it differs between machines
        sys.addaudithook(guard)
    run(tool, request["name"], request["data"], trust)


def _copier(tool: ModuleType, name: str, data: dict[str, str], trust: bool) -> None:
    Path(OUT, name).mkdir()  # tasks run there, also those of a template without files
    # Relative paths: an answers file holds the template's, which must not differ between runs.
    tool.run_copy(
        TEMPLATE,
        f"{OUT}/{name}",
        data=data,
        unsafe=trust,
        skip_tasks=False,  # without trust copier refuses tasks, and does not skip them
        quiet=True,
        overwrite=True,
        defaults=True,
        cleanup_on_error=False,
    )


def _cookiecutter(tool: ModuleType, name: str, data: dict[str, str], trust: bool) -> None:
    vars(tool)["dump"] = lambda *_: None  # it would keep the answers in the home directory
    tool.cookiecutter(
        TEMPLATE,
        no_input=True,
        extra_context=data,
        output_dir=OUT,
        default_config=True,
        accept_hooks=trust,
        keep_project_on_failure=True,
    )


def _with_sandbox(name: str, values: dict[str, Any]) -> ModuleType:
    """Imports a tool that finds a sandbox wherever it looks for a Jinja environment."""
    import jinja2.sandbox

    original: Any = jinja2.sandbox.SandboxedEnvironment

    class Sandbox(original):  # type: ignore[misc]  # its class is known at run time only
        """Sandboxed, with epforge's values, without what is not the same every time."""

        def __init__(self, *args: Any, **settings: Any) -> None:
            super().__init__(*args, **settings)
            self.globals["epforge"] = copy.deepcopy(values)
            for names, table in (
                (_UNSTABLE_FILTERS, self.filters),
                (_UNSTABLE_GLOBALS, self.globals),
            ):
                for each in names:
                    if each in table:
                        table[each] = _unstable(each)
            timed = [key for key, each in self.extensions.items() if "now" in each.tags]
            for key in timed:
                del self.extensions[key]

        def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
            """Nor is there a way from the tools' own objects: to modules, or to their methods,
            some of which read files and unpack any object."""
            if isinstance(value, ModuleType):
                return False
            if callable(value) and hasattr(type(obj), "model_fields"):
                return False
            return bool(super().is_safe_attribute(obj, attr, value))

    jinja2.sandbox.SandboxedEnvironment = Sandbox  # type: ignore[misc]  # for the tools, too
    jinja2.Environment = Sandbox  # type: ignore[misc]
    tool = importlib.import_module(name)
    user = "copier._main" if name == "copier" else "cookiecutter.environment"
    used = importlib.import_module(user)
    known = getattr(used, "SandboxedEnvironment", None) or getattr(used, "StrictEnvironment", None)
    if known is None or not issubclass(known, Sandbox):
        raise Refused(f"this version of {name.split('.')[0]} cannot be sandboxed")
    return tool


def _unstable(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise Refused(f"{name} is not there: a result must be the same every time, everywhere")

    return refuse


class Guard:
    """An audit hook: no programs, no network, and files only where they are thrown away.

    Args:
        root: the directory of this run.
        max_bytes: what all files together may hold.
    """

    def __init__(self, root: Path, max_bytes: int) -> None:
        self.root = os.path.realpath(root)
        self.out = os.path.join(self.root, OUT)
        self.max_bytes = max_bytes
        own = (*sys.path, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
        self.readable = {
            os.path.normcase(os.path.realpath(place))
            for place in (self.root, *own, os.devnull, *_SYSTEM)
            if place
        }
        self.refused: list[Exception] = []
        self.over = False
        self._written: set[str] = set()
        self._closed = 0
        self._last = ""

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if self.over:
            return
        if _PROGRAMS.match(event):
            self._refuse(f"it tries to run a program or to reach the network ({event})")
        elif event == "open":
            path, mode, flags = args
            changes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
            if (mode and set(mode) & set("wax+")) or (not mode and flags & changes):
                self._write(path)
            else:
                self._read(path)
        elif event in ("os.listdir", "os.scandir"):
            self._read("." if args[0] is None else args[0])
        elif event in _WRITES:
            made = {"os.rename": args[:2], "os.link": args[1:2], "os.symlink": args[1:2]}
            for path in made.get(event, args[:1]):
                self._check(path)
        elif event == "exec" and "importlib" in sys._getframe(1).f_code.co_filename:
            file = os.path.realpath(getattr(args[0], "co_filename", ""))
            if file.startswith(self.root + os.sep):
                self._refuse(f"it has {os.path.basename(file)} imported, which is code of its own")

    def _write(self, path: Any) -> None:
        real = self._check(path)
        if not real.startswith(self.out + os.sep):
            return
        if real in self._written:
            self._refuse(f"two of its files become {os.path.relpath(real, self.out)}")
        self._written.add(real)
        with contextlib.suppress(OSError):
            self._closed += os.stat(self._last).st_size if self._last else 0
        self._last = real
        if self._closed > self.max_bytes or len(self._written) > 5000:
            self._refuse(f"it makes more than {self.max_bytes // 1_000_000} MB, or 5000 files")

    def _read(self, path: Any) -> None:
        """Python and the tools may be read, and the template; not what else this machine has."""
        if isinstance(path, int):
            return
        real = os.path.normcase(os.path.realpath(os.fsdecode(path)))
        if not any(real == place or real.startswith(place + os.sep) for place in self.readable):
            self._refuse(f"it reads outside its directory: {real}")

    def _check(self, path: Any) -> str:
        """The real path of what is about to change; refused unless it lies in the directory."""
        if isinstance(path, int):
            return ""
        text = os.fsdecode(path)
        parent, name = os.path.split(os.path.abspath(text))
        real = os.path.join(os.path.realpath(parent), name)
        if real != self.out and not real.startswith(self.out + os.sep) and text != os.devnull:
            self._refuse(f"it writes outside its directory: {real}")
        return real

    def _refuse(self, what: str) -> None:
        self.refused.append(Refused(what))
        raise self.refused[-1]


def _limit(max_bytes: int) -> None:
    """Bounds what the process can take, where the system can."""
    try:
        import resource
    except ImportError:
        return
    bounds = {"RLIMIT_FSIZE": max_bytes + 1, "RLIMIT_AS": 768 * 2**20, "RLIMIT_CORE": 0}
    for name, bound in bounds.items():
        # A ValueError: the bound is lower already.
        with contextlib.suppress(AttributeError, ValueError, OSError):
            kind = getattr(resource, name)
            resource.setrlimit(kind, (bound, resource.getrlimit(kind)[1]))


def _words(error: BaseException) -> str:
    if isinstance(error, Refused):
        return str(error.what)
    inner = getattr(error, "error", None)  # cookiecutter's has the one of Jinja
    if isinstance(inner, BaseException):
        return _words(inner)
    if isinstance(error, MemoryError):
        return "it takes too much memory"
    if isinstance(error, RecursionError):
        return "it goes around in circles"
    if isinstance(error, OSError) and error.errno == 27:  # EFBIG
        return "it makes a file that is too large"
    text = str(getattr(error, "message", "") or error) or type(error).__name__
    return " ".join(text.split())


def _place(error: BaseException) -> str:
    """``file:line`` of the template, from the innermost frame that lies in it."""
    lineno, name = getattr(error, "lineno", None), getattr(error, "name", None)
    if isinstance(lineno, int) and isinstance(name, str):
        return f"{_in_template(name) or name}:{lineno}"
    found = ""
    trace = error.__traceback__
    while trace is not None:
        name = _in_template(trace.tb_frame.f_code.co_filename)
        found = f"{name}:{trace.tb_lineno}" if name else found
        trace = trace.tb_next
    cause = error.__cause__ or error.__context__
    return found or (_place(cause) if cause is not None else "")


def _in_template(filename: str) -> str:
    """The path in the template that Jinja calls ``filename``; empty if it is not there.

    Jinja names a file as its loader found it; cookiecutter's works inside a directory of the
    template.
    """
    root = os.path.realpath(TEMPLATE)
    inner = [path for path in sorted(Path(root).glob("*cookiecutter*")) if path.is_dir()]
    for base in (Path(root).parent, Path(root), *inner):
        path = os.path.realpath(base / filename)
        if path.startswith(root + os.sep) and os.path.isfile(path):
            return Path(path).relative_to(root).as_posix()
    return ""


if __name__ == "__main__":
    main()
