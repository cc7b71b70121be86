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
    "Shrink float64": "the CPU provider holds it against the threshold as a float32",
}
# Words of a refusal that is right, where the CPU provider computes something all the same and onnx
# infers no shape that would tell.
_REFUSALS: Mapping[str, str] = {
    "must be that of the scores without the classes": "the CPU provider compares no such shapes",
    "must have one weight for each class": "the CPU provider looks at those of the labels alone",
    "does not fit into": "of a window that is too large the CPU provider makes an element, or none",
}
# Operators of which one makes NaN, and the other a number, and both may.
_UNDEFINED: Mapping[str, str] = {
    "MeanVarianceNormalization": "of equal numbers the CPU provider rounds the variance below zero",
}
# The same where there is nothing to compute with.
_OF_NOTHING: Mapping[str, str] = {
    "ReduceMean": "0 of the CPU provider's, NaN of numpy's and ONNX's reference",
}


def may_be_undefined(op: str, empty: bool) -> bool:
    """Is NaN as good as a number?

    Args:
        empty: an input has no elements.
    """
    return op in _UNDEFINED or (empty and op in _OF_NOTHING)


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
