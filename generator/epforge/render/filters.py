"""Typed filters: text of a blueprint made fit for one kind of place in a generated file.

Each returns `Safe`. All of them break up template marks, so that a mark in the output always
means a fault of a template. Text that cannot stand in the place at all raises ValueError.
"""

from __future__ import annotations

import html as _html
import json as _json
import re
from collections.abc import Callable, Iterable

from jinja2 import Undefined

from epforge.literals import (
    cpp_bool,
    cpp_string,
    cpp_value,
    escaped,
    printable,
    py_string,
    py_value,
    whole,
)
from epforge.names import Identifier, Safe

_SEGMENT = re.compile(r"[A-Za-z0-9_.+-]+")


def _one_line(text: str) -> str:
    """``text`` without what is not printable, its runs of blanks as one."""
    return " ".join("".join(c if printable(c) else " " for c in whole(text)).split())


def line(text: str) -> Safe:
    """One line of plain text, for places where nothing is special but the end of the line."""
    return Safe(_one_line(text).replace("<%", "< %").replace("%>", "% >"))


def cpp_comment(text: str) -> Safe:
    """One line of text for a C++ comment of either kind: it can neither end nor continue it."""
    comment = str(line(text))
    for mark in ("*/", "/*", "??"):
        comment = comment.replace(mark, f"{mark[0]} {mark[1]}")
    # A backslash at the end of a line, where the formatter may put any blank, continues it.
    return Safe(re.sub(r"\\(?=\s|$)", "/", comment))


def cmake_string(text: str) -> Safe:
    """A quoted CMake argument. A semicolon stays: whether it parts a list is the command's say."""
    if "\0" in text:
        raise ValueError("a CMake string cannot hold a NUL")
    body = re.sub(r'([\\"$])', r"\\\1", whole(text))
    body = body.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    body = body.replace("<%", "<\\%").replace("%>", "%\\>")
    return Safe(f'"{body}"')


def _unicode_escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def toml_string(text: str) -> Safe:
    """A TOML basic string."""
    return Safe(f'"{escaped(whole(text), _unicode_escape)}"')


def yaml_string(text: str) -> Safe:
    """A YAML scalar in double quotes."""
    return Safe(f'"{escaped(whole(text), _unicode_escape)}"')


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


def xml(text: str) -> Safe:
    """One line of text in XML: between tags, or in an attribute with double quotes. A @ is
    escaped, too: it marks the variables of what is packed."""
    return Safe(_html.escape(_one_line(text)).replace("@", "&#64;"))


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
    if isinstance(value, (Safe, Identifier)) or (
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
    "xml": xml,
    "yaml_string": yaml_string,
}
