"""Spectra: Fourier transforms, windows, bands of the mel scale."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, FLOATS, NUMBERS, value
from epforge.ops.model import DType, FamilyRow, Sample

_INDEX = (DType.INT32, DType.INT64)
_NUMBERS = (*CHECKS, "convert.h", "device.h", "numbers.cc", "numbers.h")
_FOURIER = (*_NUMBERS, "fourier.cc", "fourier.h", "math.h")


def _window(
    op: str, formula: str, periodic: tuple[float, ...], symmetric: tuple[float, ...]
) -> FamilyRow:
    """A row of the family.

    Args:
        op: the operator.
        formula: a C++ expression in ``angle``, which goes once around the circle.
        periodic: its window of 4.
        symmetric: its window of 5.
    """
    known = {"output_datatype": "type of T2"}
    return FamilyRow(
        op=op,
        family="window_function",
        since=(17,),
        types={"T1": _INDEX, "T2": NUMBERS},
        host_inputs=(0,),
        params={
            "header": "op",
            "attributes": ("periodic",),
            "main": "T2",
            "value": formula,
            "support": (*_NUMBERS, "math.h"),
        },
        samples=(
            Sample((value(4, "T1"),), (value(periodic, "T2"),), known),
            Sample((value(5, "T1"),), (value(symmetric, "T2"),), {**known, "periodic": 0}),
            Sample((value(0, "T1"),), (value([], "T2"),), known),
        ),
    )


_HAMMING = 25 / 46
_MEL_INPUTS = (
    *(value(2, "T1"), value(8, "T1"), value(8, "T1")),
    *(value(0, "T2"), value(4, "T2")),
)
_MEL = FamilyRow(
    op="MelWeightMatrix",
    family="mel_weight_matrix",
    since=(17,),
    types={"T1": _INDEX, "T2": FLOATS, "T3": NUMBERS},
    host_inputs=(0, 1, 2, 3, 4),
    params={
        "header": "op",
        "attributes": (),
        "main": "T3",
        "support": (*_NUMBERS, "math.h"),
    },
    samples=(
        Sample(
            _MEL_INPUTS,
            (value([[0, 0], [1, 0], [0, 1], [0, 0], [0, 0]], "T3"),),
            {"output_datatype": "type of T3"},
        ),
    ),
)

_PAIR = value([[[1], [3]]], "T1")
_LINE = value([[[1], [2], [3], [4]]], "T1")
_LINE_SPECTRUM = value([[[10, 0], [-2, 2], [-2, 0], [-2, -2]]], "T1")
_HALF = value([[[10, 0], [-2, 2], [-2, 0]]], "T1")
_ROOT = 0.8660254038
# ONNX Runtime is a little off where the points are not a power of two.
_QUARTERS = value([[[0.25], [0.5], [0.75], [1]]], "T1")
_THREE = value([[[1.5, 0], [-0.375, _ROOT / 4], [-0.375, -_ROOT / 4]]], "T1")
_DFT = FamilyRow(
    op="DFT",
    family="dft",
    since=(17, 20),
    types={"T1": FLOATS, "T2": _INDEX},
    host_inputs=(1, 2),
    params={"support": _FOURIER},
    samples=(
        Sample((_PAIR,), (value([[[4, 0], [-2, 0]]], "T1"),)),
        Sample((_LINE,), (_LINE_SPECTRUM,)),
        Sample((_QUARTERS, value(3, "T2")), (_THREE,)),
        Sample((_LINE,), (_HALF,), {"onesided": 1}),
        Sample(
            (_LINE_SPECTRUM,),
            (value([[[1, 0], [2, 0], [3, 0], [4, 0]]], "T1"),),
            {"inverse": 1},
        ),
        Sample((_PAIR,), (value([[[1, 0], [3, 0]]], "T1"),), {"axis": 0}, since=(17,)),
        Sample(
            (_PAIR, None, value(0, DType.INT64)),
            (value([[[1, 0], [3, 0]]], "T1"),),
            since=(20,),
        ),
    ),
)
_STFT = FamilyRow(
    op="STFT",
    family="stft",
    since=(17,),
    types={"T1": FLOATS, "T2": _INDEX},
    host_inputs=(1, 3),
    params={"header": "op", "support": _FOURIER},
    samples=(
        Sample(
            (_LINE, value(1, "T2"), None, value(2, "T2")),
            (value([[[[3, 0], [-1, 0]], [[5, 0], [-1, 0]], [[7, 0], [-1, 0]]]], "T1"),),
        ),
        Sample(
            (_QUARTERS, value(1, "T2"), value([1, 2, 1], "T1")),
            (value([[[[2, 0], [-0.625, -_ROOT / 4]], [[3, 0], [-0.75, -_ROOT / 2]]]], "T1"),),
        ),
    ),
)

ROWS = (
    _window("HannWindow", "0.5 - 0.5 * Cos(angle)", (0, 0.5, 1, 0.5), (0, 0.5, 1, 0.5, 0)),
    _window(
        "HammingWindow",
        "(25 - 21 * Cos(angle)) / 46",
        (4 / 46, _HAMMING, 1, _HAMMING),
        (4 / 46, _HAMMING, 1, _HAMMING, 4 / 46),
    ),
    _window(
        "BlackmanWindow",
        "0.08 * Cos(2 * angle) - 0.5 * Cos(angle) + 0.42",
        (0, 0.34, 1, 0.34),
        (0, 0.34, 1, 0.34, 0),
    ),
    _MEL,
    _DFT,
    _STFT,
)
