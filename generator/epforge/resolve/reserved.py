"""Names that generated code cannot have, and why.

Sources: the C++20 standard ([lex.key], [lex.digraph]); macros of the Windows SDK's minwindef.h,
windef.h, wingdi.h and rpcndr.h, of glibc and of the compilers themselves; Microsoft's "Naming
Files, Paths, and Namespaces"; ``onnxruntime.get_all_providers()`` of 1.32.0 and the provider
names in ONNX Runtime's constants.h. `data/c_names.txt` says where it is from.
"""

from __future__ import annotations

import keyword
import re
import sys
import unicodedata
from functools import cache
from importlib import resources

from epforge.blueprint.lookalikes import as_latin


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _words(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xor_eq"""
)

#: Macros of platform headers in lower case: nothing of that name survives the preprocessor.
MACROS = _words(
    """min max near far small interface hyper pascal cdecl linux unix i386 major minor makedev
    stdin stdout stderr errno assert offsetof alloca setjmp isnan isinf isfinite isnormal signbit
    fpclassify st_atime st_mtime st_ctime va_arg va_copy va_end va_start sa_handler yield"""
)

#: Macros of platform headers in upper case. A project named so has that word as its CMake prefix
#: and, spelt as people spell it, in the reader's eye.
LOUD_MACROS = _words(
    """ERROR IN OUT OPTIONAL NULL EOF TRUE FALSE CONST VOID DELETE CALLBACK WINAPI STRICT IGNORE
    OPAQUE TRANSPARENT ABSOLUTE RELATIVE INFINITE DOMAIN OVERFLOW UNDERFLOW"""
)

WINDOWS_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin", "conout"]
    + [f"{port}{number}" for port in ("com", "lpt") for number in range(10)]
)

#: Namespaces of libraries that plugins and their tests are built with.
NAMESPACES = _words(
    """std posix onnx onnxruntime ort onnx_c mlas gsl absl google protobuf testing boost fmt cuda
    cub thrust nv nvcuda cooperative_groups cutlass cute hip rocm sycl tbb eigen nanobind pybind11
    epforge"""
)

BUILT_IN_EPS = frozenset(
    f"{name}ExecutionProvider"
    for name in _words(
        """CPU CUDA Tensorrt NvTensorRTRTX MIGraphX ROCM OpenVINO Dnnl VitisAI QNN Nnapi
    VSINPU Js CoreML Dml Rknpu WebNN WebGpu Xnnpack CANN Azure ACL ArmNN Tvm Stvm SNPE Nuphar
    InternalTesting"""
    )
)

#: Libraries of the runtime and of the platform, which a plugin's file must not be taken for.
LIBRARIES = _words(
    """onnxruntime onnxruntime_providers_shared onnxruntime_providers_cuda
    onnxruntime_providers_tensorrt onnxruntime_providers_openvino onnxruntime_providers_dnnl
    onnxruntime_pybind11_state onnxruntime_genai c m dl rt pthread stdc util resolv nsl gomp
    kernel32 user32 ntdll"""
)

DISTRIBUTIONS = re.compile(r"(onnx|onnxruntime(-(gpu|directml|openvino|training|qnn|genai))?)")


@cache
def c_names() -> frozenset[str]:
    """Names that C and POSIX headers declare at global scope."""
    text = resources.files("epforge.resolve").joinpath("data/c_names.txt").read_text("ascii")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


def why_not_namespace(name: str) -> str | None:
    """The rule that keeps ``name`` (snake case) from being a namespace and a folder, or None."""
    if name in KEYWORDS:
        return "is a C++ keyword"
    if name in MACROS or name.upper() in LOUD_MACROS:
        return "is a macro in platform headers"
    if name in WINDOWS_DEVICES:
        return "is a device name on Windows"
    if name in NAMESPACES:
        return "is the namespace of another library"
    if name in c_names():
        return "is declared by the C library"
    return None


def why_not_member(name: str) -> str | None:
    """The rule that keeps ``name`` from being a C++ member or a Python argument, or None."""
    if name in KEYWORDS:
        return "is a C++ keyword"
    if name in MACROS:
        return "is a macro in platform headers"
    return "is a Python keyword" if keyword.iskeyword(name) else None


def why_not_package(name: str) -> str | None:
    """The rule that keeps ``name`` from being a Python package, or None."""
    if keyword.iskeyword(name):
        return "is a Python keyword"
    if name in sys.stdlib_module_names:
        return "is a module of Python's standard library"
    if name in WINDOWS_DEVICES:
        return "is a device name on Windows"
    return "is a package of ONNX Runtime" if name in ("onnx", "onnxruntime") else None


def built_in_ep(name: str) -> str | None:
    """The execution provider of ONNX Runtime itself that ``name`` would be taken for, or None.

    The names are compared without case: option keys carry the name in lower case.
    """
    folded = {known.casefold(): known for known in BUILT_IN_EPS}
    return folded.get(name.casefold())


def ascii_words(text: str, joint: str = "-", fallback: str = "my-ep") -> str:
    """The nearest name to ``text`` that is made of ASCII letters, digits and ``joint``."""
    flat = (
        unicodedata.normalize("NFKD", as_latin(text[:200]))
        .encode("ascii", "ignore")
        .decode("ascii")
    )
    words = re.sub(r"[^A-Za-z0-9]+", joint, flat).strip(joint)[:40].strip(joint)
    if not words:
        return fallback
    return words if words[0].isalpha() else f"ep{joint}{words}"
