"""What is in a wheel: one thing after the other, by itself, without installing it."""

from __future__ import annotations

import ast
import base64
import contextlib
import csv
import hashlib
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from functools import cached_property
from pathlib import Path
from typing import Any

from epforge.validate.model import CaseResult, Outcome
from epforge.validate.package.members import BadWheelError, read_members

__all__ = ["BadWheelError", "Inspection", "Wheel", "inspect", "open_wheel", "read_wheel"]

_MOST_TEXT = 8 << 20
_LIBRARY = re.compile(r"\.(so(\.\d+)*|dll|dylib)$")
_ENTRY_POINT = b"CreateEpFactories\0"
_ONNXRUNTIME = re.compile(r"onnxruntime(?!-ep-)", re.IGNORECASE)  # whatever is built of it
# What Python says of code, JSON or names that nobody would write.
_ODD = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)
_PLATFORMS = {
    "linux": ("linux_", "manylinux", "musllinux_"),
    "darwin": ("macosx_",),
    "win32": ("win32", "win_"),
}


@dataclass(frozen=True)
class Wheel:
    """An opened wheel.

    Args:
        path: the file.
        members: sizes by name.
        package: the directory that has the library, which is the name to import.
        info: the directory of metadata.
    """

    path: Path
    members: Mapping[str, int]
    package: str
    info: str

    @property
    def tag(self) -> str:
        """By the file's name: py3-none-manylinux_2_34_x86_64."""
        return "-".join(self.path.stem.split("-")[-3:])

    @cached_property
    def metadata(self) -> Message:
        return Parser().parsestr(self.text(f"{self.info}/METADATA"))

    @property
    def distribution(self) -> str:
        return str(self.metadata.get("Name", ""))

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """The constants of the package's ``_identity.py``; nothing of it is run. Empty when it
        cannot be read."""
        found = {}
        with contextlib.suppress(BadWheelError, *_ODD):
            for line in ast.parse(self.text(f"{self.package}/_identity.py")).body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    found[line.target.id] = ast.literal_eval(line.value or ast.Constant(None))
        return found

    def text(self, member: str) -> str:
        """A file as text. Raises BadWheelError where there is none that can be read so."""
        size = self.members.get(member)
        if size is None:
            raise BadWheelError(f"there is no {member}")
        if size > _MOST_TEXT:
            raise BadWheelError(f"{member} has {size} bytes")
        try:
            return self.data(member).decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadWheelError(f"{member} is not UTF-8") from error

    def data(self, member: str) -> bytes:
        with zipfile.ZipFile(self.path) as archive:
            return archive.read(member)


def open_wheel(path: Path) -> Wheel:
    """Opens a main wheel that is whole. Raises BadWheelError."""
    return read_wheel(path, re.compile(r"_identity\.py"))


def read_wheel(path: Path, main: re.Pattern[str]) -> Wheel:
    """Opens a wheel.

    Args:
        main: the file that the one package in it has.

    Raises BadWheelError.
    """
    members = read_members(path)
    tops = {name.split("/")[0] for name in members if "/" in name}
    infos = [top for top in tops if top.endswith(".dist-info")]
    inside = [name.split("/") for name in members]
    packages = sorted({p[0] for p in inside if len(p) == 2 and main.fullmatch(p[1])})
    if len(infos) != 1:
        raise BadWheelError(f"it has {len(infos)} directories of metadata")
    for name in ("METADATA", "RECORD", "WHEEL"):
        if f"{infos[0]}/{name}" not in members:
            raise BadWheelError(f"it has no {infos[0]}/{name}")
    if len(packages) != 1:
        raise BadWheelError(f"the packages in it are: {', '.join(packages) or 'none'}")
    return Wheel(path, members, packages[0], infos[0])


#: Yields what is wrong.
Inspection = Callable[[Wheel, Mapping[str, Any]], Iterator[str]]


def inspect(
    wheel: Wheel, claims: Mapping[str, Any], checks: Mapping[str, Inspection] | None = None
) -> tuple[CaseResult, ...]:
    """Everything that can be seen without installing it.

    Args:
        claims: the manifest beside the library that the wheel was made of.
        checks: what to look at, by name; by default everything that a main wheel has.
    """
    found = checks or _CHECKS
    return tuple(_judged(label, wheel, claims, check) for label, check in found.items())


def _judged(label: str, wheel: Wheel, claims: Mapping[str, Any], check: Inspection) -> CaseResult:
    try:
        wrong = list(check(wheel, claims))
    except (BadWheelError, KeyError, IndexError, csv.Error, *_ODD) as error:
        wrong = [str(error) or type(error).__name__]
    return CaseResult(label, Outcome.FAILED if wrong else Outcome.PASSED, "; ".join(wrong))


