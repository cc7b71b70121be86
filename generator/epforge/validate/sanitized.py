"""What sanitizers report on stderr, and which of it is a library's doing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from epforge.validate.symbols import short
from epforge.validate.worker.probing import MARK

_FRAME = re.compile(
    r"\s*#\d+ 0x[0-9a-f]+ \((?P<module>.*?)\+(?P<offset>0x[0-9a-f]+)\) in (?P<at>.*)"
)
_LEAK = re.compile(r"Direct leak of (?P<bytes>\d+) byte\(s\) in (?P<objects>\d+) object")
_FALL = re.compile(r"ERROR: AddressSanitizer:? (?P<kind>[\w-]+(?: \w+)*?)(?= on | \(|:|$)")
_UNDEFINED = re.compile(r"runtime error: (?P<text>.*)")
_BROKEN = "LeakSanitizer has encountered a fatal error"
_NOWHERE = "<null>"
_ALLOCATORS = re.compile(
    r"\boperator (new|delete)\b|\b(m|c|re)alloc\b|\bfree\b|^Allocate\b|^std::|__cxa"
)
_STANDARD = re.compile(r"(void |bool )?(std|__gnu_cxx)::|operator (new|delete)")
_SYSTEM = re.compile(r"/lib(asan|ubsan|lsan|tsan|stdc\+\+|gcc_s|c|c\+\+|m)\.so")


@dataclass(frozen=True)
class Frame:
    """A frame of a stack.

    Args:
        function: empty where it has no name.
        place: file and line, where that is known.
    """

    module: str
    offset: str
    function: str
    place: str

    @property
    def words(self) -> str:
        name = f"{short(self.function)} " if self.function else ""
        place = re.sub(r"^(\.\./)+|:0$", "", self.place)
        return f"{name}({place or f'{Path(self.module).name}+{self.offset}'})"


@dataclass(frozen=True)
class Report:
    """One report.

    Args:
        step: what the program was at.
        text: in words: "leak of 48 bytes in 1 object", "heap-use-after-free".
        frames: the first stack, innermost first.
    """

    step: str
    text: str
    frames: tuple[Frame, ...]

    @property
    def is_leak(self) -> bool:
        return self.text.startswith("leak of ")

    def blamed(self, library: Path, between: Sequence[Path]) -> Frame | None:
        """The frame of the library that is to blame; None where it is somebody else's doing.

        What the runtime allocates for itself is its own, and it is not the library's that the
        runtime was called by it: only what a function of the runtime returned to the library is.

        Args:
            between: the runtime, and what stands between it and the library.
        """
        passed = {path.name for path in between}
        inner = None  # of the library's, yet the C++ library's by its name
        for frame in self.frames:
            if Path(frame.module).name == library.name:
                if not _STANDARD.match(frame.function):
                    return frame
                inner = inner or frame
                continue
            if inner:
                return inner
            if _SYSTEM.search(frame.module) or _ALLOCATORS.search(frame.function):
                continue
            if Path(frame.module).name not in passed:
                return None
        return inner


def reports(stderr: str) -> list[Report]:
    """The reports in what a program wrote, in order."""
    return list(_reports(stderr.splitlines()))


def broken(stderr: str) -> bool:
    """Could the program not look for leaks at all, as where tracing is not allowed?"""
    return _BROKEN in stderr


def _reports(lines: Sequence[str]) -> Iterator[Report]:
    step = ""
    for index, line in enumerate(lines):
        if line.startswith(MARK):
            step = line.removeprefix(MARK)
        text = _text(line)
        if text:
            yield Report(step, text, tuple(_frames(lines[index + 1 :])))


def _text(line: str) -> str:
    """What a line begins a report of; empty if it does not."""
    if leak := _LEAK.search(line):
        count = int(leak["objects"])
        return f"leak of {leak['bytes']} bytes in {count} object{'' if count == 1 else 's'}"
    if fall := _FALL.search(line):
        return fall["kind"]
    if undefined := _UNDEFINED.search(line):
        return f"undefined behaviour: {undefined['text']}"
    return ""


def _frames(lines: Sequence[str]) -> Iterator[Frame]:
    """The first stack of a report."""
    begun = False
    for line in lines:
        found = _FRAME.match(line)
        if found:
            begun = True
            function, _, place = found["at"].rpartition(" ")
            known = place not in ("", _NOWHERE) and ":" in place
            if not function:
                function = "" if known else place
            name = "" if function in (_NOWHERE, "(unknown)") else function
            yield Frame(found["module"], found["offset"], name, place if known else "")
        elif begun or _text(line):
            return


def stack(lines: Sequence[str]) -> tuple[Frame, ...]:
    """The first stack in some lines, innermost frame first."""
    return tuple(_frames(lines))


def own_frame(frames: Sequence[Frame], library: Path) -> Frame | None:
    """The innermost frame of a library's, without what the C++ library has put into it."""
    own = [frame for frame in frames if Path(frame.module).name == library.name]
    return next((frame for frame in own if not _STANDARD.match(frame.function)), None) or next(
        iter(own), None
    )
