"""Kernels for CUDA call cuBLAS and cuDNN where a machine has them, and do without where not.

On the host, with stand-ins for the libraries: strict about how they are called, and computing on
memory of the host. What they compute is compared with NumPy and with the kernels' own code.
"""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled import WARNINGS
from compilers import needed
from cuda_libraries import FOLDERS, Fake, Kernels, build, fake, write_project
from kernel_project import make_op
from kernel_runner import KernelError
from node_tests import check_node_tests

Array = np.ndarray[Any, Any]
_OPS = ("Conv", "Gemm", "MatMul")
_FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
#: What the stand-ins answer, in words of theirs.
_INVALID, _INTERNAL, _UNSUPPORTED = 7, 4000, 3004


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return build(tmp_path_factory.mktemp("libraries"), [make_op(op) for op in _OPS])


@pytest.fixture
def kernels(built: Kernels, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Kernels]:
    """The kernels, with libraries from ``tmp_path`` as soon as they are opened."""
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    built.use_stream(1)
    built.largest_scratch()
    yield built
    built.close()


@pytest.fixture
def blas(kernels: Kernels, tmp_path: Path) -> Iterator[Fake]:
    """cuBLAS, opened."""
    found = fake("cublas", tmp_path / "libcublas.so.12")
    kernels.open()
    yield found
    kernels.close()
    assert found.live() == 0


@pytest.fixture
def dnn(kernels: Kernels, tmp_path: Path) -> Iterator[Fake]:
    """cuDNN, opened."""
    found = fake("cudnn", tmp_path / "libcudnn.so.9")
    kernels.open()
    yield found
    kernels.close()
    assert found.live() == 0


