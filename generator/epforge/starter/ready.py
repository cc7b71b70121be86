"""The ready blueprints that travel with epforge, and any blueprint as the start of a repository."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.assets import assets_dir
from epforge.blueprint import BlueprintSource, load, parse
from epforge.blueprint.diagnostic import show, suggest
from epforge.blueprint.edits import set_scalar
from epforge.blueprint.edits.values import flow
from epforge.errors import UsageError
from epforge.resolve import resolve_supported
from epforge.starter.compose import modeline

_MODELINE = re.compile(r"#\s*yaml-language-server:.*")
_LIST = "epforge init --list shows them all; a file of yours is named with its ending."


@dataclass(frozen=True)
class Ready:
    """A blueprint that travels with epforge.

    Args:
        name: how it is called, such as ``cuda`` or ``ort-examples/compiled``.
        path: where it lies.
        comment: what its first comment says, in one line.
    """

    name: str
    path: Path
    comment: str

    @property
    def summary(self) -> str:
        """The comment's first sentence."""
        return re.split(r"(?<=[.])\s", self.comment)[0]


def ready() -> tuple[Ready, ...]:
    """All of them, sorted by name."""
    root = assets_dir("blueprints")
    names = {path.relative_to(root).with_suffix("").as_posix(): path for path in _files(root)}
    return tuple(Ready(name, path, _comment(path)) for name, path in sorted(names.items()))


def find(text: str) -> tuple[Path, bool]:
    """The blueprint that is meant, and whether it is one of epforge's own.

    Args:
        text: a name of a ready one, or a path.

    Raises:
        UsageError: there is none.
    """
    named = {each.name: each.path for each in ready()}
    if text in named:
        return named[text], True
    if Path(text).is_file():
        return Path(text), False
    near = suggest(text, named)
    hint = f"Did you mean {near}? " if near else ""
    raise UsageError(f"{show(text)} is neither a ready blueprint nor a file", f"{hint}{_LIST}")


def source_of(path: Path) -> BlueprintSource:
    """A blueprint that can be expanded.

    Raises:
        UsageError: it cannot be read.
        BlueprintErrors: everything that is wrong with it.
    """
    source = load(path)
    resolve_supported(source)
    return source


def identity(source: BlueprintSource) -> Mapping[str, str]:
    """What a blueprint answers of the starter's questions about whose it is."""
    return {"name": source.shape.name, "vendor": source.shape.vendor.name}


def adapted(source: BlueprintSource, answers: Mapping[str, str]) -> str:
    """The text of a blueprint under another name, of another vendor, for editors.

    Comments and everything else stay as they are; the first line names the schema beside it.

    Raises:
        UsageError: the name or the vendor has to be edited by hand, as behind an alias.
    """
    for key, value in answers.items():
        if identity(source)[key] == value:
            continue
        path: tuple[str, ...] = (key,)
        if key == "vendor" and source.has("vendor", "name"):
            path = ("vendor", "name")
        source = parse(set_scalar(source, path, flow(value)), source.file)
    text = source.text.text
    end = "\r\n" if "\r\n" in text else "\n"
    head, _, rest = text.partition(end)
    return f"{modeline()}{end}{rest if _MODELINE.fullmatch(head) else text}"


def _files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*.yaml") if path.is_file()]


def _comment(path: Path) -> str:
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return " ".join(lines)
