"""Values as they are written into a blueprint."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

#: Columns that a line of an edit stays within, where it can.
WIDTH = 100

# What is a text without quotes, in brackets as well: words with blanks and some signs in between.
_PLAIN = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_./+()-]|::(?=[A-Za-z])|(?: (?=[A-Za-z0-9_(])))*")
_SINGLE = re.compile(r"[A-Za-z0-9_.+-]+")
_NOT_TEXT = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


@dataclass(frozen=True)
class Verbatim:
    """A single value that is written as it is, such as 0x10 or -1.5."""

    text: str


Value: TypeAlias = "str | bool | int | Verbatim | Sequence[Value] | Mapping[str, Value]"


def verbatim(text: str) -> str | Verbatim:
    """A number or a word from outside, written as it is; anything else is a text in quotes."""
    return Verbatim(text) if _SINGLE.fullmatch(text) else text


def flow(value: Value) -> str:
    """A value on one line, as it may stand in brackets."""
    if isinstance(value, Verbatim):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {flow(each)}" for key, each in value.items()) + "}"
    return "[" + ", ".join(map(flow, value)) + "]"


def block(value: Mapping[str, Value]) -> list[str]:
    """A mapping with a line for each key; what is in it stands in brackets."""
    return [f"{_text(key)}: {flow(each)}" for key, each in value.items()]


def texts(value: Value) -> object:
    """A value with nothing but texts at its leaves, to compare it with what was read."""
    if isinstance(value, Mapping):
        return {key: texts(each) for key, each in value.items()}
    if isinstance(value, str):
        return value
    if isinstance(value, Verbatim | bool | int):
        return flow(value)
    return [texts(each) for each in value]


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return named.get(char) or f"\\U{ord(char):08X}"