def _rand(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(sum(shape) + len(shape)).standard_normal(shape).astype(dtype)


def _run(kernels: Kernels, op: str, inputs: list[Array], **attributes: Any) -> Array:
    since = {"Conv": 22, "Gemm": 13, "MatMul": 13}[op]
    (y,) = kernels.run(op, since, inputs, [inputs[0].dtype], **attributes)
    assert y is not None
    return y


def _multiply(kernels: Kernels) -> None:
    """A product that is right."""
    a, b = _rand(3, 4), _rand(4, 5)
    np.testing.assert_allclose(_run(kernels, "MatMul", [a, b]), a @ b, 1e-4, 1e-6)


_X, _W = _rand(2, 3, 6, 5), _rand(4, 3, 3, 2)


def _convolve(kernels: Kernels) -> Array:
    return _run(kernels, "Conv", [_X, _W])


def _calls(log: list[str], call: str) -> list[list[str]]:
    return [line.split() for line in log if line.split()[0] == call]


# Products of matrices: two shapes, and how many calls they take.
_MATRICES = [
    ((2, 3), (3, 4), 1),
    ((1, 3), (3, 1), 1),
    ((5,), (5, 2), 1),
    ((4, 5), (5,), 1),
    ((6,), (6,), 1),
    ((2, 3, 4, 5), (5, 6), 1),  # one tall product
    ((2, 1, 4, 5), (1, 1, 5, 6), 1),
    ((3, 4, 5), (3, 5, 2), 1),
    ((2, 3, 4, 5), (2, 3, 5, 2), 1),
    ((4, 5), (3, 5, 2), 1),
    ((2, 3, 4, 5), (3, 5, 2), 2),
    ((2, 1, 4, 5), (1, 3, 5, 2), 2),
    ((2, 3, 4, 5), (2, 1, 5, 6), 2),
    ((3, 2, 1, 4, 5), (3, 1, 2, 5, 2), 6),
    ((2, 1, 2, 1, 2, 3), (1, 2, 1, 2, 3, 4), 8),
]


@pytest.mark.parametrize(("a", "b", "calls"), _MATRICES)
@_FLOATS
def test_stacks_of_matrices(
    kernels: Kernels, blas: Fake, a: tuple[int, ...], b: tuple[int, ...], calls: int, dtype: Any
) -> None:
    x, y = _rand(*a, dtype=dtype), _rand(*b, dtype=dtype)
    np.testing.assert_allclose(_run(kernels, "MatMul", [x, y]), np.matmul(x, y), 1e-4, 1e-6)
    log = blas.log()
    assert len(_calls(log, "sgemm" if dtype is np.float32 else "dgemm")) == calls
    assert len(_calls(log, "stream")) == 1  # and one workspace for all


@pytest.mark.parametrize("trans", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("c", [None, (), (1,), (7,), (1, 7), (9, 1), (9, 7), (1, 1)])
@pytest.mark.parametrize("scales", [(1.0, 1.0), (0.5, -2.0), (3.0, 0.0)])
@_FLOATS
def test_general_products(
    kernels: Kernels,
    blas: Fake,
    trans: tuple[int, int],
    c: tuple[int, ...] | None,
    scales: tuple[float, float],
    dtype: Any,
) -> None:
    a, b = _rand(9, 4, dtype=dtype), _rand(4, 7, dtype=dtype)
    alpha, beta = scales
    wanted = alpha * (a @ b)
    inputs = [a.T if trans[0] else a, b.T if trans[1] else b]
    if c is not None:
        inputs.append(_rand(*c, dtype=dtype) if c else np.array(2.5, dtype))
        wanted = wanted + beta * inputs[-1]
    attributes = {"alpha": alpha, "beta": beta, "transA": trans[0], "transB": trans[1]}
    np.testing.assert_allclose(_run(kernels, "Gemm", inputs, **attributes), wanted, 1e-4, 1e-6)
    assert len(_calls(blas.log(), "sgemm" if dtype is np.float32 else "dgemm")) == 1


def test_what_has_nothing_in_common_is_not_for_a_library(kernels: Kernels, blas: Fake) -> None:
    found = _run(kernels, "MatMul", [_rand(2, 0), _rand(0, 3)])
    np.testing.assert_array_equal(found, np.zeros((2, 3)))
    assert blas.log() == []


def test_products_without_a_library_are_tiled_when_large(kernels: Kernels) -> None:
    """Sizes that no tile divides, in several products, just large enough for tiles."""
    for a, b in [((599, 3), (3, 601)), ((7, 191, 5), (7, 5, 203)), ((1, 9), (9, 300001))]:
        for dtype in (np.float32, np.float64):
            x, y = _rand(*a, dtype=dtype), _rand(*b, dtype=dtype)
            np.testing.assert_allclose(_run(kernels, "MatMul", [x, y]), x @ y, 1e-4, 1e-5)
    x, y, c = _rand(3, 599), _rand(601, 3), _rand(599, 1)
    found = _run(kernels, "Gemm", [x, y, c], transA=1, transB=1, alpha=0.5, beta=2.0)
    np.testing.assert_allclose(found, 0.5 * (x.T @ y.T) + 2 * c, 1e-4, 1e-5)


# Convolutions: shapes, attributes, and the spatial dimensions that cuDNN sees.
_CONVOLUTIONS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any], int]] = [
    ((2, 3, 6, 5), (4, 3, 3, 2), {}, 2),
    ((2, 3, 6, 5), (4, 3, 3, 2), {"pads": [1, 2, 1, 2], "strides": [2, 1]}, 2),
    ((1, 4, 7, 7), (6, 2, 3, 3), {"group": 2, "dilations": [2, 1]}, 2),
    ((2, 4, 5, 5), (4, 1, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}, 2),
    ((2, 4, 9), (5, 4, 3), {"strides": [2]}, 2),
    ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), {"pads": [1, 0, 1, 1, 0, 1], "strides": [1, 2, 1]}, 3),
    ((1, 2, 1, 5, 6), (3, 2, 1, 3, 2), {}, 2),
    # Padding that is not the same at both ends.
    ((2, 3, 6, 5), (4, 3, 3, 2), {"pads": [0, 1, 2, 0]}, 2),
    ((1, 3, 8, 8), (4, 3, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, 2),
    ((1, 3, 8, 7), (4, 3, 4, 4), {"auto_pad": "SAME_LOWER"}, 2),
    ((2, 2, 3, 4, 5), (2, 2, 2, 2, 2), {"auto_pad": "SAME_UPPER"}, 3),
    ((2, 2, 9), (2, 2, 4), {"pads": [3, 0]}, 2),
    # The windows do not come to the end: it does not matter what is there.
    ((1, 1, 6, 6), (2, 1, 3, 3), {"pads": [1, 1, 0, 0], "strides": [2, 2]}, 2),
    # A single element that jumps, or groups that are no matrices.
    ((1, 3, 5, 5), (4, 3, 1, 1), {"strides": [2, 2]}, 2),
    ((1, 3, 3, 3), (4, 3, 1, 1), {"strides": [2, 2], "pads": [1, 1, 1, 1]}, 2),
    ((2, 4, 5, 5), (4, 1, 1, 1), {"group": 4}, 2),
]


