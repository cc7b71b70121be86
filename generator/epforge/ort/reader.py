"""Reads what a set of official ONNX Runtime headers declares, without a compiler.

It serves levels newer than the table and checks an SDK against the table. A test compares it with
libclang, member by member.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import MissingError
from epforge.ort.ctext import (
    CText,
    Declaration,
    line_of,
    matching_brace,
    parse_member,
    split_comments,
    statements,
)
from epforge.ort.model import ApiLevel, Confidence, Key, Member, Role, Struct

C_API = "onnxruntime_c_api.h"
EP_API = "onnxruntime_ep_c_api.h"
KEY_HEADERS: Mapping[str, str] = {
    "onnxruntime_session_options_config_keys.h": "session",
    "onnxruntime_run_options_config_keys.h": "run",
    "onnxruntime_env_config_keys.h": "environment",
    "onnxruntime_ep_device_ep_metadata_keys.h": "ep-device",
}

ROLES: Mapping[str, Role] = {
    **dict.fromkeys(
        (
            "OrtEpFactory",
            "OrtEp",
            "OrtNodeComputeInfo",
            "OrtNodeFusionOptions",
            "OrtKernelImpl",
            "OrtLoopKernelHelper",
            "OrtScanKernelHelper",
            "OrtAllocator",
            "OrtDataTransferImpl",
            "OrtSyncStreamImpl",
            "OrtSyncNotificationImpl",
            "OrtExternalResourceImporterImpl",
            "OrtExternalMemoryHandle",
            "OrtExternalSemaphoreHandle",
            "OrtEpProfilerImpl",
            "OrtCustomOp",
        ),
        Role.IMPLEMENTS,
    ),
    **dict.fromkeys(
        (
            "OrtApiBase",
            "OrtApi",
            "OrtEpApi",
            "OrtModelEditorApi",
            "OrtCompileApi",
            "OrtInteropApi",
            "OrtModelPackageApi",
        ),
        Role.CALLS,
    ),
    **dict.fromkeys(
        (
            "OrtResourceCount",
            "OrtEnvCreationOptions",
            "OrtGraphicsInteropConfig",
            "OrtExternalMemoryDescriptor",
            "OrtExternalSemaphoreDescriptor",
            "OrtExternalTensorDescriptor",
        ),
        Role.PASSES,
    ),
}
"""The structs the table holds, in its order, and who fills them."""

FIRST_MARKED_LEVEL = 22
"""Headers mark the first level of members since this one, and only of some older ones."""

_STRUCT = re.compile(r"\b(?:typedef\s+)?struct\s+(\w+)\s*\{")
_SINCE = re.compile(r"[\\@]since\s+(?:[Vv]ersion\s+)?1\.(\d+)")
_LEVEL = re.compile(r"^[ \t]*#[ \t]*define[ \t]+ORT_API_VERSION[ \t]+(\d+)\b", re.MULTILINE)
_KEY = re.compile(
    r'^\s*static\s+const\s+char\s*\*\s*const\s+(\w+)\s*=\s*("(?:[^"\\\n]|\\.)*")\s*;', re.MULTILINE
)


class HeaderError(MissingError):
    """A header cannot be read or is not what its name says; `file` names it."""

    def __init__(self, file: Path, message: str) -> None:
        super().__init__(
            f"{file}: {message}", "Take all headers from one official release: epforge sdk install"
        )
        self.file = file
        self.problem = message


@dataclass(frozen=True)
class Declared:
    """A struct as a header declares it; `marks` are the levels its comments state, or None."""

    name: str
    header: str
    since: int | None
    members: tuple[Declaration, ...]
    marks: tuple[int | None, ...]


@dataclass(frozen=True)
class HeaderSet:
    """What one directory of headers declares.

    Args:
        directory: where the headers are.
        level: the API level they state.
        structs: all structs, by name.
        keys: well-known keys as (scope, constant, key).
    """

    directory: Path
    level: int
    structs: Mapping[str, Declared]
    keys: tuple[tuple[str, str, str], ...]


def read_text(file: Path) -> str:
    """The text of a header. Raises HeaderError when it is no readable C text."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise HeaderError(file, "the file is missing") from None
    except IsADirectoryError:
        raise HeaderError(file, "is a directory, not a header") from None
    except OSError as error:
        raise HeaderError(file, f"cannot be read: {error.strerror}") from None
    if not data.strip():
        raise HeaderError(file, "is empty")
    if data.startswith(b"version https://git-lfs"):
        raise HeaderError(file, "is a Git LFS pointer, not the header itself")
    if data.lstrip()[:1] == b"<":
        raise HeaderError(file, "is a web page, not a header")
    if b"\0" in data:
        raise HeaderError(file, "is a binary file, not a header")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise HeaderError(file, f"is not UTF-8 text (byte {error.start})") from None


def read_c(file: Path) -> CText:
    """The header split into code and comments. Raises HeaderError when it ends too early."""
    text = read_text(file)
    parts = split_comments(text)
    if parts.open_comment is not None:
        line = line_of(text, parts.open_comment)
        raise HeaderError(file, f"is cut off: the comment of line {line} never ends")
    if parts.open_conditionals:
        line = parts.open_conditionals[-1]
        raise HeaderError(file, f"is cut off: the #if of line {line} has no #endif")
    return parts


