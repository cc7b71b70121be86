#!/usr/bin/env python3
<%= banner %>
"""Makes the NuGet package of libraries that are built; needs Python and nothing else.

    python packaging/pack_nuget.py --artifacts DIR --build

`DIR/TARGET/` has the files of one target, where `cmake --install --component python` put them, or
anything else that has the library once. `--build` compiles the class in packaging/nuget with
dotnet; `--assembly` takes it as somebody else compiled it. The last line printed is the package.
"""

import argparse
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from nupkg import CoreProperties, write_package
from wheel_binaries import WheelError, machine_of


@dataclass(frozen=True)
class Target:
    """What the package has for a platform.

    Args:
        rid: what .NET calls it.
        machine: system and processor, as `wheel_binaries` reads them from a library.
        files: the library first.
    """

    rid: str
    machine: tuple[str, str]
    files: tuple[str, ...]


_PROJECT = Path(__file__).resolve().parents[1]
_NUGET = _PROJECT / "packaging/nuget"
# One package for each distribution for Python.
_IDS = {
<% for distribution, id in ids.items() %>
    <%= distribution | py_string %>: <%= id | py_string %>,
<% endfor %>
}
_ASSEMBLY = <%= assembly | py_string %>
_PROJECT_FILE = <%= project | py_string %>
_VERSION = <%= version | py_string %>
_EP = <%= ep | py_string %>
_TARGETS = {
<% for target in targets %>
    <%= target.name | py_string %>: Target(
        rid=<%= target.rid | py_string %>,
        machine=(<%= target.system | py_string %>, <%= target.processor | py_string %>),
        files=(<% for file in target.files %><%= file | py_string %><%= "" if loop.last else ", " %><% endfor %><%= "," if target.files | length == 1 else "" %>),
    ),
<% endfor %>
}
_FRAMEWORK = "netstandard2.0"
_SEMVER = re.compile(
    r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}"
    r"(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
_NUSPEC = "{http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd}"
_GALLERY_LIMIT = 250 << 20


