"""Reading C text without a compiler: comments, conditional parts, statements, declarations.

Made for the shape of ONNX Runtime's C headers, not for C in general.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from epforge.ort.model import Param

_COMMENT_OR_STRING = re.compile(
    r'//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|/\*.*\Z|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'',
    re.DOTALL,
)
_NOT_NEWLINE = re.compile(r"[^\n]")
_ANNOTATION = re.compile(r"\b_[A-Z]\w*_(?!\w)(?:\s*\((?:[^()]|\([^()]*\))*\))?")
_NOISE = re.compile(
    r"\b(?:ORT_API_CALL|ORTAPI|NO_EXCEPTION|ORT_MUST_USE_RESULT|ORT_ALL_ARGS_NONNULL|struct)\b"
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)(.*)$")
_NEGATED = re.compile(r"\s*!\s*(?:defined\b.*|0)")
_POINTER_PARAM = re.compile(r"(.*?)\(\s*\*\s*(\w*)\s*\)\s*(\(.*\))")
_POINTER_MEMBER = re.compile(r"(.*?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)", re.DOTALL)
_PLAIN = re.compile(r"(.*?[\s*&])(\w+)\s*((?:\[[^\]]*\]\s*)*)", re.DOTALL)
_TYPE_WORDS = frozenset(
    ("void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned")
)


@dataclass(frozen=True)
class Comment:
    """A comment: where it begins and ends in the text, and what it says."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class CText:
    """A source text with its comments split off.

    Args:
        code: the text with comments and inactive conditional parts blanked; offsets and line
            numbers are those of the original.
        raw: the text with only the comments blanked.
        comments: in order.
        open_comment: offset of a comment that never ends; None if there is none.
        open_conditionals: line numbers of ``#if`` lines without ``#endif``.
    """

    code: str
    raw: str
    comments: tuple[Comment, ...]
    open_comment: int | None
    open_conditionals: tuple[int, ...]


@dataclass(frozen=True)
class Declaration:
    """One declared member."""

    name: str
    type: str
    params: tuple[Param, ...] | None
    is_function: bool


def split_comments(text: str) -> CText:
    """Split comments from code and blank what a C compiler would not see."""
    comments: list[Comment] = []
    open_comment: int | None = None

    def blank(match: re.Match[str]) -> str:
        nonlocal open_comment
        token = match[0]
        if token[0] in "\"'":
            return token
        if token.startswith("/*") and not (token.endswith("*/") and len(token) >= 4):
            open_comment = match.start()
        comments.append(Comment(match.start(), match.end(), token))
        return _NOT_NEWLINE.sub(" ", token)

    raw = _COMMENT_OR_STRING.sub(blank, text)
    code, unclosed = _blank_inactive(raw)
    return CText(code, raw, tuple(comments), open_comment, unclosed)


def _blank_inactive(code: str) -> tuple[str, tuple[int, ...]]:
    """Blank directives and the branches that a plain C compiler on Linux skips.

    No macro counts as defined: of ``#ifdef X``/``#else`` the second branch stays, so C++ members,
    Windows variants and minimal builds fall away.
    """
    lines = code.split("\n")
    stack: list[tuple[int, bool, bool]] = []  # line, active now, a branch was taken
    continued = False
    for number, line in enumerate(lines):
        directive = None if continued else _DIRECTIVE.match(line)
        outer = all(active for _, active, _ in stack)
        if directive:
            word, rest = directive[1], directive[2]
            if word in ("if", "ifdef", "ifndef"):
                active = word == "ifndef" or (word == "if" and _holds(rest))
                stack.append((number + 1, active, active))
            elif word in ("else", "elif") and stack:
                line_of_if, _, taken = stack[-1]
                active = not taken and (word == "else" or _holds(rest))
                stack[-1] = (line_of_if, active, taken or active)
            elif word == "endif" and stack:
                stack.pop()
        is_directive = directive is not None or continued
        continued = is_directive and line.rstrip().endswith("\\")
        if is_directive or not outer:
            lines[number] = " " * len(line)
    return "\n".join(lines), tuple(line for line, _, _ in stack)


def _holds(condition: str) -> bool:
    """Whether an ``#if`` holds when no macro is defined; what we cannot judge holds."""
    if _NEGATED.fullmatch(condition):
        return True
    return not re.search(r"\bdefined\b|\b__cplusplus\b|^\s*0\s*$", condition)


