"""The words of an expression. Signs of other languages are told with what to write instead."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from epforge.ops.expression.model import ExpressionError, Span

_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REST = re.compile(r"[A-Za-z0-9_.]+")
_SIGNS = re.compile(r"[<>=!]=|[-+*/<>(),]")
_BLANK = " \t\r\n"


@dataclass(frozen=True)
class _Foreign:
    """A sign that the language does not have, and the cure."""

    hint: str
    fix: str | None = None


_ALIEN = {
    "**": _Foreign("write pow(x, y)"),
    "//": _Foreign("write floor(x / y)"),
    "&&": _Foreign("write and instead of &&", "and"),
    "||": _Foreign("write or instead of ||", "or"),
    "<>": _Foreign("write != instead of <>", "!="),
    "===": _Foreign("write == instead of ===", "=="),
    "!==": _Foreign("write != instead of !==", "!="),
    "=>": _Foreign("write >= instead of =>", ">="),
    "=<": _Foreign("write <= instead of =<", "<="),
    "<<": _Foreign("there is no arithmetic on bits; multiply by a power of two"),
    ">>": _Foreign("there is no arithmetic on bits; multiply by a power of two"),
    "->": _Foreign("an expression only has a value: it defines no functions"),
    ":=": _Foreign("an expression only has a value: it assigns nothing"),
    "++": _Foreign("an expression only has a value: it assigns nothing; write x + 1"),
    "+=": _Foreign("an expression only has a value: it assigns nothing"),
    "-=": _Foreign("an expression only has a value: it assigns nothing"),
    "*=": _Foreign("an expression only has a value: it assigns nothing"),
    "/=": _Foreign("write != for not equal; an expression assigns nothing"),
    "^": _Foreign("write pow(x, y) for a power; there is no arithmetic on bits"),
    "%": _Foreign("write x - floor(x / y) * y"),
    "&": _Foreign("write and instead of &"),
    "|": _Foreign("write or instead of |"),
    "!": _Foreign("write not instead of !"),
    "~": _Foreign("write not instead of ~"),
    "?": _Foreign("write select(c, a, b) instead of c ? a : b"),
    ":": _Foreign("write select(c, a, b) for a choice"),
    "=": _Foreign("write == to compare; arguments have no names, only an order"),
    ".": _Foreign("there is nothing behind a name: write only names of inputs and attributes"),
    "[": _Foreign("an expression is of one element of each input; there is no indexing"),
    "]": _Foreign("an expression is of one element of each input; there is no indexing"),
    "{": _Foreign("write ( and )"),
    "}": _Foreign("write ( and )"),
    "@": _Foreign("write * for a product of elements; there are no matrices"),
    ";": _Foreign("an expression is one formula"),
    "#": _Foreign("an expression has no comments"),
    "\\": _Foreign("a line needs no sign to go on"),
}
_LONGEST = 3
#: What editors and formulas of other kinds make of the signs.
_LOOKALIKES = {
    "\N{NO-BREAK SPACE}": " ",
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{MIDDLE DOT}": "*",
    "\N{DIVISION SIGN}": "/",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{NOT EQUAL TO}": "!=",
}


@dataclass(frozen=True)
class Token:
    """A word of an expression.

    Args:
        kind: "number", "name", "sign" or, behind the last one, "end".
        value: of a number.
    """

    kind: str
    text: str
    span: Span
    value: int | float = 0


class Reader:
    """Reads the words of ``text`` one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def next(self) -> Token:
        """The next word. Raises ExpressionError for what is no word of the language."""
        text = self._text
        while self._at < len(text) and text[self._at] in _BLANK:
            self._at += 1
        at = self._at
        if at == len(text):
            return Token("end", "", Span(at, at))
        if number := _NUMBER.match(text, at):
            token = self._number(number.group(), at)
        elif name := _NAME.match(text, at):
            token = Token("name", name.group(), Span(at, name.end()))
        else:
            token = self._sign(at)
        self._at = token.span.end
        return token

    def _number(self, digits: str, at: int) -> Token:
        end = at + len(digits)
        if rest := _REST.match(self._text, end):
            raise _bad_number(digits, rest.group(), at)
        span = Span(at, end)
        if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
            fix = digits.lstrip("0")
            fix = fix if fix[:1].isdigit() else f"0{fix}"
            what = f"the number {_cut(digits)} begins with a zero"
            raise ExpressionError(what, span, hint=f"write {_cut(fix)}", fix=fix)
        value = float(digits)
        if value == float("inf"):
            what = f"the number {_cut(digits)} is too large"
            raise ExpressionError(what, span, "a number below 1.8e308")
        if value == 0 and re.search("[1-9]", re.split("[eE]", digits)[0]):
            what = f"the number {_cut(digits)} is too small"
            raise ExpressionError(what, span, "0, or a number above 4.9e-324")
        return Token("number", digits, span, int(digits) if digits.isdigit() else value)

    def _sign(self, at: int) -> Token:
        text = self._text
        char = text[at]
        if char in "\"'`":
            closing = text.find(char, at + 1)
            end = closing + 1 if closing > 0 else len(text)
            what = "an expression has no strings"
            raise ExpressionError(what, Span(at, end), "numbers, and names without quotes")
        for length in range(_LONGEST, 0, -1):
            sign = text[at : at + length]
            foreign = _ALIEN.get(sign)
            if foreign is not None and len(sign) == length:
                span = Span(at, at + length)
                what = f'"{sign}" is not a sign of the language'
                raise ExpressionError(what, span, hint=foreign.hint, fix=foreign.fix)
            if len(sign) == length and _SIGNS.fullmatch(sign):
                return Token("sign", sign, Span(at, at + length))
        shown = char if " " < char < "\x7f" else f"U+{ord(char):04X}"
        kind = "control character" if unicodedata.category(char) == "Cc" else "character"
        what = f"the {kind} {shown} cannot be in an expression"
        fix = _LOOKALIKES.get(char)
        hint = f"write {fix if fix.strip() else 'a plain space'}" if fix else ""
        expected = "letters, digits and signs of ASCII"
        raise ExpressionError(what, Span(at, at + 1), expected, hint, fix)


def _bad_number(digits: str, rest: str, at: int) -> ExpressionError:
    """What is wrong with ``1_000``, ``0x10``, ``1.5f``, ``1.2.3``, ``2x``."""
    whole = digits + rest
    span = Span(at, at + len(whole))
    plain = whole.replace("_", "")
    if "_" in whole and _NUMBER.fullmatch(plain):
        what = f"a number has no _ in it: {_cut(whole)}"
        return ExpressionError(what, span, hint=f"write {_cut(plain)}", fix=plain)
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+", whole):
        value = str(int(whole, 0)) if len(whole) < 100 else None
        what = f"numbers are decimal: {_cut(whole)}"
        return ExpressionError(what, span, hint=f"write {value}" if value else "", fix=value)
    if re.fullmatch("[fFlLuUdD]+", rest):
        what = f"a number has no letters behind it: {_cut(whole)}"
        return ExpressionError(what, span, hint=f"write {_cut(digits)}")
    what = f"{_cut(whole)} is not a number"
    if _NAME.fullmatch(rest) and not re.fullmatch("[eE]", rest):
        fix = f"{digits} * {rest}"
        return ExpressionError(what, span, hint=f"write {_cut(fix)} for a product", fix=fix)
    return ExpressionError(what, span, "a number such as 2, 0.5 or 1e-3")


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
