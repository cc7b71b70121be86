"""How good a text is as a blueprint: what slips are chosen by."""

from __future__ import annotations

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError

from epforge.blueprint.compose import compose
from epforge.blueprint.diagnostic import BlueprintErrors
from epforge.blueprint.nodes import plain
from epforge.blueprint.shape import BlueprintShape
from epforge.blueprint.text import SourceText


def score(text: str) -> tuple[bool, int, int]:
    """Whether a text is YAML; how much of it cannot be read; how much is wrong with its shape.

    More is better, each counted down from 0.
    """
    try:
        for _ in YAML(typ="safe", pure=True).parse(text):
            pass
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return False, (mark.index if mark else 0) - len(text), 0
    except Exception:  # as in `compose`: the text is at fault, whatever it is
        return False, -len(text), 0
    try:
        root, errors = compose(SourceText("", text), tells_slips=False)
        wrong = len(errors)
    except BlueprintErrors as error:
        return False, 0, -len(error.diagnostics)
    try:
        BlueprintShape.model_validate(plain(root))
    except ValidationError as error:
        wrong += error.error_count()
    return True, 0, -wrong