@pytest.mark.parametrize(("x", "w", "attributes", "rank"), _CONVOLUTIONS)
@pytest.mark.parametrize("biased", [False, True])
@_FLOATS
def test_convolutions(
    kernels: Kernels,
    dnn: Fake,
    x: tuple[int, ...],
    w: tuple[int, ...],
    attributes: dict[str, Any],
    rank: int,
    biased: bool,
    dtype: Any,
) -> None:
    inputs = [_rand(*x, dtype=dtype), _rand(*w, dtype=dtype)]
    if biased:
        inputs.append(_rand(w[0], dtype=dtype))
    found = _run(kernels, "Conv", inputs, **attributes)
    log = dnn.log()
    (call,) = _calls(log, "convolve")
    assert len(_calls(log, "stream")) == 1
    assert call[4:] == ["rank", str(rank), "groups", str(attributes.get("group", 1))]
    kernels.close()
    np.testing.assert_allclose(found, _run(kernels, "Conv", inputs, **attributes), 1e-4, 1e-5)


def test_images_are_copied_only_where_their_padding_takes_it(kernels: Kernels, dnn: Fake) -> None:
    for x, w, attributes, _ in _CONVOLUTIONS:
        pads = attributes.get("pads", [])
        ends = pads[: len(pads) // 2] == pads[len(pads) // 2 :] and "auto_pad" not in attributes
        blind = attributes.get("strides") == [2, 2] and pads == [1, 1, 0, 0]
        _run(kernels, "Conv", [_rand(*x), _rand(*w)], **attributes)
        copied = kernels.largest_scratch() > 100  # what the stand-in wants
        assert copied == (not ends and not blind), attributes
    assert len(_calls(dnn.log(), "convolve")) == len(_CONVOLUTIONS)


@pytest.mark.parametrize(("group", "calls"), [(1, 1), (2, 3)])
@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 2, 2)])
@_FLOATS
def test_convolutions_of_single_elements_are_products(
    kernels: Kernels, blas: Fake, group: int, calls: int, shape: tuple[int, ...], dtype: Any
) -> None:
    x = _rand(3, 4, *shape, dtype=dtype)
    w = _rand(8, 4 // group, *[1] * len(shape), dtype=dtype)
    b = _rand(8, dtype=dtype)
    found = _run(kernels, "Conv", [x, w, b], group=group)
    assert len(_calls(blas.log(), "sgemm" if dtype is np.float32 else "dgemm")) == calls
    each = zip(np.split(w, group), np.split(x, group, axis=1), strict=True)
    parts = [np.einsum("oi,ni...->no...", m.reshape(m.shape[:2]), part) for m, part in each]
    wanted = np.concatenate(parts, axis=1) + b.reshape(-1, *[1] * len(shape))
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)


@pytest.mark.parametrize("op", _OPS)
def test_node_tests_of_onnx_pass_with_libraries(
    kernels: Kernels, blas: Fake, tmp_path: Path, op: str
) -> None:
    dnn = fake("cudnn", tmp_path / "libcudnn.so.9")
    assert check_node_tests(kernels, op) > 0
    assert _calls(blas.log() + dnn.log(), "convolve" if op == "Conv" else "sgemm")


def test_a_handle_serves_one_stream_and_is_kept(kernels: Kernels, blas: Fake) -> None:
    """The stand-in takes the workspace away with every stream, and refuses calls without."""
    for stream in (1, 1, 2, 1, 2):
        kernels.use_stream(stream)
        _multiply(kernels)
    log = blas.log()
    handles = [number for _, number in _calls(log, "create")]
    assert len(handles) == 2
    streams = [(call[1], call[3]) for call in _calls(log, "sgemm")]
    first, second = (handles[0], "0x1"), (handles[1], "0x2")
    assert streams == [first, first, second, first, second]
    # Before every call: each of them has scratch memory of its own.
    assert [(number, stream) for _, number, stream in _calls(log, "stream")] == streams
    assert kernels.largest_scratch() >= 32 << 20

    kernels.forget(1)
    assert _calls(blas.log(), "destroy") == [["destroy", handles[0]]]
    kernels.forget(1)
    kernels.forget(3)
    kernels.use_stream(2)
    _multiply(kernels)
    log = blas.log()
    assert _calls(log, "destroy") == _calls(log, "create") == []
    kernels.use_stream(1)
    _multiply(kernels)
    assert len(_calls(blas.log(), "create")) == 1
    kernels.close()
    assert len(_calls(blas.log(), "destroy")) == 2


