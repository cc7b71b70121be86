"""Kernels of expressions without ONNX Runtime: right, free of warnings, and safe from bad calls."""

from __future__ import annotations

import dataclasses
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled import SANITIZERS, link
from compilers import needed, sanitizing
from custom_ops import RICH, STUB, custom
from kernel_calls import Call, Tensor, make_calls, spoilt
from kernel_project import write_kernels_of
from kernel_runner import SOURCE, KernelError, Runner, build, own_source
from random_expressions import random_op

_DOMAIN = "com.acme"
_PLAIN = ["-O1", "-fPIC"]  # as the other tests of kernels, who share what is compiled


def _samples_hold(project: Path, compiler: str, flags: Sequence[str]) -> None:
    program = link(project, [project / "tests/cpp/kernels_test.cc"], compiler, flags)
    result = subprocess.run([str(program)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert " 0 failed" in result.stdout


def test_every_expression_is_right_under_gcc(tmp_path: Path) -> None:
    write_kernels_of(tmp_path, custom(RICH + STUB))
    _samples_hold(tmp_path, "g++", _PLAIN)


def test_every_expression_is_right_under_clang(tmp_path: Path) -> None:
    write_kernels_of(tmp_path, custom(RICH + STUB))
    _samples_hold(tmp_path, needed("clang++"), _PLAIN)


def test_every_expression_is_right_with_sanitizers(tmp_path: Path) -> None:
    write_kernels_of(tmp_path, custom())
    _samples_hold(tmp_path, sanitizing(), ["-O1", *SANITIZERS])


def test_an_expression_that_is_yours_computes_from_the_start(tmp_path: Path) -> None:
    mine = RICH.replace("    inputs:", "    kernel: yours\n    inputs:")
    written = write_kernels_of(tmp_path, custom(mine))
    assert "src/kernels/com_acme_gate_function.h" in written
    _samples_hold(tmp_path, "g++", _PLAIN)


def _random_project(directory: Path, count: int, seed: int) -> None:
    chance = random.Random(seed)
    write_kernels_of(directory, custom("".join(random_op(f"Op{i}", chance) for i in range(count))))
    calls = (directory / "tests/cpp/kernels_test.cc").read_text()
    assert calls.count('Call("com.acme"') > 10 * count, "few of the expressions can be judged"


def test_random_expressions_mean_what_they_say(tmp_path: Path) -> None:
    _random_project(tmp_path, 4, 5)
    _samples_hold(tmp_path, "g++", _PLAIN)


@pytest.mark.lab
@pytest.mark.parametrize("seed", range(6, 10))
def test_many_random_expressions_mean_what_they_say(tmp_path: Path, seed: int) -> None:
    _random_project(tmp_path, 25, seed)
    _samples_hold(tmp_path, sanitizing(), ["-O1", *SANITIZERS])


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    project = tmp_path_factory.mktemp("expressions")
    write_kernels_of(project, custom())
    return build(project, "acme_npu")


def _run(
    kernels: Runner,
    op: str,
    *inputs: Any,
    since: int = 1,
    outputs: Any = (np.float32,),
    **more: Any,
) -> list[Any]:
    return kernels.run(op, since, inputs, outputs, domain=_DOMAIN, **more)


def _random(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("pieces", [1, 7])
@pytest.mark.parametrize(
    "shapes",
    [
        [(1000,), (1000,), (1000,)],
        [(1000,), (1,), (1000,)],
        [(), (777,), ()],
        [(300, 3), (300, 1), (3,)],
        [(2, 1, 513), (4, 1), (2, 4, 513)],
        [(1, 257), (5, 1), (1, 1)],
    ],
)
def test_inputs_of_any_shapes_meet(kernels: Runner, shapes: list[Any], pieces: int) -> None:
    """Rows longer than what is repeated at a time, and rows of three."""
    x, bias, scale = (_random(*shape) for shape in shapes)
    kinds = (np.float32, np.bool_)
    for given in (bias, None):
        y, positive = _run(kernels, "Middle", x, given, scale, outputs=kinds, pieces=pieces)
        wanted = x * scale + (np.float32(0) if given is None else given)
        np.testing.assert_allclose(y, wanted, rtol=1e-6, atol=1e-6)
        held = np.broadcast_to(x, wanted.shape) > 0 if given is not None else False
        np.testing.assert_array_equal(positive, held | ~(scale < x) | np.zeros(y.shape, bool))


def test_an_output_that_nobody_asks_for_is_not_computed(kernels: Runner) -> None:
    x = _random(4)
    y, positive = _run(kernels, "Middle", x, None, x, outputs=(None, np.bool_))
    assert y is None
    assert positive.all()


def test_the_first_input_may_be_left_out(kernels: Runner) -> None:
    b = _random(2, 5)
    np.testing.assert_array_equal(_run(kernels, "Leading", None, b)[0], b)


def test_sixteen_tensors_are_folded_and_seventeen_refused(kernels: Runner) -> None:
    tensors = [_random(3, 1 + i % 2 * 299) for i in range(16)]
    (total,) = _run(kernels, "Total", *tensors)
    np.testing.assert_allclose(total, sum(tensors), rtol=1e-5, atol=1e-5)
    with pytest.raises(KernelError, match="Total: 17 inputs, and at most 16") as refused:
        _run(kernels, "Total", *tensors, tensors[0])
    assert refused.value.code == "not implemented"


def test_a_tensor_missing_among_many_is_an_error(kernels: Runner) -> None:
    x = _random(3)
    with pytest.raises(KernelError, match="Total: input 1 is missing"):
        _run(kernels, "Total", x, None, x)


def test_types_that_do_not_agree_are_an_error(kernels: Runner) -> None:
    x, wide = _random(3), np.zeros(3)
    kinds = (np.float32, np.bool_)
    with pytest.raises(KernelError, match="Middle: input 2 is float64, and must be float32"):
        _run(kernels, "Middle", x, None, wide, outputs=kinds)
    with pytest.raises(KernelError, match="Middle: output 0 is float64, and must be float32"):
        _run(kernels, "Middle", x, None, x, outputs=(np.float64, np.bool_))
    with pytest.raises(KernelError, match="Middle: output 1 is float32, and must be bool"):
        _run(kernels, "Middle", x, None, x, outputs=(np.float32, np.float32))
    with pytest.raises(KernelError, match="Fixed: input 0 is float32, and must be uint8"):
        _run(kernels, "Fixed", x, outputs=(np.int64,))
    with pytest.raises(KernelError, match="Many: input 2 is float64, and must be float32"):
        _run(kernels, "Many", x, x, wide, since=3, outputs=kinds[:1] * 2)
    whole = np.zeros(3, np.int32)
    with pytest.raises(KernelError, match="Gate: there is no kernel for int32"):
        _run(kernels, "Gate", whole, whole, outputs=(np.int32,))


def test_shapes_that_do_not_meet_are_an_error(kernels: Runner) -> None:
    with pytest.raises(KernelError, match=r"\(2\) and \(3\) cannot be broadcast"):
        _run(kernels, "Gate", _random(2), _random(3))


def test_integers_wrap_around_and_conversions_are_defined(kernels: Runner) -> None:
    smallest = np.array([-128, 127, -128], np.int8)
    z, same = _run(
        kernels, "Integers", smallest, np.array([1, 2, -128], np.int8), outputs=(np.int8, np.bool_)
    )
    # -abs(x) * y - sign(y) + max(x, y, 3); abs(-128) and -(-128) are -128 again.
    np.testing.assert_array_equal(z, np.array([-126, -128, 4], np.int8))
    np.testing.assert_array_equal(same, [True, False, True])
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -3.9], np.float32)
    y, narrow = _run(kernels, "Cut", x, outputs=(np.uint64, np.int8))
    assert y[-1] == np.uint64(2**64 - 3)
    assert narrow[-1] == -9 + 2
    assert len(set(map(int, y[:3]))) <= 2


def test_a_node_without_a_required_attribute_is_refused(kernels: Runner) -> None:
    with pytest.raises(KernelError, match="the attribute high is missing"):
        _run(kernels, "Bounded", _random(2))
    (y,) = _run(kernels, "Bounded", np.array([-5, 3, np.nan], np.float32), high=2)
    np.testing.assert_array_equal(y, np.array([1, 2, np.nan], np.float32))


def test_a_constant_has_the_shape_of_the_inputs(kernels: Runner) -> None:
    (z,) = _run(kernels, "Ones", _random(3, 1), _random(4))
    np.testing.assert_array_equal(z, np.ones((3, 4), np.float32))
    (pi,) = _run(kernels, "Pi")
    assert pi.shape == ()
    assert pi == np.float32(3.14159)


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All kernels, and who calls them, with sanitizers."""
    project = tmp_path_factory.mktemp("hostile")
    write_kernels_of(project, custom())
    sources = (SOURCE, SOURCE.with_name("kernel_calls.cc"))
    own = [own_source(project, "acme_npu", source) for source in sources]
    return link(project, own, sanitizing(), ["-O1", *SANITIZERS])


def _spoilt(each: int) -> list[Call]:
    chance = random.Random(3)
    ops = [op for op in custom().ops if op.custom is not None]
    return [call for op in ops for call in spoilt(op, each, chance)]


def test_spoilt_calls_are_computed_or_refused(caller: Path) -> None:
    found = make_calls(caller, _spoilt(20))
    assert {op for op, good in found if good} == {op.op for op in custom().custom_ops}
    assert any(not good for _, good in found)


def test_calls_with_other_element_types_are_computed_or_refused(caller: Path) -> None:
    """Each tensor has the bytes that its shape and its new type ask for."""
    chance = random.Random(4)
    sizes = {1: 4, 2: 1, 6: 4, 7: 8, 9: 1, 11: 8}  # TensorProto's numbers: float32, uint8, ...

    def other(tensor: Tensor | None) -> Tensor | None:
        if tensor is None or chance.random() < 0.5:
            return tensor
        number = chance.choice(list(sizes))
        count = int(np.prod(tensor.shape, dtype=np.int64))
        return Tensor(number, tensor.shape, bytes(count * sizes[number]))

    def plain(call: Call) -> bool:
        return all(t is None or np.prod(t.shape, dtype=float) < 1000 for t in call.inputs)

    calls = [
        dataclasses.replace(
            call,
            inputs=tuple(map(other, call.inputs)),
            outputs=tuple(
                number if chance.random() < 0.7 else chance.choice(list(sizes))
                for number in call.outputs
            ),
        )
        for call in filter(plain, _spoilt(20))
    ]
    found = make_calls(caller, calls)
    refused = sum(count for (_, good), count in found.items() if not good)
    assert len(calls) / 4 < refused < len(calls)
