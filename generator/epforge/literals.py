"""Literals of C++ and Python, and what every kind of quoting needs to know of characters.

Strings come out without template marks, so that a mark in a generated file always means a fault of
a template.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from epforge.names import Safe

SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_INT64_MIN = -(2**63)


# Controls, separators, invisible and direction marks, surrogates, private use. A list of our own:
# `unicodedata` knows more characters with each release of Python, and then output would differ.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\uf8ff\ufeff\ufff0-\uffff\U000e0000-\U0010ffff]"
)


def printable(character: str) -> bool:
    """Can the character be seen?"""
    return not _UNPRINTABLE.match(character)


def escaped(text: str, escape: Callable[[str], str]) -> str:
    """``text`` with everything but printable characters through ``escape``."""
    out = []
    for before, character in zip(" " + text, text, strict=False):
        mark = before + character in ("<%", "%>")
        if not mark and character in SHORT_ESCAPES:
            out.append(SHORT_ESCAPES[character])
        else:
            out.append(escape(character) if mark or not printable(character) else character)
    return "".join(out)


def whole(text: str) -> str:
    """``text``, if it can be encoded at all. Raises ValueError for a lone surrogate."""
    text.encode("utf-8")
    return text


def cpp_string(text: str) -> Safe:
    """A narrow C++ string literal with its quotes; what is not ASCII becomes UTF-8 escapes."""
    out = []
    before = 0
    for byte in whole(text).encode("utf-8"):
        character = chr(byte)
        # The second of two question marks is escaped because of trigraphs.
        risky = (before, byte) in {(63, 63), (60, 37), (37, 62)}
        if risky and byte == 63:
            out.append("\\?")
        elif not risky and character in SHORT_ESCAPES:
            out.append(SHORT_ESCAPES[character])
        elif risky or not 32 <= byte < 127:
            out.append(f"\\{byte:03o}")  # exactly three digits, so a digit may follow
        else:
            out.append(character)
        before = byte
    return Safe(f'"{"".join(out)}"')


def cpp_bool(value: bool) -> Safe:
    """``true`` or ``false``."""
    return Safe("true" if value else "false")


def cpp_value(value: bool | int | float | str) -> Safe:
    """A C++ literal of the value's type: bool, int64_t, double or string."""
    if isinstance(value, bool):
        return cpp_bool(value)
    if isinstance(value, int):
        # There is no literal for the smallest number: -9223372036854775808 negates one too large.
        return Safe(f"({_INT64_MIN + 1} - 1)" if value == _INT64_MIN else str(int(value)))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no literal in C++")
        return Safe(repr(float(value)))
    return cpp_string(value)


def py_string(text: str) -> Safe:
    """A Python string literal, in the quotes that take fewer escapes: so formatters leave it."""

    def escape(character: str) -> str:
        code = ord(character)
        if code < 0x100:
            return f"\\x{code:02x}"
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    body = escaped(whole(text), escape)
    if text.count('"') <= text.count("'"):
        return Safe(f'"{body}"')
    # A backslash before a double quote is that quote's own: every one has got its own.
    single = body.replace('\\"', '"').replace("'", "\\'")
    return Safe(f"'{single}'")


def py_value(value: bool | int | float | str | None) -> Safe:
    """A Python literal of the value's type."""
    if isinstance(value, str):
        return py_string(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} has no literal in Python")
    return Safe(repr(value))
