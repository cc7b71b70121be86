"""The fixes of a blueprint's errors, made."""

from __future__ import annotations

from dataclasses import dataclass

from epforge.blueprint import BlueprintErrors, Diagnostic, apply_fixes, parse
from epforge.resolve import Analysis, analyse

#: How often the text is read again at most: a fix may bring others to light.
_ROUNDS = 50
_MARK = "\ufeff"


@dataclass(frozen=True)
class Mended:
    """A blueprint with its fixes made.

    Args:
        text: as it is then.
        made: the errors that are mended, each with the place that it had when it was.
    """

    text: str
    made: tuple[Diagnostic, ...]


def mend(text: str, file: str) -> Mended:
    """Makes every fix there is, until there is none.

    Args:
        text: the blueprint, with its byte order mark.
        file: the name that errors show.
    """
    seen, made = {text}, list[Diagnostic]()
    for _ in range(_ROUNDS):
        found = [each for each in errors_of(text, file) if each.fix is not None]
        mark = _MARK if text.startswith(_MARK) else ""
        fixes = [each.fix for each in found if each.fix is not None]
        after = mark + apply_fixes(text.removeprefix(_MARK), fixes)
        if after in seen:
            break
        seen.add(after)
        text, made = after, [*made, *found]
    return Mended(text, tuple(made))


def errors_of(text: str, file: str) -> tuple[Diagnostic, ...]:
    """The errors of a blueprint."""
    found = looked_at(text, file)
    return found.errors if isinstance(found, Analysis) else found.diagnostics


def looked_at(text: str, file: str) -> Analysis | BlueprintErrors:
    """What a blueprint means, or why that cannot be told."""
    try:
        return analyse(parse(text, file))
    except BlueprintErrors as error:
        return error
