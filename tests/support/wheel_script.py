"""Runs the wheel script of a project, reads its wheels, and has a companion library to ship."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path

from locking import locked
from projects import Project, built, expanded

from epforge.cache import cache_dir

#: Ships a library, leaves another to the system, and comes as two distributions.
COMPANION = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Mul]
runtime_libs: [libacme_rt.so]
system_libs: [libacme_driver.so.1]
python: {distributions: [{suffix: -cu12}, {suffix: -cu13}]}
"""
_DISCOVERY = "src/device/discovery.cc"
_LINKED = """
target_link_directories(plugin PRIVATE "${CONTOSO_NPU_RUNTIME_DIR}")
target_link_libraries(plugin PRIVATE acme_rt)
"""


def run_script(
    project: Path, *arguments: str | Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs packaging/build_wheel.py of a project."""
    return subprocess.run(
        [sys.executable, str(project / "packaging/build_wheel.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd="/",
        env={**os.environ, **(environment or {})},
    )


def made_wheel(project: Project, output: Path, *arguments: str | Path) -> Path:
    """The wheel of a built project; the script's last line is its path."""
    done = run_script(
        project.root, "--binary_dir", project.library.parent, "--output_dir", output, *arguments
    )
    assert done.returncode == 0, done.stdout + done.stderr
    wheel = Path(done.stdout.splitlines()[-1])
    assert wheel.is_file()
    return wheel


def refusal(project: Path, *arguments: str | Path) -> str:
    """What the script says when it fails: one line."""
    done = run_script(project, *arguments)
    assert done.returncode == 1, done.stdout + done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: "), line
    return line


def metadata_of(wheel: Path) -> Message:
    """METADATA."""
    return Parser().parsestr(_read(wheel, "METADATA"))


def recorded(wheel: Path) -> set[str]:
    """The files that RECORD lists, without the name and version of the distribution."""
    files = {line.split(",")[0] for line in _read(wheel, "RECORD").splitlines()}
    start = f"{wheel.name.split('-py3-')[0]}.dist-info"
    return {name.replace(start, "dist-info") for name in files}


def _read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (found,) = (each for each in archive.namelist() if each.endswith(f".dist-info/{name}"))
        return archive.read(found).decode()


def companion(version: int = 7) -> Path:
    """The directory of a vendor's library, libacme_rt.so, that says which version it is."""
    text = f'extern "C" int acme_rt_version() {{ return {version}; }}\n'
    place = cache_dir("tests", f"companion-{hashlib.sha256(text.encode()).hexdigest()[:12]}")
    with locked(place):
        library = place / "libacme_rt.so"
        if not library.is_file():
            place.mkdir(parents=True, exist_ok=True)
            part = library.with_suffix(".part")
            command = ["c++", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(part)]
            subprocess.run(
                [*command, "-Wl,-soname,libacme_rt.so"], input=text, text=True, check=True
            )
            part.rename(library)
    return place


def project_with_companion() -> Project:
    """A project, built, whose owner's code calls the vendor's library: it offers a device only if
    that is the version 7."""
    files = {file.path: file.content.decode() for file in expanded(COMPANION).files}
    discovery, build = files[_DISCOVERY], files["CMakeLists.txt"]
    first = "namespace contoso_npu {\nnamespace {\n"
    start = "bool HasDeviceId(const DeviceRule& rule, uint32_t device_id) {\n"
    assert (discovery.count(first), discovery.count(start)) == (1, 1)
    declared = f'extern "C" int acme_rt_version();\n\n{first}'
    called = f"{start}  if (acme_rt_version() != 7) return false;\n"
    return built(
        COMPANION,
        variables={"CONTOSO_NPU_RUNTIME_DIR": str(companion())},
        changes={
            _DISCOVERY: discovery.replace(first, declared).replace(start, called),
            "CMakeLists.txt": build + _LINKED,
        },
    )
