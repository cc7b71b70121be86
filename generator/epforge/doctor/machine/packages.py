"""The packages of this Python: one onnxruntime, new enough; an onnx and a torch that suit it."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from epforge.cache import cache_dir
from epforge.doctor.model import Finding, error, missing, note, ok, pip, warning
from epforge.errors import MissingError
from epforge.ort.levels import DEFAULT_MIN
from epforge.validate.manifest import version_tuple
from epforge.validate.survey import Survey, survey

_FOLDER = "onnxruntime"  # the directory that all its distributions have
_LIKE = re.compile(r"(onnxruntime|ort)(-[a-z0-9-]+)?")
_ABOUT = "capi/build_and_package_info.py"
_MOST_BYTES = 1 << 16


@dataclass(frozen=True)
class Distribution:
    """A distribution of onnxruntime, by the metadata that its installer left.

    Args:
        place: the directory that it is installed in.
    """

    name: str
    version: str
    place: str


@dataclass(frozen=True)
class Files:
    """A directory ``onnxruntime``, by the files that lie in it.

    Args:
        place: the directory that it lies in.
        name: of the distribution that its files are of; empty if they do not say.
        version: the same; empty if they do not say.
        cuda: the CUDA that they are built for; empty for none.
    """

    place: str
    name: str = ""
    version: str = ""
    cuda: str = ""


@dataclass(frozen=True)
class Torch:
    """A torch, by its files.

    Args:
        cuda: the CUDA that it is built for; empty for none.
    """

    version: str
    cuda: str = ""


@dataclass(frozen=True)
class Packages:
    """What is installed.

    Args:
        runtimes: distributions that have the directory ``onnxruntime``.
        files: such directories, the one that is imported first.
        survey: what the runtime and onnx say.
        torch: None where there is none.
        unmet: requirements of epforge's own that are not met: (requirement, what is installed).
        cached: other releases of onnxruntime in epforge's cache.
    """

    runtimes: tuple[Distribution, ...] = ()
    files: tuple[Files, ...] = ()
    survey: Survey = field(default_factory=Survey)
    torch: Torch | None = None
    unmet: tuple[tuple[str, str], ...] = ()
    cached: tuple[str, ...] = ()


def gather() -> Packages:
    """What this Python has."""
    places = list(dict.fromkeys(str(Path(place or ".").absolute()) for place in sys.path))
    return Packages(
        runtimes=tuple(sorted(runtimes(places), key=lambda each: (each.place, each.name))),
        files=tuple(filter(None, map(files, places))),
        survey=survey(),
        torch=_torch(places),
        unmet=tuple(_unmet()),
        cached=tuple(cached()),
    )


def runtimes(places: Sequence[str]) -> Iterator[Distribution]:
    """The distributions of onnxruntime in directories of packages."""
    for place in places:
        for each in importlib.metadata.distributions(path=[place]):
            name = re.sub(r"[-_.]+", "-", str(each.metadata["Name"] or "")).lower()
            if not _LIKE.fullmatch(name):
                continue
            listed = each.files
            own = name in ("onnxruntime", "onnxruntime-gpu") if listed is None else any(
                path.parts[:1] == (_FOLDER,) for path in listed
            )  # fmt: skip
            if own:
                yield Distribution(name, str(each.version), place)


def files(place: str) -> Files | None:
    """The directory ``onnxruntime`` in a directory of packages; None if there is none."""
    folder = Path(place) / _FOLDER
    if not (folder / "__init__.py").is_file():
        return None
    text = _text(folder / _ABOUT)
    return Files(
        place,
        _value(text, "package_name"),
        _value(text, "__version__"),
        _value(text, "cuda_version"),
    )


def _torch(places: Sequence[str]) -> Torch | None:
    for place in places:
        text = _text(Path(place) / "torch" / "version.py")
        if _value(text, "__version__"):
            return Torch(_value(text, "__version__"), _value(text, "cuda"))
    return None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _value(text: str, name: str) -> str:
    """A string that a module assigns to a name; empty if it does not."""
    match = re.search(rf"^{name}\s*(?::[^=\n]+)?=\s*['\"]([\w.+-]*)['\"]", text, re.M)
    return match[1] if match else ""


def _unmet() -> Iterator[tuple[str, str]]:
    from packaging.requirements import Requirement

    try:
        wanted = importlib.metadata.requires("epforge") or []
    except importlib.metadata.PackageNotFoundError:  # it runs from a checkout
        return
    for requirement in map(Requirement, wanted):
        if requirement.name == _FOLDER:
            continue  # several distributions have it
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            version = ""
        if not version or not requirement.specifier.contains(version, prereleases=True):
            yield f"{requirement.name}{requirement.specifier}", version


def cached() -> Iterator[str]:
    """The releases of onnxruntime in epforge's cache, for this Python."""
    tag = f"-cp{sys.version_info.major}{sys.version_info.minor}"
    try:
        names = sorted(path.name for path in cache_dir("runtimes").iterdir())
    except (OSError, MissingError):
        return
    yield from (name.removesuffix(tag) for name in names if name.endswith(tag) and name[0] != ".")


