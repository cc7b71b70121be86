"""Libraries beside the plugin's, and the names of distributions: what is taken, what is refused."""

from __future__ import annotations

import pytest

from epforge.blueprint import parse
from epforge.resolve import analyse, resolve
from epforge.resolve.libraries import file_name, versionless

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n"


@pytest.mark.parametrize(
    ("library", "linux", "macos", "windows"),
    [
        ("acme_rt", "libacme_rt.so", "libacme_rt.dylib", "acme_rt.dll"),
        ("libacme_rt.so", "libacme_rt.so", None, None),
        ("libacme_rt.so.2.1", "libacme_rt.so.2.1", None, None),
        ("libacme_rt.2.dylib", None, "libacme_rt.2.dylib", None),
        ("AcmeRt.DLL", None, None, "AcmeRt.DLL"),
        ("acme.rt", "libacme.rt.so", "libacme.rt.dylib", "acme.rt.dll"),
    ],
)
def test_an_entry_is_a_stem_or_the_file_of_one_platform(
    library: str, linux: str | None, macos: str | None, windows: str | None
) -> None:
    files = [file_name(library, platform) for platform in ("linux", "macos", "windows")]
    assert files == [linux, macos, windows]


@pytest.mark.parametrize("library", ["libcuda.so.1", "libcuda.so.12", "libcuda.so", "cuda"])
def test_a_version_is_not_part_of_a_library(library: str) -> None:
    assert versionless(library) == "cuda"


@pytest.mark.parametrize(
    ("text", "position", "code", "words"),
    [
        ("runtime_libs: [lib/libacme.so]", (5, 16), "bad-value", "write libacme.so"),
        ("runtime_libs: ['..\\acme.dll']", (5, 16), "bad-value", "write acme.dll"),
        ("runtime_libs: ['a b.so']", (5, 16), "bad-value", "without a directory"),
        ("runtime_libs: [libacme.a]", (5, 16), "bad-value", "not a shared library"),
        ("runtime_libs: [libacme_rt]", (5, 16), "bad-value", "write acme_rt, or libacme_rt.so"),
        ("runtime_libs: [a.so, a.so]", (5, 22), "listed-twice", "delete one"),
        ("runtime_libs: [acme, libacme.so]", (5, 22), "listed-twice", "delete one"),
        ("runtime_libs: [acme.dll, ACME.DLL]", (5, 26), "listed-twice", "delete one"),
        ("runtime_libs: [onnxruntime_ep_contoso_npu]", (5, 16), "name-collision", "own library"),
        (
            "runtime_libs: [Onnxruntime_ep_contoso_npu.dll]",
            (5, 16),
            "name-collision",
            "own library",
        ),
        ("runtime_libs: [libonnxruntime.so.1]", (5, 16), "reserved-name", "the application"),
        ("system_libs: [/usr/lib/libcuda.so.1]", (5, 15), "bad-value", "write libcuda.so.1"),
        ("system_libs: [a.so, a.so]", (5, 21), "listed-twice", "delete one"),
        (
            "runtime_libs: [libacme.so.1]\nsystem_libs: [libacme.so]",
            (6, 15),
            "name-collision",
            "which are shipped",
        ),
        (
            "python: {distributions: [{suffix: -cu12}, {suffix: _CU12}]}",
            (5, 52),
            "name-collision",
            "give one distribution",
        ),
        (
            "python: {distributions: [{suffix: ''}, {suffix: -native}]}",
            (5, 49),
            "name-collision",
            "another distribution of yours",
        ),
    ],
)
def test_what_cannot_be_shipped_is_refused(
    text: str, position: tuple[int, int], code: str, words: str
) -> None:
    (error,) = analyse(parse(f"{HEAD}{text}\n")).errors
    assert (error.line, error.column, error.code) == (*position, code)
    assert words in " ".join((error.message, error.expected, error.hint))


def test_what_can_be_shipped_is_taken_as_it_is_written() -> None:
    blueprint = resolve(
        parse(
            f"{HEAD}runtime_libs: [acme_rt, libacme_dsp.so.3, acme_dsp.dll]\n"
            "system_libs: [libcuda.so.1, OpenCL]\n"
            "python: {distributions: [{suffix: -cu12}, {suffix: -cu13}]}\n"
        )
    )
    assert blueprint.runtime_libs == ("acme_rt", "libacme_dsp.so.3", "acme_dsp.dll")
    assert blueprint.system_libs == ("libcuda.so.1", "OpenCL")
    assert blueprint.distributions == ("-cu12", "-cu13")
