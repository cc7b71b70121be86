"""The stub of `blueprints/custom-ops.yaml`, written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from projects import Project, built, expanded

HEADER = "src/kernels/com_contoso_pair_sum.h"
SOURCE = "src/kernels/com_contoso_pair_sum.cc"
_EJECTED = "    compute: min(max(x, lo), hi)\n"

_WRITTEN = """\
#include "kernels/com_contoso_pair_sum.h"

namespace %(ns)s {
namespace {

size_t Axis(const ComContosoPairSumAttrs& attrs, const Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  return static_cast<size_t>(attrs.axis < 0 ? attrs.axis + rank : attrs.axis);
}

}  // namespace

Status Read(const Node& node, ComContosoPairSumAttrs& attrs) {
  return node.Get("axis", &attrs.axis);
}

Status InferShapes(const ComContosoPairSumAttrs& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& shape = inputs[0].shape;
  const size_t axis = Axis(attrs, shape);
  if (axis >= shape.size()) return InvalidArgument("com.contoso::PairSum: no such axis");
  if (shape[axis] %% 2 != 0) {
    return InvalidArgument("com.contoso::PairSum: an odd number of elements");
  }
  shapes[0] = shape;
  shapes[0][axis] /= 2;
  return Status();
}

Status Compute(const ComContosoPairSumAttrs& attrs, Inputs inputs, Outputs outputs, Exec&) {
  const Shape& shape = inputs[0].shape;
  int64_t inner = 1;
  for (size_t i = Axis(attrs, shape) + 1; i < shape.size(); ++i) inner *= shape[i];
  const float* in = inputs[0].data<float>();
  float* out = outputs[0].data<float>();
  for (int64_t i = 0; i < outputs[0].size(); ++i) {
    const int64_t first = i / inner * 2 * inner + i %% inner;
    out[i] = in[first] + in[first + inner];
  }
  return Status();
}

}  // namespace %(ns)s
"""


def written_project(repository: Path) -> Project:
    """The project of `blueprints/custom-ops.yaml` with PairSum written and Clip ejected.

    Args:
        repository: the top of the checkout.
    """
    text = (repository / "blueprints/custom-ops.yaml").read_text(encoding="utf-8")
    assert text.count(_EJECTED) == 1
    text = text.replace(_EJECTED, f"{_EJECTED}    kernel: yours\n")
    return built(text, changes=written(text))


def written(text: str) -> Mapping[str, str]:
    """The files of the stub, filled in, for `projects.built`.

    Args:
        text: a blueprint with com.contoso::PairSum, as `blueprints/custom-ops.yaml` has it.
    """
    expansion = expanded(text)
    header = next(file.content.decode() for file in expansion.files if file.path == HEADER)
    assert header.count("= false;") == 1
    namespace = str(expansion.blueprint.names.namespace)
    return {HEADER: header.replace("= false;", "= true;"), SOURCE: _WRITTEN % {"ns": namespace}}
