"""Provider options: typed, with ranges, choices and exclusions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pydantic_core import PydanticCustomError

from epforge.blueprint.diagnostic import listed, show, suggest
from epforge.blueprint.nodes import Path, Scalar
from epforge.blueprint.scalars import INT64, read_flag, read_int, read_real, read_text
from epforge.blueprint.shape import OptionShape
from epforge.names import Identifier, Name
from epforge.resolve.findings import Findings
from epforge.resolve.model import GRAPH_CAPTURE, USER_STREAM, Option, OptionType
from epforge.resolve.reserved import ascii_words, why_not_member

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_CHOICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}")

Value = int | float | bool | str
_READERS: Mapping[OptionType, Callable[[Scalar], Value]] = {
    OptionType.INT: read_int,
    OptionType.FLOAT: read_real,
    OptionType.BOOL: read_flag,
    OptionType.STRING: read_text,
    OptionType.ENUM: read_text,
}


def resolve_options(
    shapes: tuple[OptionShape, ...], streams: bool, captures: bool, found: Findings
) -> tuple[Option, ...]:
    """The options in the blueprint's order.

    Args:
        streams: has the device streams, for which there is an option anyhow?
        captures: are runs captured, for which there is an option anyhow?
    """
    seen: dict[str, int] = {}
    options = tuple(_option(shape, index, seen, found) for index, shape in enumerate(shapes))
    for index, option in enumerate(options):
        if streams and option.field == USER_STREAM.field:
            what = f"option {option.name}: every execution provider with streams has it"
            out = found.without(("options", index))
            found.error(("options", index, "name"), "reserved-name", what, "", "delete it", out)
        if captures and option.field == GRAPH_CAPTURE.field:
            what = f"option {option.name}: every execution provider with graph capture has it"
            out = found.without(("options", index))
            found.error(("options", index, "name"), "reserved-name", what, "", "delete it", out)
    names = [shape.name for shape in shapes]
    for index, shape in enumerate(shapes):
        _check_excludes(shape, index, names, found)
    return options


def read_value(
    kind: OptionType, scalar: Scalar, path: Path, found: Findings, subject: str
) -> Value | None:
    """A scalar read as ``kind``; a wrong one is reported and gives None."""
    try:
        value = _READERS[kind](scalar)
        if kind is OptionType.INT and value not in INT64:
            raise PydanticCustomError(
                "out_of_range", "{message}", {"message": f"{scalar.text} does not fit in 64 bits"}
            )
    except PydanticCustomError as error:
        context = error.context or {}
        found.error(
            path,
            error.type.replace("_", "-"),
            f"{subject}: {context.get('message')}",
            context.get("expected", ""),
            context.get("hint", ""),
            context.get("fix"),
        )
        return None
    return value


def _option(shape: OptionShape, index: int, seen: dict[str, int], found: Findings) -> Option:
    path: Path = ("options", index)
    name, field = _name(shape.name, path, found)
    if field in seen:
        other = found.source.shape.options[seen[field]].name
        line = found.line(("options", seen[field], "name"))
        what = f"options {show(shape.name)} and {show(other)} (line {line}) are the same name"
        rule = "names that differ in more than case and punctuation"
        found.error((*path, "name"), "name-collision", what, rule)
    seen.setdefault(field, index)
    kind = _kind(shape, path, found)
    minimum, maximum = _range(shape, kind, path, found)
    choices = _choices(shape, kind, path, found)
    if not all(char.isprintable() or char in "\n\t" for char in shape.doc):
        what = "doc: control characters are not text"
        found.error((*path, "doc"), "bad-value", what, "printable text")
    return Option(
        name=name,
        field=field,
        type=kind,
        default=_default(shape, kind, minimum, maximum, choices, path, found),
        minimum=minimum,
        maximum=maximum,
        choices=choices,
        excludes=shape.excludes,
        doc=" ".join(shape.doc.split()),
        dynamic=shape.dynamic,
    )


def _name(text: str, path: Path, found: Findings) -> tuple[str, Identifier]:
    if not _NAME.fullmatch(text) or not text.strip("_"):
        own = re.sub(r"^(?i:ep\.(?:dynamic\.|[\w-]+\.)?)", "", text)  # as a session's keys begin
        proposal = ascii_words(own, "_", "option")
        what = f"option name: {show(text)} is not a name"
        rule = "letters, digits and _, a letter first"
        found.error((*path, "name"), "bad-name", what, rule, f"write {proposal}", proposal)
        text = proposal
    field = Name.parse(text).snake if not text[0].isdigit() else Identifier("option")
    # A suffix, never a prefix: names with a leading underscore are reserved.
    if why_not_member(field) or field[0].isdigit():
        field = Identifier(f"{field}_" if not field[0].isdigit() else f"option_{field}")
    return text, field


def _kind(shape: OptionShape, path: Path, found: Findings) -> OptionType:
    """The type as written, or as choices, default or range show it."""
    if shape.type is not None:
        return OptionType(shape.type)
    if shape.choices is not None:
        return OptionType.ENUM
    samples = [shape.default] if shape.default is not None else list(shape.range or ())
    if not samples:
        if not found.source.incomplete(*path):
            what = f"option {show(shape.name)} has neither type nor default nor choices"
            found.error(path, "missing-key", what, f"type: {listed(t.value for t in OptionType)}")
        return OptionType.STRING
    kinds = {_guess(sample) for sample in samples}
    return OptionType.FLOAT if OptionType.FLOAT in kinds else kinds.pop()


def _guess(scalar: Scalar) -> OptionType:
    if not scalar.quoted:
        for kind in (OptionType.BOOL, OptionType.INT, OptionType.FLOAT):
            try:
                _READERS[kind](scalar)
            except PydanticCustomError:
                continue
            return kind
    return OptionType.STRING


def _range(
    shape: OptionShape, kind: OptionType, path: Path, found: Findings
) -> tuple[int | float | None, int | float | None]:
    if shape.range is None:
        return None, None
    place: Path = (*path, "range")
    if kind not in (OptionType.INT, OptionType.FLOAT):
        if not found.source.incomplete(*path):
            what = f"option {show(shape.name)} is of type {kind.value}, which has no range"
            # A range says that a number is meant, unless the default is none.
            fix = found.without(place) if _is_flag(shape, kind) else None
            found.key_error(place, "bad-range", what, "", "delete it", fix)
        return None, None
    if len(shape.range) != 2:
        what = f"range: found {len(shape.range)} values"
        found.error(place, "bad-range", what, "[lowest, highest]")
        return None, None
    bounds = [
        read_value(kind, scalar, (*place, step), found, "range")
        for step, scalar in enumerate(shape.range)
    ]
    low, high = bounds
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None, None
    if low > high:
        turned = f"[{shape.range[1].text}, {shape.range[0].text}]"
        what = f"range: {shape.range[0].text} is above {shape.range[1].text}"
        found.error(place, "bad-range", what, "[lowest, highest]", f"write {turned}", turned)
        return None, None
    return low, high


def _is_flag(shape: OptionShape, kind: OptionType) -> bool:
    default = shape.default
    return kind is OptionType.BOOL and default is not None and _guess(default) is OptionType.BOOL


def _choices(shape: OptionShape, kind: OptionType, path: Path, found: Findings) -> tuple[str, ...]:
    place: Path = (*path, "choices")
    if kind is not OptionType.ENUM:
        if shape.choices is not None and not found.source.incomplete(*path):
            what = f"option {show(shape.name)} is of type {kind.value}, which has no choices"
            fix = None
            if kind is OptionType.STRING and shape.type is not None:
                fix = found.with_value((*path, "type"), "enum")
            hint = "write 'type: enum'" if fix else ""
            found.key_error(place, "bad-choices", what, "type: enum, or no choices", hint, fix)
        return ()
    if not shape.choices:
        if not found.source.incomplete(*path):
            what = f"option {show(shape.name)} is an enum without choices"
            found.error(place if shape.choices is not None else path, "bad-choices", what)
        return ()
    seen: dict[str, str] = {}
    for index, choice in enumerate(shape.choices):
        if not _CHOICE.fullmatch(choice):
            what = f"choices: {show(choice)} is not a word"
            proposal = ascii_words(choice, "_", "choice")
            rule = "letters, digits, _ . + and -, a letter or digit first"
            found.error((*place, index), "bad-name", what, rule, f"write {proposal}", proposal)
            continue
        word = Name.parse(choice).snake if choice[0].isalpha() else choice.casefold()
        if word in seen:
            what = f"choices: {show(choice)} and {show(seen[word])} are the same name"
            out = found.without((*place, index)) if choice == seen[word] else None
            hint = "delete one of them" if out else ""
            found.error((*place, index), "name-collision", what, "", hint, out)
        seen.setdefault(word, choice)
    return shape.choices


def _default(
    shape: OptionShape,
    kind: OptionType,
    minimum: int | float | None,
    maximum: int | float | None,
    choices: tuple[str, ...],
    path: Path,
    found: Findings,
) -> Value:
    if shape.default is None:
        return _natural(kind, minimum, maximum, choices)
    place: Path = (*path, "default")
    value = read_value(kind, shape.default, place, found, "default")
    if value is None:
        return _natural(kind, minimum, maximum, choices)
    written = show(shape.default.text)
    if kind is OptionType.ENUM and choices and value not in choices:
        fix = suggest(str(value), choices)
        hint = f"did you mean {fix}?" if fix else ""
        what = f"default: {written} is not one of the choices"
        found.error(place, "bad-default", what, listed(choices), hint, fix)
    if isinstance(value, int | float) and minimum is not None and maximum is not None:
        if not minimum <= value <= maximum:
            what = f"default: {written} is out of range"
            found.error(place, "bad-default", what, f"{minimum} to {maximum}")
    elif isinstance(value, str) and (len(value) > 1024 or not value.isprintable()):
        what = "default: the text cannot be a session option"
        found.error(place, "bad-default", what, "one line of at most 1024 characters")
    return value


def _natural(
    kind: OptionType,
    minimum: int | float | None,
    maximum: int | float | None,
    choices: tuple[str, ...],
) -> Value:
    """The default where none is written: 0, false, the empty text, the first choice; a number out
    of its range is moved to the nearest end."""
    if kind is OptionType.BOOL:
        return False
    if kind is OptionType.STRING:
        return ""
    if kind is OptionType.ENUM:
        return choices[0] if choices else ""
    zero: int | float = 0 if kind is OptionType.INT else 0.0
    if minimum is not None and maximum is not None:
        return min(max(zero, minimum), maximum)
    return zero


def _check_excludes(shape: OptionShape, index: int, names: list[str], found: Findings) -> None:
    for step, other in enumerate(shape.excludes):
        place: Path = ("options", index, "excludes", step)
        if other == shape.name:
            what, out = f"option {show(other)} excludes itself", found.without(place)
            found.error(place, "bad-excludes", what, "", "delete it", out)
        elif other in shape.excludes[:step]:
            what, out = f"excludes: {show(other)} is listed twice", found.without(place)
            found.error(place, "listed-twice", what, "", "delete one of them", out)
        elif other not in names and not _unnamed(found):
            fix = suggest(other, [name for name in names if name != shape.name])
            what = f"excludes: there is no option {show(other)}"
            hint = f"did you mean {fix}?" if fix else ""
            found.error(place, "bad-excludes", what, listed(names), hint, fix)


def _unnamed(found: Findings) -> bool:
    """Is there an option whose name could not be read? Any name may be meant to be that one's."""
    options = [gone for gone in found.source.dropped if gone[0] == "options"]
    return any(len(gone) <= 2 or gone[2] == "name" for gone in options)
