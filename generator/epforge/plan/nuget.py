"""The NuGet package: its id, its helper class, and the script that packs it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from epforge.names import Identifier, Name, Safe
from epforge.plan import release, samples, workflows
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.libraries import file_name
from epforge.resolve.model import Blueprint
from epforge.resolve.reserved import ascii_words

_FOLDER = "packaging/nuget"
_WINDOWS = "windows-x64"
_LONGEST_VENDOR = 40  # of the 100 characters that an id may have
#: What .NET calls the blueprint's targets; their system and processor as libraries name them.
_TARGETS = {
    "linux-x64": ("linux-x64", "linux", "x86_64"),
    "linux-arm64": ("linux-arm64", "linux", "aarch64"),
    _WINDOWS: ("win-x64", "windows", "amd64"),
    "macos-arm64": ("osx-arm64", "macos", "arm64"),
}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The NuGet package's files, those that every release needs, and the workflows."""
    return [
        *_package(blueprint),
        *_scripts(blueprint),
        *release.files(blueprint),
        *workflows.files(blueprint),
    ]


def package_id(vendor: str, name: Name) -> Safe:
    """The package's id, which is the assembly's name and the C# namespace, too.

    ``VENDOR.OnnxRuntime.EP.NAME``: Microsoft's own are ``Microsoft.ML.OnnxRuntime.EP.NAME``, and
    the gallery has the prefix ``Microsoft.`` reserved for them. The name does not repeat the
    vendor. A vendor that no identifier can begin with, accents aside, is left out.
    """
    owner = _vendor(vendor)
    if owner is None:
        return Safe(f"OnnxRuntime.EP.{name.camel}")
    count = len(owner.words)
    rest = name.words[count:]
    is_repeated = name.words[:count] == owner.words and rest and rest[0][0].isalpha()
    return Safe(f"{owner.camel}.OnnxRuntime.EP.{(Name(rest) if is_repeated else name).camel}")


def package_ids(blueprint: Blueprint) -> dict[str, Safe]:
    """The id of each distribution's package, by the distribution: ``-cu12`` becomes ``.Cu12``."""
    first = package_id(blueprint.vendor.name, blueprint.names.name)
    return {
        blueprint.names.distribution + suffix: Safe(first + _suffix(suffix))
        for suffix in blueprint.distributions
    }


def helper_class(name: Name) -> Identifier:
    """The class that says where the library is: ContosoNpuEp."""
    return name.camel if name.words[-1] == "ep" else Identifier(f"{name.camel}Ep")


def _vendor(text: str) -> Name | None:
    letter = ascii_words(text.strip()[:1], "", "")
    if len(letter) != 1 or not letter.isalpha():
        return None
    name = Name.parse(ascii_words(text, " "))
    is_reserved = name.words[0] == "microsoft"
    return None if is_reserved or len(name.camel) > _LONGEST_VENDOR else name


def _suffix(suffix: str) -> str:
    return "".join(f".{word.capitalize()}" for word in re.findall(r"[A-Za-z0-9]+", suffix))


def _rid(target: str) -> str:
    return _TARGETS[target][0]


def _target(target: str, blueprint: Blueprint) -> dict[str, object]:
    rid, system, processor = _TARGETS[target]
    return {
        "name": target,
        "rid": rid,
        "system": system,
        "processor": processor,
        "files": _files(target, blueprint),
    }


def _files(target: str, blueprint: Blueprint) -> list[str]:
    """What the package has for a target: the library first."""
    stems = (blueprint.names.library, blueprint.custom_library, *blueprint.runtime_libs)
    named = (file_name(stem, _TARGETS[target][1]) for stem in stems if stem is not None)
    return [name for name in named if name is not None]


def _package(blueprint: Blueprint) -> list[FileSpec]:
    names = blueprint.names
    helper = helper_class(names.name)
    ids = list(package_ids(blueprint).values())
    shared = {
        "assembly": package_id(blueprint.vendor.name, names.name),
        "helper": helper,
        "ep": names.ep,
        "vendor": blueprint.vendor.name,
        "library_variable": Identifier(f"{names.macro}_LIBRARY"),
        "custom_library": blueprint.custom_library,
        "ort_minimum": Safe(blueprint.ort.minimum_text),
        "rids": [_rid(target) for target in blueprint.targets],
    }
    source = {
        "eps": blueprint.providers,
        "library": names.library,
        "custom_library_variable": Identifier(f"{names.macro}_CUSTOM_OPS_LIBRARY"),
    }
    readme = {
        "ids": ids,
        "others": ", ".join(ids) if len(ids) > 1 else "",
        "registration": samples.registration_name(blueprint),
        "windows": _WINDOWS in blueprint.targets,
    }
    generated, own = Owner.GENERATED, Owner.SHARED
    parts: list[tuple[str, str, Owner, Mapping[str, object], str]] = [
        (f"{helper}.cs", "Helper.cs", generated, source, "says from C# where the library is"),
        (f"{helper}.csproj", "Helper.csproj", generated, {}, "compiles that class"),
        (
            *("package.nuspec", "package.nuspec", own, _license(blueprint.license)),
            "what the NuGet package says of itself",
        ),
        ("README.md", "README.md", own, readme, "how the NuGet package is used"),
    ]
    if _WINDOWS in blueprint.targets:
        reason = "copies the library for applications of .NET Framework"
        windows = {"windows_files": _files(_WINDOWS, blueprint)}
        parts.append(("package.targets", "package.targets", generated, windows, reason))
    return [
        FileSpec(
            path=f"{_FOLDER}/{name}",
            template=f"plugin/{_FOLDER}/{template}",
            owner=owner,
            params={**shared, **params},
            reason=reason,
        )
        for name, template, owner, params, reason in parts
    ]


def _scripts(blueprint: Blueprint) -> list[FileSpec]:
    pack = {
        "ids": package_ids(blueprint),
        "assembly": package_id(blueprint.vendor.name, blueprint.names.name),
        "project": f"{helper_class(blueprint.names.name)}.csproj",
        "version": str(blueprint.version),
        "ep": blueprint.names.ep,
        "targets": [_target(target, blueprint) for target in blueprint.targets],
    }
    return [
        FileSpec(
            path="packaging/pack_nuget.py",
            template="plugin/packaging/pack_nuget.py",
            owner=Owner.GENERATED,
            params=pack,
            reason="makes the NuGet package of libraries that are built",
            executable=True,
        ),
        FileSpec(
            path="packaging/nupkg.py",
            template="plugin/packaging/nupkg.py",
            owner=Owner.GENERATED,
            params={},
            reason="writes the file that a NuGet package is",
        ),
    ]


def _license(text: str) -> dict[str, object]:
    """How NuGet is told of a license: by its SPDX expression, or as a file if it is one's own."""
    own = "LicenseRef-" in text
    spaced = text.replace(" ", "%20")
    return {
        "license_kind": "file" if own else "expression",
        "license": "LICENSE" if own else text,
        # Clients that know no expressions are sent there; the gallery insists on these addresses.
        "license_url": "https://aka.ms/deprecateLicenseUrl"
        if own
        else f"https://licenses.nuget.org/{spaced}",
    }
