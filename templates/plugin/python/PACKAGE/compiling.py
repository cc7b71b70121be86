<%= banner %>
"""Compiles models ahead of time, so that their sessions start without compiling.

A compiled model is a model in which EPContext nodes stand for the nodes that a device takes; what
was compiled is inside it or in a file beside it, which it names. The two belong together.
"""

import importlib
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._outputs import WRONG_CALL, CompileError, Staging, check_free, plan_outputs
from ._plugin_config import session_entries, sharing_entries
from ._wire import ContextNode, ModelFormatError, ModelNodes, read_model

__all__ = ["CompileError", "Compiled", "Settings", "compile_group", "compile_models", "groups"]

STAGING = ".compiling-"  # what the names of staging folders begin with
_COUNT = re.compile(r"compiled from (\d{1,18}) nodes? by ")
_CODE = re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : ")


@dataclass(frozen=True)
class Settings:
    """How to compile.

    Args:
        embed: put what was compiled into the model.
        share_weights: the models share one file of compiled data.
        force: replace files that are there.
        allow_none: it is no failure when nothing of a model is compiled.
        provider_options: options of the execution provider.
        session_options: further entries of the session's configuration.
        log_severity: of ONNX Runtime's log: 0 is everything, 4 nothing but what is fatal.
    """

    embed: bool = False
    share_weights: bool = False
    force: bool = False
    allow_none: bool = False
    provider_options: Mapping[str, str] = field(default_factory=dict)
    session_options: Mapping[str, str] = field(default_factory=dict)
    log_severity: int = 4

    def checked(self) -> "Settings":
        """The settings, if they go together.

        Raises:
            CompileError: they do not.
        """
        if self.embed and self.share_weights:
            raise CompileError(
                "what is embedded cannot be shared", "Leave one of the two out.", WRONG_CALL
            )
        session_entries(self.session_options, self.embed, self.share_weights)
        return self


