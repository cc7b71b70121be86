"""Losses of guesses against labels."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, FLOATS, value
from epforge.ops.model import DType, FamilyRow, Sample, Value

_SUPPORT = (
    *(*CHECKS, "choice.cc", "choice.h", "convert.h", "device.h"),
    *("numbers.cc", "numbers.h"),
)
_LABELS = value([0, 1, 1], "Tind")
_WEIGHTS = value([2, 1])
_LOG3 = 1.0986122887
_LOG4 = 1.3862943611


def _samples(x: Value, losses: tuple[float, float, float]) -> tuple[Sample, ...]:
    """``losses`` are those of x under `_LABELS`, without weights."""
    a, b, c = losses
    return (
        Sample((x, _LABELS), (value((a + b + c) / 3),)),
        Sample((x, _LABELS), (value(a + b + c),), {"reduction": "sum"}),
        Sample((x, _LABELS), (value([a, b, c]),), {"reduction": "none"}),
        Sample((x, _LABELS, _WEIGHTS), (value((2 * a + b + c) / 4),)),
        Sample((x, _LABELS, _WEIGHTS), (value([2 * a, b, c]),), {"reduction": "none"}),
        Sample((x, _LABELS), (value(a),), {"ignore_index": 1}),
        Sample(
            (x, value([0, -1, 1], "Tind"), _WEIGHTS),
            (value((2 * a + c) / 3),),
            {"ignore_index": -1},
        ),
    )


_GUESSES = value([[-1, -3], [-2, -1], [-5, -4]])
_SCORES = value([[0, _LOG3], [0, _LOG3], [5, 5]])
_LOG2 = 0.6931471806
_LOGS = value([[-_LOG4, _LOG3 - _LOG4], [-_LOG4, _LOG3 - _LOG4], [-_LOG2, -_LOG2]])
_IMAGE = value([[[-1, -2], [-3, -4]]])  # one image, two classes, two pixels

ROWS = (
    FamilyRow(
        op="NegativeLogLikelihoodLoss",
        family="class_loss",
        since=(12, 13, 22),
        types={"T": FLOATS, "Tind": (DType.INT32, DType.INT64)},
        params={"softmax": False, "support": _SUPPORT},
        samples=(
            *_samples(_GUESSES, (1, 1, 4)),
            Sample(
                (value([], shape=(0, 2)), value([], "Tind")),
                (value([]),),
                {"reduction": "none"},
            ),
            Sample((_IMAGE, value([[1, 0]], "Tind")), (value([[3, 2]]),), {"reduction": "none"}),
        ),
    ),
    FamilyRow(
        op="SoftmaxCrossEntropyLoss",
        family="class_loss",
        since=(12, 13),
        types={"T": FLOATS, "Tind": (DType.INT32, DType.INT64)},
        params={"softmax": True, "support": (*_SUPPORT, "math.h")},
        samples=(
            *_samples(_SCORES, (_LOG4, _LOG4 - _LOG3, _LOG2)),
            Sample(
                (_SCORES, _LABELS),
                (value([_LOG4, _LOG4 - _LOG3, _LOG2]), _LOGS),
                {"reduction": "none"},
            ),
        ),
    ),
)
