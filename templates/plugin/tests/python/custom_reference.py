<%= banner %>
"""What the custom operators compute, in NumPy: made from the expressions of the blueprint."""

<% if functools %>
import functools
<% endif %>
<% if erf %>
import math
<% endif %>
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

# Takes inputs, attributes and NumPy types by name, and the names of the inputs that are there.
# Yields the outputs.
_Values = Mapping[str, Any]
_Formula = Callable[[_Values, _Values, _Values, set[str]], Iterator[Any]]


def reference(
    schema: Mapping[str, Any], inputs: Sequence[Any], attributes: Mapping[str, Any]
) -> list[Any] | None:
    """What a custom operator computes; None for one that has no expression.

    Args:
        schema: the operator's entry in the manifest.
        inputs: by position, None for one that was left out.
        attributes: what the node has; the others are at their defaults.
    """
    formula = _FORMULAS.get(f"{schema['domain']}::{schema['op']}")
    if formula is None:
        return None
    settled = {name: _type(choices[0]) for name, choices in schema["types"].items()}
    formals = schema["inputs"]
    for index, value in enumerate(inputs):
        kind = formals[min(index, len(formals) - 1)]["type"]
        if value is not None and kind in settled:
            settled[kind] = value.dtype.type
    given: dict[str, Any] = {}
    present = set()
    for index, formal in enumerate(formals):
        value = list(inputs[index:]) if formal["option"] == "variadic" else None
        if value is None and index < len(inputs):
            value = inputs[index]
        if value is not None:
            present.add(formal["name"])
        else:
            value = np.zeros((), settled.get(formal["type"]) or _type(formal["type"]))
        given[formal["name"]] = value
    values = {each["name"]: each["default"] for each in schema["attributes"]} | dict(attributes)
    shape = np.broadcast_shapes(*(value.shape for value in inputs if value is not None))
    with np.errstate(all="ignore"):  # infinities and NaN are results like others
        outputs = list(formula(given, values, settled, present))
    return [np.broadcast_to(np.asarray(output), shape) for output in outputs]


def _type(name: str) -> Any:
    return np.object_ if name == "string" else np.dtype(name).type
<% if convert %>


def _convert(x: Any, kind: Any) -> Any:
    """To integers cut towards zero. What does not fit gives the smallest integer, and is cut to
    size, as an x86 processor has it."""
    x, to = np.asarray(x), np.dtype(kind)
    if x.dtype.kind != "f" or to.kind not in "iu":
        return x.astype(to)
    if to == np.uint64:
        half = x.dtype.type(2.0**63)
        high = _cut(x - half, np.dtype(np.int64)).astype(to) ^ to.type(1 << 63)
        return np.where(x < half, _cut(x, np.dtype(np.int64)).astype(to), high)
    return _cut(x, np.dtype(np.int32 if to == np.int32 else np.int64)).astype(to)


def _cut(x: Any, to: np.dtype[Any]) -> Any:
    limit = x.dtype.type(2.0 ** (to.itemsize * 8 - 1))
    fits = (x < limit) & (x >= -limit)
    return np.where(fits, np.where(fits, x, 0).astype(to), np.iinfo(to).min).astype(to)
<% endif %>
<% if erf %>


def _erf(x: Any) -> Any:
    return np.vectorize(math.erf, otypes=[np.float64])(x).astype(x.dtype)
<% endif %>
<% if sigmoid %>


def _sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), without the overflow of exp on either side."""
    power = np.exp(-np.abs(x))
    one = power.dtype.type(1)
    return np.where(x < 0, power, one) / (one + power)
<% endif %>
<% for formula in formulas %>


def <%= formula.name %>(i: _Values, a: _Values, t: _Values, present: set[str]) -> Iterator[Any]:
  <% for output, text in formula.texts %>
    # <%= output | line %> = <%= text | line %>
  <% endfor %>
  <% for line in formula.lines %>
    <%= line %>
  <% endfor %>
<% endfor %>


<% if formulas %>
_FORMULAS: dict[str, _Formula] = {
<% for formula in formulas %>
    <%= formula.label | py_string %>: <%= formula.name %>,
<% endfor %>
}
<% else %>
_FORMULAS: dict[str, _Formula] = {}
<% endif %>
