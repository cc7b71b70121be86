"""The questions of the starter, as its copier.yml has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2

from epforge.assets import assets_dir

Value = str | bool
#: Answers where nothing is answered yet, for a blueprint that only they are missing from.
STAND_INS: Mapping[str, Value] = {"name": "contoso-npu", "vendor": "Contoso", "ops": ""}


@dataclass(frozen=True)
class Question:
    """One question.

    Args:
        name: of the answer, as templates know it.
        help: what it is about, for people.
        default: what is answered where nobody says otherwise; None: it has to be answered, or
            follows from the directory.
        choices: the values that can be chosen, with what each means; empty: free text, or yes/no.
        when: Jinja, whether it is asked; empty: always.
        placeholder: such as what an answer could be.
    """

    name: str
    help: str
    default: Value | None
    choices: Mapping[str, str]
    when: str
    placeholder: str

    @property
    def is_bool(self) -> bool:
        """Is it answered by yes or no?"""
        return isinstance(self.default, bool)


@cache
def settings() -> Mapping[str, Any]:
    """All of copier.yml, in its order."""
    from ruamel.yaml import YAML

    text = (assets_dir("templates") / "starter/copier.yml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = YAML(typ="safe").load(text)
    return found


@cache
def questions() -> tuple[Question, ...]:
    """The questions, in the order in which they are asked."""
    return tuple(
        _question(name, row) for name, row in settings().items() if not name.startswith("_")
    )


def applies(question: Question, answers: Mapping[str, Value]) -> bool:
    """Is it asked, after the answers so far?"""
    if not question.when:
        return True
    return jinja2.Environment().from_string(question.when).render(**answers) == "True"


def defaults() -> dict[str, Value]:
    """The answers of those who say nothing; without those that have to be given."""
    return {each.name: each.default for each in questions() if each.default is not None}


def _question(name: str, row: Mapping[str, Any]) -> Question:
    default = row.get("default")
    return Question(
        name=name,
        help=str(row["help"]).strip(),
        default=None if isinstance(default, str) and "{{" in default else default,
        choices={str(value): str(label) for label, value in row.get("choices", {}).items()},
        when=str(row.get("when", "")),
        placeholder=str(row.get("placeholder", "")),
    )
