"""The provider options as the Python package has them: a table, and keywords with types."""

from __future__ import annotations

import keyword
from collections.abc import Mapping

from epforge.names import Identifier
from epforge.resolve.model import Blueprint, Option, OptionType

# What else is among the parameters of `session_options`, and the names that its code uses.
_TAKEN = {
    *("options", "device", "fallback", "others"),
    *("named", "texts", "settings", "devices", "Any", "Device", "Literal", "Mapping", "Never"),
    *("Sequence", "bool", "dict", "float", "int", "object", "str"),
    *("_chosen", "_options", "_runtime"),
}
_ANNOTATIONS = {
    OptionType.INT: "int",
    OptionType.FLOAT: "float",
    OptionType.BOOL: "bool",
    OptionType.STRING: "str",
}


def table(blueprint: Blueprint) -> list[Mapping[str, object]]:
    """Every option, for the table that values are checked against."""
    return [
        {
            "name": option.name,
            "type": option.type.value,
            "default": _default(option),
            "doc": option.doc,
            "minimum": option.minimum,
            "maximum": option.maximum,
            "choices": option.choices,
            "excludes": option.excludes,
            "dynamic": option.dynamic,
        }
        for option in blueprint.provider_options
    ]


def signature(blueprint: Blueprint) -> Mapping[str, object]:
    """The parameters of `session_options`.

    Returns:
        ``keywords``: the options that are keywords; ``enums``: types for those with choices;
        ``mapped``: the other options' names, which can be given in a mapping alone.
    """
    options = blueprint.provider_options
    named = [option for option in options if is_keyword(option.name)]
    enums = {
        option.name: Identifier(f"_Choice{number}")
        for number, option in enumerate(options, 1)
        if option.type is OptionType.ENUM
    }
    return {
        "keywords": [_keyword(option, enums.get(option.name)) for option in named],
        "enums": [
            {"alias": enums[option.name], "choices": option.choices, "option": option.name}
            for option in named
            if option.name in enums
        ],
        "mapped": ", ".join(option.name for option in options if option not in named),
    }


def first_keyword(blueprint: Blueprint) -> str:
    """The name of an option that is a keyword; empty if there is none."""
    names = (option.name for option in blueprint.provider_options)
    return next(filter(is_keyword, names), "")


def is_keyword(name: str) -> bool:
    """Can an option of that name be a keyword parameter?"""
    return not keyword.iskeyword(name) and name not in _TAKEN and name != "__debug__"


def _keyword(option: Option, alias: Identifier | None) -> Mapping[str, object]:
    shown = "empty" if option.default == "" else _default(option)
    return {
        "name": Identifier(option.name),
        "annotation": alias or Identifier(_ANNOTATIONS[option.type]),
        "about": _plain(f"{_legal(option)}; by default {shown}. {option.doc}".rstrip()),
    }


def _default(option: Option) -> int | float | bool | str:
    return float(option.default) if option.type is OptionType.FLOAT else option.default


def _legal(option: Option) -> str:
    """The values that an option may have, in words."""
    if option.choices:
        return "one of " + ", ".join(option.choices)
    words = {
        OptionType.INT: "an integer",
        OptionType.FLOAT: "a number",
        OptionType.BOOL: "a bool",
    }.get(option.type, "a text")
    if option.minimum is not None and option.maximum is not None:
        return f"{words} from {option.minimum} to {option.maximum}"
    if option.minimum is not None:
        return f"{words}, at least {option.minimum}"
    if option.maximum is not None:
        return f"{words}, at most {option.maximum}"
    return words


def _plain(text: str) -> str:
    """Text for a docstring, which backslashes and quotes would change or end."""
    return text.replace("\\", "/").replace('"', "'")
