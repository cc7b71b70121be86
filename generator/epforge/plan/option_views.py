"""Provider options as templates and the manifest see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epforge.names import Safe
from epforge.resolve.model import Blueprint, Option, OptionType

_CPP_TYPES = {
    OptionType.INT: "int64_t",
    OptionType.FLOAT: "double",
    OptionType.BOOL: "bool",
    OptionType.STRING: "std::string",
    OptionType.ENUM: "std::string",
}


def view(option: Option) -> Mapping[str, object]:
    """What the templates of the code that reads an option see of it."""
    low, high = _bounds(option)
    return {
        "name": option.name,
        "field": option.field,
        "kind": option.type.value,
        "cpp_type": Safe(_CPP_TYPES[option.type]),
        "default": float(option.default) if option.type is OptionType.FLOAT else option.default,
        "default_text": _text(option.default),
        "dynamic": option.dynamic,
        "doc": option.doc,
        "low": low,
        "high": high,
        "expected": _expected(option),
        "choices": option.choices,
    }


def _text(value: int | float | bool | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _bounds(option: Option) -> tuple[Safe, Safe]:
    """The range as C++ expressions; the type's own where the option has none."""
    is_float = option.type is OptionType.FLOAT
    lowest, highest = ("-DBL_MAX", "DBL_MAX") if is_float else ("INT64_MIN", "INT64_MAX")
    return (
        Safe(lowest if option.minimum is None else _number(option.minimum, is_float)),
        Safe(highest if option.maximum is None else _number(option.maximum, is_float)),
    )


def _number(value: int | float, is_float: bool) -> str:
    return repr(float(value)) if is_float else str(int(value))


def _expected(option: Option) -> str:
    kind = "a number" if option.type is OptionType.FLOAT else "an integer"
    if option.minimum is not None and option.maximum is not None:
        return f"{kind} from {option.minimum} to {option.maximum}"
    if option.minimum is not None:
        return f"{kind}, at least {option.minimum}"
    if option.maximum is not None:
        return f"{kind}, at most {option.maximum}"
    return kind


def exclusions(
    blueprint: Blueprint, options: Sequence[Mapping[str, object]]
) -> list[tuple[Mapping[str, object], Mapping[str, object]]]:
    """Pairs of options that exclude each other, each pair once whichever side names it."""
    order = {option.name: index for index, option in enumerate(blueprint.provider_options)}
    pairs = {
        tuple(sorted((order[option.name], order[other])))
        for option in blueprint.provider_options
        for other in option.excludes
    }
    return [(options[first], options[second]) for first, second in sorted(pairs)]


def claim(option: Option) -> Mapping[str, object]:
    """What the manifest says of an option."""
    return {
        "name": option.name,
        "type": option.type.value,
        "default": option.default,
        "minimum": option.minimum,
        "maximum": option.maximum,
        "choices": list(option.choices),
        "excludes": list(option.excludes),
        "dynamic": option.dynamic,
        "doc": option.doc,
    }
