<%= banner %>
#include "<%= k.header %>"

#include <cstdint>

#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/errors.h"
<% if k.converts %>
#include "gen/kernels/support/halves.h"
<% endif %>
#include "gen/kernels/support/random.h"
#include "gen/kernels/support/text.h"

namespace <%= ns %> {
namespace {

// Where nothing is dropped. The mask says what was kept: everything. Before version 12 it was left at zero in inference, and
// before version 10 it was of the type of the data.
Status FillMask(const <%= k.attrs %>& attrs, const MutableTensor& mask, Exec& exec) {
  const uint8_t byte = attrs.tells_kept ? 1 : 0;
  const int64_t bytes = mask.size() * static_cast<int64_t>(SizeOf(mask.dtype));
  return FillElements(exec, mask.raw, bytes, &byte, 1);
}

// -1 of a type that is none of a ratio's.
float RatioAt(const Tensor& ratio) {
  switch (ratio.dtype) {
    case DType::kFloat64:
      return static_cast<float>(*ratio.data<double>());
<% if k.converts %>
    case DType::kFloat16:
      return FromFloat16(*ratio.data<uint16_t>());
    case DType::kBfloat16:
      return FromBfloat16(*ratio.data<uint16_t>());
<% endif %>
    case DType::kFloat32:
      return *ratio.data<float>();
    default:
      return -1;
  }
}

// The share of elements to drop: none but in training.
Status FindRatio(Inputs inputs, float* ratio) {
  *ratio = 0;
  if (!inputs.has(2) || *inputs[2].data<uint8_t>() == 0) return Status();
  *ratio = inputs.has(1) ? RatioAt(inputs[1]) : 0.5f;
  if (*ratio >= 0 && *ratio < 1) return Status();
  return InvalidArgument("ratio must be from 0 up to 1, without 1");
}

// Drops elements of x at random. `scaled` makes up for them in one that is kept.
template <class T, class Scaled>
Status Drop(const <%= k.attrs %>& attrs, float ratio, const Tensor& x, Outputs outputs, Exec& exec, Scaled scaled) {
  const Random random(static_cast<float>(attrs.seed), attrs.has_seed);
  const T* from = x.data<T>();
  T* to = outputs.has(0) ? outputs[0].data<T>() : nullptr;
  bool* mask = outputs.has(1) ? outputs[1].data<bool>() : nullptr;
  ParallelFor(exec, x.size(), 32, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const bool kept = random.Uniform(i) >= static_cast<double>(ratio);
      if (to != nullptr) to[i] = kept ? scaled(from[i]) : T{};
      if (mask != nullptr) mask[i] = kept;
    }
  });
  return Status();
}

Status Train(const <%= k.attrs %>& attrs, float ratio, const Tensor& x, Outputs outputs, Exec& exec) {
  const float scale = 1 / (1 - ratio);
  switch (x.dtype) {
    case DType::kFloat32:
      return Drop<float>(attrs, ratio, x, outputs, exec, [&](float value) { return value * scale; });
    case DType::kFloat64:
      return Drop<double>(attrs, ratio, x, outputs, exec, [&](double value) { return value * static_cast<double>(scale); });
<% if k.converts %>
    case DType::kFloat16:
      return Drop<uint16_t>(attrs, ratio, x, outputs, exec, [&](uint16_t value) { return ToFloat16(FromFloat16(value) * scale); });
    case DType::kBfloat16:
      return Drop<uint16_t>(attrs, ratio, x, outputs, exec, [&](uint16_t value) { return ToBfloat16(FromBfloat16(value) * scale); });
<% endif %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  }
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  attrs.tells_kept = node.SinceVersion() >= 12;
  return node.Get("seed", &attrs.seed, &attrs.has_seed);
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (inputs.has(i) && inputs[i].size() != 1) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "must be one number");
    }
  }
  for (Shape& shape : shapes) shape = inputs[0].shape;
  return Status();
}

// With a `seed` the same elements are dropped at every call; they are not those of other libraries.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& x = inputs[0];
  if (SizeOf(x.dtype) == 0) return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  float ratio = 0;
  EP_RETURN_IF_ERROR(FindRatio(inputs, &ratio));
  if (ratio > 0) return Train(attrs, ratio, x, outputs, exec);
  const auto count = static_cast<size_t>(x.size());
  if (outputs.has(1)) EP_RETURN_IF_ERROR(FillMask(attrs, outputs[1], exec));
  if (!outputs.has(0)) return Status();
  return CopyBytes(exec, outputs[0].raw, x.raw, count * SizeOf(x.dtype));
}

}  // namespace <%= ns %>
