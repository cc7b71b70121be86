"""The starter as a cookiecutter template, made from the copier template."""

from __future__ import annotations

import json
from typing import Any

from epforge.starter.compose import template_dir
from epforge.starter.questions import Question, questions, settings

_SUFFIX = ".jinja"
_FOLDER = "{{ cookiecutter.name }}"


def cookiecutter_files() -> dict[str, bytes]:
    """All files of the template, by path.

    A template keeps its text: the answers get the names that copier gives them in its first line.
    copier's file of answers has no counterpart.
    """
    names = [each.name for each in questions()]
    head = "".join(f"{{% set {name} = cookiecutter.{name} %}}\n" for name in names)
    files = {"cookiecutter.json": f"{json.dumps(_settings(), indent=2, ensure_ascii=False)}\n"}
    for path in sorted(template_dir().iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix != _SUFFIX:
            files[f"{_FOLDER}/{path.name}"] = text
        elif "_copier" not in path.name:
            files[f"{_FOLDER}/{path.name.removesuffix(_SUFFIX)}"] = head + text
    return {path: text.encode() for path, text in files.items()}


def _settings() -> dict[str, Any]:
    asked = questions()
    copied = [path.name for path in template_dir().iterdir() if path.suffix != _SUFFIX]
    return {
        **{each.name: _default(each) for each in asked},
        "__prompts__": {each.name: _prompt(each) for each in asked},
        "_copy_without_render": sorted(copied),
        "_jinja2_env_vars": dict(settings()["_envops"]),
    }


def _default(question: Question) -> Any:
    if question.choices:
        return sorted(question.choices, key=lambda value: value != question.default)
    return question.placeholder if question.default is None else question.default


def _prompt(question: Question) -> Any:
    return {"__prompt__": question.help, **question.choices} if question.choices else question.help
