"""Where the CPU provider is no reference for random graphs: each case with its reason."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.validate.cases import Ask

# Operators, or operators with a type, that are left out.
_UNSURE: Mapping[str, str] = {
    "Bernoulli": "it draws at random",
    "Multinomial": "it draws at random",
    "RandomNormal": "it draws at random",
    "RandomNormalLike": "it draws at random",
    "RandomUniform": "it draws at random",
    "RandomUniformLike": "it draws at random",
}
# Words of a refusal that is right, where the CPU provider computes something all the same and onnx
# infers no shape that would tell.
_REFUSALS: Mapping[str, str] = {
    "must be that of the scores without the classes": "the CPU provider compares no such shapes",
}
# Operators of which the CPU provider makes NaN where there is a number.
_UNDEFINED: Mapping[str, str] = {
    "MeanVarianceNormalization": "of equal numbers, whose variance it rounds to less than nothing",
}


def may_be_undefined(op: str) -> bool:
    """Is a NaN of the CPU provider's not what should come out?"""
    return op in _UNDEFINED


def is_right(refusal: str) -> bool:
    """Is it right to refuse, as these words do?"""
    return any(words in refusal for words in _REFUSALS)


def unsure(ask: Ask) -> str:
    """Why nobody knows what an operator should compute; empty if it is known."""
    name = f"{ask.domain}::{ask.op}" if ask.domain else ask.op
    for types in ("", *ask.types.values()):
        if found := _UNSURE.get(f"{name} {types}".strip()):
            return found
    return ""
