<% set sources = k.types.T + k.types.T1 if k.types.T is defined and k.types.T1 is defined else (k.types.T if k.types.T is defined else k.types.T1) %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/scales.h"

namespace <%= ns %> {
namespace {

// The elements of a run as numbers. The difference of two integers of 32 bits wraps around.
template <class T>
void Scale(Inputs inputs, const ScaledRun& run, float* y) {
  const T* from = inputs[0].data<T>() + run.begin;
  const float* scale = inputs[1].data<float>();
  const T none = 0;
  const T* zero = inputs.has(2) ? inputs[2].data<T>() + run.scale : &none;
  const int64_t zero_step = inputs.has(2) ? run.step : 0;
  for (int64_t i = 0; i < run.count; ++i) {
    const uint32_t moved = static_cast<uint32_t>(from[i]) - static_cast<uint32_t>(zero[i * zero_step]);
    y[run.begin + i] = static_cast<float>(static_cast<int32_t>(moved)) * scale[run.scale + i * run.step];
  }
}

using Loop = decltype(&Scale<uint8_t>);

Status FindLoop(DType type, Loop* loop) {
  switch (type) {
<% for enumerator, cpp in sources | unique %>
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
  Loop loop = nullptr;
  EP_RETURN_IF_ERROR(FindLoop(inputs[0].dtype, &loop));
  float* y = outputs[0].data<float>();
  ParallelFor(exec, layout.runs, 2 * layout.length, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) loop(inputs, layout.Run(i), y);
  });
  return Status();
}

}  // namespace <%= ns %>
