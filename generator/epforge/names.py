"""Names: the words once, asked for in every spelling; identifiers; versions.

A `Name` stores the words of a name and spells them as the target language wants them, so that
no template ever manipulates case. An `Identifier` is a string that has been checked to be one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD_BREAKS = re.compile(
    r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?!(?<=Na)N(?![a-z]))(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?"
    r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)


class Identifier(str):
    """A string that is an identifier in C++, Python and CMake. Construction checks it."""

    __slots__ = ()

    def __new__(cls, text: str) -> Identifier:
        if not _IDENTIFIER.fullmatch(text):
            raise ValueError(f"{text!r} is not an identifier: letters, digits and _ only")
        return super().__new__(cls, text)


class Safe(str):
    """Text that may be printed into a file as it is: ready source code of the target language.

    A template prints integers, identifiers and this, and nothing else. Wrap only what epforge
    itself wrote (an expression of a kernel family, a C++ type); text of a blueprint goes through
    a filter of `epforge.render.filters`.
    """

    __slots__ = ()


@dataclass(frozen=True)
class Name:
    """A name as its words, lower case: ("contoso", "npu")."""

    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Name:
        """The words of ``text``, split at punctuation and at changes of case.

        ``contoso-npu``, ``contoso_npu`` and ``ContosoNpu`` are the same name;
        ``BatchNormalization`` is two words, and so is ``IsNaN``. Raises ValueError when there is
        no word.
        """
        words = tuple(word.lower() for word in _WORD_BREAKS.split(text) if word)
        if not words:
            raise ValueError(f"{text!r} has no word in it")
        return cls(words)

    @property
    def camel(self) -> Identifier:
        """ContosoNpu"""
        return Identifier("".join(word.capitalize() for word in self.words))

    @property
    def lower_camel(self) -> Identifier:
        """contosoNpu"""
        camel = self.camel
        return Identifier(camel[0].lower() + camel[1:])

    @property
    def snake(self) -> Identifier:
        """contoso_npu"""
        return Identifier("_".join(self.words))

    @property
    def screaming(self) -> Identifier:
        """CONTOSO_NPU"""
        return Identifier("_".join(self.words).upper())

    @property
    def kebab(self) -> str:
        """contoso-npu"""
        return "-".join(self.words)


@dataclass(frozen=True)
class SemVer:
    """A semantic version 2.0."""

    major: int
    minor: int
    patch: int
    pre: str = ""
    build: str = ""

    @classmethod
    def parse(cls, text: str) -> SemVer:
        """Raises ValueError for what is no semantic version 2.0, such as ``1.2`` and ``v1.0.0``."""
        match = _SEMVER.fullmatch(text)
        if not match:
            raise ValueError(f"{text!r} is not a semantic version: MAJOR.MINOR.PATCH[-PRE][+BUILD]")
        major, minor, patch, pre, build = match.groups()
        return cls(int(major), int(minor), int(patch), pre or "", build or "")

    def __str__(self) -> str:
        pre = f"-{self.pre}" if self.pre else ""
        build = f"+{self.build}" if self.build else ""
        return f"{self.cmake}{pre}{build}"

    @property
    def cmake(self) -> str:
        """The numbers alone, as CMake's ``project(VERSION ...)`` wants them."""
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def pep440(self) -> str:
        """The same version for Python packages.

        ``-alpha.1`` is ``a1``, ``-beta.2`` ``b2``, ``-rc.1`` ``rc1``, ``-dev.3`` ``.dev3``; any
        other pre-release has no counterpart and raises ValueError.
        """
        local = "+" + re.sub(r"[^0-9A-Za-z]+", ".", self.build) if self.build else ""
        if not self.pre:
            return self.cmake + local
        match = re.fullmatch(r"(alpha|a|beta|b|rc|dev)[.-]?(\d*)", self.pre)
        if not match:
            raise ValueError(f"pre-release {self.pre!r} has no counterpart in PEP 440")
        kind, number = match.groups()
        tag = {"alpha": "a", "beta": "b", "dev": ".dev"}.get(kind, kind)
        return f"{self.cmake}{tag}{number or 0}{local}"