def judge(found: Packages) -> Iterator[Finding]:
    """What is wrong with the packages."""
    clash = list(_clashes(found))
    yield from clash
    yield from _runtime(found, bool(clash))
    yield from _onnx(found.survey)
    for requirement, version in found.unmet:
        name = re.split(r"[<>=!~]", requirement)[0]
        yield (error if version else missing)(
            "requirement",
            f"{name} {version} is installed, epforge needs {requirement}"
            if version
            else f"{requirement} is not installed",
            "Verbs that use it fail, or write other bytes than elsewhere.",
            pip("install", requirement),
        )
    if found.torch is not None:
        kind = f"CUDA {found.torch.cuda}" if found.torch.cuda else "CPU"
        yield ok("torch", f"torch {found.torch.version} for {kind}")
    if found.cached:
        yield ok("cached-runtimes", f"other releases in the cache: {', '.join(found.cached)}")


def _clashes(found: Packages) -> Iterator[Finding]:
    """Distributions that share a directory, and metadata that says what the files do not."""
    places = [each.place for each in found.runtimes] + [each.place for each in found.files]
    for place in dict.fromkeys(places):
        here = [each for each in found.runtimes if each.place == place]
        there = next((each for each in found.files if each.place == place), None)
        if len(here) > 1:
            yield _two(here, there)
        elif here and there is None:
            yield error(
                "runtime-gone",
                f"{_spelt(here[0])} is installed by its metadata, its files are gone from {place}",
                "That is left when one of two distributions was uninstalled: both have the same "
                "directory.",
                _again(here[0]),
            )
        elif here and there is not None and not _agree(here[0], there):
            yield error(
                "runtime-mixed",
                f"{_spelt(here[0])} is installed by its metadata, the files in {place} are of "
                f"{there.name or 'onnxruntime'} {there.version}",
                "Another distribution has overwritten them: which providers there are is chance.",
                _again(here[0]),
            )
        elif there is not None and not here and there.version:
            yield note(
                "runtime-unlisted",
                f"no metadata belongs to the files of onnxruntime {there.version} in {place}",
                "pip does not know of them: it installs another one over them.",
                pip("install", "--force-reinstall", "--no-deps", f"onnxruntime=={there.version}"),
            )


def _two(here: Sequence[Distribution], there: Files | None) -> Finding:
    names = [each.name for each in here]
    of = f"; the files are of {there.name} {there.version}" if there and there.name else ""
    kept = kept_of(here, there)
    remove = pip("uninstall", "--yes", *names)
    return error(
        "two-runtimes",
        f"{' and '.join(map(_spelt, here))} share the directory {here[0].place}/{_FOLDER}{of}",
        "Each overwrites the other's files: providers vanish, and uninstalling one breaks the "
        "other.",
        f"{remove} && {pip('install', '--no-deps', f'{kept.name}=={kept.version}')}",
    )


