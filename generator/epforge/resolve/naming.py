"""The names of a project, its version, vendor and license."""

from __future__ import annotations

import re

from epforge.blueprint.diagnostic import show, suggest
from epforge.blueprint.nodes import Path, Scalar
from epforge.blueprint.shape import NamesShape, VendorShape
from epforge.names import Identifier, Name, SemVer
from epforge.resolve.findings import Findings
from epforge.resolve.model import Names, Vendor
from epforge.resolve.reserved import (
    DISTRIBUTIONS,
    LIBRARIES,
    WINDOWS_DEVICES,
    ascii_words,
    built_in_ep,
    why_not_namespace,
    why_not_package,
)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SHARED = re.compile(r"\.(?:so[.0-9]*|dll|dylib|lib|a)$", re.IGNORECASE)  # how its file ends
_DISTRIBUTION = re.compile(r"[A-Za-z]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_PLACEHOLDER = re.compile(r"<.*>|\$\{.*\}|\{\{.*\}\}|\$\(.*\)|@\w+@|%\w+%")  # left by a template
_SPDX = re.compile(r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*")
_SUFFIX = "ExecutionProvider"
_MAX_NAME = 48  # paths of the project stay below Windows' 260 characters
_MAX_LONG_NAME = 80

_LICENSES = (
    "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC",
    "Zlib", "BSL-1.0", "MPL-2.0", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only",
    "GPL-3.0-or-later", "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-only",
    "LGPL-3.0-or-later", "AGPL-3.0-only", "AGPL-3.0-or-later", "EPL-2.0", "EUPL-1.2",
    "Unlicense", "CC0-1.0", "LicenseRef-Proprietary",
)  # fmt: skip


def resolve_names(name: str, explicit: NamesShape, found: Findings) -> Names:
    """Every name of the project. One that cannot be is reported; something stands in for it."""
    words = _project_name(name, found)
    ep = explicit.ep if explicit.ep is not None else f"{words.camel}{_SUFFIX}"
    library = explicit.library if explicit.library is not None else f"onnxruntime_ep_{words.snake}"
    distribution = explicit.distribution
    if distribution is None:
        distribution = f"onnxruntime-ep-{words.kebab}"
    package = re.sub(r"[-._]+", "_", distribution).lower()
    return Names(
        name=words,
        namespace=words.snake,
        ep=_own_provider(ep, explicit.ep is not None, words, found),
        library=_library(library, found),
        distribution=distribution,
        package=_package(distribution, package, found),
        macro=words.screaming,
    )


def _project_name(text: str, found: Findings) -> Name:
    path: Path = ("name",)
    rule = "letters, digits and single - or _ between them, a letter first"
    proposal = _free(ascii_words(text))
    if not _NAME.fullmatch(text):
        what = f"name: {show(text)} is not a name"
        _refused(path, what, rule, proposal, found)
        return Name.parse(proposal)
    if len(text) > _MAX_NAME:
        what = f"name: {len(text)} characters are too many"
        found.error(path, "bad-name", what, f"at most {_MAX_NAME} characters")
        return Name.parse(proposal)
    name = Name.parse(text)
    why = why_not_namespace(name.snake)
    if why:
        what = f"name: {show(name.snake)} {why}, so it cannot be the C++ namespace"
        _refused(path, what, "a name of your own", proposal, found)
        return Name.parse(proposal)
    return name


def _free(text: str) -> str:
    """``text``, or a longer name where ``text`` is taken."""
    snake = Name.parse(text).snake
    taken = why_not_namespace(snake) or built_in_ep(f"{Name.parse(text).camel}{_SUFFIX}")
    return f"{text}-ep" if taken else text


def _own_provider(text: str, explicit: bool, words: Name, found: Findings) -> Identifier:
    stand_in = Identifier(f"{words.camel}{_SUFFIX}")
    if explicit:
        return provider_name(text, ("names", "ep"), "names.ep", stand_in, found)
    return provider_name(text, ("name",), "name", stand_in, found, f"{words.kebab}-ep")


def provider_name(
    text: str,
    path: Path,
    where: str,
    stand_in: Identifier,
    found: Findings,
    free: str = "",
) -> Identifier:
    """The name of an execution provider. One that cannot be is reported.

    Args:
        text: as it is written.
        path: its place in the blueprint.
        where: the place in words.
        stand_in: what is returned for a name that cannot be.
        free: what to write for a name that is taken; by default the name with something before it.
    """
    if not _IDENTIFIER.fullmatch(text) or len(text) > _MAX_LONG_NAME:
        what = f"{where}: {show(text)} cannot name an execution provider"
        rule = f"letters, digits and _, a letter first, at most {_MAX_LONG_NAME} characters"
        _refused(path, what, rule, _provider_meant(text, stand_in), found)
        return stand_in
    known = built_in_ep(text)
    if known:
        what = f"{where}: {text} is taken: ONNX Runtime has {known} built in"
        _refused(path, what, "a name of your own", free or f"My{text}", found)
        return stand_in
    if not text.endswith(_SUFFIX):
        what = f"{where}: {text} does not end in {_SUFFIX}, as the names of all others do"
        found.warning(path, "ep-suffix", what, f"write {text}{_SUFFIX}")
    return Identifier(text)


def _provider_meant(text: str, stand_in: Identifier) -> str:
    """The nearest name of an execution provider to a text that cannot be one."""
    words = ascii_words(re.sub(r"(?i)[\W_]*(?:execution[\W_]*provider|\bep)$", "", text), "-", "")
    if not words or not words[0].isalpha():
        return stand_in
    named = "".join(word[0].upper() + word[1:] for word in words.split("-"))
    return f"{named[:_MAX_NAME]}{_SUFFIX}"


def _library(text: str, found: Findings) -> Identifier:
    path: Path = ("names", "library")
    bare = _SHARED.sub("", text.replace("\\", "/").rpartition("/")[2])
    proposal = ascii_words(bare.removeprefix("lib"), "_", "my_ep").lower()
    if not _IDENTIFIER.fullmatch(text) or len(text) > _MAX_LONG_NAME:
        what = f"names.library: {show(text)} cannot name a library"
        rule = f"letters, digits and _, a letter first, at most {_MAX_LONG_NAME} characters"
        _refused(path, what, rule, proposal, found)
        return Identifier(proposal)
    if text.lower() in LIBRARIES or text.lower() in WINDOWS_DEVICES:
        what = f"names.library: {show(text)} is the name of another library or device"
        _refused(path, what, "a name of your own", f"onnxruntime_ep_{proposal}", found)
    elif text.startswith("lib"):
        what = "names.library: the platform's prefix is added by itself; this gives liblib..."
        found.warning(path, "library-prefix", what, f"write {text.removeprefix('lib')}")
    return Identifier(text)


def _package(distribution: str, package: str, found: Findings) -> Identifier:
    path: Path = ("names", "distribution")
    stand_in = Identifier("onnxruntime_ep_unnamed")
    words = ascii_words(distribution, "-").lower()
    proposal = f"onnxruntime-ep-{words.removeprefix('onnxruntime-ep-')}"
    if not _DISTRIBUTION.fullmatch(distribution) or len(distribution) > _MAX_LONG_NAME:
        what = f"names.distribution: {show(distribution)} cannot name a Python distribution"
        rule = "letters, digits, - _ and . between them, a letter first"
        _refused(path, what, rule, proposal, found)
        return stand_in
    why = why_not_package(package)
    if DISTRIBUTIONS.fullmatch(re.sub(r"[-._]+", "-", distribution).lower()):
        why = "is a distribution of ONNX Runtime"
    if why:
        what = f"names.distribution: {show(distribution)} {why}"
        _refused(path, what, "a name of your own", proposal, found)
        return stand_in
    return Identifier(package)


def _refused(path: Path, what: str, rule: str, proposal: str, found: Findings) -> None:
    written = found.source.node(*path)
    if isinstance(written, Scalar) and _PLACEHOLDER.fullmatch(written.text):
        found.error(path, "bad-name", what, rule, "write what it stands for")
        return
    found.error(path, "bad-name", what, rule, f"write {proposal}", proposal)


def resolve_version(text: str, found: Findings) -> SemVer:
    """The project's version: SemVer 2.0 with a counterpart in PEP 440."""
    path: Path = ("version",)
    expected = "MAJOR.MINOR.PATCH, such as 0.1.0"
    try:
        version = SemVer.parse(text) if len(text) <= 64 else None
    except ValueError:
        version = None
    if version is None or max(version.major, version.minor, version.patch) > 65534:
        what = f"version: {show(text)} is not a semantic version"
        numbers = re.fullmatch(r"v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?", text)
        fix = ".".join(str(int(part or 0)) for part in numbers.groups()) if numbers else None
        fix = fix or _as_semver(text)
        found.error(path, "bad-version", what, expected, f"write {fix}" if fix else "", fix)
        return SemVer(0, 1, 0)
    try:
        _ = version.pep440
    except ValueError as error:
        hint = "pre-releases are -alpha.N, -beta.N, -rc.N and -dev.N"
        found.error(path, "bad-version", f"version: {error}", expected, hint)
    return version


_PEP440 = re.compile(
    r"v?(\d+\.\d+\.\d+)[-._]?(a|alpha|b|beta|c|rc|dev)[-._]?(\d{1,4})", re.IGNORECASE
)
_STAGES = {"a": "alpha", "b": "beta", "c": "rc"}


def _as_semver(text: str) -> str | None:
    """A version in Python's spelling in that of SemVer: 1.0.0-rc.1 for 1.0.0rc1."""
    match = _PEP440.fullmatch(text)
    if match is None:
        return None
    stage = match[2].lower()
    return f"{match[1]}-{_STAGES.get(stage, stage)}.{int(match[3])}"


def resolve_vendor(shape: VendorShape, found: Findings) -> Vendor:
    """The vendor, whose name is free text of one line."""
    path: Path = ("vendor", "name") if found.source.has("vendor", "name") else ("vendor",)
    name = shape.name.strip()
    if not name or len(name) > 128 or not name.isprintable():
        what = f"vendor: {show(shape.name)} cannot name a vendor"
        found.error(path, "bad-vendor", what, "one line of 1 to 128 printable characters")
    return Vendor(name, shape.pci_id)


def resolve_license(text: str, found: Findings) -> str:
    """An SPDX license identifier or a simple expression of such."""
    if _SPDX.fullmatch(text) and len(text) <= 100:
        return text
    fix = _license_meant(text)
    what = f"license: {show(text)} is not an SPDX identifier"
    hint = f"write {fix}" if fix else "one of your own is LicenseRef-NAME"
    found.error(("license",), "bad-license", what, "such as Apache-2.0 or MIT", hint, fix)
    return "Apache-2.0"


_IN_WORDS = re.compile(r"\b(the|software|public|license|licence|version)\b|[^a-z0-9.]+")
_OTHERWISE = {
    **dict.fromkeys(("apache2.0", "apache2", "asl2.0"), "Apache-2.0"),
    **dict.fromkeys(("bsd3clause", "bsd3", "newbsd"), "BSD-3-Clause"),
    **dict.fromkeys(("bsd2clause", "bsd2"), "BSD-2-Clause"),
    **dict.fromkeys(("mozilla2.0", "mpl2.0", "mpl2"), "MPL-2.0"),
    **dict.fromkeys(("boost1.0", "boost"), "BSL-1.0"),
    **dict.fromkeys(("proprietary", "closed", "allrightsreserved"), "LicenseRef-Proprietary"),
    "mit": "MIT",
    "isc": "ISC",
}


_JOINTS = {"/": "OR", "|": "OR", "||": "OR", "or": "OR", "and": "AND", "&": "AND", "&&": "AND"}


def _license_meant(text: str) -> str | None:
    """The SPDX expression of licenses that are called otherwise."""
    parts = re.split(r"\s*(/|\|{1,2}|&{1,2})\s*|\s+(or|and)\s+", text[:100], flags=re.IGNORECASE)
    parts = [part for part in parts if part]
    if len(parts) < 2:
        return _one_license(text)
    names = [_one_license(part) for part in parts[::2]]
    joints = [_JOINTS.get(part.lower()) for part in parts[1::2]]
    if None in names or len(set(joints)) != 1 or len(names) != len(joints) + 1:
        return None
    return f" {joints[0]} ".join(map(str, names))


def _one_license(text: str) -> str | None:
    """The SPDX identifier of a license that is called otherwise."""
    bare = _IN_WORDS.sub("", text[:100].lower())
    return _OTHERWISE.get(bare) or suggest(text, _LICENSES)
