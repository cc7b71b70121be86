<%= banner %>
#include "gen/kernels/support/scales.h"

#include <cstddef>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// Elements that have one scale are cut into runs that a thread has enough to do with.
constexpr int64_t kRun = 4096;

bool IsOne(const Shape& shape) { return shape.empty() || IsVectorOf(1, shape); }

// The blocks of `block` elements in `count`, the last of which may be shorter.
int64_t BlocksIn(int64_t count, int64_t block) { return count / block + (count % block == 0 ? 0 : 1); }

Status LayBlocks(const Shape& x, const Shape& scale, size_t axis, int64_t block, ScaleLayout* layout) {
  bool fits = scale.size() == x.size();
  for (size_t i = 0; fits && i < x.size(); ++i) {
    fits = scale[i] == (i == axis ? BlocksIn(x[i], block) : x[i]);
  }
  if (!fits) {
    return InvalidArgument(Text() << "scales of shape " << scale << " do not fit blocks of " << block << " along axis " << axis << " of " << x);
  }
  layout->kind = ScaleLayout::Kind::kBlocks;
  layout->block = block;
  layout->blocks = scale[axis];
  return Status();
}

}  // namespace

ScaledRun ScaleLayout::Run(int64_t index) const {
  if (kind == Kind::kOne) {
    const int64_t begin = index * length;
    return {begin, size - begin < length ? size - begin : length, 0, 0};
  }
  if (kind == Kind::kAxis) {
    return inner == 1 ? ScaledRun{index * axis, axis, 0, 1} : ScaledRun{index * inner, inner, index % axis, 0};
  }
  if (inner == 1) {
    const int64_t begin = index % blocks * block;
    return {index / blocks * axis + begin, axis - begin < block ? axis - begin : block, index, 0};
  }
  const int64_t row = index / axis * blocks + index % axis / block;
  return {index * inner, inner, row * inner, 1};
}

Status ReadScaleAttrs(const Node& node, ScaleAttrs* attrs) {
  attrs->one = node.SinceVersion() < 13;
  EP_RETURN_IF_ERROR(node.Get("axis", &attrs->axis));
  EP_RETURN_IF_ERROR(node.Get("block_size", &attrs->block_size));
  if (attrs->block_size >= 0) return Status();
  return InvalidArgument(Text() << "block_size is " << attrs->block_size);
}

Status LayScales(const ScaleAttrs& attrs, Inputs inputs, ScaleLayout* layout) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  const Shape& scale = inputs[1].shape;
  const bool one = attrs.block_size == 0 && IsOne(scale);
  if (attrs.one && !one) return InvalidArgument(Text() << "there must be one scale, not those of shape " << scale);
  if (inputs.has(2) && inputs[2].shape != scale && !(one && IsOne(inputs[2].shape))) {
    return InvalidArgument(Text() << "zero points of shape " << inputs[2].shape << " do not fit scales of shape " << scale);
  }
  layout->size = ElementCount(x);
  if (one) {
    layout->length = kRun;
    layout->runs = BlocksIn(layout->size, kRun);
    return Status();
  }
  size_t at = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &at));
  layout->axis = x[at];
  layout->inner = Product(x, at + 1, x.size());
  if (attrs.block_size > 0) {
    EP_RETURN_IF_ERROR(LayBlocks(x, scale, at, attrs.block_size, layout));
  } else if (IsVectorOf(x[at], scale)) {
    layout->kind = ScaleLayout::Kind::kAxis;
  } else {
    return InvalidArgument(Text() << "scales of shape " << scale << " do not fit axis " << at << " of " << x);
  }
  const bool across = layout->inner > 1;  // a run has one index of the axis
  if (layout->size > 0) layout->runs = Product(x, 0, at) * (across ? layout->axis : layout->blocks);
  layout->length = across ? layout->inner : layout->blocks > 1 ? layout->block : layout->axis;
  return Status();
}

}  // namespace <%= ns %>