def test_a_plan_is_made_once_for_each_handle(kernels: Kernels, dnn: Fake) -> None:
    for _ in range(3):
        _convolve(kernels)
    assert len(_calls(dnn.log(), "choose")) == 1
    assert kernels.largest_scratch() == 100
    _run(kernels, "Conv", [_X, _W], pads=[1, 1, 1, 1])
    _run(kernels, "Conv", [_X, _W], dilations=[2, 2])
    assert len(_calls(dnn.log(), "choose")) == 2
    _convolve(kernels)
    assert _calls(dnn.log(), "choose") == []
    kernels.forget(1)
    assert dnn.live() == 0


def test_plans_do_not_grow_without_end(kernels: Kernels, dnn: Fake) -> None:
    for size in range(5, 105):
        _run(kernels, "Conv", [_rand(1, 1, size), _rand(1, 1, 3)])
    assert dnn.live() <= 1 + 4 * 64


@pytest.mark.parametrize("which", ["blas", "dnn"])
def test_threads_do_not_share_a_handle(
    kernels: Kernels, request: pytest.FixtureRequest, which: str
) -> None:
    """On one stream: the stand-in lets no call go on before the other has come."""
    library: Fake = request.getfixturevalue(which)
    work = _multiply if which == "blas" else _convolve
    for _ in range(2):
        library.meet(2)
        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(work, kernels) for _ in range(2)]:
                done.result()
    library.meet(0)
    log = library.log()
    assert len(_calls(log, "create")) == 2
    assert len(_calls(log, "sgemm" if which == "blas" else "convolve")) == 4


@contextlib.contextmanager
def _nothing_on_the_system(component: str, majors: tuple[int, ...]) -> Iterator[None]:
    for major in majors:
        with contextlib.suppress(OSError):
            ctypes.CDLL(f"lib{component}.so.{major}")
            pytest.skip(f"this machine has {component}")
    yield


def test_without_libraries_kernels_do_it_themselves(kernels: Kernels) -> None:
    with (
        _nothing_on_the_system("cublas", (12, 13)),
        _nothing_on_the_system("cudnn", (9,)),
    ):
        alone = _convolve(kernels)
        kernels.open()
        assert not kernels.has_blas()
        assert not kernels.has_dnn()
        _multiply(kernels)
        np.testing.assert_array_equal(_convolve(kernels), alone)
        for op in _OPS:
            assert check_node_tests(kernels, op) > 0


_PLACES = [
    ("cublas", "libcublas.so.12"),
    ("cublas", "libcublas.so.13"),
    ("cublas", "nvidia/cublas/lib/libcublas.so.12"),
    ("cublas", "nvidia/cu13/lib/libcublas.so.13"),
    ("cudnn", "libcudnn.so.9"),
    ("cudnn", "nvidia/cudnn/lib/libcudnn.so.9"),
]


@pytest.mark.parametrize(("component", "place"), _PLACES)
def test_where_libraries_are_found(
    kernels: Kernels,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    component: str,
    place: str,
) -> None:
    """In a folder of libraries, and in one of Python packages."""
    monkeypatch.setenv(FOLDERS, f"/nowhere::{tmp_path}/empty:{tmp_path}/here:")
    found = fake(component, tmp_path / "here" / place)
    kernels.open()
    assert found.log() == []
    assert kernels.has_blas() if component == "cublas" else kernels.has_dnn()
    if component == "cublas":
        _multiply(kernels)
    else:
        _convolve(kernels)
    assert len(_calls(found.log(), "create")) == 1


def test_the_newest_release_comes_first_and_folders_in_their_order(
    kernels: Kernels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDERS, f"{tmp_path}/a:{tmp_path}/b")
    made = [
        fake("cublas", tmp_path / place)
        for place in ("a/libcublas.so.12", "a/nvidia/cu13/lib/libcublas.so.13", "b/libcublas.so.13")
    ]
    kernels.open()
    _multiply(kernels)
    assert [bool(library.log()) for library in made] == [False, True, False]


