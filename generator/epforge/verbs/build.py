"""Compiles a project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.types import FORMAT, AnyPath, Progress, silent

if TYPE_CHECKING:
    from epforge.build import BuildResult
    from epforge.build.wheel import WheelResult

_NOT_HERE = "an extension module is built where it runs"


@dataclass(frozen=True)
class BuiltProject:
    """A library that was built, and on request its wheels.

    Args:
        built: the library.
        wheel: the wheel; None if it was not asked for.
        native_wheel: that of the kernels for NumPy; None if there is none.
    """

    built: BuildResult
    wheel: WheelResult | None = None
    native_wheel: WheelResult | None = None

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"format": FORMAT, **self.built.to_json()}
        if self.wheel is not None:
            native = self.native_wheel
            data["wheel"] = self.wheel.to_json()
            data["native_wheel"] = None if native is None else native.to_json()
        return data


def build_project(
    project: AnyPath = ".",
    *,
    preset: str | None = None,
    target: str | None = None,
    ort_sdk: AnyPath | None = None,
    compiler: str | None = None,
    jobs: int | None = None,
    wheel: bool = False,
    output: AnyPath | None = None,
    version: str | None = None,
    package_name: str | None = None,
    progress: Progress = silent,
) -> BuiltProject:
    """Builds a project's library with CMake, Ninja and the system's compiler; `epforge build`.

    Args:
        project: its directory.
        preset: what to build: ``release``, ``debug``, ``asan`` or ``tsan``; ``release`` by default.
        target: the platform to build for, one of the blueprint's.
        ort_sdk: ONNX Runtime's headers; else they are looked for.
        compiler: the C++ compiler; with `target` ``gcc`` or ``zig``.
        jobs: compilers at a time.
        wheel: make its Python wheels, too.
        output: where the wheels go; by default ``dist`` in the project.
        version: the wheel's version; by default the blueprint's.
        package_name: which of the blueprint's distributions the wheel is.
        progress: told what is being done.

    Raises:
        UsageError: it is no project, or the call is wrong.
        MissingError: a tool or the headers are not here.
        BuildError: the build failed; it has the first error and the log.
        OpenConflictsError: conflicts of an earlier command are not resolved.
    """
    from epforge.build import build, open_project
    from epforge.build.native_wheel import build_native_wheel, has_native
    from epforge.build.targets import find_target, is_foreign, wheel_tag
    from epforge.build.wheel import build_wheel
    from epforge.verbs.change.blocked import UnresolvedError
    from epforge.workspace import OpenConflictsError

    project = Path(project)
    _check_wheel_options(wheel, output=output, version=version, package_name=package_name)
    if target is not None:
        if preset is not None:
            raise UsageError("--target has a preset of its own", "Leave --preset away.")
        preset = find_target(open_project(project), target).name
    preset = preset or "release"
    to = None if output is None else Path(output)
    made: WheelResult | None = None
    native: WheelResult | None = None
    try:
        sdk = None if ort_sdk is None else Path(ort_sdk)
        built = build(project, preset, sdk, compiler, jobs, progress)
        if wheel:
            made = build_wheel(
                project,
                preset,
                version=version,
                package_name=package_name,
                platform_tag=wheel_tag(built.target),
                output=to,
                progress=progress,
            )
            if has_native(project) and not is_foreign(built.target):
                native = build_native_wheel(
                    project, preset, version=version, output=to, progress=progress
                )
            elif has_native(project):
                progress(f"note: the kernels for NumPy are not built for {target}: {_NOT_HERE}")
    except OpenConflictsError as error:
        raise UnresolvedError(project, error.paths) from error
    return BuiltProject(built, made, native)


def _check_wheel_options(wheel: bool, **options: object) -> None:
    for name, value in options.items():
        if value is not None and not wheel:
            raise UsageError(f"--{name.replace('_', '-')} is about the wheel", "Add --wheel.")
