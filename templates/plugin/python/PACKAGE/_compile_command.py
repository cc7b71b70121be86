<%= banner %>
"""The command that compiles models: its arguments, what it does in which order, what it says."""

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from . import _compile_devices, compiling
from ._outputs import MISSING, WRONG_CALL, CompileError
from ._plugin_config import PluginConfig, parse_pairs, read_config

_DESCRIPTION = """\
Compiles models for this execution provider, so that their sessions start without compiling.
MODEL.onnx becomes MODEL_ctx.onnx, and a file of compiled data beside it unless --embed puts them
inside."""


@dataclass(frozen=True)
class Request:
    """A call of the command, as it was made.

    Args:
        library: the plugin library.
        ep: its execution provider; may be empty when it has one only.
        config: a configuration file, which wins over library, ep, device, virtual and options.
        token: ends the names of the folders in which models are compiled.
    """

    models: Sequence[str]
    library: str = ""
    ep: str = ""
    output: str | None = None
    embed: bool = False
    share_weights: bool = False
    provider_options: Sequence[str] = ()
    session_options: Sequence[str] = ()
    config: str | None = None
    device: int | None = None
    virtual: bool | None = None
    force: bool = False
    allow_none: bool = False
    verbose: bool = False
    token: str | None = None

    def overruled(self) -> list[str]:
        """The arguments that have no effect beside a configuration."""
        given = {
            "PROJECT or --library": bool(self.library),
            "--ep": bool(self.ep),
            "-i": bool(self.provider_options),
            "--device": self.device is not None,
            "--virtual or --no-virtual": self.virtual is not None,
        }
        return [flag for flag, is_given in given.items() if is_given]


