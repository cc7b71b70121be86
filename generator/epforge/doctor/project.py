"""A project: is its build up to date, for these headers, and its library fit for this runtime?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from epforge.build import cmake_cache, open_project
from epforge.build.toolchain import from_pypi
from epforge.doctor import blueprint
from epforge.doctor.machine import packages
from epforge.doctor.model import Checkup, Finding, command, error, note, ok, pip, warning
from epforge.doctor.running import ask
from epforge.doctor.subject import BLUEPRINT
from epforge.errors import EpforgeError, MissingError
from epforge.ort.reader import HeaderError, read_level_number
from epforge.validate import manifest as manifests
from epforge.workspace import LOCK

_NINJA_S = 60.0
_IDLE = "no work to do"
_STEPS = re.compile(r"^\[\d+/(\d+)\] ", re.M)


@dataclass(frozen=True)
class Build:
    """A build of a project.

    Args:
        preset: the CMake preset.
        library: where it is; there: whether it is.
        configured: CMake has been here.
        steps: what Ninja would do, in its own words; empty when nothing is to do.
        include: the headers that it was configured for.
        level: their API level; 0 when they are gone.
        wanted: the API level that the project needs.
        minimum: the oldest onnxruntime that the library says it loads into; empty if it does not.
        runtime: the onnxruntime here; empty if it does not start.
        problem: why the project cannot be built as it is.
    """

    root: str
    preset: str
    library: str = ""
    there: bool = False
    configured: bool = False
    steps: str = ""
    include: str = ""
    level: int = 0
    wanted: int = 0
    minimum: str = ""
    runtime: str = ""
    problem: str = ""


def gather(
    root: Path,
    runtime: str,
    preset: str = "release",
    progress: Callable[[str], None] = lambda _: None,
) -> Build:
    """Looks at a build; nothing is built.

    Args:
        runtime: the version of the onnxruntime here; empty if it does not start.

    Raises UsageError for what is no project.
    """
    project = open_project(root)
    try:
        project.check()
        problem = ""
    except EpforgeError as wrong:
        problem = wrong.message
    folder = project.binary_dir(preset)
    library = project.library_path(preset)
    cache = cmake_cache(folder / "CMakeCache.txt") if (folder / "CMakeCache.txt").is_file() else {}
    include = cache.get(f"{project.macro}_ORT_INCLUDE_DIR", "")
    progress(f"asking Ninja about {folder}")
    return Build(
        root=str(root),
        preset=preset,
        library=str(library),
        there=library.is_file(),
        configured=bool(cache),
        steps=_steps(folder) if cache else "",
        include=include,
        level=_level(include),
        wanted=project.level,
        minimum=_minimum(library),
        runtime=runtime,
        problem=problem,
    )


def _steps(folder: Path) -> str:
    """What Ninja would do, counted; it does nothing."""
    try:
        ninja = from_pypi("ninja")
    except MissingError:
        return ""
    answer = ask([str(ninja), "-C", str(folder), "-n"], seconds=_NINJA_S)
    if answer.status is None or _IDLE in answer.text:
        return ""
    number = max(map(int, _STEPS.findall(answer.text)), default=0)
    if not number:
        return answer.line
    return "1 step" if number == 1 else f"{number} steps"


def _level(include: str) -> int:
    try:
        return read_level_number(Path(include)) if include else 0
    except (HeaderError, OSError):
        return 0


def _minimum(library: Path) -> str:
    place = manifests.beside(library)
    try:
        return ".".join(map(str, manifests.load(place).minimum)) if place.is_file() else ""
    except EpforgeError:
        return ""


def judge(found: Build) -> Iterator[Finding]:
    """What is wrong with a build."""
    build = command("epforge", "build", found.root)
    if found.preset != "release":
        build += f" --preset {found.preset}"
    if found.problem:
        yield error(
            "project",
            found.problem,
            "It is not built as it is.",
            command("epforge", "status", found.root),
        )
    if not found.there:
        yield note("build", f"no library yet: {found.library}", "Nothing can be validated.", build)
        return
    if found.configured and found.include and not found.level:
        yield warning(
            "build-headers",
            f"the headers that it was built for are gone: {found.include}",
            "The next build begins from scratch.",
            build,
        )
    elif found.level and found.level < found.wanted:
        yield error(
            "build-headers",
            f"it was built for headers of 1.{found.level}, the blueprint wants 1.{found.wanted}",
            "The library lacks what the blueprint asks for.",
            build,
        )
    if found.steps:
        yield warning(
            "build-stale",
            f"{found.library} is older than what it is made of: Ninja would do {found.steps}",
            "What is validated is not what is written.",
            build,
        )
    else:
        yield ok("build", f"{found.library} is up to date")
    if found.minimum and found.runtime and packages.older(found.runtime, found.minimum):
        yield error(
            "runtime-floor",
            f"the library is built for onnxruntime {found.minimum} and newer, here is "
            f"{found.runtime}",
            "It refuses to be registered.",
            pip("install", "--upgrade", f"onnxruntime>={found.minimum}"),
        )


def drift(root: Path, status: int, findings: Sequence[str], cure: str) -> Finding:
    """What ``epforge status`` says, as a finding.

    Args:
        status: its exit status.
        findings: its lines.
        cure: the command that it names.
    """
    show = cure or command("epforge", "status", str(root))
    if not status:
        return ok("status", "the project is what its blueprint says")
    what = findings[0] if findings else "it differs"
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    if status == 3:
        return error("conflicts", f"{what}{more}", "Nothing is built with conflicts open.", show)
    why = "The project is not what its blueprint says."
    return warning("drift", f"{what}{more}", why, show)


def examine(
    root: Path, drifted: Callable[[], Finding], progress: Callable[[str], None] = lambda _: None
) -> Checkup:
    """A directory that holds a blueprint: what that needs, and the project that it became.

    Args:
        drifted: says what `drift` makes of the project's status.
    """
    wants = blueprint.gather(root / BLUEPRINT, progress)
    findings = list(blueprint.judge(wants))
    facts: dict[str, object] = {"blueprint": asdict(wants), "build": None}
    if not (root / LOCK).is_file():
        findings.append(
            note(
                "project",
                "the blueprint has not become a project yet",
                "There is nothing to build.",
                command("epforge", "scaffold", str(root)),
            )
        )
        return Checkup("project", str(root), tuple(findings), facts)
    if not wants.errors:
        findings.append(drifted())
    try:
        build = gather(root, wants.runtime.version, progress=progress)
    except EpforgeError as wrong:
        show = command("epforge", "status", str(root))
        findings.append(error("project", wrong.message, "It is not built as it is.", show))
    else:
        findings += judge(build)
        facts["build"] = asdict(build)
    return Checkup("project", str(root), tuple(findings), facts)
