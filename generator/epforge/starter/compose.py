"""From answers to the files of the repository."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from epforge.assets import assets_dir
from epforge.starter.questions import Value, defaults, settings

BLUEPRINT = "blueprint.yaml"
ANSWERS = ".copier-answers.yml"
_SUFFIX = ".jinja"


def starter_dir() -> Path:
    """The copier template."""
    return assets_dir("templates") / "starter"


def template_dir() -> Path:
    """What of it becomes the repository."""
    return starter_dir() / str(settings()["_subdirectory"])


def blueprint_text(answers: Mapping[str, Value]) -> str:
    """The blueprint for answers; questions without one have their default."""
    return _template(BLUEPRINT).render(**{**defaults(), **answers})


def modeline() -> str:
    """The first line of a blueprint, which tells editors where its schema is."""
    text = (template_dir() / f"{BLUEPRINT}{_SUFFIX}").read_text(encoding="utf-8")
    return text.partition("\n")[0]


def compose(answers: Mapping[str, Value], recorded: Mapping[str, Value]) -> dict[str, bytes]:
    """All files of the repository, by path.

    Args:
        answers: to all questions that have no default.
        recorded: those that the file of answers keeps.
    """
    files = {BLUEPRINT: blueprint_text(answers).encode(), ANSWERS: _record(recorded)}
    for path in template_dir().iterdir():
        if path.suffix != _SUFFIX:
            files[path.name] = path.read_bytes()
    return dict(sorted(files.items()))


def _record(answers: Mapping[str, Value]) -> bytes:
    # A JSON string is one of YAML in double quotes, in every version of YAML.
    rows = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n"
        for name, value in sorted(answers.items())
    ]
    head = template_dir() / f"{{{{ _copier_conf.answers_file }}}}{_SUFFIX}"
    return "".join([*_comments(head.read_text(encoding="utf-8")), *rows]).encode()


def _comments(text: str) -> list[str]:
    return [line for line in text.splitlines(keepends=True) if line.startswith("#")]


@cache
def _template(name: str) -> jinja2.Template:
    """A template, in an environment like copier's."""
    environment = SandboxedEnvironment(
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        **settings()["_envops"],
    )
    text = (template_dir() / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
    return environment.from_string(text)