@dataclass
class Outcome:
    """What came of a call.

    Args:
        ep: the execution provider that was compiled for, and its version.
        devices: its devices, in words.
        done: the models that were compiled, group by group.
        failed: those that were not, and why.
        notes: what else should be known.
    """

    ep: str = ""
    devices: str = ""
    done: list[list[compiling.Compiled]] = field(default_factory=list)
    failed: list[tuple[list[str], CompileError]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The exit status."""
        return max((error.status for _, error in self.failed), default=0)

    def lines(self) -> list[str]:
        """What was done, in words."""
        said = [f"{self.ep}, for {self.devices}"] if self.ep else []
        for group in self.done:
            said += [_line(done) for done in group]
            files = dict.fromkeys(file for done in group for file in done.files)
            wide = max(len(str(file)) for file in files)
            said += [f"  {file!s:{wide}}  {file.stat().st_size:,} bytes" for file in files]
        return said

    def complaints(self) -> list[str]:
        """What should be known, and what failed, in words."""
        return [f"note: {note}" for note in self.notes] + [str(error) for _, error in self.failed]

    def to_json(self) -> dict[str, Any]:
        """Everything, for a program."""
        return {
            "format": 1,
            "ok": not self.failed,
            "ep": self.ep,
            "device": self.devices,
            "notes": self.notes,
            "models": [_json(done) for group in self.done for done in group],
            "failed": [
                {"models": models, "message": error.message, "cure": error.cure}
                for models, error in self.failed
            ],
        }


Progress = Callable[[str, Outcome], Any]


def run(request: Request, progress: Progress | None = None) -> Outcome:
    """Does what is asked.

    Args:
        request: what is asked.
        progress: is told what is done next, and what came of all before.

    Returns:
        How it went; models that could not be compiled are in it, the others are compiled.

    Raises:
        CompileError: nothing could be tried.
    """
    config = read_config(Path(request.config)) if request.config is not None else None
    outcome = Outcome()
    if config is not None and request.overruled():
        ignored = ", ".join(request.overruled())
        outcome.notes.append(f"{request.config} wins: {ignored} has no effect")
    settings = _settings(request, config)
    output = None if request.output is None else Path(request.output)
    groups = compiling.groups([Path(model) for model in request.models], output, settings)
    library = config.library if config is not None else Path(request.library).absolute()
    if not library.is_file():
        raise CompileError(f"the library {library} is not there", status=WRONG_CALL)
    _prepare_runtime(request.verbose)

    def step(text: str) -> None:
        if progress is not None:
            progress(text, outcome)

    step(f"register {library}")
    with _choose(request, config, library) as chosen:
        outcome.ep, outcome.devices = _names(chosen)
        for number, group in enumerate(groups):
            token = f"{request.token}-{number}" if request.token else None
            try:
                done = compiling.compile_group(group, chosen.devices, settings, token, step)
                outcome.done.append(done)
            except CompileError as error:
                outcome.failed.append(([str(model) for model, _ in group], error))
        step(f"unregister {library}")
    return outcome


def _settings(request: Request, config: PluginConfig | None) -> compiling.Settings:
    options = parse_pairs(request.provider_options, "-i")
    return compiling.Settings(
        embed=request.embed,
        share_weights=request.share_weights,
        force=request.force,
        allow_none=request.allow_none,
        provider_options=options if config is None else config.options,
        session_options=parse_pairs(request.session_options, "-C"),
        log_severity=0 if request.verbose else 4,
    ).checked()


def _prepare_runtime(verbose: bool) -> None:
    if importlib.util.find_spec("onnxruntime") is None:
        raise CompileError(
            "onnxruntime is not installed", "Install it: pip install onnxruntime", MISSING
        )
    runtime = importlib.import_module("onnxruntime")
    runtime.set_default_logger_severity(0 if verbose else 4)


def _choose(
    request: Request, config: PluginConfig | None, library: Path
) -> AbstractContextManager[_compile_devices.Chosen]:
    if config is not None:
        return _compile_devices.configured(config)
    return _compile_devices.offered(library, request.ep, request.virtual, request.device)


def _names(chosen: _compile_devices.Chosen) -> tuple[str, str]:
    """Execution provider and devices, in words."""
    devices = " and ".join(map(_compile_devices.describe, chosen.devices))
    why = f" ({chosen.why})" if chosen.why else ""
    return f"{chosen.ep} {chosen.version}".rstrip(), f"{devices}{why}"


def _line(done: compiling.Compiled) -> str:
    contexts = _count(done.contexts, "EPContext node")
    if not done.contexts:
        what = "nothing compiled"
    elif done.nodes is None:
        what = f"compiled into {contexts}"
    else:
        what = f"{_count(done.nodes, 'node')} compiled into {contexts}"
    return f"{done.model}: {what}, {_count(done.others, 'node')} left to others"


def _json(done: compiling.Compiled) -> dict[str, Any]:
    return {
        "model": str(done.model),
        "output": str(done.output),
        "compiled_nodes": done.nodes if done.contexts else 0,
        "ep_context_nodes": done.contexts,
        "other_nodes": done.others,
        "files": [{"path": str(file), "bytes": file.stat().st_size} for file in done.files],
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def main(arguments: Sequence[str], program: str, library: Callable[[], str], ep: str) -> int:
    """The command of a package.

    Args:
        arguments: those of the command line, behind the command's name.
        program: how the command is called.
        library: gives the path of the package's library.
        ep: the package's execution provider.

    Returns:
        The exit status: 0 fine, 1 a model was not compiled, 2 a wrong call, 4 something is missing.
    """
    as_json = "--json" in arguments
    try:
        given = vars(_parser(program).parse_args(arguments))
        del given["json"]
        if given["config"] is None:
            given["library"], given["ep"] = _find(library), ep
        outcome = run(Request(**given))
    except CompileError as error:
        _report(error, as_json)
        return error.status
    if as_json:
        print(json.dumps(outcome.to_json(), indent=2))
    else:
        print("\n".join(outcome.lines()), flush=True)
        for line in outcome.complaints():
            print(line, file=sys.stderr)
    return outcome.status


def _find(library: Callable[[], str]) -> str:
    try:
        return library()
    except FileNotFoundError as error:
        raise CompileError(str(error), status=MISSING) from error
    except RuntimeError as error:
        raise CompileError(str(error)) from error


def _report(error: CompileError, as_json: bool) -> None:
    if as_json:
        body = {"message": error.message, "cure": error.cure, "exit_status": error.status}
        print(json.dumps({"error": body}, indent=2))
    else:
        print(error, file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are reported like all others."""

    def error(self, message: str) -> NoReturn:
        raise CompileError(message, f"See {self.prog} --help", WRONG_CALL)


def _parser(program: str) -> argparse.ArgumentParser:
    parser = _Parser(
        program,
        usage="%(prog)s [OPTION]... MODEL...",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("models", nargs="+", metavar="MODEL", help="the models to compile")
    add("-o", "--output", metavar="PATH", help="a folder; for one model also a file FILE.onnx")
    add("--embed", action="store_true", help="put what was compiled into the model")
    add("--share-weights", action="store_true", help="all models share one file of compiled data")
    add("-i", dest="provider_options", action="append", default=[], metavar="'KEY|VALUE ...'",
        help="options of the execution provider; may be repeated")  # fmt: skip
    add("-C", dest="session_options", action="append", default=[], metavar="'KEY|VALUE ...'",
        help="entries of the session's configuration; may be repeated")  # fmt: skip
    add("-p", dest="config", metavar="FILE", help="a plugin configuration; wins over other flags")
    add("--device", type=int, metavar="N", help="the N-th device, from 0")
    add("--virtual", action=argparse.BooleanOptionalAction, default=None,
        help="a virtual device or a real one; by default a real one if there is one")  # fmt: skip
    add("--force", action="store_true", help="replace files that are there")
    add("--allow-none", action="store_true", help="it is no failure when nothing is compiled")
    add("-v", dest="verbose", action="store_true", help="show all of ONNX Runtime's log")
    add("--json", action="store_true", help="print JSON")
    return parser
