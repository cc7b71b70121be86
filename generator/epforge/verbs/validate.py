"""Climbs the ladder of checks on a built library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.errors import UsageError
from epforge.verbs import report_files
from epforge.verbs.instruments import instruments
from epforge.verbs.types import AnyPath, AnyPaths, Names, Progress, names, paths, silent
from epforge.verbs.wording import quoted

if TYPE_CHECKING:
    from epforge.validate import Check, Kind, Report, Rung, Runtime
    from epforge.validate.cross import OfTarget, Target


def validate_library(
    project: AnyPath | None = None,
    *,
    library: AnyPath | None = None,
    preset: str = "release",
    target: str | None = None,
    manifest: AnyPath | None = None,
    rung: Names = (),
    op: Names = (),
    ep: str = "",
    exclusions: AnyPath | None = None,
    runtime: Names = (),
    kind: str = "plugin-ep",
    keep_going: bool = False,
    allow_no_devices: bool = False,
    thorough: bool = False,
    sanitize: bool = False,
    all: bool = False,
    no_cache: bool = False,
    seed: int = 0,
    cases: int = 500,
    output: AnyPath | None = None,
    time_limit: float = 60.0,
    report: AnyPaths = (),
    progress: Progress = silent,
    on_check: Callable[[Check], None] = lambda _: None,
) -> Report:
    """Proves that a plugin library works, or says how it does not; `epforge validate`.

    Args:
        project: a project's directory, built; by default this directory.
        library: any plugin library, instead of a project.
        preset: which build of the project.
        target: the build for a platform: ``linux-x64``, ``linux-arm64``, ``windows-x64`` or
            ``macos-arm64``.
        manifest: what the library claims; else the file beside it.
        rung: the rungs to climb; by default those that take little time.
        op: the operators that the rungs ``ops`` and ``conformance`` are restricted to.
        ep: which execution provider, of a library that has several.
        exclusions: a file of more tests that rung ``conformance`` excludes, in TOML.
        runtime: the onnxruntimes to run on, by version or by the directory that holds a package;
            this Python's by default.
        kind: what the file should be: ``plugin-ep`` or ``custom-ops``.
        keep_going: climb on after a rung that failed.
        allow_no_devices: offering no device is no failure.
        thorough: run every model of rung ``ops``, each op in a process of its own.
        sanitize: build the project with sanitizers, too, for the rungs that can use it.
        all: all rungs, and `sanitize`.
        no_cache: run also what has passed before and has not changed since.
        seed: of rung ``fuzz``: the same seed tries the same.
        cases: of rung ``fuzz``: how many graphs, and how many spoilt models.
        output: where rung ``fuzz`` leaves the models that it finds.
        time_limit: seconds without progress until it hangs.
        report: files to write the report to; the suffix says how: .json, .html, .xml.
        progress: told what is being done.
        on_check: told of each check as it is known, one call at a time, from whichever thread.

    Returns:
        the report. Whatever the library does is in it, never an exception.

    Raises:
        UsageError: there is no such library, or the call is wrong.
        MissingError: what a rung needs cannot be had.
    """
    from epforge.validate import RUNGS, Fuzzing, Limits, validate
    from epforge.validate.cross import find_target

    if all and names(rung):
        raise UsageError("give --all or --rung, not both")
    rungs, expect = tuple(RUNGS) if all else _rungs(names(rung)), kind_of(kind)
    platform = find_target(target) if target else None
    files = paths(report)
    report_files.check(files, "--report ")  # said before the work is done
    if platform and preset != "release":
        raise UsageError("--target has a preset of its own", "Leave --preset away.")
    root = None if project is None else Path(project)
    path = _library(root, None if library is None else Path(library), preset, target)
    root = root or Path()
    own = library is None
    found = validate(
        path,
        None if manifest is None else Path(manifest),
        rungs=rungs,
        runtimes=_runtimes(names(runtime), platform, progress),
        target=platform,
        keep_going=keep_going,
        allow_no_devices=allow_no_devices,
        expect=expect,
        only=names(op),
        ep=ep,
        more_exclusions=None if exclusions is None else Path(exclusions),
        limits=Limits(stall_s=time_limit),
        instruments=instruments(root if own else None, progress),
        thorough=thorough,
        sanitize=sanitize or all,
        keep=not no_cache,
        fuzzing=Fuzzing(seed, cases, None if output is None else Path(output)),
        make_wheel=_wheels(root, target or preset, progress) if own else None,
        make_native_wheel=_native_wheels(root, target or preset, progress) if own else None,
        progress=progress,
        on_check=on_check,
        blueprint=root / "blueprint.yaml" if own else None,
    )
    if files:
        report_files.write(files, found.to_json(), "--report ")
    return found


def _runtimes(
    wanted: Sequence[str], target: Target | None, progress: Progress
) -> Sequence[Runtime | OfTarget]:
    """The onnxruntimes to validate on: this machine's, or those of another platform."""
    from epforge.build.zig import get_zig
    from epforge.ort.sdk import find_sdk
    from epforge.validate import THIS, find_runtime
    from epforge.validate.cross import API_LEVEL, OfTarget

    if target is None or target.native:
        return [find_runtime(each, progress) for each in wanted] or [THIS]
    if target.not_run:
        return ()
    headers = find_sdk(None, API_LEVEL).include
    zig = partial(get_zig, progress=progress)
    return [OfTarget(target, each, headers, zig) for each in wanted or [""]]


