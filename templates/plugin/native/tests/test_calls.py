<%= banner %>
"""Inputs, outputs and errors of calls, for one operator or another that the library has."""

import itertools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import <%= package %> as native
from calls import MANIFEST
from support import OneNode, Trial, trials


def _float_trials() -> list[Trial]:
    """Cases of one output whose inputs are all of float32, none of them empty."""
    found = []
    for trial in trials(MANIFEST):
        feeds = trial.build().feeds.values()
        whole = len(feeds) == len(trial.case["inputs"]) and trial.case.get("outputs", 1) == 1
        if whole and feeds and all(x.dtype == np.float32 and x.size > 1 for x in feeds):
            found.append(trial)
    return found


_TRIALS = _float_trials()
pytestmark = pytest.mark.skipif(not _TRIALS, reason="no operator takes nothing but float32")


class Call:
    """A call that works."""

    def __init__(self, trial: Trial) -> None:
        one: OneNode = trial.build()
        self.op = one.op
        self.inputs = [one.feeds[f"x{index}"] for index in range(len(one.feeds))]
        attributes = trial.case.get("attributes", {})
        plain = {name: value for name, value in attributes.items() if not isinstance(value, dict)}
        self.settings: dict[str, Any] = {
            "domain": trial.case["domain"],
            "opset": trial.since,
            "attributes": plain,
        }

    def __call__(self, *inputs: Any, **more: Any) -> Any:
        return native.run(self.op, *(inputs or self.inputs), **{**self.settings, **more})


@pytest.fixture
def call() -> Call:
    return Call(_TRIALS[-1])


def test_the_result_owns_its_memory(call: Call) -> None:
    result = call()
    assert type(result) is np.ndarray
    assert result.flags.owndata
    assert result.flags.writeable


def test_out_is_where_the_result_goes(call: Call) -> None:
    wanted = call()
    out = np.empty_like(wanted)
    assert call(out=out) is out
    np.testing.assert_array_equal(out, wanted)
    assert call(out=[out]) is out


def test_out_must_be_like_the_result(call: Call) -> None:
    wanted = call()
    other = np.int32 if wanted.dtype != np.int32 else np.int8
    big = np.empty((*wanted.shape, 2), wanted.dtype)
    fixed = np.empty_like(wanted)
    fixed.flags.writeable = False
    for out in (np.empty(wanted.shape, other), big, big[..., 0], fixed):
        with pytest.raises(native.InvalidArgumentError, match="out 0"):
            call(out=out)
    with pytest.raises(TypeError, match="no NumPy array"):
        call(out=["text"])
    with pytest.raises(native.InvalidArgumentError, match="2 arrays for 1"):
        call(out=[None, None], outputs=1)


def test_out_must_not_overlap_an_input(call: Call) -> None:
    room = np.zeros(call.inputs[0].size + call().size, np.float32)
    first = room[: call.inputs[0].size].reshape(call.inputs[0].shape)
    with pytest.raises(native.InvalidArgumentError, match="overlaps"):
        call(first, *call.inputs[1:], out=room[: call().size].reshape(call().shape))


def _awkward(array: Any) -> Sequence[Any]:
    """The same numbers, in ways that a kernel cannot read in place."""
    strided = np.repeat(array[..., None], 2, axis=-1)[..., 0]
    room = np.zeros(array.nbytes + 1, np.uint8)[1:]
    unaligned = room.view(array.dtype).reshape(array.shape)
    unaligned[...] = array
    return strided, np.asfortranarray(strided), array.astype(array.dtype.newbyteorder()), unaligned


def test_inputs_that_cannot_be_read_in_place_are_copied_if_they_may_be(call: Call) -> None:
    wanted = call()
    for first in _awkward(call.inputs[0]):
        if first.flags.c_contiguous and first.flags.aligned and first.dtype.isnative:
            continue
        np.testing.assert_array_equal(call(first, *call.inputs[1:]), wanted)
        with pytest.raises(native.InvalidArgumentError, match="copy is False"):
            call(first, *call.inputs[1:], copy=False)
    np.testing.assert_array_equal(call(copy=False), wanted)


def test_inputs_may_be_read_only(call: Call) -> None:
    wanted = call()
    for each in call.inputs:
        each.flags.writeable = False
    np.testing.assert_array_equal(call(copy=False), wanted)


