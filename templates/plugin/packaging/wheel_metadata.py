<%= banner %>
"""The metadata of a wheel: that of the project's pyproject.toml, with a name and a version."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wheel_settings as settings
from wheel_binaries import WheelError

# What PEP 440 takes for a version: more spellings than it writes itself.
_VERSION = re.compile(
    r"""v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)
    (?:[-_.]?(?P<pre>a|b|c|rc|alpha|beta|pre|preview)[-_.]?(?P<pre_number>\d*))?
    (?:-(?P<post_implied>\d+)|(?P<post>[-_.]?(?:post|rev|r)[-_.]?(?P<post_number>\d*)))?
    (?P<dev>[-_.]?dev[-_.]?(?P<dev_number>\d*))?
    (?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_PRE = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}
_VARIABLE = re.compile(r"@([a-z_]+)@")
_MOST_JSON = 64 << 20
_OWN = ("name", "version", "readme", "license-files")  # keys that the template has a line for


@dataclass(frozen=True)
class Metadata:
    """The wheel's name and version, and everything else that pyproject.toml says."""

    name: str
    version: str
    project: Mapping[str, Any]

    @property
    def file_name(self) -> str:
        """How the wheel's file name begins."""
        return f"{re.sub(r'[-_.]+', '_', self.name).lower()}-{self.version}"


def normal_version(text: str) -> str | None:
    """The version as PEP 440 writes it; None for what is none."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
    part = match.groupdict()
    epoch = f"{int(part['epoch'])}!" if part["epoch"] and int(part["epoch"]) else ""
    version = epoch + ".".join(str(int(number)) for number in part["release"].split("."))
    if part["pre"]:
        kind = part["pre"].lower()
        version += f"{_PRE.get(kind, kind)}{int(part['pre_number'] or 0)}"
    if part["post_implied"] or part["post"]:
        version += f".post{int(part['post_implied'] or part['post_number'] or 0)}"
    if part["dev"]:
        version += f".dev{int(part['dev_number'] or 0)}"
    if part["local"]:
        pieces = re.split(r"[-_.]", part["local"].lower())
        version += "+" + ".".join(str(int(p)) if p.isdigit() else p for p in pieces)
    return version


def read_metadata(project: Path, name: str | None, version: str | None) -> Metadata:
    """The metadata of a wheel.

    Args:
        project: the project's directory.
        name: the distribution, one of `wheel_settings.DISTRIBUTIONS`; by default pyproject.toml's.
        version: the version; by default pyproject.toml's, which must be the library's.

    Raises:
        WheelError: one of them cannot be used.
    """
    path = project / "pyproject.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        written = str(table["version"])
        name = name or str(table["name"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WheelError(f"{path} has no name and version of the project: {error}") from error
    if name not in settings.DISTRIBUTIONS:
        known = ", ".join(settings.DISTRIBUTIONS)
        raise WheelError(
            f"{name!r} is no distribution of this project: {known} "
            "(python.distributions of the blueprint)"
        )
    wanted = normal_version(version or written)
    if wanted is None:
        raise WheelError(
            f"{version or written!r} is no version that Python packages can have, such as "
            "1.2.3, 1.2.3rc1, 1.2.3.dev4 or 1.2.3+cu12 (PEP 440)"
        )
    return Metadata(name, wanted, table)


def check_manifest(project: Path, built: Path, metadata: Metadata, overridden: bool) -> list[str]:
    """Compares what the library, the sources and the package's description say.

    Args:
        project: the project's directory.
        built: the manifest that lies beside the library.
        metadata: what the wheel will say.
        overridden: the wheel's version was chosen, and may differ from the library's.

    Returns:
        What is worth a note.

    Raises:
        WheelError: they contradict each other.
    """
    claimed = _json(built)
    if claimed != _json(project / settings.MANIFEST):
        raise WheelError(
            f"{built} differs from {settings.MANIFEST}: the library was built from other sources. "
            "Build it again"
        )
    try:
        version, minimum = str(claimed["version"]), str(claimed["ort"]["min"])
    except (KeyError, TypeError) as error:
        raise WheelError(
            f"{built} does not say which version it is of: build the library again"
        ) from error
    if minimum not in _readme(project, metadata).read_text(encoding="utf-8"):
        raise WheelError(
            f"{_readme(project, metadata)} does not name ONNX Runtime {minimum}, the oldest that "
            "the library loads into"
        )
    if normal_version(version) == metadata.version:
        return []
    if not overridden:
        raise WheelError(
            f"pyproject.toml has version {metadata.version}, the library {version}: set `version` "
            "of the blueprint and regenerate, or give --version"
        )
    return [f"the wheel has version {metadata.version}, as was asked for; the library {version}"]


def stage_metadata(project: Path, stage: Path, metadata: Metadata) -> None:
    """Writes pyproject.toml, the description and the licence files.

    Raises:
        WheelError: a file is missing, or the template and its variables do not fit.
    """
    licenses = sorted(
        path.relative_to(project).as_posix()
        for pattern in metadata.project.get("license-files", ["LICENSE*"])
        for path in project.glob(pattern)
        if path.is_file()
    )
    if not licenses:
        raise WheelError("no licence file: project.license-files of pyproject.toml matches none")
    readme = _readme(project, metadata)
    for relative in (*licenses, readme.relative_to(project).as_posix()):
        target = stage / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((project / relative).read_bytes())
    rest = {key: value for key, value in metadata.project.items() if key not in _OWN}
    template = project / "packaging/pyproject.toml.in"
    text = render(
        template.read_text(encoding="utf-8"),
        {
            "name": toml(metadata.name),
            "version": toml(metadata.version),
            "readme": toml(metadata.project["readme"]),
            "license_files": toml(licenses),
            "metadata": "\n".join(f"{_key(key)} = {toml(value)}" for key, value in rest.items()),
            "package": toml(settings.PACKAGE),
        },
        template.name,
    )
    (stage / "pyproject.toml").write_text(text, encoding="utf-8")


def render(text: str, values: Mapping[str, str], name: str) -> str:
    """The text with each @variable@ outside of comments replaced.

    Raises:
        WheelError: a variable without a value, or a value without a variable.
    """
    used: set[str] = set()

    def value(match: re.Match[str]) -> str:
        used.add(match[1])
        if match[1] not in values:
            raise WheelError(f"{name}: the variable @{match[1]}@ has no value")
        return values[match[1]]

    lines = text.splitlines()
    done = [line if line.lstrip().startswith("#") else _VARIABLE.sub(value, line) for line in lines]
    unused = sorted(values.keys() - used)
    if unused:
        raise WheelError(f"{name}: nothing takes the value of @{unused[0]}@")
    return "\n".join(done) + "\n"


def toml(value: object) -> str:
    """A value as TOML. Strings are written like JSON's, which are TOML's but for DEL."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {toml(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml(key)


def _readme(project: Path, metadata: Metadata) -> Path:
    readme = metadata.project.get("readme")
    path = project / str(readme.get("file") if isinstance(readme, Mapping) else readme)
    if not path.is_file():
        raise WheelError(f"{path}, the readme of pyproject.toml, is not there")
    return path


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > _MOST_JSON:
            raise WheelError(f"{path} has more than {_MOST_JSON >> 20} MiB: build it again")
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise WheelError(f"{path} cannot be read: {error}. Build it again") from error
