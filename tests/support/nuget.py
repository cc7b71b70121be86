"""NuGet packages for tests: what they are made of, and how a reader takes them apart."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

OPC = "{http://schemas.openxmlformats.org/package/2006/%s}"
NUSPEC = "{http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd}"


def elf(machine: int) -> bytes:
    """The first bytes of a shared library for Linux."""
    return b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HH", 3, machine) + b"\0" * 64


def pe(machine: int, *, managed: bool = False) -> bytes:
    """The first bytes of a DLL; of one for .NET, if asked for."""
    directories = [(0x2008, 72) if managed and index == 14 else (0, 0) for index in range(16)]
    return (
        b"MZ".ljust(0x3C, b"\0")
        + struct.pack("<I", 0x40)
        + struct.pack("<4sHHIIIHH", b"PE\0\0", machine, 1, 0, 0, 0, 240, 0x2000)
        + struct.pack("<H", 0x20B).ljust(112, b"\0")
        + b"".join(struct.pack("<II", *each) for each in directories)
    )


def mach_o(machine: int) -> bytes:
    """The first bytes of a library for macOS."""
    return struct.pack("<IIIIIIII", 0xFEEDFACF, machine, 0, 8, 0, 0, 0, 0)


#: What stands in for a library of each target.
LIBRARIES = {
    "linux-x64": elf(62),
    "linux-arm64": elf(183),
    "windows-x64": pe(0x8664),
    "macos-arm64": mach_o(0x0100000C),
}


def file_name(stem: str, target: str) -> str:
    """A library's file on a target."""
    if target.startswith("windows"):
        return f"{stem}.dll"
    return f"lib{stem}.{'dylib' if target.startswith('macos') else 'so'}"


def put_artifacts(place: Path, stem: str, targets: tuple[str, ...] = tuple(LIBRARIES)) -> Path:
    """A directory with a directory for each target, each with a stand-in for the library."""
    for target in targets:
        directory = place / target
        directory.mkdir(parents=True)
        (directory / file_name(stem, target)).write_bytes(LIBRARIES[target])
    return place


def pack(project: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the project's script."""
    return subprocess.run(
        [sys.executable, project / "packaging/pack_nuget.py", *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def assembly_name(project: Path) -> str:
    """The name of the assembly in a project's package."""
    (source,) = (project / "packaging/nuget").glob("*.csproj")
    found = re.search(r"<AssemblyName>(.+)</AssemblyName>", source.read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def compile_helper(project: Path, place: Path) -> Path:
    """The assembly, compiled by Mono's compiler, with what its comments say beside it."""
    compiler = shutil.which("mcs")
    assert compiler is not None
    place.mkdir(parents=True, exist_ok=True)
    assembly = place / f"{assembly_name(project)}.dll"
    (source,) = (project / "packaging/nuget").glob("*.cs")
    command = [compiler, "-langversion:7.2", "-warnaserror", "-target:library"]
    files = [f"-out:{assembly}", f"-doc:{assembly.with_suffix('.xml')}", str(source)]
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return assembly


@dataclass(frozen=True)
class Package:
    """A package as a reader sees it: its files, and those that tell what they are."""

    files: dict[str, bytes]
    types: dict[str, str]
    nuspec: ElementTree.Element

    def text(self, name: str) -> str:
        """What the .nuspec says under a name."""
        return self.nuspec.findtext(f"{NUSPEC}metadata/{NUSPEC}{name}", "")


def read(path: Path) -> Package:
    """Takes a package apart by the Open Packaging Conventions: from its relationships on."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        parts = {entry.filename: archive.read(entry) for entry in archive.infolist()}
        assert len(parts) == len(archive.infolist())
    types = _types(parts)
    relations = ElementTree.fromstring(parts["_rels/.rels"])
    targets = {
        each.attrib["Type"].rpartition("/")[2]: each.attrib["Target"].removeprefix("/")
        for each in relations.iter(OPC % "relationships" + "Relationship")
    }
    assert targets.keys() == {"manifest", "core-properties"}
    core = ElementTree.fromstring(parts[targets["core-properties"]])
    assert core.tag == OPC % "metadata/core-properties" + "coreProperties"
    own = {"_rels/.rels", "[Content_Types].xml", targets["core-properties"]}
    return Package(
        files={unquote(name): data for name, data in parts.items() if name not in own},
        types=types,
        nuspec=ElementTree.fromstring(parts[targets["manifest"]]),
    )


def _types(parts: dict[str, bytes]) -> dict[str, str]:
    """The content type of each part."""
    root = ElementTree.fromstring(parts["[Content_Types].xml"])
    space = OPC % "content-types"
    assert root.tag == f"{space}Types"
    defaults = {
        e.attrib["Extension"]: e.attrib["ContentType"] for e in root.iter(f"{space}Default")
    }
    overrides = {
        e.attrib["PartName"]: e.attrib["ContentType"] for e in root.iter(f"{space}Override")
    }
    assert len(root) == len(defaults) + len(overrides)
    return {
        name: overrides.get(f"/{name}") or defaults[_extension(name)]
        for name in parts
        if name != "[Content_Types].xml"
    }


def _extension(name: str) -> str:
    _, dot, extension = name.rpartition("/")[2].rpartition(".")
    assert dot, f"{name} has no extension, and no type of its own"
    return extension
