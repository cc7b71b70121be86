"""test_selection.cc: which device a session gets, by name, by policy, by a function."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, c_size_t, c_void_p
from typing import Any

from ort_examples.harness import (
    CPU_EP,
    INVALID_ARGUMENT,
    PREFER_CPU,
    PREFER_GPU,
    PREFER_NPU,
    RECORD,
    Example,
    Place,
    X,
    devices_of,
    example,
    mul,
    of,
    refusal,
    run,
    runtime,
    same,
)

_WANTED = X * X
# devices, their number, metadata of the model and of the runtime, selected, room, their number
_DELEGATE = ctypes.CFUNCTYPE(
    c_void_p,
    *(POINTER(c_void_p), c_size_t, c_void_p, c_void_p),
    *(POINTER(c_void_p), c_size_t, POINTER(c_size_t), c_void_p),
)


@of("CpuEP")
def the_cpu_s_own(place: Place) -> None:
    with runtime() as ort:
        made = ort.api.make("CreateSessionOptions")
        device = (c_void_p * 1)(*devices_of(ort, CPU_EP))
        ort.api("SessionOptionsAppendExecutionProvider_V2", made, ort.env, device, 1, 0, 0, 0)
        content = mul().SerializeToString()
        session = ort.api.make("CreateSessionFromArray", ort.env, content, len(content), made)
        same(run(ort, session, {"X": X}, "Y")[0], _WANTED)
        ort.api.get("ReleaseSession", session)


@of("MiscApiTests")
def pairs_and_options(place: Place) -> None:
    with example(place) as it:
        api = it.api
        pairs = it.ort.pairs({})
        for key, text in ((b"key1", None), (None, b"value1"), (b"", b"value2")):
            api.get("AddKeyValuePair", pairs, key, text)
        api.get("RemoveKeyValuePair", pairs, None)
        assert it.ort.read_pairs(pairs) == {}
        api.get("AddKeyValuePair", pairs, "key1", "value1")
        api.get("AddKeyValuePair", pairs, "key2", "")
        api.get("RemoveKeyValuePair", pairs, "key1")
        assert it.ort.read_pairs(pairs) == {"key2": ""}
        # An option with the device; ORT hands it on, and the execution provider reads it.
        session = it.session(mul(), it.options(given={"run_really_fast": "false"}))
        same(it.run(session, {"X": X}, "Y")[0], _WANTED)
        error = refusal(lambda: it.session(mul(), it.options(given={"option1": "true"})))
        assert "option1" in str(error)


def _by_policy(it: Example, policy: int) -> list[tuple[str, list[str]]]:
    session = it.session(mul(), it.options(policy=policy))
    same(it.run(session, {"X": X}, "Y")[0], _WANTED)
    return it.assigned(session)


@of("PreferCpu")
def prefer_cpu(place: Place) -> None:
    """The CPU's own execution provider comes last; ours is on the CPU, too, and is preferred."""
    with example(place) as it:
        assert _by_policy(it, PREFER_CPU) == [(it.ep, ["mul_0"])]


@of("PreferGpu")
def prefer_gpu(place: Place) -> None:
    with example(place, virtual=True) as it:
        assert _by_policy(it, PREFER_GPU) == [(it.ep, ["mul_0"])]


@of("PreferNpu")
def prefer_npu(place: Place) -> None:
    """There is none: the CPU does it."""
    with example(place, virtual=True) as it:
        assert _by_policy(it, PREFER_NPU) == [(CPU_EP, ["mul_0"])]


def _by_delegate(it: Example, choose: Callable[..., int | None]) -> int:
    function = _DELEGATE(choose)
    it.plugin._kept.append(function)
    options = it.api.make("CreateSessionOptions")
    it.api("SessionOptionsSetEpSelectionPolicyDelegate", options, function, 0)
    for key, text in RECORD.items():
        it.api("AddSessionConfigEntry", options, key, text)
    return it.session(mul(), options)


@of("PolicyDelegate")
def a_function_chooses(place: Place) -> None:
    """The first device and the last one, which is the CPU's."""
    with example(place, virtual=True) as it:
        seen: dict[str, Any] = {}

        def choose(devices: Any, count: int, model: int, _runtime: int, *given: Any) -> None:
            selected, room, number, _state = given
            seen.update(count=count, room=room, model=it.ort.read_pairs(model))
            ours = [each for each in devices[:count] if each == it.device]
            selected[0], selected[1] = ours[0], devices[count - 1]
            number[0] = 2

        session = _by_delegate(it, choose)
        assert seen["room"] > 2
        assert seen["count"] >= 2
        assert seen["model"]
        assert it.assigned(session) == [(it.ep, ["mul_0"])]
        same(it.run(session, {"X": X}, "Y")[0], _WANTED)


@of("PolicyDelegateSelectsNothing")
def a_function_that_chooses_nothing(place: Place) -> None:
    with example(place) as it:

        def choose(*given: Any) -> None:
            given[6][0] = 0

        assert str(refusal(lambda: _by_delegate(it, choose)))


@of("PolicyDelegateReturnsError")
def a_function_that_fails(place: Place) -> None:
    with example(place) as it:

        def choose(*given: Any) -> int:
            given[6][0] = 0
            return it.api.get("CreateStatus", INVALID_ARGUMENT, "Selection error.")

        assert "Selection error." in str(refusal(lambda: _by_delegate(it, choose)))