def _tag(wheel: Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    python, abi, platform = wheel.tag.split("-")
    prefixes = _PLATFORMS.get(sys.platform, ())
    if (python, abi) != ("py3", "none") or platform == "any":
        yield f"it is {wheel.tag}, not py3-none-PLATFORM"
    elif not all(part.startswith(prefixes) for part in platform.split(".")):
        yield f"{wheel.tag} is not for this system"
    yield from tags_inside(wheel)


def tags_inside(wheel: Wheel) -> Iterator[str]:
    """Where the tags in the wheel are not those of its name."""
    python, abi, platform = wheel.tag.split("-")
    said = _wheel_file(wheel).get_all("Tag", [])
    if sorted(said) != sorted(f"{python}-{abi}-{part}" for part in platform.split(".")):
        yield f"its name says {wheel.tag}, and WHEEL in it {', '.join(map(str, said)) or 'nothing'}"


def purelib(wheel: Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    """Where it does not say that there is a library in it."""
    said = str(_wheel_file(wheel).get("Root-Is-Purelib", "nothing"))
    if said.lower() != "false":
        yield f"Root-Is-Purelib is {said}, though there is a library in it"


def _library(wheel: Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    libraries = [name for name in wheel.members if _LIBRARY.search(name)]
    plugins = [name for name in libraries if _ENTRY_POINT in wheel.data(name)]
    wanted = re.compile(rf"{wheel.package}/(lib)?{re.escape(claims['library'])}\.\w+")
    if len(plugins) != 1:
        yield f"the plugin libraries in it are: {', '.join(plugins) or 'none'}"
    elif not wanted.fullmatch(plugins[0]):
        yield f"the library is {plugins[0]}, not {wheel.package}/{claims['library']}"
    else:
        beside = json.loads(wheel.text(f"{plugins[0]}.manifest.json"))
        if beside != claims:
            yield f"{plugins[0]}.manifest.json is not the manifest of the library that was built"
    contents: dict[str, str] = {}
    for name in libraries:
        twin = contents.setdefault(hashlib.sha256(wheel.data(name)).hexdigest(), name)
        if twin != name:
            yield f"{twin} and {name} are the same file"


def licence(wheel: Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    """Licence files that are not there."""
    named = list(map(str, wheel.metadata.get_all("License-File", [])))
    if not named:
        yield "no licence file is in it"
    for name in named:
        places = (f"{wheel.info}/licenses/{name}", f"{wheel.info}/{name}")
        if not any(wheel.members.get(place) for place in places):
            yield f"the licence file {name} is not in it"


def _dependencies(wheel: Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    for line in map(str, wheel.metadata.get_all("Requires-Dist", [])):
        requirement, _, marker = line.partition(";")
        if not _ONNXRUNTIME.match(requirement.strip()):
            continue
        if "extra" not in marker:
            yield f"it depends on {line}: which onnxruntime to use is the application's choice"
        elif f">={claims['ort']['min']}" not in requirement.replace(" ", ""):
            yield f"{line}: the library needs {claims['ort']['min']}"


def _names(wheel: Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    pairs = {
        "EP_NAME": claims["ep"],
        "EP_NAMES": tuple(claims["eps"]),
        "LIBRARY": claims["library"],
        "VENDOR": claims["vendor"],
        "VERSION": claims["version"],
    }
    yield from _differences(wheel, pairs)
    one = wheel.identity.get("DISTRIBUTION")
    known = [str(each) for each in wheel.identity.get("DISTRIBUTIONS", (one,))]
    if _normal(wheel.distribution) not in map(_normal, known):
        yield f"the distribution is {wheel.distribution}, _identity.py says {', '.join(known)}"
    if claims["ep"] not in _description(wheel):
        yield f"the README in METADATA does not name {claims['ep']}"
    name, version = wheel.info.removesuffix(".dist-info").rsplit("-", 1)
    if _normal(name) != _normal(wheel.distribution) or version != wheel.metadata.get("Version"):
        yield f"{wheel.info} is not {wheel.distribution} {wheel.metadata.get('Version')}"


def _minimum(wheel: Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    minimum = str(claims["ort"]["min"])
    yield from _differences(wheel, {"MINIMUM_ONNXRUNTIME": minimum})
    if not re.search(rf"(?<![\d.]){re.escape(minimum)}(?!\.?\d)", _description(wheel)):
        yield f"the README in METADATA does not name onnxruntime {minimum}"


def record(wheel: Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    """Where RECORD does not list what is there."""
    rows = {row[0]: row[1] for row in csv.reader(wheel.text(f"{wheel.info}/RECORD").splitlines())}
    files = {name for name in wheel.members if not name.endswith("/")}
    for name in sorted(files ^ rows.keys()):
        yield f"RECORD lists {name}, which is not there" if name in rows else f"{name} is unlisted"
    for name in sorted(files & rows.keys()):
        kind, _, digest = rows[name].partition("=")
        if not kind:
            continue
        if kind not in hashlib.algorithms_guaranteed:
            yield f"RECORD has an unknown hash of {name}: {kind}"
            continue
        found = base64.urlsafe_b64encode(hashlib.new(kind, wheel.data(name)).digest())
        if found.rstrip(b"=").decode() != digest:
            yield f"{name} is not what RECORD says"


_CHECKS: Mapping[str, Inspection] = {
    "tag": _tag,
    "purelib": purelib,
    "library": _library,
    "licence": licence,
    "dependencies": _dependencies,
    "names": _names,
    "minimum": _minimum,
    "record": record,
}


def _differences(wheel: Wheel, wanted: Mapping[str, object]) -> Iterator[str]:
    for key, value in wanted.items():
        found = wheel.identity.get(key)
        if found != value:
            yield f"{key} is {found!r} in _identity.py, {value!r} in the library's manifest"


def _wheel_file(wheel: Wheel) -> Message:
    return Parser().parsestr(wheel.text(f"{wheel.info}/WHEEL"))


def _description(wheel: Wheel) -> str:
    body = wheel.metadata.get_payload()
    return (body if isinstance(body, str) else "") or str(wheel.metadata.get("Description", ""))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
