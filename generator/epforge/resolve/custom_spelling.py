"""Expressions as C++ and Python have them, in the language of `compute`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

_LONGEST = 500  # characters: people write what is longer with care
_NAMES = re.compile(r"\b(?:std::|(?:np|numpy|torch|math|tf|jnp|F)\.)(?=[a-z]\w* *\()")
_LETTERS = re.compile(r"(?<![\w.])([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)[fF]\b")
_RETURN = re.compile(r"return\s+")
_LAMBDA = re.compile(r"lambda\s+[\w\s,]+:\s*")
_ASSIGNED = re.compile(r"(?:(?:const\s+)?(?:auto|float|double)\s+)?(\w+)\s*:?=(?!=)\s*")
_OPERAND = r"(?:[A-Za-z_]\w*\([^()]*\)|\([^()]*\)|[\w.]+)"
_POWER = re.compile(rf"(?<![\w.)])({_OPERAND}) *\*\* *({_OPERAND})(?! *\*\*)")
_CHOICE = re.compile(r"([^?:]+?) *\? *([^?:]+?) *: *([^?:]+)")
_IF = re.compile(r"(.+?)\s+if\s+(.+?)\s+else\s+(.+)")
_FUNCTIONS = {"fabs": "abs", "fabsf": "abs", "expf": "exp", "sqrtf": "sqrt", "powf": "pow",
              "tanhf": "tanh", "logf": "log", "fmax": "max", "fmin": "min", "fmaxf": "max",
              "fminf": "min", "maximum": "max", "minimum": "min"}  # fmt: skip


def expression_meant(
    text: str, outputs: Collection[str], is_right: Callable[[str], bool]
) -> str | None:
    """An expression in the spelling of the language; None where that cannot be told.

    Args:
        text: as it is written.
        outputs: the names of the operator's outputs, which may be assigned to.
        is_right: says whether an expression is one.
    """
    if len(text) > _LONGEST:
        return None
    plain = text.strip().rstrip(";").rstrip()
    plain = _LAMBDA.sub("", _RETURN.sub("", plain, count=1), count=1)
    assigned = _ASSIGNED.match(plain)
    if assigned and assigned[1] in outputs:
        plain = plain[assigned.end() :]
    plain = _LETTERS.sub(r"\1", _NAMES.sub("", plain))
    plain = re.sub(r"\b\w+(?= *\()", lambda match: _FUNCTIONS.get(match[0], match[0]), plain)
    choice, python = _CHOICE.fullmatch(plain), _IF.fullmatch(plain)
    if choice:
        plain = f"select({choice[1]}, {choice[2]}, {choice[3]})"
    elif python and " if " not in python[3]:
        plain = f"select({python[2]}, {python[1]}, {python[3]})"
    if plain.count("**") == len(_POWER.findall(plain)):
        plain = _POWER.sub(r"pow(\1, \2)", plain)
    return plain if plain != text and is_right(plain) else None
