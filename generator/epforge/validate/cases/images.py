"""Cases of what resizes, samples, cuts and puts together images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from epforge.validate.cases.model import Ask, Builder, Case, Feed, dims, ints


def _floats(values: object, type_: str = "float32", constant: bool = True) -> Feed:
    """Numbers with fractions: scales, boxes."""
    dtype = np.float64 if type_ == "float64" else np.float16 if type_ == "float16" else np.float32
    return Feed(np.asarray(values, dtype=dtype), type_, constant)


def _empty(shape: tuple[int, ...], ask: Ask, constraint: str = "T") -> Feed:
    """A tensor without elements."""
    return Feed(np.zeros(shape, ask.feed((1,), constraint).array.dtype), ask.type(constraint))


def _conv_transpose(ask: Ask) -> Iterator[Case]:
    x, w = (
        ask.feed((1, 3, 4, 5), low=-1, high=1),
        ask.feed((3, 4, 3, 3), low=-1, high=1, constant=True),
    )
    bias = ask.feed((4,), constant=True)
    square: dict[str, Any] = {"kernel_shape": [3, 3]}
    twice: dict[str, Any] = {**square, "strides": [2, 2]}
    yield Case("3x3", (x, w), square)
    yield Case("strides, bias", (x, w, bias), twice)
    yield Case("pads, output_padding", (x, w), {**twice, "pads": [1] * 4, "output_padding": [1, 1]})
    yield Case(
        "groups",
        (ask.feed((1, 4, 4, 4)), ask.feed((4, 2, 3, 3), constant=True)),
        {**square, "group": 2},
    )
    yield Case("weights fed", (x, ask.feed((3, 4, 3, 3), low=-1, high=1)), square)
    yield Case("no images", (_empty((0, 3, 4, 5), ask), w), square)
    yield Case("dilations", (x, w), {**square, "dilations": [2, 2]}, basic=False)
    yield Case("output_shape", (x, w), {**twice, "output_shape": [8, 10]}, basic=False)
    for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        yield Case(f"auto_pad={pad}", (x, w), {**twice, "auto_pad": pad}, basic=False)
    line = (ask.feed((2, 3, 8)), ask.feed((3, 2, 3), constant=True))
    yield Case("one axis", line, {"kernel_shape": [3], "strides": [2]}, basic=False)
    solid = (ask.feed((1, 2, 3, 4, 3)), ask.feed((2, 2, 2, 2, 2), constant=True))
    yield Case("three axes", solid, {"kernel_shape": [2] * 3, "strides": [2] * 3}, basic=False)


def _space(ask: Ask) -> Iterator[Case]:
    shape = (2, 8, 3, 2) if ask.op == "DepthToSpace" else (2, 2, 4, 6)
    yield Case("blocks of 2", (ask.feed(shape),), {"blocksize": 2})
    yield Case("no images", (_empty((0, *shape[1:]), ask),), {"blocksize": 2})
    if ask.op == "DepthToSpace" and ask.since >= 11:
        yield Case("mode=CRD", (ask.feed(shape),), {"blocksize": 2, "mode": "CRD"})


def _resize(ask: Ask) -> Iterator[Case]:
    constraint = "T" if ask.since == 10 else "T1"
    x = ask.feed((1, 2, 4, 6), constraint)
    twice = _floats([1, 1, 2, 2])
    half = _floats([1, 1, 0.5, 0.5])
    if ask.since == 10:
        yield Case("nearest, twice as large", (x, twice), {"mode": "nearest"})
        yield Case("scales fed", (x, _floats([1, 1, 2, 2], constant=False)), {"mode": "nearest"})
        yield Case("linear, twice as large", (x, twice), {"mode": "linear"}, basic=False)
        return
    roi = _floats(np.zeros(0), ask.type("T2"))
    floor = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    yield Case("nearest, twice as large", (x, roi, twice), {"mode": "nearest", **floor})
    yield Case("nearest, half as large", (x, roi, half), {"mode": "nearest", **floor})
    fed = (x, roi, _floats([1, 1, 2, 2], constant=False))
    yield Case("nearest, scales fed", fed, {"mode": "nearest", **floor})
    sizes = (x, roi, _floats(np.zeros(0)), ints([1, 2, 8, 9]))
    yield Case("nearest, sizes", sizes, {"mode": "nearest", **floor}, basic=False)
    if ask.type(constraint) not in ("float32", "float64", "float16"):
        return  # how fractions become integers is left open
    for name in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"):
        attributes = {"mode": "linear", "coordinate_transformation_mode": name}
        yield Case(f"linear, {name}", (x, roi, twice), attributes, basic=False)
    yield Case("cubic", (x, roi, twice), {"mode": "cubic"}, basic=False)
    if ask.since >= 18:
        shrunk: dict[str, Any] = {"mode": "linear", "axes": [2, 3], "antialias": 1}
        yield Case("antialias", (x, roi, _floats([0.5, 0.5])), shrunk, basic=False, defined=False)


def _upsample(ask: Ask) -> Iterator[Case]:
    x = ask.feed((1, 2, 3, 4))
    for mode in ("nearest", "linear"):
        basic = mode == "nearest"
        if not basic and ask.type() not in ("float32", "float64", "float16"):
            continue
        if ask.since == 1:
            each: dict[str, Any] = {"height_scale": 2.0, "width_scale": 2.0}
            yield Case(
                mode, (x,), {"mode": "nearest" if basic else "bilinear", **each}, basic=basic
            )
        elif ask.since == 7:
            yield Case(mode, (x,), {"mode": mode, "scales": [1.0, 1.0, 2.0, 2.0]}, basic=basic)
        else:
            yield Case(mode, (x, _floats([1, 1, 2, 2])), {"mode": mode}, basic=basic)


def _grid_sample(ask: Ask) -> Iterator[Case]:
    x = ask.feed((2, 3, 4, 5), "T1")
    grid = ask.feed((2, 3, 4, 2), "T2", low=-1.5, high=1.5)
    linear, cubic = ("bilinear", "bicubic") if ask.since < 20 else ("linear", "cubic")
    for mode in (linear, "nearest", cubic):
        if mode != "nearest" and ask.type("T1") not in ("float32", "float64", "float16"):
            continue
        for padding in ("zeros", "border", "reflection"):
            if mode == cubic and padding == "border":
                continue  # implementations differ in which places beyond the border they move
            attributes = {"mode": mode, "padding_mode": padding}
            basic = mode == linear and padding == "zeros"
            yield Case(f"{mode}, {padding}", (x, grid), attributes, basic=basic)
    yield Case("corners", (x, grid), {"mode": "nearest", "align_corners": 1}, basic=False)
    if ask.since >= 20 and ask.type("T1") in ("float32", "float64"):
        solid = (ask.feed((1, 2, 3, 4, 5), "T1"), ask.feed((1, 2, 2, 2, 3), "T2", low=-1, high=1))
        yield Case("three axes", solid, basic=False)


def _affine_grid(ask: Ask) -> Iterator[Case]:
    for corners in (0, 1):
        flat = (ask.feed((2, 2, 3), "T1"), ints([2, 3, 4, 5]))
        yield Case(f"two axes, align_corners={corners}", flat, {"align_corners": corners})
        solid = (ask.feed((1, 3, 4), "T1"), ints([1, 2, 3, 4, 5]))
        yield Case(f"three axes, align_corners={corners}", solid, {"align_corners": corners})


def _nms(ask: Ask) -> Iterator[Case]:
    boxes = Feed(np.abs(ask.array((2, 12, 4), "float32")), "float32")
    scores = Feed(ask.array((2, 3, 12), "float32", 0, 1), "float32")
    few, half, low = ints([4]), _floats([0.5]), _floats([0.25])
    yield Case("all limits", (boxes, scores, few, half, low))
    yield Case("no limit of scores", (boxes, scores, few, half))
    yield Case("no boxes asked for", (boxes, scores))
    yield Case("centres", (boxes, scores, few, half), {"center_point_box": 1}, basic=False)


def _rois(ask: Ask) -> Iterator[Case]:
    if ask.op == "MaxRoiPool":
        rois = _floats([[0, 0, 0, 7, 6], [1, 2, 3, 5, 20]], ask.type())
        attributes: dict[str, Any] = {"pooled_shape": [2, 3], "spatial_scale": 0.5}
        yield Case("2x3", (ask.feed((2, 3, 8, 9)), rois), attributes)
        return
    rois = _floats([[0, 0, 7, 6], [1, 2, 5, 7]], ask.type("T1"))
    inputs = (ask.feed((2, 3, 8, 9), "T1"), rois, ints([1, 0]))
    for mode in ("avg", "max"):
        box = {"output_height": 2, "output_width": 3, "sampling_ratio": 2, "mode": mode}
        yield Case(f"{mode}, 2x3", inputs, box, basic=mode == "avg")
    adaptive: dict[str, Any] = {"output_height": 2, "output_width": 2, "spatial_scale": 0.5}
    yield Case("as many samples as it takes", inputs, adaptive)


def _deform_conv(ask: Ask) -> Iterator[Case]:
    w = ask.feed((3, 2, 2, 2), low=-1, high=1, constant=True)
    x = ask.feed((2, 2, 4, 5), low=-1, high=1)
    offset = ask.feed((2, 8, 3, 4), low=-1, high=1)
    yield Case("2x2", (x, w, offset), {"kernel_shape": [2, 2]})
    bias, mask = ask.feed((3,), constant=True), ask.feed((2, 4, 3, 4), low=0, high=1)
    yield Case("bias, mask", (x, w, offset, bias, mask), {"kernel_shape": [2, 2]})


def _max_unpool(ask: Ask) -> Iterator[Case]:
    square: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
    at = ints([[[[0, 3], [9, 14]], [[17, 19], [24, 31]]]], constant=False)
    yield Case("2x2", (ask.feed((1, 2, 2, 2), "T1"), at), square)


def _col2im(ask: Ask) -> Iterator[Case]:
    blocks = (ints([3, 4]), ints([2, 2]))
    yield Case("2x2", (ask.feed((2, 8, 6)), *blocks))
    spread: dict[str, Any] = {"strides": [2, 2], "pads": [1] * 4}
    yield Case("strides, pads", (ask.feed((1, 4, 6)), *blocks), spread, basic=False)


def _center(ask: Ask) -> Iterator[Case]:
    index = ask.type("Tind")
    for shape, axes in (((5, 4, 4), None), ((2, 9), [-1, 0])):
        attributes = {} if axes is None else {"axes": axes}
        label = f"to {dims(shape)}" + ("" if axes is None else f" along {axes}")
        yield Case(label, (ask.feed((3, 7, 4)), ints(shape, index)), attributes)


TABLE: Mapping[str, Builder] = {
    "AffineGrid": _affine_grid,
    "CenterCropPad": _center,
    "Col2Im": _col2im,
    "ConvTranspose": _conv_transpose,
    "DeformConv": _deform_conv,
    "DepthToSpace": _space,
    "GridSample": _grid_sample,
    "MaxRoiPool": _rois,
    "MaxUnpool": _max_unpool,
    "NonMaxSuppression": _nms,
    "Resize": _resize,
    "RoiAlign": _rois,
    "SpaceToDepth": _space,
    "Upsample": _upsample,
}
