"""Typed filters: text of a blueprint made fit for one kind of place in a generated file.

Each returns `Safe`. All of them break up template marks, so that a mark in the output always
means a fault of a template. Text that cannot stand in the place at all raises ValueError.
"""

from __future__ import annotations

import json as _json
import math
import re
from collections.abc import Callable, Iterable

from epforge.names import Safe

_SEGMENT = re.compile(r"[A-Za-z0-9_.+-]+")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_INT64_MIN = -(2**63)


# Controls, separators, invisible and direction marks, surrogates, private use. A list of our own:
# `unicodedata` knows more characters with each release of Python, and then output would differ.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\uf8ff\ufeff\ufff0-\uffff\U000e0000-\U0010ffff]"
)


def _printable(character: str) -> bool:
    return not _UNPRINTABLE.match(character)


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    """``text`` with everything but printable characters through ``escape``."""
    out = []
    for before, character in zip(" " + text, text, strict=False):
        mark = before + character in ("<%", "%>")
        if not mark and character in _SHORT_ESCAPES:
            out.append(_SHORT_ESCAPES[character])
        else:
            out.append(escape(character) if mark or not _printable(character) else character)
    return "".join(out)


def _whole(text: str) -> str:
    """``text``, if it can be encoded at all. Raises ValueError for a lone surrogate."""
    text.encode("utf-8")
    return text


def _one_line(text: str) -> str:
    """``text`` without what is not printable, its runs of blanks as one."""
    return " ".join("".join(c if _printable(c) else " " for c in _whole(text)).split())


def line(text: str) -> Safe:
    """One line of plain text, for places where nothing is special but the end of the line."""
    return Safe(_one_line(text).replace("<%", "< %").replace("%>", "% >"))


def cpp_string(text: str) -> Safe:
    """A narrow C++ string literal with its quotes; what is not ASCII becomes UTF-8 escapes."""
    out = []
    before = 0
    for byte in _whole(text).encode("utf-8"):
        character = chr(byte)
        # The second of two question marks is escaped because of trigraphs.
        risky = (before, byte) in {(63, 63), (60, 37), (37, 62)}
        if risky and byte == 63:
            out.append("\\?")
        elif not risky and character in _SHORT_ESCAPES:
            out.append(_SHORT_ESCAPES[character])
        elif risky or not 32 <= byte < 127:
            out.append(f"\\{byte:03o}")  # exactly three digits, so a digit may follow
        else:
            out.append(character)
        before = byte
    return Safe(f'"{"".join(out)}"')


def cpp_comment(text: str) -> Safe:
    """One line of text for a C++ comment of either kind: it can neither end nor continue it."""
    comment = str(line(text))
    for mark in ("*/", "/*", "??"):
        comment = comment.replace(mark, f"{mark[0]} {mark[1]}")
    # A backslash at the end of a line, where the formatter may put any blank, continues it.
    return Safe(re.sub(r"\\(?=\s|$)", "/", comment))


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


def cmake_string(text: str) -> Safe:
    """A quoted CMake argument. A semicolon stays: whether it parts a list is the command's say."""
    if "\0" in text:
        raise ValueError("a CMake string cannot hold a NUL")
    body = re.sub(r'([\\"$])', r"\\\1", _whole(text))
    body = body.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    body = body.replace("<%", "<\\%").replace("%>", "%\\>")
    return Safe(f'"{body}"')


def py_string(text: str) -> Safe:
    """A Python string literal in double quotes."""

    def escape(character: str) -> str:
        code = ord(character)
        if code < 0x100:
            return f"\\x{code:02x}"
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return Safe(f'"{_escaped(_whole(text), escape)}"')


def py_value(value: bool | int | float | str | None) -> Safe:
    """A Python literal of the value's type."""
    if isinstance(value, str):
        return py_string(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} has no literal in Python")
    return Safe(repr(value))


def _unicode_escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def toml_string(text: str) -> Safe:
    """A TOML basic string."""
    return Safe(f'"{_escaped(_whole(text), _unicode_escape)}"')


def yaml_string(text: str) -> Safe:
    """A YAML scalar in double quotes."""
    return Safe(f'"{_escaped(_whole(text), _unicode_escape)}"')


def json(value: object, indent: int | None = None) -> Safe:
    """The value as JSON, ASCII only. Raises ValueError for NaN and infinities."""
    text = _json.dumps(value, indent=indent, allow_nan=False)
    return Safe(text.replace("<%", "<\\u0025").replace("%>", "\\u0025>"))


def md(text: str) -> Safe:
    """One line of Markdown that shows the text as it is."""
    shown = _one_line(text)
    shown = re.sub(r"([\\`*\[\]<>|~$])", r"\\\1", shown)
    shown = re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\_", shown)  # plain inside a word
    shown = re.sub(r"&(?=#?\w+;)", r"\\&", shown)
    shown = re.sub(r"^([#+=-])", r"\\\1", shown)
    shown = re.sub(r"^(\d+)([.)])", r"\1\\\2", shown)
    return Safe(shown.replace("\\<%", "&lt;%"))


def md_code(text: str) -> Safe:
    """A span of code in Markdown, with as many backticks as it takes."""
    code = str(line(text))
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if code.startswith("`") or code.endswith("`") or not code else ""
    return Safe(f"{fence}{pad}{code}{pad}{fence}")


def md_code_cell(text: str) -> Safe:
    """Like `md_code`, for a cell of a table, which a bare ``|`` would end."""
    return Safe(md_code(text).replace("|", "\\|"))


def path(text: str) -> Safe:
    """A relative path with forward slashes whose parts need no quoting anywhere."""
    for part in text.split("/"):
        if part in ("", ".", "..") or not _SEGMENT.fullmatch(part):
            raise ValueError(f"{text!r} is not a plain relative path")
    return Safe(text)


def join(values: Iterable[object], separator: str = ", ") -> Safe:
    """Printable values in a row. The separator is a literal of the template."""
    return Safe(separator.join(printed(value) for value in values))


def printed(value: object) -> str:
    """What a template prints for ``value``.

    Raises:
        TypeError: it is neither an integer, an identifier nor the result of a filter.
        jinja2.UndefinedError: it is undefined.
    """
    from jinja2 import Undefined

    from epforge.names import Identifier

    if isinstance(value, Safe | Identifier) or (
        isinstance(value, int) and not isinstance(value, bool)
    ):
        return str(value)
    if isinstance(value, Undefined):
        return str(value)  # raises, and says what is undefined
    raise TypeError(f"{value!r} ({type(value).__name__}) needs a filter that says what it is")


FILTERS: dict[str, Callable[..., Safe]] = {
    "cmake_string": cmake_string,
    "cpp_bool": cpp_bool,
    "cpp_comment": cpp_comment,
    "cpp_string": cpp_string,
    "cpp_value": cpp_value,
    "join": join,
    "json": json,
    "line": line,
    "md": md,
    "md_code": md_code,
    "md_code_cell": md_code_cell,
    "path": path,
    "py_string": py_string,
    "py_value": py_value,
    "toml_string": toml_string,
    "yaml_string": yaml_string,
}