class PackError(Exception):
    """The package cannot be made; the text says why and what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        package = pack(options)
    except (PackError, WheelError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(package)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--version", default=_VERSION, help=f"semantic version; {_VERSION} by default")
    add("--distribution", choices=_IDS, default=next(iter(_IDS)), help="whose package to make")
    add("--artifacts", type=Path, help="directory with one directory of built files per target")
    add("--library", action="append", default=[], metavar="TARGET=PATH",
        help="a target's library, with its other files beside it; may be repeated")  # fmt: skip
    add("--required_platforms", default=",".join(_TARGETS), metavar="TARGET,TARGET",
        help="targets that must be there; all of the project by default")  # fmt: skip
    assembly = parser.add_mutually_exclusive_group(required=True)
    assembly.add_argument("--assembly", type=Path, help=f"{_ASSEMBLY}.dll, compiled already")
    assembly.add_argument("--build", action="store_true", help="compile it with dotnet")
    add("--output_dir", type=Path, default=Path("dist"))
    return parser


def pack(options: argparse.Namespace) -> Path:
    """Makes the package.

    Raises:
        PackError: something is missing or does not fit. Nothing has been written then.
        WheelError: what should be a library is none.
    """
    version, package_id = options.version, _IDS[options.distribution]
    if not _SEMVER.fullmatch(version):
        raise PackError(f"--version {version} is no semantic version such as 1.2.3 or 1.2.3-rc.1")
    required = [_target(name) for name in options.required_platforms.split(",") if name.strip()]
    files = _natives(options, required)
    nuspec = _nuspec(package_id, version)
    files |= _documents(nuspec)
    targets = _NUGET / "package.targets"
    if targets.is_file() and any("/win-x64/" in name for name in files):
        folders = ("build", "buildTransitive")
        files |= {f"{folder}/{package_id}.targets": targets for folder in folders}
    with tempfile.TemporaryDirectory() as directory:
        assembly = _build(version, Path(directory)) if options.build else options.assembly
        files |= _managed(assembly)
        content = {name: _without_mark(path.read_bytes()) for name, path in files.items()}
    content[f"{package_id}.nuspec"] = nuspec.encode()
    properties = CoreProperties(
        id=package_id,
        version=version,
        creator=_text(nuspec, "authors"),
        description=_text(nuspec, "description"),
        keywords=_text(nuspec, "tags"),
    )
    # What comes after + tells builds of a version apart; it is not part of a file's name.
    name = f"{package_id}.{version.partition('+')[0]}.nupkg"
    written = write_package(options.output_dir / name, content, properties)
    size = written.stat().st_size
    print(f"{name}: {size / 1e6:.1f} MB for {', '.join(_platforms(content))}")
    if size > _GALLERY_LIMIT:
        print(f"note: NuGet's gallery takes packages of at most {_GALLERY_LIMIT >> 20} MiB")
    return written


def _target(name: str) -> str:
    """A target by its name, or by what .NET calls it."""
    for target, each in _TARGETS.items():
        if name.strip() in (target, each.rid):
            return target
    raise PackError(f"{name.strip()} is no target of this project: {', '.join(_TARGETS)}")


def _natives(options: argparse.Namespace, required: Sequence[str]) -> dict[str, Path]:
    """The files of all targets that are there, by their names in the package."""
    given = _given(options.library)
    if options.artifacts is None and not given:
        raise PackError("no libraries: give --artifacts DIR or --library TARGET=PATH")
    files: dict[str, Path] = {}
    for name, target in _TARGETS.items():
        directory = options.artifacts / name if options.artifacts is not None else None
        if name in given:
            library = given[name]
        elif directory is not None and directory.is_dir():
            library = _only(directory, name)
        elif name in required:
            looked = f" in {directory}" if directory is not None else ""
            raise PackError(f"{name} is required, and there is no {target.files[0]}{looked}")
        else:
            print(f"note: nothing for {name}")
            continue
        for file in target.files:
            path = library.with_name(file)
            _check(path, name)
            files[f"runtimes/{target.rid}/native/{file}"] = path
        _check_manifest(library, options.version)
    if not files:
        raise PackError("there are no libraries to pack")
    return files


def _given(texts: Sequence[str]) -> dict[str, Path]:
    given: dict[str, Path] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not path:
            raise PackError(f"--library {text}: write TARGET=PATH")
        target = _target(name)
        if target in given:
            raise PackError(f"--library: there are two for {target}")
        if Path(path).name != _TARGETS[target].files[0]:
            raise PackError(f"{target}: {path} should be called {_TARGETS[target].files[0]}")
        given[target] = Path(path)
    return given


def _check(path: Path, target: str) -> None:
    if not path.is_file():
        raise PackError(f"{target}: {path.name} is not in {path.parent}")
    machine = machine_of(path)
    if (machine.platform, machine.name) != _TARGETS[target].machine:
        raise PackError(f"{target}: {path} is for {machine.platform} {machine.name}")


def _check_manifest(library: Path, version: str) -> None:
    """Is it, by the file that its build left beside it, the library that the package speaks of?"""
    path = library.with_name(f"{library.name}.manifest.json")
    if not path.is_file():
        return
    manifest = json.loads(path.read_text(encoding="utf-8"))
    if manifest.get("ep") != _EP:
        raise PackError(f"{library} has {manifest.get('ep')}, not {_EP}")
    if manifest.get("version") != version:
        print(f"note: {library} says that it is version {manifest.get('version')}")


def _only(directory: Path, target: str) -> Path:
    name = _TARGETS[target].files[0]
    found = sorted(path for path in directory.rglob(name) if path.is_file())
    if len(found) != 1:
        times = f"{len(found)} times" if found else "not"
        raise PackError(f"{target}: {name} is {times} below {directory}; it must be there once")
    return found[0]


def _nuspec(package_id: str, version: str) -> str:
    """packaging/nuget/package.nuspec with its variables; every one must be used, and known."""
    source = _NUGET / "package.nuspec"
    text = re.sub(r"<!--.*?-->\s*", "", source.read_text(encoding="utf-8"), flags=re.DOTALL)
    values = {"id": package_id, "version": version}
    used = set(re.findall(r"@(\w+)@", text))
    if used != values.keys():
        wrong = ", ".join(f"@{name}@" for name in sorted(used ^ values.keys()))
        raise PackError(f"{source}: unknown or not used: {wrong}")
    text = re.sub(r"@(\w+)@", lambda match: escape(values[match[1]]), text)
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise PackError(f"{source}: {error}") from error
    for name in ("id", "version", "authors", "description"):
        if not _text(text, name):
            raise PackError(f"{source}: <{name}> is missing or empty")
    return text


def _metadata(nuspec: str) -> ElementTree.Element:
    found = ElementTree.fromstring(nuspec).find(f"{_NUSPEC}metadata")
    if found is None:
        raise PackError(f"package.nuspec: no <metadata> of the namespace {_NUSPEC[1:-1]}")
    return found


def _text(nuspec: str, name: str) -> str:
    return (_metadata(nuspec).findtext(f"{_NUSPEC}{name}") or "").strip()


def _documents(nuspec: str) -> dict[str, Path]:
    """The license, notices, and the files that the .nuspec names."""
    files = {"LICENSE": _PROJECT / "LICENSE"}
    for pattern in ("NOTICE*", "ThirdPartyNotices*"):
        files |= {path.name: path for path in sorted(_PROJECT.glob(pattern)) if path.is_file()}
    for element in _metadata(nuspec):
        tag, text = element.tag.removeprefix(_NUSPEC), (element.text or "").strip()
        if tag in ("readme", "icon") or (tag == "license" and element.get("type") == "file"):
            if Path(text).name != text:
                raise PackError(f"package.nuspec: <{tag}>: {text} is not the name of a file")
            files.setdefault(text, _NUGET / text)
    for path in files.values():
        if not path.is_file():
            raise PackError(f"there is no {path}, which belongs into the package")
    return files


def _without_mark(data: bytes) -> bytes:
    """A document without the line that says who may edit it here."""
    mark = b"<!-- Shared: "
    return data.partition(b"\n")[2] if data.startswith(mark) else data


def _build(version: str, directory: Path) -> Path:
    dotnet = shutil.which("dotnet")
    if dotnet is None:
        raise PackError("dotnet is not on the path: install the .NET SDK, or give --assembly")
    command = [dotnet, "build", str(_NUGET / _PROJECT_FILE), "--configuration", "Release",
               f"-p:Version={version}", "--output", str(directory)]  # fmt: skip
    print("+", *command, flush=True)
    if subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode:
        raise PackError(f"dotnet could not build {_PROJECT_FILE}; its messages are above")
    return directory / f"{_ASSEMBLY}.dll"


def _managed(assembly: Path) -> dict[str, Path]:
    if not assembly.is_file():
        raise PackError(f"there is no assembly {assembly}")
    if assembly.name != f"{_ASSEMBLY}.dll":
        raise PackError(f"{assembly} should be called {_ASSEMBLY}.dll")
    if not _is_managed(assembly):
        raise PackError(f"{assembly} is not an assembly of .NET")
    described = assembly.with_suffix(".xml")
    files = [assembly, described] if described.is_file() else [assembly]
    return {f"lib/{_FRAMEWORK}/{path.name}": path for path in files}


def _is_managed(path: Path) -> bool:
    """Is it for .NET? Then the fifteenth of a PE file's data directories is not empty."""
    head = path.read_bytes()[:4096]
    try:
        (start,) = struct.unpack_from("<I", head, 0x3C)
        (magic,) = struct.unpack_from("<H", head, start + 24)
        directories = start + 24 + (112 if magic == 0x20B else 96)
        address, size = struct.unpack_from("<II", head, directories + 14 * 8)
    except struct.error:
        return False
    return head[:2] == b"MZ" and head[start : start + 4] == b"PE\0\0" and address * size > 0


def _platforms(content: dict[str, bytes]) -> list[str]:
    rids = [target.rid for target in _TARGETS.values()]
    return [rid for rid in rids if any(f"/{rid}/" in name for name in content)]


if __name__ == "__main__":
    sys.exit(main())