@dataclass(frozen=True)
class Compiled:
    """A model that was compiled.

    Args:
        model: what it was made of.
        output: the compiled model.
        data: the files that it names, which must stay beside it.
        contexts: its EPContext nodes.
        nodes: how many nodes of the model these stand for; None when they do not say.
        others: nodes that are left to other execution providers.
    """

    model: Path
    output: Path
    data: tuple[Path, ...]
    contexts: int
    nodes: int | None
    others: int

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the compiled model."""
        return (self.output, *self.data)


Job = tuple[Path, Path]  # a model, and where its compiled model goes


def compile_models(
    models: Sequence[str | os.PathLike[str]],
    devices: Sequence[Any],
    output: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
) -> list[Compiled]:
    """Compiles models for a device.

    Each is complete or not there at all; models that share weights all are, or none.

    Args:
        models: paths of the models.
        devices: whom to compile for: devices of one execution provider.
        output: a folder, or for a single model a file that ends in ".onnx". By default
            "NAME_ctx.onnx" beside each model.
        settings: how to compile.

    Raises:
        CompileError: a model cannot be compiled; those before it are.
    """
    chosen = (settings or Settings()).checked()
    jobs = groups(
        [Path(model) for model in models], None if output is None else Path(output), chosen
    )
    return [done for group in jobs for done in compile_group(group, devices, chosen)]


def groups(models: Sequence[Path], output: Path | None, settings: Settings) -> list[list[Job]]:
    """What to compile together: all models when they share weights, else each by itself.

    Raises:
        CompileError: models and output do not go together.
    """
    outputs = plan_outputs(models, output, settings.share_weights)
    jobs = list(zip(models, outputs, strict=True))
    return [jobs] if settings.share_weights else [[job] for job in jobs]


def compile_group(
    jobs: Sequence[Job],
    devices: Sequence[Any],
    settings: Settings,
    token: str | None = None,
    progress: Callable[[str], Any] | None = None,
) -> list[Compiled]:
    """Compiles one model, or several that share weights, into one folder.

    Args:
        jobs: models and their outputs.
        devices: whom to compile for.
        settings: how to compile.
        token: ends the name of the folder in which it happens.
        progress: is told what is done next.

    Raises:
        CompileError: it cannot be done; then no file is there that was not before.
    """
    if not devices:
        raise CompileError("there is no device to compile for", status=WRONG_CALL)
    ep = str(devices[0].ep_name)
    for model, output in jobs:
        _check_input(model)
        check_free(output, settings.force)
    if not settings.embed:
        # Where libraries made by epforge put their data. Others are found out in the end.
        first = jobs[0][1]
        check_free(first.with_name(f"{first.stem}.{ep.lower()}.bin"), settings.force)
    folder = jobs[0][1].parent
    with Staging(folder, f"{STAGING}{token or secrets.token_hex(8)}") as staging:
        for index, (model, output) in enumerate(jobs):
            if progress is not None:
                progress(f"compile {model}")
            last = index == len(jobs) - 1
            _compile(model, staging.path / output.name, devices, settings, last)
        done = [_describe(job, staging.path, ep, settings) for job in jobs]
        staging.publish(settings.force)
    return done


def _check_input(model: Path) -> None:
    contexts = _read(model).contexts
    if contexts:
        by = f" of {contexts[0].source}" if contexts[0].source else ""
        raise CompileError(
            f"{model} is compiled already: it has {_count(len(contexts), 'EPContext node')}{by}",
            "Compile the model that it was made of.",
        )


def _read(model: Path) -> ModelNodes:
    try:
        return read_model(model)
    except ModelFormatError as error:
        raise CompileError(f"{model} is not an ONNX model: {error}") from error
    except OSError as error:
        raise CompileError(f"cannot read {model}: {error.strerror}") from error


def _compile(
    model: Path, output: Path, devices: Sequence[Any], settings: Settings, last: bool
) -> None:
    """Has ONNX Runtime compile one model. Its ModelCompiler and not a session does it: a session
    that compiles nothing writes nothing and says nothing, and may fall back to the CPU."""
    runtime = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = settings.log_severity
    entries = session_entries(settings.session_options, settings.embed, settings.share_weights)
    if settings.share_weights:
        entries |= sharing_entries(last)
    try:
        options.add_provider_for_devices(list(devices), dict(settings.provider_options))
        # After the device: with it come its defaults, which overwrite what is there.
        for key, value in entries.items():
            options.add_session_config_entry(key, value)
        runtime.ModelCompiler(
            options, str(model), embed_compiled_data_into_model=settings.embed
        ).compile_to_file(str(output))
    except Exception as error:  # ONNX Runtime has no class of its own for all of its errors
        raise CompileError(f"{model}: {one_line(error)}") from error


def one_line(error: Exception) -> str:
    """An error of ONNX Runtime without its code, and without those who passed it on."""
    return _CODE.split(" ".join(str(error).split()))[-1] or type(error).__name__


def _describe(job: Job, staging: Path, ep: str, settings: Settings) -> Compiled:
    """What became of a model, from the files that are in the staging folder."""
    model, output = job
    if not (staging / output.name).is_file():
        raise CompileError(f"{model}: there is no compiled model on the disk, without an error")
    found = _read(staging / output.name)
    if not found.contexts and not settings.allow_none:
        raise CompileError(
            f"{model}: nothing was compiled: {ep} takes none of its {_count(found.others, 'node')}",
            "The reasons are in the log, see -v; --allow-none accepts it.",
        )
    return Compiled(
        model=model,
        output=output,
        data=tuple(output.parent / name for name in _data(model, found.contexts, staging)),
        contexts=len(found.contexts),
        nodes=_nodes(found.contexts),
        others=found.others,
    )


def _data(model: Path, contexts: Sequence[ContextNode], staging: Path) -> Iterator[str]:
    """The files that the nodes name. They must be there, and relative to the model: it is moved."""
    for name in dict.fromkeys(node.file for node in contexts if node.file):
        try:
            path = (staging / name).resolve()
            inside, there = path.is_relative_to(staging.resolve()), path.is_file()
        except (OSError, RuntimeError, ValueError):  # too long, links in a circle, a NUL
            inside = there = False
        if not inside:
            raise CompileError(f"{model}: its compiled data are not beside it: {name[:200]!r}")
        if not there:
            raise CompileError(
                f"{model}: the compiled model names {name}, which is not on the disk"
            )
        yield name


def _nodes(contexts: Sequence[ContextNode]) -> int | None:
    """How many nodes went into the EPContext nodes, when each of these says so."""
    counts = [_COUNT.match(node.notes) for node in contexts]
    known = [int(count[1]) for count in counts if count]
    return sum(known) if len(known) == len(contexts) else None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