def kept_of(here: Sequence[Distribution], there: Files | None) -> Distribution:
    """Of distributions that share a directory the one to keep: the special one, for somebody
    wanted it; of several, the one whose files lie there."""
    special = [each for each in here if each.name != _FOLDER] or list(here)
    return next((each for each in special if there and each.name == there.name), special[0])


def _agree(distribution: Distribution, there: Files) -> bool:
    same = there.name in ("", distribution.name)
    return same and _release(there.version) in ("", _release(distribution.version))


def _release(version: str) -> str:
    return version.partition("+")[0]


def _spelt(distribution: Distribution) -> str:
    return f"{distribution.name} {distribution.version}"


def _again(distribution: Distribution) -> str:
    pinned = f"{distribution.name}=={distribution.version}"
    return pip("install", "--force-reinstall", "--no-deps", pinned)


def _runtime(found: Packages, clash: bool) -> Iterator[Finding]:
    promised = f"onnxruntime>={DEFAULT_MIN}"
    if not found.files:
        if not clash:
            yield missing(
                "runtime",
                "no onnxruntime in this Python",
                "Nothing is validated, and no model is compiled without it.",
                pip("install", promised),
            )
        return
    first, others = found.files[0], found.files[1:]
    version = found.survey.version or first.version
    if others:
        yield warning(
            "runtime-twice",
            f"onnxruntime is in {first.place} and in {', '.join(each.place for each in others)}",
            "The first one is imported; with another path, or as another user, it is the other.",
            pip("uninstall", "--yes", first.name or _FOLDER),
        )
    if not found.survey.version:
        own = next((each for each in found.runtimes if each.place == first.place), None)
        yield error(
            "runtime",
            f"onnxruntime {first.version} does not start: {found.survey.broken}",
            "Nothing is validated, and no model is compiled without it.",
            _again(own) if own else pip("install", "--force-reinstall", promised),
        )
    elif older(version, DEFAULT_MIN):
        yield error(
            "runtime",
            f"onnxruntime {version} is older than {DEFAULT_MIN}",
            "Libraries that epforge makes load from there on; into this one they refuse to.",
            pip("install", "--upgrade", promised),
        )
    else:
        by = ", ".join(each.removesuffix("ExecutionProvider") for each in found.survey.providers)
        yield ok("runtime", f"{first.name or _FOLDER} {version} with {by}")


def older(version: str, than: str) -> bool:
    """Is a release older than another one? No where that cannot be told."""
    try:
        return version_tuple(version) < version_tuple(than)
    except ValueError:
        return False


def _onnx(found: Survey) -> Iterator[Finding]:
    if not found.onnx:
        yield missing(
            "onnx",
            f"onnx cannot be imported: {found.onnx_broken or found.broken}",
            "Models are neither read nor made without it.",
            pip("install", "--force-reinstall", "onnx"),
        )
        return
    if not found.opset or not found.ir:
        return
    reads = f"onnxruntime {found.version} reads"
    if found.onnx_ir > found.ir:
        yield warning(
            "onnx",
            f"onnx {found.onnx} writes IR version {found.onnx_ir}, {reads} up to {found.ir}",
            "Models that are made without naming the version are not loaded.",
            pip("install", "--upgrade", _FOLDER),
        )
    elif found.onnx_opset > found.opset:
        yield note(
            "onnx",
            f"onnx {found.onnx} knows opset {found.onnx_opset}, {reads} up to {found.opset}",
            "Models of the newest opsets are not loaded; exporters take an older one when they are "
            "told.",
            pip("install", "--upgrade", _FOLDER),
        )
    else:
        yield ok(
            "onnx",
            f"onnx {found.onnx}: {reads} its opset {found.onnx_opset} and IR {found.onnx_ir}",
        )
