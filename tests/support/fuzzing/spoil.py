"""Changes to the text of a blueprint: to its bytes, its tokens and its structure as YAML."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Chance = random.Random

_TOKENS = (
    *("[", "]", "{", "}", ":", ": ", "- ", "? ", "\n", "\n  ", "&a ", "*a", "!!str ", "!x ", "|\n"),
    *(">-\n", '"', "'", "#", "<<: ", "---\n", "...\n", "%YAML 1.1\n", "%TAG ! x\n", "\t", "\\"),
    *("\0", "\ufeff", "\x85", "\u2028", "\ud7ff", "\U0001f600", "\x1b[31m", "\u202e", "é", "~"),
    *(
        "0x",
        "0o9",
        "1e999",
        "-",
        ",",
        "yes",
        "null",
        "__class__",
        "{{ x }}",
        "{% raw %}",
        "e\u0301",
    ),
    *("::", "op: ", "Relu", "9" * 40, "../", "/dev/zero", "${x}", "$(id)", "\r", "\r\n", " " * 40),
    *("<%", "%>", "e\u0301"),
)
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_ENTRY = re.compile(r"(?m)^( *)(- )?([\w.]+):(.*)$")


def spoilt(text: str, chance: Chance, others: Sequence[str]) -> bytes:
    """``text`` after one to four changes.

    Args:
        others: texts to take pieces from.
    """
    for _ in range(chance.choice((1, 1, 2, 4))):
        text = chance.choice(_CHANGES)(text, chance, others)[:200_000]
    return _encoded(text, chance)


def _encoded(text: str, chance: Chance) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    match chance.randrange(14):
        case 0:
            return b"\xef\xbb\xbf" + data
        case 1:
            return data.replace(b"\n", b"\r\n")
        case 2:
            return data.replace(b"\n", b"\r")
        case 3 if data:
            at = chance.randrange(len(data))
            return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        case 4 if data:
            return data[: chance.randrange(len(data))]
        case 5:
            return text.encode(chance.choice(("utf-16", "utf-32", "latin-1", "cp500")), "replace")
        case 6:
            at = chance.randrange(len(data) + 1)
            return data[:at] + chance.randbytes(chance.randrange(1, 9)) + data[at:]
    return data


def _insert(text: str, chance: Chance, others: Sequence[str]) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(_TOKENS) + text[at:]


def _delete(text: str, chance: Chance, others: Sequence[str]) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.randrange(1, 30) :]


def _token(text: str, chance: Chance, others: Sequence[str]) -> str:
    """A token becomes another one, its own twin, or nothing."""
    found = list(_TOKEN.finditer(text))
    if not found:
        return text
    match = chance.choice(found)
    word = chance.choice(
        ("", match[0] * 2, chance.choice(_TOKENS), chance.choice(found)[0], match[0].upper())
    )
    return text[: match.start()] + word + text[match.end() :]


def _swap(text: str, chance: Chance, others: Sequence[str]) -> str:
    lines = text.splitlines(True)
    if len(lines) > 1:
        a, b = chance.sample(range(len(lines)), 2)
        lines[a], lines[b] = lines[b], lines[a]
    return "".join(lines)


def _splice(text: str, chance: Chance, others: Sequence[str]) -> str:
    """A stretch of lines of another text, in the midst of this one."""
    lines, other = text.splitlines(True), chance.choice(others).splitlines(True)
    at, begin = chance.randrange(len(lines) + 1), chance.randrange(len(other) + 1)
    return "".join([*lines[:at], *other[begin : begin + chance.randrange(1, 8)], *lines[at:]])


def _indent(text: str, chance: Chance, others: Sequence[str]) -> str:
    lines = text.splitlines(True)
    if lines:
        at = chance.randrange(len(lines))
        lines[at] = chance.choice((" ", "  ", "\t", " " * 9)) + lines[at]
    return "".join(lines)


def _duplicate(text: str, chance: Chance, others: Sequence[str]) -> str:
    """A line with a key is there twice."""
    found = list(_ENTRY.finditer(text))
    if not found:
        return text
    match = chance.choice(found)
    return text[: match.end()] + f"\n{match[0].replace('- ', '  ', 1)}" + text[match.end() :]


def _value(text: str, chance: Chance, others: Sequence[str]) -> str:
    """A key's value is something hostile."""
    found = list(_ENTRY.finditer(text))
    if not found:
        return text
    match = chance.choice(found)
    return text[: match.start(4)] + f" {_hostile(chance)}" + text[match.end(4) :]


def _hostile(chance: Chance) -> str:
    depth, count = chance.choice((3, 30, 99, 101, 5000)), chance.choice((10, 1000, 20_000))
    bomb = "[&a0 [x,x,x,x], " + ", ".join(
        f"&a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, chance.choice((2, 5, 12)))
    )
    return chance.choice(
        (
            "[" * depth + "]" * depth,
            "{a: " * depth + "x" + "}" * depth,
            "&a [*a]",
            "&a {x: *a}",
            "[&a [x], &a [y], *a, *a]",
            f"{bomb}]",
            "9" * count,
            "-0x" + "f" * 20,
            "0." + "0" * 300 + "1",
            '"' + "\\u0041" * count + '"',
            "A" * count,
            "[" + ", ".join(["Relu"] * count) + "]",
            "[" + ", ".join(f"x{n}" for n in range(count)) + "]",
            "{" + ", ".join(f"x{n}: 1" for n in range(count)) + "}",
            "|\n  one\n  two\n\n",
            ">+2\n    folded\n",
            '"\\0"',
            '"\\uD800"',
            "!!binary aGk=",
            "!!python/object/apply:os.system [id]",
            "2001-12-14t21:59:43.10-05:00",
            "? [a]",
            "*unknown",
            "'it''s'",
            '"%s%n{0}"',
            "&é é",
            "[a, b",
            "@x",
            "`x`",
        )
    )


_CHANGES: tuple[Callable[[str, Chance, Sequence[str]], str], ...] = (
    *(_insert, _delete, _token, _token, _swap, _splice, _indent, _duplicate, _value, _value),
)
