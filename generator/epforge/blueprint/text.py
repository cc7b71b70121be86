"""The bytes of a blueprint as text, and offsets in that text as lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from epforge.blueprint.diagnostic import BlueprintErrors, Diagnostic, Fix, Span
from epforge.errors import UsageError

#: Largest blueprint that is read, in bytes. The full operator catalogue fits in a tenth of it.
MAX_BYTES = 1_000_000

_LINE_END = re.compile(r"\r\n|\n|\r")
# YAML 1.2 c-printable, without the byte order mark, which has no business inside a text.
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_MARK = "\ufeff"
_MARKS = ((b"\xff\xfe\x00\x00", "UTF-32"), (b"\x00\x00\xfe\xff", "UTF-32"))
_SHORT_MARKS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


def split_lines(text: str, keep_ends: bool = False) -> list[str]:
    """The lines of a text. Only LF, CRLF and CR end a line, as in editors."""
    lines, start = [], 0
    for match in _LINE_END.finditer(text):
        lines.append(text[start : match.end() if keep_ends else match.start()])
        start = match.end()
    if start < len(text):
        lines.append(text[start:])
    return lines


class SourceText:
    """A text and its line table.

    Args:
        file: the name that diagnostics show.
        text: the text, without a byte order mark.
        mark: the byte order mark that came before it, or nothing.
    """

    def __init__(self, file: str, text: str, mark: str = "") -> None:
        self.file = file
        self.text = text
        self.mark = mark
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    @property
    def whole(self) -> str:
        """The text as it was read, with its byte order mark."""
        return self.mark + self.text

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of an offset in characters; beyond the end counts as the end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The stretch between two offsets; at least one character long where there is one."""
        end = max(end, start)
        return Span(*self.position(start), *self.position(end))

    def offset(self, line: int, column: int) -> int:
        """The offset in characters of a line and a column, from 1."""
        return self._starts[line - 1] + column - 1

    def first_line(self, span: Span) -> Span:
        """``span``, cut at the end of its first line: what a caret can show."""
        if span.end_line == span.line:
            return span
        line = self.text[self._starts[span.line - 1] : self._starts[span.line]].rstrip("\r\n")
        return Span(span.line, span.column, span.line, max(span.column, len(line) + 1))

    def slice(self, span: Span) -> str:
        """The text of a span."""
        start = self.offset(span.line, span.column)
        return self.text[start : self.offset(span.end_line, span.end_column)]

    def error(
        self, span: Span, code: str, message: str, expected: str = "", hint: str = ""
    ) -> Diagnostic:
        """An error at a place of this text."""
        place = (span.line, span.column, span.end_line, span.end_column)
        return Diagnostic(self.file, *place, code, message, expected, hint)


def read_text(path: Path) -> SourceText:
    """A blueprint from disk.

    Raises:
        UsageError: the file cannot be read.
        BlueprintErrors: it is too large, or is not UTF-8 text.
    """
    try:
        if not path.is_file():
            problem = "is a directory" if path.is_dir() else "is not a regular file"
            if not path.exists():
                problem = "does not exist"
            raise UsageError(f"blueprint {path} {problem}", "Give the path of a YAML file.")
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read blueprint {str(path)!r}: {reason}") from error
    return decode(data, str(path))


def raw_text(path: Path) -> str | None:
    """A blueprint's text as it is, with its byte order mark and whatever is wrong with it; None
    where it is none of UTF-8, or too large. Raises UsageError like `read_text`."""
    with suppress(BlueprintErrors):
        return read_text(path).whole
    data = path.read_bytes()
    if len(data) > MAX_BYTES:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def decode(data: bytes, file: str) -> SourceText:
    """The text in ``data``. Raises BlueprintErrors like `read_text`."""
    if len(data) > MAX_BYTES:
        raise _too_large(file)
    for mark, encoding in (*_MARKS, *_SHORT_MARKS):
        if data.startswith(mark):
            raise _fatal(
                SourceText(file, ""),
                0,
                "encoding",
                f"the file is {encoding}",
                "UTF-8",
                "save the file as UTF-8",
            )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        after = data[error.start :].decode("utf-8", errors="replace")
        raise _fatal(
            SourceText(file, before + after),
            len(before),
            "encoding",
            f"byte 0x{data[error.start]:02X} is not UTF-8",
            "UTF-8 text",
            "save the file as UTF-8",
        ) from None
    return checked(text, file)


def checked(text: str, file: str) -> SourceText:
    """``text`` without its byte order mark, checked for size and for control characters."""
    mark = _MARK if text.startswith(_MARK) else ""
    source = SourceText(file, text.removeprefix(_MARK), mark)
    if len(text) > MAX_BYTES:
        raise _too_large(file)
    bad = _UNPRINTABLE.search(source.text)
    if bad:
        code = ord(bad.group())
        what = "a NUL byte" if code == 0 else f"the control character U+{code:04X}"
        raise _fatal(
            source,
            bad.start(),
            "control-character",
            f"{what} is not allowed in YAML",
            "printable text",
            "delete it",
            None if bad.group() == "\x1b" else Fix(source.span(bad.start(), bad.end()), ""),
        )
    if not source.text.strip():
        diagnostic = Diagnostic(
            file,
            1,
            1,
            1,
            1,
            "empty",
            "the blueprint is empty",
            "a mapping of keys to values",
            "the smallest: {epforge: 1, name: contoso-npu, vendor: Contoso, ops: [Relu]}",
        )
        raise BlueprintErrors([diagnostic], source.text)
    return source


def _too_large(file: str) -> BlueprintErrors:
    source = SourceText(file, "")
    return _fatal(
        source,
        0,
        "too-large",
        "the blueprint is too large",
        f"at most {MAX_BYTES} bytes",
        "a blueprint holds names and a table of operators; data belongs elsewhere",
    )


def _fatal(
    source: SourceText,
    offset: int,
    code: str,
    message: str,
    expected: str,
    hint: str,
    fix: Fix | None = None,
) -> BlueprintErrors:
    span = source.span(offset, offset + 1)
    error = replace(source.error(span, code, message, expected, hint), fix=fix)
    return BlueprintErrors([error], source.text)
