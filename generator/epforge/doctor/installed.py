"""The plugin EPs that are installed as Python packages, by the manifests beside their libraries."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import UsageError
from epforge.validate.models import read_manifest

_SUFFIX = ".manifest.json"


@dataclass(frozen=True)
class Plugin:
    """A plugin EP that is installed.

    Args:
        ep: its execution provider.
        library: its file.
    """

    ep: str
    library: str


def plugins(places: Sequence[str] | None = None) -> Iterator[Plugin]:
    """Finds them. What cannot be read is none.

    Args:
        places: directories of packages; this Python's by default.
    """
    for place in places if places is not None else [p for p in sys.path if p.endswith("packages")]:
        for manifest in sorted(Path(place).glob(f"*/*{_SUFFIX}")):
            library = manifest.with_name(manifest.name.removesuffix(_SUFFIX))
            if not library.is_file():
                continue
            try:
                data = read_manifest(manifest)
            except UsageError:  # not ours
                continue
            for ep in data.get("eps", [data.get("ep", "")]):
                yield Plugin(str(ep), str(library))