class _Tensor:
    """A tensor of some other package."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **settings: Any) -> Any:
        return self.array.__dlpack__(**settings)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class _FarTensor(_Tensor):
    """One that is not on the CPU."""

    def __dlpack__(self, **settings: Any) -> Any:
        raise BufferError("it is on the device")

    def __dlpack_device__(self) -> Any:
        return (2, 0)


def test_inputs_may_be_tensors_of_other_packages(call: Call) -> None:
    np.testing.assert_array_equal(call(*map(_Tensor, call.inputs), copy=False), call())
    with pytest.raises(native.InvalidArgumentError, match="input 0"):
        call(*map(_FarTensor, call.inputs))


@pytest.mark.parametrize(
    "value",
    [[1.0, 2.0], "text", b"bytes", object(), {}, 1.5, np.ma.masked_array([1.0], [True])],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_tensor_is_an_error(call: Call, value: Any) -> None:
    with pytest.raises(TypeError, match="input 0"):
        call(value, *call.inputs[1:])


@pytest.mark.parametrize("dtype", ["U3", "O", "c8", "M8[s]", "S4", "V2", [("x", "f4")]], ids=str)
def test_elements_that_tensors_have_not_are_an_error(call: Call, dtype: Any) -> None:
    with pytest.raises(native.InvalidArgumentError, match="no such elements"):
        call(np.zeros(call.inputs[0].shape, dtype), *call.inputs[1:])


def test_wrong_inputs_are_an_error_that_names_the_operator(call: Call) -> None:
    for inputs in ((None, *call.inputs[1:]), (*call.inputs, *call.inputs * 70)):
        with pytest.raises((native.KernelError, ValueError), match=call.op):
            if not call(*inputs).size >= 0:
                raise AssertionError
            # Operators of any number of inputs take more of them.
            raise native.KernelError(call.op)
    with pytest.raises(native.KernelError, match=call.op):
        native.run(call.op, **call.settings)


def test_hostile_shapes_do_no_harm(call: Call) -> None:
    shapes = [(), (0,), (1,) * 32, (2**31, 0), (0, 2**40), (1, 0, 3), (1,) * 64]
    for shape in shapes:
        try:
            array = np.zeros(shape, np.float32)
        except ValueError:
            continue  # NumPy before 2 has 32 dimensions at most
        for count in (1, len(call.inputs), len(call.inputs) + 1):
            try:
                result = call(*[array] * count)
            except (native.KernelError, MemoryError):
                continue
            assert isinstance(result, np.ndarray)


@pytest.mark.parametrize("name", sorted({trial.case["op"] for trial in trials(MANIFEST)}))
def test_hostile_calls_of_each_operator_do_no_harm(name: str) -> None:
    trial = next(trial for trial in trials(MANIFEST) if trial.case["op"] == name)
    domain = trial.case["domain"]
    arrays: list[Any] = [
        np.zeros((0, 2), np.float32),
        np.ones((2, 3), np.float32),
        np.array(-3, np.int64),
        np.array([2**62, -1, 2**62], np.int64),
        np.ones((1,) * 9, np.float64),
        np.array([True, False]),
        None,
    ]
    for inputs in itertools.product(arrays, repeat=2):
        for outputs in (None, 1, 2):
            try:
                native.run(name, *inputs, domain=domain, outputs=outputs)
            except (native.KernelError, MemoryError, ValueError):
                continue


def test_unknown_operators_and_attributes_are_named(call: Call) -> None:
    with pytest.raises(native.NotSupportedError, match="NoSuchOp"):
        native.run("NoSuchOp", *call.inputs)
    with pytest.raises(native.NotSupportedError, match="no.such.domain::Relu"):
        native.run("Relu", *call.inputs, domain="no.such.domain")
    with pytest.raises(native.NotSupportedError, match="opset 0"):
        call(opset=0)
    with pytest.raises(native.InvalidArgumentError, match="'no_such'"):
        call(no_such=1)
    with pytest.raises(native.InvalidArgumentError, match="outputs is -1"):
        call(outputs=-1)
    with pytest.raises(native.InvalidArgumentError, match="outputs is"):
        call(outputs=2**40)


def test_the_exceptions_are_python_s_own_kinds_too() -> None:
    assert issubclass(native.InvalidArgumentError, ValueError)
    assert issubclass(native.NotSupportedError, NotImplementedError)
    for error in (native.InvalidArgumentError, native.NotSupportedError, native.DeviceLostError):
        assert issubclass(error, native.KernelError)
    assert issubclass(native.KernelError, RuntimeError)


def test_threads_compute_at_once(call: Call) -> None:
    wanted = call()
    wrong: list[Any] = []
    begin = threading.Barrier(4)

    def work() -> None:
        begin.wait()
        for _ in range(50):
            if not np.array_equal(call(), wanted, equal_nan=wanted.dtype.kind == "f"):
                wrong.append("wrong")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
