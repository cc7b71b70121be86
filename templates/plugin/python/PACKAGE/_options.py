<%= banner %>
"""The provider options: which there are, and what becomes of values of Python's.

The library reads text. This is what is written for it:

| Option | Value | Text |
| --- | --- | --- |
| any | `None` | the option is left out, and the library's default holds |
| any | `str` | as it is |
| bool | `bool` | `true` or `false` |
| int | `int`, or another integer such as NumPy's, but no `bool` | in decimal |
| float | `float`, `int`, or another real number such as NumPy's, but no `bool` | as `repr` has it |

Any other value is a TypeError. A value out of range, one that is not among the choices, and text
that the library could not read are a ValueError, which says what the option is for.
"""

import difflib
import math
import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_INT64 = 2**63
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BOOLS = ("0", "1", "true", "false")


@dataclass(frozen=True)
class Option:
    """A provider option.

    Args:
        name: as it is spelled.
        type: int, float, bool, string or enum.
        default: what holds when it is left out.
        doc: what it is for.
        minimum: the least value; None for the type's own.
        maximum: the largest.
        choices: the values that there are, of an enum.
        excludes: options that cannot be set together with this one.
        dynamic: may it be changed while a session lives?
    """

    name: str
    type: str
    default: int | float | bool | str
    doc: str
    minimum: int | float | None = None
    maximum: int | float | None = None
    choices: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    dynamic: bool = False

    @property
    def legal(self) -> str:
        """Its values, in words."""
        if self.type in ("bool", "enum"):
            return "one of " + ", ".join(self.choices or _BOOLS)
        if self.type == "string":
            return "a text"
        words = "an integer" if self.type == "int" else "a number"
        if self.minimum is not None and self.maximum is not None:
            return f"{words} from {self.minimum} to {self.maximum}"
        if self.minimum is not None:
            return f"{words}, at least {self.minimum}"
        if self.maximum is not None:
            return f"{words}, at most {self.maximum}"
        return words


<% if options %>
OPTIONS: Final[tuple[Option, ...]] = (
<% for option in options %>
    Option(
        name=<%= option.name | py_string %>,
        type=<%= option.type | py_string %>,
        default=<%= option.default | py_value %>,
        doc=<%= option.doc | py_string %>,
<% if option.minimum is not none %>
        minimum=<%= option.minimum | py_value %>,
<% endif %>
<% if option.maximum is not none %>
        maximum=<%= option.maximum | py_value %>,
<% endif %>
<% if option.choices | length == 1 %>
        choices=(<%= option.choices[0] | py_string %>,),
<% elif option.choices %>
        choices=(
<% for each in option.choices %>
            <%= each | py_string %>,
<% endfor %>
        ),
<% endif %>
<% if option.excludes | length == 1 %>
        excludes=(<%= option.excludes[0] | py_string %>,),
<% elif option.excludes %>
        excludes=(
<% for each in option.excludes %>
            <%= each | py_string %>,
<% endfor %>
        ),
<% endif %>
<% if option.dynamic %>
        dynamic=True,
<% endif %>
    ),
<% endfor %>
)
<% else %>
OPTIONS: Final[tuple[Option, ...]] = ()
<% endif %>


def texts(options: Mapping[str, object] | None, named: Mapping[str, object]) -> dict[str, str]:
    """The provider options as the library takes them.

    Args:
        options: options by name.
        named: more of them.

    Raises:
        TypeError: a value is of a type that nothing is written for.
        ValueError: there is no such option, or no such value of it; or it is given twice.
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    more = {name: value for name, value in named.items() if value is not None}
    for name in given.keys() & more.keys():
        raise ValueError(f"option {name!r} is given twice: {given[name]!r} and {more[name]!r}")
    known = {option.name: option for option in OPTIONS}
    for name in [*(options or {}), *named]:
        if name not in known:
            raise ValueError(_unknown(name))
    return {name: text(known[name], value) for name, value in (given | more).items()}


def text(option: Option, value: object) -> str:
    """What is written for a value of an option.

    Raises:
        TypeError: nothing is, for values of this type.
        ValueError: the option has no such value.
    """
    written = value if isinstance(value, str) else _written(option, value)
    if not _is_legal(option, written):
        about = f" ({option.doc})" if option.doc else ""
        raise ValueError(f"option {option.name!r} is {value!r}; expected {option.legal}{about}")
    return written


def _written(option: Option, value: object) -> str:
    if isinstance(value, bool):
        if option.type == "bool":
            return "true" if value else "false"
    elif isinstance(value, numbers.Integral) and option.type == "int":
        return str(int(value))
    elif isinstance(value, numbers.Real) and option.type == "float":
        try:
            return repr(float(value))
        except OverflowError:
            return "inf"
    kind = type(value).__name__
    raise TypeError(f"option {option.name!r} is {value!r} ({kind}); expected {option.legal}")


def _is_legal(option: Option, written: str) -> bool:
    """Would the library take it?"""
    if option.type == "bool":
        return written.lower() in _BOOLS
    if option.type == "enum":
        return written in option.choices
    if option.type == "string":
        return "\0" not in written  # which would end it
    if not (_INTEGER if option.type == "int" else _NUMBER).fullmatch(written):
        return False
    value: int | float = int(written) if option.type == "int" else float(written)
    if not (-_INT64 <= value < _INT64 if option.type == "int" else math.isfinite(value)):
        return False
    above = option.minimum is None or value >= option.minimum
    return above and (option.maximum is None or value <= option.maximum)


def _unknown(name: object) -> str:
    names = [option.name for option in OPTIONS]
    if not names:
        return f"unknown option {name!r}; there are none"
    near = difflib.get_close_matches(str(name), names, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"unknown option {name!r}; {hint}the options are {', '.join(names)}"
