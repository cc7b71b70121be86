"""Scalars read by the type that the schema wants, from the text as written.

YAML's own guesses never decide: ``1.30`` for a version is the text 1.30, ``no`` for a name is the
text no, and only ``true`` and ``false`` are truth values. Each reader takes a leaf of
`nodes.plain` and raises PydanticCustomError with a message, an expectation and, where one change
is sure to be right, the text to put in its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Any, NoReturn

from pydantic import BeforeValidator, GetCoreSchemaHandler, PlainValidator, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from epforge.blueprint.diagnostic import listed, show
from epforge.blueprint.nodes import Scalar, kind

_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_PREFIXED = re.compile(r"0x[0-9A-Fa-f]+|0o[0-7]+")
_REAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_TRUTH = {"true": True, "false": False}
_SPOKEN = {
    **dict.fromkeys(("yes", "on", "y", "1", "enabled"), "true"),
    **dict.fromkeys(("no", "off", "n", "0", "disabled", "none"), "false"),
}

INT64 = range(-(2**63), 2**63)


def refuse(
    code: str, message: str, expected: str = "", hint: str = "", fix: str | None = None
) -> NoReturn:
    """Raise the error of a reader or of a rule. ``fix`` replaces the whole value."""
    context = {"message": message, "expected": expected, "hint": hint, "fix": fix}
    raise PydanticCustomError(code, "{message}", context)


def _mended() -> ModuleType:
    """How numbers are mended; imported where one is wrong."""
    from epforge.blueprint.mending import scalars

    return scalars


def _scalar(value: Any, expected: str) -> Scalar:
    if not isinstance(value, Scalar) or value.absent:
        refuse("wrong-kind", f"found {kind(value)}", expected)
    return value


def read_text(value: Any) -> str:
    """A text, in whatever style it is written."""
    return _scalar(value, "a text").text


def read_int(value: Any) -> int:
    """An integer: decimal, 0x or 0o. No leading zeros, no underscores, no base 60."""
    expected = "an integer"
    scalar = _scalar(value, expected)
    text = scalar.text
    number = _to_int(text)
    if scalar.quoted:
        fix = text if number is not None else None
        refuse("wrong-type", f"found the text {show(text)}", expected, "drop the quotes", fix)
    if number is None:
        if re.fullmatch(r"0[0-9]+", text):
            hint = f"leading zeros are ambiguous: write {text.lstrip('0') or 0} or 0o{text[1:]}"
            refuse("wrong-type", f"found {show(text)}", expected, hint)
        fix = _mended().integer(text)
        refuse("wrong-type", f"found {show(text)}", expected, f"write {fix}" if fix else "", fix)
    if number not in INT64 and number not in range(2**64):
        refuse("out-of-range", f"{show(text)} does not fit in 64 bits", expected)
    return number


def _to_int(text: str) -> int | None:
    if len(text) > 40:
        return None
    if _DECIMAL.fullmatch(text):
        return int(text)
    return int(text, 0) if _PREFIXED.fullmatch(text) else None


def read_real(value: Any) -> float:
    """A finite real number; an integer is one too."""
    expected = "a number"
    scalar = _scalar(value, expected)
    text = scalar.text
    matches = len(text) <= 400 and _REAL.fullmatch(text) is not None
    if scalar.quoted:
        fix = text if matches else None
        refuse("wrong-type", f"found the text {show(text)}", expected, "drop the quotes", fix)
    if not matches:
        fix = _mended().real(text)
        refuse("wrong-type", f"found {show(text)}", expected, f"write {fix}" if fix else "", fix)
    number = float(text)
    if number in (float("inf"), float("-inf")):
        refuse("out-of-range", f"{show(text)} is too large", "a number that fits in 64 bits")
    return number


def read_flag(value: Any) -> bool:
    """A truth value: ``true`` or ``false``, nothing else."""
    expected = "true or false"
    scalar = _scalar(value, expected)
    if not scalar.quoted and scalar.text in _TRUTH:
        return _TRUTH[scalar.text]
    lower = scalar.text.lower()
    fix = lower if lower in _TRUTH else _SPOKEN.get(lower)
    hint = f"write {fix}" if fix else ""
    refuse("wrong-type", f"found {show(scalar.text)}", expected, hint, fix)


def read_raw(value: Any) -> Scalar:
    """A scalar whose type another key decides: kept as written."""
    return _scalar(value, "a single value")


def read_raw_or_list(value: Any) -> Scalar | tuple[Scalar, ...]:
    """Like `read_raw`, or a list of such."""
    return tuple(map(read_raw, value)) if isinstance(value, list) else read_raw(value)


@dataclass(frozen=True)
class Choice:
    """Annotation of a text that is one of a few words."""

    words: tuple[str, ...]

    def read(self, value: Any) -> str:
        """One of the words, or an error that lists them."""
        expected = listed(self.words)
        text = _scalar(value, expected).text
        if text not in self.words:
            # Imported here: what is right needs nothing of it.
            from epforge.blueprint.mending.words import choice

            fix = choice(text, self.words)
            hint = f"did you mean {fix}?" if fix else ""
            word, sign, comment = text.partition("#")
            if sign and word in self.words:
                fix, hint = f"{word}  #{comment}", "a comment begins with a blank and #"
            refuse("unknown-value", f"{show(text)} is not a choice", expected, hint, fix)
        return text

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}


@dataclass(frozen=True)
class Shorthand:
    """Annotation of a mapping for which a single value stands: ``x`` is ``{key: x}``."""

    key: str

    def expand(self, value: Any) -> Any:
        """The mapping that a single value stands for; anything else as it is."""
        if isinstance(value, Scalar) and not value.absent:
            return {self.key: value}
        return value

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.expand, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {"anyOf": [{"type": "string"}, handler(schema)]}


Text = Annotated[str, BeforeValidator(read_text)]
#: A text that editors take for a number when it is not quoted, such as 1.30.
NumberLike = Annotated[
    str, BeforeValidator(read_text), WithJsonSchema({"type": ["string", "number"]})
]
Int = Annotated[int, BeforeValidator(read_int)]
Real = Annotated[float, BeforeValidator(read_real)]
Flag = Annotated[bool, BeforeValidator(read_flag)]
_ANY_SCALAR = {"type": ["string", "number", "boolean"]}
Raw = Annotated[Scalar, PlainValidator(read_raw), WithJsonSchema(_ANY_SCALAR)]
RawOrList = Annotated[
    Scalar | tuple[Scalar, ...],
    PlainValidator(read_raw_or_list),
    WithJsonSchema({"anyOf": [_ANY_SCALAR, {"type": "array", "items": _ANY_SCALAR}]}),
]


def read_computes(value: Any) -> Any:
    """A single text stands for that of the only output, under the empty key."""
    return {"": value} if isinstance(value, Scalar) and not value.absent else value


#: One text, or one per name.
Computes = Annotated[
    dict[str, Text],
    BeforeValidator(read_computes),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "additionalProperties": {"type": "string"}},
            ]
        }
    ),
]