def line_of(text: str, offset: int) -> int:
    """Line number of an offset, from 1."""
    return text.count("\n", 0, offset) + 1


def matching_brace(code: str, opening: int) -> int | None:
    """Offset of the brace that closes the one at ``opening``; None if the text ends first."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return None


def statements(code: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The statements between two offsets, each as (first character, its semicolon)."""
    depth = 0
    begin = start
    for match in re.compile(r"[(){};]").finditer(code, start, end):
        token = match[0]
        if token in "({":
            depth += 1
        elif token in ")}":
            depth -= 1
        elif depth == 0:
            begin += len(code[begin : match.start()]) - len(code[begin : match.start()].lstrip())
            if begin < match.start():
                yield begin, match.start()
            begin = match.end()


def split_arguments(text: str) -> list[str]:
    """Split at commas outside of parentheses; no text is no argument."""
    parts, depth, begin = [], 0, 0
    for index, char in enumerate(text):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[begin:index])
            begin = index + 1
    parts.append(text[begin:])
    return [part.strip() for part in parts if part.strip()]


def clean_type(text: str) -> str:
    """A type as epforge spells it: ``const OrtGraph* const*``, no annotations, no ``struct``."""
    text = _NOISE.sub(" ", _ANNOTATION.sub(" ", text))
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s*\*\s*", "* ", text).strip()
    text = re.sub(r"\* (?=[*,)\[]|$)", "*", text)
    text = re.sub(r"^(\w+) const(?=\*|$)", r"const \1", text)
    return text.replace("OrtStatusPtr", "OrtStatus*")


def parse_param(text: str) -> Param:
    """One parameter: ``_In_ const OrtGraph* graph``."""
    text = re.sub(r"\s+", " ", _NOISE.sub(" ", _ANNOTATION.sub(" ", text))).strip()
    pointer = _POINTER_PARAM.fullmatch(text)
    if pointer:
        inner = ", ".join(
            clean_type(parse_param(part).type) for part in split_arguments(pointer[3][1:-1])
        )
        return Param(f"{clean_type(pointer[1])} (*)({inner})", pointer[2])
    plain = _PLAIN.fullmatch(text)
    if plain and plain[2] not in _TYPE_WORDS:
        extent = re.sub(r"\s+", "", plain[3])
        return Param(clean_type(plain[1]) + extent, plain[2])
    return Param(clean_type(text), "")


def _params(text: str) -> tuple[Param, ...]:
    arguments = split_arguments(text)
    return () if arguments == ["void"] else tuple(map(parse_param, arguments))


def parse_member(statement: str) -> Declaration | None:
    """One statement of a struct body; None if it declares no member a C compiler knows."""
    text = statement.strip()
    macro = re.fullmatch(
        r"(ORT_API2_STATUS|ORT_API_T|ORT_CLASS_RELEASE)\s*\((.*)\)[^)]*", text, re.DOTALL
    )
    if macro:
        arguments = split_arguments(macro[2])
        if macro[1] == "ORT_CLASS_RELEASE":
            name = arguments[0]
            params: tuple[Param, ...] = (Param(f"Ort{name}*", "input"),)
            return Declaration(f"Release{name}", "void", params, True)
        returns = clean_type(arguments.pop(0)) if macro[1] == "ORT_API_T" else "OrtStatus*"
        return Declaration(arguments[0], returns, _params(", ".join(arguments[1:])), True)
    union = re.fullmatch(r"union\s*\{(.*)\}\s*(\w+)", text, re.DOTALL)
    if union:
        inner = "; ".join(re.sub(r"\s+", " ", part).strip() for part in union[1].split(";"))
        return Declaration(union[2], f"union {{ {inner.strip()} }}", None, False)
    bare = re.sub(r"\s+", " ", _NOISE.sub(" ", _ANNOTATION.sub(" ", text))).strip()
    pointer = _POINTER_MEMBER.fullmatch(bare)
    if pointer:
        return Declaration(pointer[2], clean_type(pointer[1]), _params(pointer[3]), True)
    plain = _PLAIN.fullmatch(bare)
    if plain and "(" not in bare and "{" not in bare:
        return Declaration(
            plain[2], clean_type(plain[1]) + re.sub(r"\s+", "", plain[3]), None, False
        )
    return None