def read_level_number(directory: Path) -> int:
    """The API level that the headers in ``directory`` state. Raises HeaderError."""
    file = directory / C_API
    match = _LEVEL.search(read_text(file))
    if not match:
        raise HeaderError(file, "does not define ORT_API_VERSION")
    return int(match[1])


def read_structs(file: Path) -> dict[str, Declared]:
    """All structs one header declares. Raises HeaderError."""
    parts = read_c(file)
    found: dict[str, Declared] = {}
    position = 0
    while match := _STRUCT.search(parts.code, position):
        opening = match.end() - 1
        closing = matching_brace(parts.code, opening)
        if closing is None:
            line = line_of(parts.code, match.start())
            raise HeaderError(file, f"is cut off: struct {match[1]} of line {line} never ends")
        found[match[1]] = _declared(match[1], file.name, parts, match.start(), opening, closing)
        position = closing
    return found


def _declared(
    name: str, header: str, parts: CText, start: int, opening: int, closing: int
) -> Declared:
    members: list[Declaration] = []
    marks: list[int | None] = []
    previous = opening + 1
    for begin, semicolon in statements(parts.code, opening + 1, closing):
        declaration = parse_member(parts.code[begin:semicolon])
        if declaration:
            members.append(declaration)
            marks.append(_mark(parts, previous, begin))
        previous = semicolon + 1
    before = parts.code.rfind(";", 0, start)
    before = max(before, parts.code.rfind("}", 0, start)) + 1
    return Declared(name, header, _mark(parts, before, start), tuple(members), tuple(marks))


def _mark(parts: CText, start: int, end: int) -> int | None:
    """The last level stated in the comments that lie between two offsets."""
    level = None
    for comment in parts.comments:
        if comment.start >= end:
            break
        if comment.start >= start:
            for match in _SINCE.finditer(comment.text):
                level = int(match[1])
    return level


def read_keys(directory: Path) -> tuple[tuple[str, str, str], ...]:
    """The well-known keys of the key headers that are there, as (scope, constant, key)."""
    found: list[tuple[str, str, str]] = []
    for header, scope in KEY_HEADERS.items():
        file = directory / header
        if file.exists():
            code = read_c(file).code
            found += [(_scope(name, scope), name, text[1:-1]) for name, text in _KEY.findall(code)]
    return tuple(found)


def _scope(constant: str, of_header: str) -> str:
    """The constants of one header serve several scopes; their prefix tells which."""
    if constant.startswith("kOrtHardwareDevice_"):
        return "hardware-device"
    if constant.startswith("kOrtModelMetadata_"):
        return "model"
    return "dynamic" if constant.startswith("kOrtEpDynamic") else of_header


def read_headers(directory: Path) -> HeaderSet:
    """Everything the headers in ``directory`` declare.

    ``directory`` is the one that holds ``onnxruntime_c_api.h`` itself. Raises HeaderError naming
    the file that is missing, unreadable or cut off.
    """
    level = read_level_number(directory)
    structs = read_structs(directory / C_API) | read_structs(directory / EP_API)
    return HeaderSet(directory, level, structs, read_keys(directory))


def fill_since(
    marks: tuple[int | None, ...], fallback: int, floor: int = 0
) -> tuple[tuple[int, bool], ...]:
    """(level, exact) per member, from the marks some of them carry.

    Structs only grow at the end, so a member without a mark is at most as new as the next marked
    one; that level certainly has it, and is exact when the mark before says the same. Nothing is
    older than ``floor``; ``fallback`` is for the members after the last mark.
    """
    filled: list[tuple[int, bool]] = []
    upper = fallback
    for mark in reversed(marks):
        upper = mark if mark is not None else upper
        filled.append((upper, mark is not None))
    filled.reverse()
    lower = floor
    result: list[tuple[int, bool]] = []
    for level, exact in filled:
        result.append((level, exact or level == lower))
        lower = level if exact else lower
    return tuple(result)


def to_struct(declared: Declared, level: int, source: str) -> Struct:
    """A struct of the table's shape from what a header of ``level`` declares."""
    fallback = declared.since or min(level, FIRST_MARKED_LEVEL)
    newest = max(fallback, *(mark or 0 for mark in declared.marks))
    levels = fill_since(declared.marks, newest, declared.since or 0)
    members = tuple(
        Member(
            name=declaration.name,
            type=declaration.type,
            params=declaration.params,
            since=since,
            since_exact=exact,
            is_function=declaration.is_function,
            confidence=Confidence.HEADER,
            source=source,
        )
        for declaration, (since, exact) in zip(declared.members, levels, strict=True)
    )
    return Struct(
        declared.name, ROLES.get(declared.name, Role.PASSES), members, header=declared.header
    )


def read_level(directory: Path) -> ApiLevel:
    """The API level that a directory of headers declares, in the shape of the table.

    What no header says (which null crashes the host, corrections) is not in it:
    `epforge.ort.levels.describe` adds what the table knows.
    """
    headers = read_headers(directory)
    source = f"headers of ONNX Runtime 1.{headers.level}"
    structs = {
        name: to_struct(headers.structs[name], headers.level, source)
        for name in ROLES
        if name in headers.structs
    }
    keys = tuple(
        Key(key, constant, scope, headers.level, exact=False, source=source)
        for scope, constant, key in headers.keys
    )
    return ApiLevel(headers.level, structs, keys, source=source)
