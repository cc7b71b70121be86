"""What a template asks for that is code: found in its configuration before it is rendered.

`worker` loads this file by itself; it imports nothing of epforge.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_TRUST_KEYS = {
    "_tasks": "runs commands",
    "_migrations": "runs commands",
    "_jinja_extensions": "imports Python code",
}
_HOOKS = ("pre_prompt", "pre_gen_project", "post_gen_project")


class Refused(Exception):  # noqa: N818 (the worker makes an answer of it, or an error)
    """What a template asks for is not given.

    Args:
        what: what is wrong, with the file of the template.
        trust: whether ``--trust`` is the cure.
    """

    def __init__(self, what: str, *, trust: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.trust = trust


def check_copier(template: Path) -> None:
    """Refuses what would run code, with the line that asks for it.

    Raises:
        Refused: there is such a line, or the file is not YAML.
    """
    for path in sorted(template.glob("copier.y*ml")):
        _check_yaml(template, path.name, set())


def _check_yaml(template: Path, name: str, seen: set[str]) -> None:
    yaml: Any = importlib.import_module("yaml")
    if name in seen:
        return
    seen.add(name)
    try:
        roots = list(yaml.compose_all((template / name).read_bytes(), Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise Refused(f"{place}: not valid YAML: {problem}") from error
    for root in roots:
        for key, value in _entries(root):
            if key.value in _TRUST_KEYS and value.value not in ("", "null", "~", []):
                what = f"{name}:{key.start_mark.line + 1}: {key.value} {_TRUST_KEYS[key.value]}"
                raise Refused(what, trust=True)
        for pattern in _included(root, set()):
            if os.path.isabs(pattern) or ".." in pattern:
                raise Refused(f"{name}: it includes {pattern}, which may be outside of it")
            for path in filter(Path.is_file, sorted(template.glob(pattern))):
                _check_yaml(template, path.relative_to(template).as_posix(), seen)


def _entries(node: Any) -> Iterator[tuple[Any, Any]]:
    """Keys and values of a document, of the mappings that it merges (<<), of those in a list."""
    if node is None or isinstance(node.value, str):
        return
    for item in node.value:
        if not isinstance(item, tuple):
            yield from _entries(item)
            continue
        key, value = item
        if key.tag == "tag:yaml.org,2002:merge":
            yield from _entries(value)
        elif isinstance(key.value, str):
            yield key, value


def _included(node: Any, seen: set[int]) -> Iterator[str]:
    """The patterns of all ``!include`` in a document."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node.value, str):
        if node.tag == "!include":
            yield node.value
        return
    for item in node.value:
        for each in item if isinstance(item, tuple) else (item,):
            yield from _included(each, seen)


def check_cookiecutter(template: Path, data: dict[str, str], *, trust: bool) -> None:
    """Refuses what would run code, and answers that nobody asked for.

    Raises:
        Refused: there is such a thing, or the file is not a JSON object.
    """
    name = "cookiecutter.json"
    text = (template / name).read_bytes().decode("utf-8", errors="replace")
    try:
        asked = json.loads(text)
    except json.JSONDecodeError as error:
        what = f"{name}:{error.lineno}:{error.colno}: not JSON: {error.msg}"
        raise Refused(what) from error
    if not isinstance(asked, dict):
        raise Refused(f"{name}:1: not an object of variables")
    for key in data:
        if key not in asked:
            known = ", ".join(each for each in asked if not each.startswith("_")) or "none"
            raise Refused(f"{name} has no variable {key}; it has {known}")
    for key in {"template", "templates"} & asked.keys():
        raise Refused(f"{name}:{_line(text, key)}: a choice of templates; name one of them")
    if trust:
        return
    if asked.get("_extensions"):
        what = f"{name}:{_line(text, '_extensions')}: _extensions imports Python code"
        raise Refused(what, trust=True)
    hooks = template / "hooks"
    for path in sorted(hooks.iterdir()) if hooks.is_dir() else ():
        if path.stem in _HOOKS:
            raise Refused(f"hooks/{path.name}:1: a hook runs commands", trust=True)


def _line(text: str, key: str) -> int:
    return text[: max(text.find(f'"{key}"'), 0)].count("\n") + 1
