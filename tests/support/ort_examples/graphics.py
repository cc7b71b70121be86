"""test_graphics_interop.cc: a graphics API is set up for a device, and taken down again."""

from __future__ import annotations

from ctypes import byref

from graphics_checks import D3D12, NONE, Config

from ort_examples.harness import (
    INVALID_ARGUMENT,
    NOT_IMPLEMENTED,
    Example,
    Place,
    example,
    of,
    refusal,
)

_OPEN = "InitGraphicsInteropForEpDevice"
_CLOSE = "DeinitGraphicsInteropForEpDevice"


def _open(it: Example, api: int = D3D12) -> None:
    it.ort.interop(_OPEN, it.device, byref(Config(it.ort.level, api, 0, 0)))


def _close(it: Example) -> None:
    it.ort.interop(_CLOSE, it.device)


@of("InitAndDeinitAreForwardedToEpFactory")
def once_and_in_order(place: Place) -> None:
    with example(place, virtual=True) as it:
        assert "nothing has been set up" in str(refusal(lambda: _close(it)))
        _open(it)
        assert "has been done" in str(refusal(lambda: _open(it)))
        _close(it)


@of("EpFactoryErrorIsReturned")
def the_library_s_error_arrives(place: Place) -> None:
    with example(place, virtual=True) as it:
        error = refusal(lambda: _open(it, NONE))
        assert error.code == INVALID_ARGUMENT
        assert "graphics_api is NONE" in str(error)


@of("NotImplementedWhenEpFactoryDoesNotSupportIt")
def a_library_without_it(place: Place) -> None:
    with example(place, "kernel-registry") as it:
        assert refusal(lambda: _open(it)).code == NOT_IMPLEMENTED
        assert refusal(lambda: _close(it)).code == NOT_IMPLEMENTED


@of("NullArgumentsAreRejected")
def nothing_given(place: Place) -> None:
    with example(place, virtual=True) as it:
        config = byref(Config(it.ort.level, D3D12, 0, 0))
        for call, arguments in ((_OPEN, (0, config)), (_OPEN, (it.device, 0)), (_CLOSE, (0,))):
            error = refusal(lambda c=call, a=arguments: it.ort.interop(c, *a))
            assert error.code == INVALID_ARGUMENT
