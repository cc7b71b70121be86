<%= banner %>
"""Writes the file that a NuGet package is: a zip archive by the Open Packaging Conventions."""

import hashlib
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

_OPC = "http://schemas.openxmlformats.org/package/2006"
_MANIFEST = "http://schemas.microsoft.com/packaging/2010/07/manifest"
_TYPES = {
    "rels": "application/vnd.openxmlformats-package.relationships+xml",
    "psmdcp": "application/vnd.openxmlformats-package.core-properties+xml",
}
_OTHER_TYPE = "application/octet"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same package


@dataclass(frozen=True)
class CoreProperties:
    """What the archive, rather than its .nuspec, says of the package."""

    id: str
    version: str
    creator: str
    description: str
    keywords: str


def write_package(path: Path, content: Mapping[str, bytes], properties: CoreProperties) -> Path:
    """Writes a package: whole, or not at all.

    Args:
        path: where it goes; the directory is made.
        content: its files by their names, a .nuspec among them.
        properties: what is said of it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(staged, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as package:
            for name, data in _parts(content, properties).items():
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 0
                package.writestr(entry, data)
        os.replace(staged, path)
    finally:
        staged.unlink(missing_ok=True)
    return path.resolve()


def _parts(content: Mapping[str, bytes], properties: CoreProperties) -> dict[str, bytes]:
    """All parts of the archive, with those that tell what the others are."""
    core = _core(properties)
    digest = hashlib.sha256(core).hexdigest()[:32]
    core_name = f"package/services/metadata/core-properties/{digest}.psmdcp"
    nuspec = next(name for name in content if name.endswith(".nuspec"))
    parts = {
        "_rels/.rels": _relationships(
            {_MANIFEST: nuspec, f"{_OPC}/relationships/metadata/core-properties": core_name}
        ),
        **{_part_name(name): data for name, data in sorted(content.items())},
        core_name: core,
    }
    return {"[Content_Types].xml": _content_types(parts), **parts}


def _core(properties: CoreProperties) -> bytes:
    texts = {
        "dc:creator": properties.creator,
        "dc:description": properties.description,
        "dc:identifier": properties.id,
        "version": properties.version,
        "keywords": properties.keywords,
    }
    return _xml(
        f'<coreProperties xmlns="{_OPC}/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/">'
        + "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in texts.items())
        + "</coreProperties>"
    )


def _relationships(targets: Mapping[str, str]) -> bytes:
    lines = [
        f'<Relationship Type="{kind}" Target={quoteattr("/" + _part_name(name))} Id="R{number}"/>'
        for number, (kind, name) in enumerate(targets.items())
    ]
    return _xml(f'<Relationships xmlns="{_OPC}/relationships">{"".join(lines)}</Relationships>')


def _content_types(parts: Mapping[str, bytes]) -> bytes:
    lines = dict.fromkeys(map(_content_type, parts))
    return _xml(f'<Types xmlns="{_OPC}/content-types">{"".join(lines)}</Types>')


def _content_type(part: str) -> str:
    """A rule for all parts with the same extension, or for this one if it has none."""
    _, dot, extension = part.rpartition("/")[2].rpartition(".")
    kind = quoteattr(_TYPES.get(extension, _OTHER_TYPE))
    if dot:
        return f"<Default Extension={quoteattr(extension)} ContentType={kind}/>"
    return f"<Override PartName={quoteattr('/' + part)} ContentType={kind}/>"


def _part_name(name: str) -> str:
    return "/".join(quote(part, safe="") for part in name.split("/"))


def _xml(body: str) -> bytes:
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'.encode()
