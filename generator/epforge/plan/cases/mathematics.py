"""Cases of losses, norms, sums of products, spectra and windows."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import Case, Json, constant, scalar

_LABELS = constant(2, 0)
_PIXELS = constant([1, 0], [2, 2])
_IGNORED = constant(2, -1)


def _losses() -> tuple[Case, ...]:
    return (
        Case([(2, 3), _LABELS]),
        Case([(2, 3), _LABELS], {"reduction": "sum"}),
        Case([(2, 3), _LABELS], {"reduction": "none"}),
        Case([(2, 3), _LABELS, constant(1, 2, 3)]),
        Case([(2, 3), _IGNORED], {"ignore_index": -1}),
        Case([(2, 3, 2), _PIXELS, constant(1, 2, 3)], {"reduction": "none"}),
    )


def _windows() -> tuple[Case, ...]:
    # A whole number of a window is one that rounding decides about.
    of: Mapping[str, Json] = {"output_datatype": {"type_of": "T2"}}
    return (Case([scalar(8)], of), Case([scalar(9)], {**of, "periodic": 0}))


TABLE: Mapping[str, tuple[Case, ...]] = {
    "BlackmanWindow": _windows(),
    "Det": (Case([(3, 3)]), Case([(2, 4, 4)]), Case([(0, 2, 2)])),
    "DFT": (
        Case([(1, 8, 1)]),
        Case([(2, 6, 2)]),
        Case([(1, 7, 1)], {"onesided": 1}),
        Case([(2, 6, 2)], {"inverse": 1}),
        Case([(1, 8, 1), scalar(5)]),
    ),
    "Einsum": (
        Case([(2, 3)], {"equation": "ij->ji"}),
        Case([(2, 3)], {"equation": "ij->i"}),
        Case([(3, 3)], {"equation": "ii"}),
        Case([(2, 3), (3, 9)], {"equation": "ij,jk"}),
        Case([(2, 2, 3), (2, 3, 2)], {"equation": "...ij,...jk->...ik"}),
        Case([(2, 3), (3, 2), (2,)], {"equation": "ij,jk,k->i"}),
    ),
    "HammingWindow": _windows(),
    "HannWindow": _windows(),
    "LpNormalization": (
        Case([(2, 3)]),
        Case([(2, 3, 4)], {"axis": 1, "p": 1}),
        Case([(2, 3)], {"axis": 0}),
    ),
    "MeanVarianceNormalization": (
        Case([(2, 3, 2, 2)]),
        Case([(2, 3, 2)], {"axes": [1, 2]}),
        Case([(2, 3)], {"axes": [-1]}),
    ),
    "MelWeightMatrix": (
        Case(
            [scalar(4), scalar(64), scalar(8192), scalar(0), scalar(4096)],
            {"output_datatype": {"type_of": "T3"}},
        ),
    ),
    "NegativeLogLikelihoodLoss": _losses(),
    "SoftmaxCrossEntropyLoss": (
        *_losses(),
        Case([(2, 3), _LABELS], outputs=2),
        Case([(2, 3, 2), _PIXELS], {"reduction": "sum"}, outputs=2),
    ),
    "STFT": (
        # ONNX takes another default than the one that it documents, where it infers shapes.
        Case([(1, 16, 1), scalar(4), None, scalar(8)], {"onesided": 1}),
        Case([(2, 9, 1), scalar(2), (5,)], {"onesided": 1}),
        Case([(2, 9, 1), scalar(2), (5,)], {"onesided": 0}),
    ),
}
