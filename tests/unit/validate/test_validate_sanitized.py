"""Reports of sanitizers: read, and attributed to whom they belong."""

from __future__ import annotations

from pathlib import Path

import pytest

from epforge.validate.sanitized import broken, reports

LIBRARY = Path("/build/libacme_ep.so")
RUNTIME = Path("/wheel/capi/libonnxruntime.so.1.32.0")
_HOST = "    #{} 0x55b3 (/cache/host+0x21488c) in {} /src/host/plugin.cc:116"
_MALLOC = "    #0 0x7fac (/lib/libasan.so.8+0xb89cf) in __interceptor_malloc ../../asan.cpp:69"
_NEW = "    #1 0x55b3 (/cache/host+0x1bbe85) in operator new(unsigned long) /src/host/exhaust.cc:67"
_RUNTIME = "    #{} 0x7fab (/wheel/capi/libonnxruntime.so.1.32.0+0xbe{}) in (unknown) <null>"


def _leak(*frames: str) -> str:
    return "\n".join(
        [
            "epforge-step: devices",
            "==7==ERROR: LeakSanitizer: detected memory leaks",
            "",
            "Direct leak of 288 byte(s) in 9 object(s) allocated from:",
            _MALLOC,
            _NEW,
            *frames,
            "",
            "SUMMARY: AddressSanitizer: 288 byte(s) leaked in 9 allocation(s).",
        ]
    )


def test_a_leak_is_blamed_on_the_library_with_file_and_line() -> None:
    ours = (
        "    #2 0x7fac (/build/libacme_ep.so+0xbebb) in acme::Factory::List(OrtEpDevice**, "
        "unsigned long) ../../src/abi/factory.cc:31"
    )
    (report,) = reports(_leak(ours, _HOST.format(3, "main")))
    assert report.step == "devices"
    assert report.text == "leak of 288 bytes in 9 objects"
    frame = report.blamed(LIBRARY, [RUNTIME])
    assert frame is not None
    assert frame.words == "acme::Factory::List (src/abi/factory.cc:31)"


def test_a_frame_without_a_name_has_its_offset() -> None:
    ours = "    #2 0x7fac (/build/libacme_ep.so+0xbebb) in (unknown) <null>"
    (report,) = reports(_leak(ours))
    frame = report.blamed(LIBRARY, [RUNTIME])
    assert frame is not None
    assert frame.words == "(libacme_ep.so+0xbebb)"


def test_what_the_runtime_made_for_the_library_is_the_librarys() -> None:
    ours = "    #4 0x7fac (/build/libacme_ep.so+0x11) in acme::Add() <null>"
    (report,) = reports(_leak(_RUNTIME.format(2, "01"), _RUNTIME.format(3, "02"), ours))
    frame = report.blamed(LIBRARY, [RUNTIME])
    assert frame is not None
    assert frame.function == "acme::Add()"


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param([_RUNTIME.format(2, "01"), _HOST.format(3, "main")], id="runtime"),
        pytest.param([_HOST.format(2, "Do"), _HOST.format(3, "main")], id="host"),
        pytest.param(
            [
                _HOST.format(2, "Callback"),
                "    #3 0x7fac (/build/libacme_ep.so+0x11) in acme::Add() <null>",
            ],
            id="called by the library",
        ),
    ],
)
def test_what_others_lose_is_not_the_librarys(frames: list[str]) -> None:
    (report,) = reports(_leak(*frames))
    assert report.blamed(LIBRARY, [RUNTIME]) is None


def test_the_c_plus_plus_librarys_frames_in_the_library_are_passed_over() -> None:
    inner = (
        "    #2 0x7fac (/build/libacme_ep.so+0x1) in std::make_unique<acme::Kernel>() "
        "/usr/include/c++/12/bits/unique_ptr.h:1065"
    )
    outer = "    #3 0x7fac (/build/libacme_ep.so+0x2) in acme::Make() /p/src/make.cc:8"
    (report,) = reports(_leak(inner, outer))
    frame = report.blamed(LIBRARY, [RUNTIME])
    assert frame is not None
    assert frame.place == "/p/src/make.cc:8"


def test_use_after_free_and_undefined_behaviour_are_reports() -> None:
    text = "\n".join(
        [
            "epforge-step: sessions",
            "../../src/kernels/relu.cc:12:9: runtime error: signed integer overflow: 2 + 3",
            "    #0 0x7fac (/build/libacme_ep.so+0x1) in acme::Relu() ../../src/kernels/relu.cc:12",
            "",
            "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x603 at pc 0x7f bp 0x7f",
            "READ of size 8 at 0x603 thread T0",
            "    #0 0x7fac (/build/libacme_ep.so+0x2) in acme::Run() ../../src/graph/run.cc:5",
            "",
            "freed by thread T0 here:",
            "    #0 0x7fac (/build/libacme_ep.so+0x3) in acme::Drop() ../../src/graph/run.cc:9",
        ]
    )
    first, second = reports(text)
    assert first.text.startswith("undefined behaviour: signed integer overflow")
    assert second.text == "heap-use-after-free"
    frame = second.blamed(LIBRARY, [RUNTIME])
    assert frame is not None
    assert frame.words == "acme::Run (src/graph/run.cc:5)"


def test_a_machine_that_lets_nobody_trace_is_no_finding() -> None:
    text = "==7==LeakSanitizer has encountered a fatal error.\n==7==HINT: LeakSanitizer ..."
    assert broken(text)
    assert not reports(text)
