<% set sources = k.types.T + k.types.T1 if k.types.T is defined and k.types.T1 is defined else (k.types.T if k.types.T is defined else k.types.T1) %>
<%= banner %>
#include "<%= k.header %>"

<% if k.converts %>
#include <type_traits>

#include "gen/kernels/support/conversion.h"
<% endif %>
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/scales.h"

namespace <%= ns %> {
namespace {

// A tensor, its scales, and its zero points, which may be missing.
struct Operands {
  Tensor x;
  Tensor scale;
  Tensor zero_point;
};

// The elements of a run as numbers. The difference of two integers of 32 bits wraps around.
template <class T>
void Scale(const Operands& operands, const ScaledRun& run, float* y) {
  const T* from = operands.x.data<T>() + run.begin;
  const float* scale = operands.scale.data<float>();
  const T none = 0;
  const bool has_zero = operands.zero_point.raw != nullptr;
  const T* zero = has_zero ? operands.zero_point.data<T>() + run.scale : &none;
  const int64_t zero_step = has_zero ? run.step : 0;
  for (int64_t i = 0; i < run.count; ++i) {
<% if k.converts %>
    float number = 0;
    if constexpr (std::is_same_v<T, float>) {
      number = from[i] - zero[i * zero_step];
    } else {
      const uint32_t moved = static_cast<uint32_t>(from[i]) - static_cast<uint32_t>(zero[i * zero_step]);
      number = static_cast<float>(static_cast<int32_t>(moved));
    }
    y[run.begin + i] = number * scale[run.scale + i * run.step];
<% else %>
    const uint32_t moved = static_cast<uint32_t>(from[i]) - static_cast<uint32_t>(zero[i * zero_step]);
    y[run.begin + i] = static_cast<float>(static_cast<int32_t>(moved)) * scale[run.scale + i * run.step];
<% endif %>
  }
}

using Loop = decltype(&Scale<uint8_t>);

Status FindLoop(DType type, Loop* loop) {
  switch (type) {
<% if k.converts %>
    case DType::kFloat32:  // what it was made of has no type in C++
      *loop = &Scale<float>;
      return Status();
<% endif %>
<% for enumerator, cpp in sources | unique if enumerator in k.p.integers %>
    case DType::<%= enumerator %>:
      *loop = &Scale<<%= cpp %>>;
      return Status();
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, type);
  }
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) { return ReadScaleAttrs(node, &attrs.scales); }

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  ScaleLayout layout;
  shapes[0] = inputs[0].shape;
  return LayScales(attrs.scales, inputs, &layout);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  ScaleLayout layout;
  EP_RETURN_IF_ERROR(LayScales(attrs.scales, inputs, &layout));
  Operands operands{inputs[0], inputs[1], inputs.has(2) ? inputs[2] : Tensor()};
<% if k.converts %>
  if (IsSmall(operands.x.dtype)) {  // what has no type in C++ is scaled where the result is
    if (!ConvertElements(inputs[0], {}, outputs[0], exec)) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
    operands.x = {outputs[0].raw, DType::kFloat32, inputs[0].shape};
    if (inputs.has(2)) EP_RETURN_IF_ERROR(ConvertToFloat(&operands.zero_point, exec));
  }
  if (IsSmall(operands.scale.dtype)) EP_RETURN_IF_ERROR(ConvertToFloat(&operands.scale, exec));
<% endif %>
  Loop loop = nullptr;
  EP_RETURN_IF_ERROR(FindLoop(operands.x.dtype, &loop));
  float* y = outputs[0].data<float>();
  ParallelFor(exec, layout.runs, 2 * layout.length, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) loop(operands, layout.Run(i), y);
  });
  return Status();
}

}  // namespace <%= ns %>
