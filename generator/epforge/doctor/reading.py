"""A model on this machine: is the onnxruntime here new enough for it; whose work is what is
compiled in it, and is all of it there?"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from epforge.doctor.model import command, pip
from epforge.validate.models import Finding, Severity
from epforge.validate.models.facts import CONTEXT_DOMAIN, CONTEXT_OP, Context, ModelFacts
from epforge.validate.survey import Survey

_GOOD = ("", "NOT_APPLICABLE", "OPTIMAL", "PREFER_RECOMPILATION")


@dataclass(frozen=True)
class Compiled:
    """What one execution provider has compiled of a model.

    Args:
        ep: its name; empty where the model does not say.
        nodes: how many EPContext nodes.
        main: how many of them have data of their own.
        partitions: the first of what it calls them.
        sdk: the versions of what compiled them.
        hardware: what they were compiled for.
        embedded: bytes of data in the model.
        files: the files of data beside it: (name, bytes, what is wrong).
        compatibility: what the model's metadata says for it.
        by: libraries, here or given, that have that execution provider.
        verdict: what that says of the model; empty where it was not asked.
    """

    ep: str
    nodes: int
    main: int
    partitions: tuple[str, ...]
    sdk: tuple[str, ...]
    hardware: tuple[str, ...]
    embedded: int
    files: tuple[tuple[str, int, str], ...]
    compatibility: str = ""
    by: tuple[str, ...] = ()
    verdict: str = ""

    def to_json(self) -> dict[str, object]:
        """For programs; the keys are stable."""
        files = [{"name": n, "bytes": size, "wrong": wrong} for n, size, wrong in self.files]
        return {**vars(self), "files": files}


def compiled(
    facts: ModelFacts,
    directory: Path,
    libraries: Sequence[tuple[str, str]],
    verdicts: Sequence[tuple[str, str]],
) -> tuple[Compiled, ...]:
    """What is compiled of a model, per execution provider.

    Args:
        directory: the model's.
        libraries: (execution provider, library) of those that are here or given.
        verdicts: (execution provider, what it says of the model).
    """
    groups: dict[str, list[Context]] = {}
    for context in facts.contexts:
        groups.setdefault(context.source, []).append(context)
    found = []
    for ep, contexts in groups.items():
        names = dict.fromkeys(c.file for c in contexts if not c.embedded)
        found.append(
            Compiled(
                ep=ep,
                nodes=len(contexts),
                main=sum(context.main for context in contexts),
                partitions=tuple(c.partition for c in contexts if c.partition)[:3],
                sdk=_each(context.sdk for context in contexts),
                hardware=_each(context.hardware for context in contexts),
                embedded=sum(context.size for context in contexts),
                files=tuple((name, *_file(directory, name)) for name in names),
                compatibility=dict(facts.compatibility).get(ep, ""),
                by=tuple(dict.fromkeys(library for of, library in libraries if of == ep)),
                verdict=dict(verdicts).get(ep, ""),
            )
        )
    return tuple(found)


def _each(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, words)))[:3]


def _file(directory: Path, name: str) -> tuple[int, str]:
    """Size of a file of compiled data, and what is wrong with it."""
    parts = name.replace("\\", "/").split("/")
    drive = len(name) > 1 and name[1] == ":"
    if not name or drive or name.startswith(("/", "\\")) or ".." in parts:
        return 0, "it is no name of a file beside the model"
    try:
        found = os.stat(directory / name)
    except (OSError, ValueError):
        return 0, "there is no such file beside the model"
    if not stat.S_ISREG(found.st_mode):
        return 0, "it is no file"
    real = (directory / name).resolve()
    if not real.is_relative_to(directory.resolve()):
        return found.st_size, "it leads out of the model's directory"
    return found.st_size, "" if found.st_size else "it is empty"


def judge_header(facts: ModelFacts, runtime: Survey) -> Iterator[Finding]:
    """Does the onnxruntime here read a model of these versions?"""
    upgrade = pip("install", "--upgrade", "onnxruntime")
    here = f"onnxruntime {runtime.version}"
    if runtime.ir and facts.ir > runtime.ir:
        yield _finding(
            "ir-too-new",
            f"the model has IR version {facts.ir}, {here} reads up to {runtime.ir}",
            f"Export it again with IR version {runtime.ir}, or run: {upgrade}",
        )
    opset = next((version for domain, version in facts.imports if not domain), 0)
    if runtime.opset and opset > runtime.opset:
        yield _finding(
            "opset-too-new",
            f"the model imports opset {opset} of ai.onnx, {here} reads up to {runtime.opset}",
            f"Export it again with opset {runtime.opset}, or run: {upgrade}",
        )


def judge_compiled(found: Sequence[Compiled], model: Path) -> Iterator[Finding]:
    """Is what was compiled there, and does anybody here run it?"""
    for each in found:
        for name, _, wrong in each.files:
            if wrong:
                cure = command("cp", f"/path/to/{Path(name).name}", str(model.parent))
                if "beside" not in wrong or "no name" in wrong:
                    cure = "epforge compile my-ep original.onnx --embed"
                yield _finding(
                    "compiled-data",
                    f"{each.ep or 'a compiled node'} has its data in {name!a}: {wrong}",
                    f"Run: {cure}",
                    CONTEXT_DOMAIN,
                )
        if each.verdict not in _GOOD:
            yield _finding(
                "compiled-incompatible",
                f"{each.ep} here says of what it compiled: {each.verdict}",
                "Compile the original again with this library: epforge compile",
                CONTEXT_DOMAIN,
            )


def _finding(code: str, message: str, hint: str, domain: str = "") -> Finding:
    op = CONTEXT_OP if domain else ""
    return Finding(Severity.ERROR, code, domain, op, message, hint)
