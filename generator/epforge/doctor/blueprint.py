"""What a blueprint needs of this machine, to become a project, a library, a proof."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from epforge.blueprint import BlueprintErrors, load
from epforge.build.targets import TARGETS, find_lld
from epforge.compiling.platforms import find_gcc
from epforge.compiling.zig import find_zig
from epforge.doctor.machine import cuda, headers, tools
from epforge.doctor.machine.cuda import Cuda
from epforge.doctor.machine.headers import Headers
from epforge.doctor.machine.packages import older
from epforge.doctor.machine.tools import Tools
from epforge.doctor.model import (
    Checkup,
    Finding,
    Severity,
    command,
    error,
    missing,
    note,
    ok,
    pip,
    warning,
)
from epforge.errors import EpforgeError, MissingError
from epforge.resolve import analyse
from epforge.resolve.model import Blueprint, Runtime
from epforge.validate.survey import Survey, survey


@dataclass(frozen=True)
class Target:
    """A platform that a blueprint wants libraries for.

    Args:
        compiler: what compiles for it here; empty where zig has to be fetched.
        linker: the linker that it needs, too, is here.
    """

    name: str
    native: bool = False
    compiler: str = ""
    linker: bool = True


@dataclass(frozen=True)
class Wants:
    """What a blueprint asks for, beside what this machine has.

    Args:
        path: the blueprint.
        mistakes: its errors: the first one's line.
        errors, warnings: how many.
        ep: the execution provider's name.
        minimum: the oldest onnxruntime that the library loads into.
        cuda: what there is of CUDA; None where it wants none.
        modules: Python packages that it wants: name to whether it is here.
        overlays: how many.
        refused: why an overlay is refused, and what to do.
        trust: `--trust` is what to do.
    """

    path: str
    mistakes: str = ""
    errors: int = 0
    warnings: int = 0
    ep: str = ""
    minimum: str = ""
    headers: Headers = field(default_factory=Headers)
    tools: Tools = field(default_factory=Tools)
    cuda: Cuda | None = None
    targets: tuple[Target, ...] = ()
    modules: tuple[tuple[str, bool], ...] = ()
    overlays: int = 0
    refused: str = ""
    trust: bool = False
    runtime: Survey = field(default_factory=Survey)


def gather(path: Path, progress: Callable[[str], None] = lambda _: None) -> Wants:
    """Reads a blueprint, and looks for what it needs.

    Raises UsageError for a file that cannot be read.
    """
    try:
        analysis = analyse(load(path))
    except BlueprintErrors as problem:
        found = problem.diagnostics
        return Wants(str(path), _first(found), len(found))
    wrong = (*analysis.errors, *analysis.unsupported)
    blueprint = analysis.blueprint
    if blueprint is None or wrong:
        return Wants(str(path), _first(wrong), len(wrong), len(analysis.warnings))
    progress("looking for what it needs")
    refused, trust = _overlays(blueprint, path.absolute().parent, progress)
    return Wants(
        path=str(path),
        warnings=len(analysis.warnings),
        ep=str(blueprint.names.ep),
        minimum=blueprint.ort.minimum_text,
        headers=headers.gather(blueprint.ort.target),
        tools=tools.gather(),
        cuda=cuda.gather() if blueprint.runtime is Runtime.CUDA else None,
        targets=tuple(map(_target, blueprint.targets)),
        modules=tuple(_modules(blueprint)),
        overlays=len(blueprint.overlays),
        refused=refused,
        trust=trust,
        runtime=survey(),
    )


def _first(found: tuple[object, ...]) -> str:
    """Place and text of the first mistake."""
    each = found[0]
    line = getattr(each, "line", 0)
    message = str(getattr(each, "message", each))
    return f"line {line}: {message}" if line else message


def _overlays(
    blueprint: Blueprint, directory: Path, progress: Callable[[str], None]
) -> tuple[str, bool]:
    if not blueprint.overlays:
        return "", False
    from epforge.render.overlay.lay import open_overlays

    progress("rendering its overlays")
    try:
        open_overlays(blueprint, directory, trust=False)
    except EpforgeError as problem:
        return problem.message, "--trust" in problem.cure
    return "", False


def _target(name: str) -> Target:
    target = TARGETS[name]
    if target.native:
        return Target(name, native=True)
    linker = True
    if name == "macos-arm64":
        try:
            find_lld()
        except MissingError:
            linker = False
    return Target(name, False, find_gcc(target) or find_zig(), linker)


def _modules(blueprint: Blueprint) -> Iterator[tuple[str, bool]]:
    wanted = ["torch"] if blueprint.torch is not None else []
    if blueprint.torch is not None and blueprint.torch.dynamo is not None:
        wanted.append("onnxscript")
    for name in wanted:
        yield name, importlib.util.find_spec(name) is not None


def examine(path: Path, progress: Callable[[str], None] = lambda _: None) -> Checkup:
    """Gathers and judges."""
    found = gather(path, progress)
    return Checkup("blueprint", str(path), tuple(judge(found)), asdict(found))


def judge(found: Wants) -> Iterator[Finding]:
    """What is wrong with a blueprint, or missing for it."""
    check = command("epforge", "check", found.path)
    if found.errors:
        more = f", and {found.errors - 1} more" if found.errors > 1 else ""
        yield error(
            "blueprint", f"{found.mistakes}{more}", "Nothing can be made of it as it is.", check
        )
        return
    if found.warnings:
        yield note("blueprint", f"{found.path} has warnings: {found.warnings}", "", check)
    else:
        yield ok("blueprint", f"{found.path}: {found.ep}")
    yield from _trust(found)
    yield from headers.judge(found.headers)
    yield from _building(found.tools)
    if found.cuda is not None:
        yield from _cuda(found.cuda)
    yield from _targets(found)
    yield from _python(found)
    yield from _runtime(found)


def _trust(found: Wants) -> Iterator[Finding]:
    if found.refused and found.trust:
        yield warning(
            "overlay-trust",
            found.refused,
            "Its templates run code of their own; read it before you trust it.",
            command("epforge", "plan", found.path, "--trust"),
        )
    elif found.refused:
        why = "The project cannot be written."
        yield error("overlay", found.refused, why, command("epforge", "plan", found.path))
    elif found.overlays:
        yield ok("overlay", f"overlays that ask for no trust: {found.overlays}")


def _building(found: Tools) -> Iterator[Finding]:
    """The tools of a build; git is nobody's need here."""
    for finding in tools.judge(found):
        if finding.code == "compiler" or (
            finding.code != "git" and finding.severity is not Severity.OK
        ):
            yield finding


