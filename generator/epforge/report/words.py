"""Text for files that others read: without what such a file cannot hold or must not say."""

from __future__ import annotations

import re

# Control characters, halves of surrogate pairs, non-characters, and marks that turn the direction
# of what follows: none of them is anything to read, and XML has no way to write most of them.
_HIDDEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufdd0-\\ufdef\\ufffe\\uffff"
    "\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]"
)
_MOST = 20_000


def visible(text: str) -> str:
    """The text with what is hidden in it spelled out: "\\x00". Bounded in length."""
    plain = _HIDDEN.sub(_spelled, text[:_MOST].replace("\r\n", "\n"))
    return plain + f" ... ({len(text) - _MOST} characters more)" if len(text) > _MOST else plain


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def seconds(value: float) -> str:
    """ "0.42 s", "12.3 s", "2 min 05 s"."""
    if value >= 120:
        return f"{int(value) // 60} min {int(value) % 60:02} s"
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"