def _library(project: Path | None, library: Path | None, preset: str, target: str | None) -> Path:
    if library is not None:
        if project is not None:
            raise UsageError("give a project or --library, not both")
        return library
    return library_of(project or Path(), preset, target)


def library_of(project: Path, preset: str, target: str | None = None) -> Path:
    """The library that a preset of a project has built. Raises UsageError if there is none.

    Args:
        target: the platform that it is for; its preset is then the target's.
    """
    from epforge.build import open_project

    opened = open_project(project)
    path = opened.library_path(target or preset)
    if not path.is_file():
        raise UsageError(
            f"{opened.root} is not built: there is no {path}",
            f"Run: epforge build {quoted(project)}"
            + (f" --target {target}" if target else "")
            + (f" --preset {preset}" if preset != "release" and not target else ""),
        )
    return path


def _wheels(project: Path, preset: str, progress: Progress) -> Callable[[Path], Path]:
    """What makes the project's wheel in a directory."""

    def make(output: Path) -> Path:
        from epforge.build.wheel import build_wheel

        return build_wheel(project, preset, output=output, progress=progress).wheel

    return make


def _native_wheels(project: Path, preset: str, progress: Progress) -> Callable[[Path], Path] | None:
    """What makes the wheel of the project's kernels for NumPy; None without those."""
    from epforge.build.native_wheel import build_native_wheel, has_native

    def make(output: Path) -> Path:
        return build_native_wheel(project, preset, output=output, progress=progress).wheel

    return make if has_native(project) else None


def _rungs(wanted: Sequence[str]) -> tuple[Rung, ...]:
    from epforge.validate import RUNGS, USUAL

    known = {str(rung): rung for rung in RUNGS}
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"--rung {name}: there is no such rung", f"They are: {', '.join(known)}."
            )
    return tuple(rung for rung in RUNGS if rung in wanted) or USUAL


def kind_of(wanted: str) -> Kind:
    """What a file should be, by the word of ``--kind``. Raises UsageError for another word."""
    from epforge.validate import Kind

    kinds = {"plugin-ep": Kind.PLUGIN_EP, "custom-ops": Kind.CUSTOM_OPS}
    if wanted not in kinds:
        raise UsageError(
            f"--kind {wanted}: there is no such kind", f"They are: {', '.join(kinds)}."
        )
    return kinds[wanted]
