"""The same project by other generators: templates of as many files, and of the same bytes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

#: How epforge's templates mark what is printed; nothing in a project looks like it.
_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<%=",
    "variable_end_string": "%>",
    "comment_start_string": "<%#",
    "comment_end_string": "%>",
}
#: What of a project is its name, in every spelling.
NAMES = {
    "snake": "contoso_npu",
    "camel": "ContosoNpu",
    "kebab": "contoso-npu",
    "screaming": "CONTOSO_NPU",
    "vendor": "Contoso",
}


def _templated(text: str, prefix: str) -> str:
    for key, spelling in NAMES.items():
        text = text.replace(spelling, f"<%= {prefix}{key} %>")
    return text


def files_of(project: Path) -> dict[str, str]:
    """The text of a project's files by path, without what epforge keeps for itself."""
    paths = [path for path in project.rglob("*") if path.is_file()]
    names = {path.relative_to(project).as_posix(): path for path in paths}
    return {
        name: path.read_bytes().decode()
        for name, path in sorted(names.items())
        if not name.startswith(".epforge/")
    }


def _write(files: Mapping[str, str], root: Path, prefix: str) -> None:
    for name, text in files.items():
        path = root / _templated(name, prefix)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_templated(text, prefix).encode())


def copier_template(files: Mapping[str, str], root: Path) -> None:
    """A template for copier: the name is asked for in each spelling, and stands in files and
    paths."""
    _write(files, root / "template", "")
    settings = {"_subdirectory": "template", "_templates_suffix": "", "_envops": _MARKS}
    asked = {key: {"type": "str", "default": spelling} for key, spelling in NAMES.items()}
    # JSON is YAML.
    (root / "copier.yml").write_text(json.dumps({**settings, **asked}), encoding="utf-8")


def cookiecutter_template(files: Mapping[str, str], root: Path) -> None:
    """The same for cookiecutter."""
    _write(files, root / "<%= cookiecutter.kebab %>", "cookiecutter.")
    context = {**NAMES, "_jinja2_env_vars": _MARKS}
    (root / "cookiecutter.json").write_text(json.dumps(context), encoding="utf-8")


def schema(lines: int, path: Path) -> None:
    """A JSON Schema of which datamodel-code-generator makes about ``lines`` lines."""
    kinds = ("string", "integer", "number", "boolean")
    names = [f"Model{number}" for number in range(max(1, lines // 13))]
    properties = {f"a{number}": {"type": kinds[number % 4]} for number in range(10)}
    model = {"type": "object", "required": ["a0"], "properties": properties}
    root = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Root",
        "type": "object",
        "definitions": dict.fromkeys(names, model),
        "properties": {
            f"p{index}": {"$ref": f"#/definitions/{name}"} for index, name in enumerate(names[::10])
        },
    }
    path.write_text(json.dumps(root), encoding="utf-8")


def emptied(path: Path) -> None:
    """Removes a directory or a file, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
