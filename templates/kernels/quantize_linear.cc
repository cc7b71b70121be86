<% set results = (k.types.T2 + (k.types.T3 if k.types.T3 is defined else ())) | unique | list %>
<%= banner %>
#include "<%= k.header %>"

#include <limits>
#include <vector>

<% if k.converts %>
#include "gen/kernels/support/conversion.h"
<% endif %>
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/scales.h"

namespace <%= ns %> {
namespace {

// What one call of a loop works on. Between the two loops numbers are float, in a block that stays
// in the processor's nearest cache.
constexpr int64_t kBlock = 512;

// The quotients of `count` elements and their scales, which move on by `step`.
template <class T>
void Divide(const void* x, int64_t at, const float* scale, int64_t step, int64_t count, float* to) {
  const T* from = static_cast<const T*>(x) + at;
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]) / scale[i * step];
}

// Rounds to the nearest integer, halves to even, moves by the zero point and cuts to the type's
// range. NaN becomes the smallest integer.
template <class T>
void Round(const float* x, const void* zero_point, int64_t zero_at, int64_t step, int64_t count, void* y, int64_t at) {
  constexpr float kLow = static_cast<float>(std::numeric_limits<T>::lowest());
  constexpr float kHigh = static_cast<float>(std::numeric_limits<T>::max());
  const T none = 0;
  const T* zero = zero_point == nullptr ? &none : static_cast<const T*>(zero_point) + zero_at;
  if (zero_point == nullptr) step = 0;
  T* to = static_cast<T*>(y) + at;
  for (int64_t i = 0; i < count; ++i) {
    const float moved = Nearbyint(x[i]) + static_cast<float>(zero[i * step]);
    const float low = moved > kLow ? moved : kLow;
    to[i] = static_cast<T>(low < kHigh ? low : kHigh);
  }
}

using DivideLoop = decltype(&Divide<float>);
using RoundLoop = decltype(&Round<uint8_t>);

Status FindDivide(DType type, DivideLoop* loop) {
  switch (type) {
<% for enumerator, cpp in k.types.T1 %>
    case DType::<%= enumerator %>:
      *loop = &Divide<<%= cpp %>>;
      return Status();
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, type);
  }
}

Status FindRound(DType type, RoundLoop* loop) {
  switch (type) {
<% for enumerator, cpp in results if enumerator in k.p.quantized %>
    case DType::<%= enumerator %>:
      *loop = &Round<<%= cpp %>>;
      return Status();
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, type);
  }
}

<% if k.converts %>
// The numbers of an integer that is smaller than a byte.
bool FindRange(DType type, float* low, float* high) {
  switch (type) {
    case DType::kInt4:
      *low = -8;
      *high = 7;
      return true;
    case DType::kUint4:
      *low = 0;
      *high = 15;
      return true;
    case DType::kInt2:
      *low = -2;
      *high = 1;
      return true;
    case DType::kUint2:
      *low = 0;
      *high = 3;
      return true;
    default:
      return false;
  }
}

// Results that C++ has no type for, or that share bytes: all of them are made as float, then converted
// at once. The zero point of a small float is 0.
Status QuantizeSmall(const <%= k.attrs %>& attrs, const ScaleLayout& layout, Inputs inputs, DivideLoop divide, const float* scales, const MutableTensor& y, Exec& exec) {
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(y.size()) * sizeof(float), &memory));
  float* quotients = static_cast<float*>(memory);
  float low = 0;
  float high = 0;
  const bool is_integer = FindRange(y.dtype, &low, &high);
  Tensor zero_point;
  if (is_integer && inputs.has(2)) {
    zero_point = inputs[2];
    EP_RETURN_IF_ERROR(ConvertToFloat(&zero_point, exec));
  }
  ParallelFor(exec, layout.runs, 4 * layout.length, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const ScaledRun run = layout.Run(index);
      float* to = quotients + run.begin;
      divide(inputs[0].raw, run.begin, scales + run.scale, run.step, run.count, to);
      for (int64_t i = 0; is_integer && i < run.count; ++i) {
        const float zero = zero_point.raw == nullptr ? 0 : zero_point.data<float>()[run.scale + i * run.step];
        const float moved = Nearbyint(to[i]) + zero;
        const float raised = moved > low ? moved : low;  // NaN, too
        to[i] = raised < high ? raised : high;
      }
    }
  });
  const Tensor from{quotients, DType::kFloat32, y.shape};
  if (ConvertElements(from, {y.dtype, attrs.saturates}, y, exec)) return Status();
  return UnsupportedType(<%= k.label | cpp_string %>, y.dtype);
}

<% endif %>
// The scales as float: integers are, too, where x is an integer.
Status ReadScales(const Tensor& scale, std::vector<float>* converted, const float** scales) {
  *scales = scale.data<float>();
  if (scale.dtype == DType::kFloat32) return Status();
  if (scale.dtype != DType::kInt32) return UnsupportedType(<%= k.label | cpp_string %>, scale.dtype);
  const int32_t* from = scale.data<int32_t>();
  converted->resize(static_cast<size_t>(scale.size()));
  for (size_t i = 0; i < converted->size(); ++i) (*converted)[i] = static_cast<float>(from[i]);
  *scales = converted->data();
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(ReadScaleAttrs(node, &attrs.scales));
<% if k.converts %>
  int64_t saturate = 1;
  EP_RETURN_IF_ERROR(node.Get("saturate", &saturate));
  attrs.saturates = saturate != 0;
<% endif %>
  int64_t precision = 0;
  EP_RETURN_IF_ERROR(node.Get("precision", &precision));
  if (precision == static_cast<int64_t>(DType::kFloat64)) return NotImplemented("a precision of float64");
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  ScaleLayout layout;
  shapes[0] = inputs[0].shape;
  return LayScales(attrs.scales, inputs, &layout);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  ScaleLayout layout;
  EP_RETURN_IF_ERROR(LayScales(attrs.scales, inputs, &layout));
  DivideLoop divide = nullptr;
  RoundLoop round = nullptr;
  EP_RETURN_IF_ERROR(FindDivide(inputs[0].dtype, &divide));
  std::vector<float> converted;
  const float* scales = nullptr;
<% if k.converts %>
  Tensor given = inputs[1];
  if (IsSmallFloat(given.dtype)) EP_RETURN_IF_ERROR(ConvertToFloat(&given, exec));
  EP_RETURN_IF_ERROR(ReadScales(given, &converted, &scales));
  if (IsSmall(outputs[0].dtype)) return QuantizeSmall(attrs, layout, inputs, divide, scales, outputs[0], exec);
<% else %>
  EP_RETURN_IF_ERROR(ReadScales(inputs[1], &converted, &scales));
<% endif %>
  EP_RETURN_IF_ERROR(FindRound(outputs[0].dtype, &round));
  const void* x = inputs[0].raw;
  const void* zero_point = inputs.has(2) ? inputs[2].raw : nullptr;
  void* y = outputs[0].raw;
  ParallelFor(exec, layout.runs, 4 * layout.length, [&](int64_t begin, int64_t end) {
    float quotients[kBlock];
    for (int64_t index = begin; index < end; ++index) {
      const ScaledRun run = layout.Run(index);
      for (int64_t i = 0; i < run.count; i += kBlock) {
        const int64_t count = run.count - i < kBlock ? run.count - i : kBlock;
        const int64_t scale = run.scale + i * run.step;
        divide(x, run.begin + i, scales + scale, run.step, count, quotients);
        round(quotients, zero_point, scale, run.step, count, y, run.begin + i);
      }
    }
  });
  return Status();
}

}  // namespace <%= ns %>