@pytest.mark.parametrize(
    ("component", "flag", "missing"),
    [
        ("cublas", "-DWITHOUT_64", "cublasSgemmStridedBatched_64"),
        ("cudnn", "-DWITHOUT_GROUPS", "cudnnSetConvolutionGroupCount"),
    ],
)
def test_a_library_that_lacks_a_function_is_an_error_that_names_it(
    kernels: Kernels, tmp_path: Path, component: str, flag: str, missing: str
) -> None:
    place = tmp_path / ("libcublas.so.12" if component == "cublas" else "libcudnn.so.9")
    library = fake(component, place, flag)
    kernels.open()
    for _ in range(2):
        with pytest.raises(KernelError, match=f"{place} has no function {missing}:") as caught:
            _multiply(kernels) if component == "cublas" else _convolve(kernels)
        assert caught.value.code == "failed"
    assert library.log() == []


@pytest.mark.parametrize("name", ["libcublas.so.13", "libcudnn.so.9"])
def test_a_file_that_cannot_be_opened_is_an_error(
    kernels: Kernels, tmp_path: Path, name: str
) -> None:
    place = tmp_path / name
    place.write_text("no library")
    kernels.open()
    with pytest.raises(KernelError, match=f"cannot open {place}: .*(file too short|ELF)"):
        _multiply(kernels) if "blas" in name else _convolve(kernels)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("cublasCreate", "cublasCreate"),
        ("cublasSetStream", "cublasSetStream"),
        ("sgemm", "cublasSgemmStridedBatched"),
    ],
)
def test_failures_of_cublas_are_reported(
    kernels: Kernels, blas: Fake, call: str, name: str
) -> None:
    blas.fail(call, _INVALID)
    with pytest.raises(KernelError, match=f"^failed: {name}: the fake's invalid value$"):
        _multiply(kernels)
    blas.fail(call, 0)
    _multiply(kernels)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("cudnnCreate", "cudnnCreate"),
        ("cudnnCreateFilterDescriptor", "cudnnCreateFilterDescriptor"),
        ("choose", "cudnnGetConvolutionForwardAlgorithm_v7"),
        ("convolve", "cudnnConvolutionForward"),
    ],
)
def test_failures_of_cudnn_are_reported(kernels: Kernels, dnn: Fake, call: str, name: str) -> None:
    dnn.fail(call, _INTERNAL)
    with pytest.raises(KernelError, match=f"^failed: {name}: the fake's internal error$"):
        _convolve(kernels)
    dnn.fail(call, 0)
    _convolve(kernels)


@pytest.mark.parametrize("call", ["choose", "convolve"])
def test_what_cudnn_cannot_do_kernels_do(kernels: Kernels, dnn: Fake, call: str) -> None:
    dnn.fail(call, _UNSUPPORTED)
    found = [_convolve(kernels) for _ in range(2)]
    log = dnn.log()
    assert len(_calls(log, "choose")) == 1  # it is not asked again
    assert _calls(log, "convolve") == []
    kernels.close()
    wanted = _convolve(kernels)
    for y in found:
        np.testing.assert_array_equal(y, wanted)


def test_there_must_be_a_stream(kernels: Kernels, blas: Fake, tmp_path: Path) -> None:
    fake("cudnn", tmp_path / "libcudnn.so.9")
    kernels.use_stream(0)
    with pytest.raises(KernelError, match="no CUDA stream"):
        _multiply(kernels)
    with pytest.raises(KernelError, match="no CUDA stream"):
        _convolve(kernels)
    assert blas.log() == []


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_it_compiles_without_a_warning(tmp_path: Path, compiler: str) -> None:
    sources = write_project(tmp_path, [make_op("MatMul")])
    assert len(sources) == 4
    command = [needed(compiler), "-std=c++17", *WARNINGS, "-Isrc", "-fsyntax-only"]
    for source in sources:
        subprocess.run([*command, str(source)], cwd=tmp_path, check=True)


def test_nothing_is_launched_but_on_the_stream_and_nothing_waits(tmp_path: Path) -> None:
    write_project(tmp_path, [make_op(op) for op in _OPS])
    texts = {p.name: p.read_text() for p in tmp_path.rglob("*") if p.suffix in (".cc", ".cu", ".h")}
    assert {"cuda_blas.cc", "cuda_dnn.cc", "conv.cu", "gemm.cu", "mat_mul.cu"} <= set(texts)
    assert [name for name, text in texts.items() if "<<<" in text] == ["launch.h"]
    for name, text in texts.items():
        assert "Synchronize" not in text, name
