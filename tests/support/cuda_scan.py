"""Reads CUDA code for what waits for more than its stream, or is put into no stream at all.

An error of that kind shows as a wrong number, on some machines, sometimes (FR 53): so code is read,
where no device is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_CALL = re.compile(r"\b(cu(?:da|blas|dnn)?[A-Z]\w*)\s*\(")
_LAUNCH = re.compile(r"<<<(.*?)>>>", re.DOTALL)
_LOOKED_UP = re.compile(r'Find\(\s*"(cublas|cudnn)([A-Z]\w*)"')
_STREAM = re.compile(r"stream|queue", re.IGNORECASE)
_DEFAULT_STREAM = re.compile(
    r"\b(cudaStreamLegacy|cudaStreamPerThread|cudaStreamDefault|CU_STREAM_\w+|default-stream)\b"
)

#: Whole devices are waited for, or the default stream is used.
_NEVER = re.compile(
    r"cudaDeviceSynchronize|cudaThreadSynchronize|cuCtxSynchronize|cudaDeviceReset"
    r"|cudaStreamCreate|cuda(Memcpy|Memset)(?!\w*Async$)\w*"
)
#: Position of the stream among the arguments; from the end where it is negative.
_PLACES = {"cudaEventRecord": 1, "cudaStreamWaitEvent": 0, "cudaLaunchKernel": -1}
#: What kernels may call: nothing of it waits.
_FOR_KERNELS = re.compile(
    r"cudaGetLastError|cudaPeekAtLastError|cudaGetErrorString|cudaGetErrorName"
    r"|cudaMem(cpy|set)\w*Async"
)
#: Calls of libraries that put nothing into a stream.
_QUIET = re.compile(r"(Create|Destroy|Set|Get|Find)\w*")


def faults(files: Mapping[str, str]) -> list[str]:
    """What is wrong, each with its file.

    Args:
        files: contents by path; kernels are below ``src/gen/kernels`` and ``src/kernels``.
    """
    return [f"{path}: {fault}" for path, text in files.items() for fault in _of(path, text)]


def _of(path: str, text: str) -> Iterator[str]:
    text = _COMMENT.sub("", text)
    code = _STRING.sub('""', text)
    for match in _DEFAULT_STREAM.finditer(code):
        yield f"{match[1]}: the default stream"
    for match in _LAUNCH.finditer(code):
        arguments = _split(match[1])
        if len(arguments) < 4 or not _is_stream(arguments[3]):
            yield f"<<<{match[1].strip()}>>>: launched on no stream of its own"
    is_kernel = path.startswith(("src/gen/kernels/", "src/kernels/"))
    for match in _CALL.finditer(code):
        name = match[1]
        arguments = _split(_within(code, match.end()))
        if name.startswith("cuda"):
            yield from _call(name, arguments, is_kernel)
        elif not _QUIET.match(name.removeprefix("cublas").removeprefix("cudnn")) and not re.search(
            r"(cublas|cudnn)SetStream\w*\(", code[: match.start()]
        ):
            yield f"{name}: its handle has no stream"
    yield from _library(text, code)


def _call(name: str, arguments: list[str], is_kernel: bool) -> Iterator[str]:
    if _NEVER.fullmatch(name):
        yield f"{name}: not of one stream"
    elif is_kernel and not _FOR_KERNELS.fullmatch(name):
        yield f"{name}: may wait, or takes memory, which is not for kernels"
    elif name == "cudaStreamCreateWithFlags" and "cudaStreamNonBlocking" not in arguments:
        yield f"{name}: waits for the default stream"
    elif name.endswith("Async") or name in _PLACES:
        place = _PLACES.get(name, -1)
        given = arguments[place] if place < len(arguments) else ""
        if not _is_stream(given):
            yield f"{name}({', '.join(arguments)}): put into no stream of its own"


def _library(text: str, code: str) -> Iterator[str]:
    """Functions that are looked up by name and called through pointers."""
    looked_up: dict[str, set[str]] = {}
    for match in _LOOKED_UP.finditer(text):
        looked_up.setdefault(match[1], set()).add(match[2])
    for library, functions in looked_up.items():
        if all(_QUIET.match(function) for function in functions):
            continue
        given = [_split(_within(code, m.end())) for m in re.finditer(r"\bset_stream\(", code)]
        if not any(function.startswith("SetStream") for function in functions) or not any(
            len(arguments) == 2 and _is_stream(arguments[1]) for arguments in given
        ):
            yield f"{library}: its handle has no stream"


def _is_stream(argument: str) -> bool:
    return bool(_STREAM.search(argument)) and not re.search(r"nullptr|NULL|\b0\b", argument)


def _within(code: str, start: int) -> str:
    """What stands between a parenthesis, just before ``start``, and its partner."""
    depth = 1
    for index in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[index], 0)
        if not depth:
            return code[start:index]
    return code[start:]


def _split(arguments: str) -> list[str]:
    """At the commas that stand in no brackets."""
    parts, depth, last = [], 0, 0
    for index, letter in enumerate(arguments):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append(arguments[last:index].strip())
            last = index + 1
    parts.append(arguments[last:].strip())
    return [part for part in parts if part]