def _cuda(found: Cuda) -> Iterator[Finding]:
    if not found.nvcc:
        yield missing(
            "nvcc",
            "`runtime: cuda`, and there is no nvcc",
            "The library cannot be built here.",
            pip("install", *cuda.NVCC),
        )
    for finding in cuda.judge(found):
        if finding.code not in ("cuda",) and not (finding.code == "nvcc" and not found.nvcc):
            yield finding


def _targets(found: Wants) -> Iterator[Finding]:
    for target in found.targets:
        if target.native:
            yield ok("target", f"{target.name} is this machine")
        elif not target.linker:
            yield note(
                "target",
                f"no linker for {target.name}",
                f"epforge build --target {target.name} ends with that; on such a machine the "
                "library is built as on this one.",
                "apt install lld-22",
            )
        else:
            fetched = "zig, which the first such build fetches from PyPI"
            yield ok("target", f"{target.name}: {target.compiler or fetched}")


def _python(found: Wants) -> Iterator[Finding]:
    lacking = [name for name, there in found.modules if not there]
    if lacking:
        yield note(
            "torch",
            f"`torch` in the blueprint, and no {' and no '.join(lacking)} in this Python",
            "The package for PyTorch is written all the same; its tests need them.",
            pip("install", *lacking),
        )


def _runtime(found: Wants) -> Iterator[Finding]:
    version = found.runtime.version
    if not version:
        yield missing(
            "runtime",
            f"onnxruntime does not start here: {found.runtime.broken}",
            "The library cannot be validated.",
            command("epforge", "doctor"),
        )
    elif older(version, found.minimum):
        yield error(
            "runtime",
            f"onnxruntime {version} is older than the blueprint's ort.min, {found.minimum}",
            "The library refuses to load into it, so validating fails.",
            pip("install", "--upgrade", f"onnxruntime>={found.minimum}"),
        )
    else:
        yield ok("runtime", f"onnxruntime {version}, the blueprint asks for {found.minimum}")
