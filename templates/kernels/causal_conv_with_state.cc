<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

constexpr const char* kOp = <%= k.label | cpp_string %>;

enum In : size_t { kX, kWeights, kBias, kPast };

// A channel's row of x, and what was before it: `before` elements, zeros where there is no past.
template <class T>
struct Signal {
  const T* past;
  const T* x;
  int64_t before;

  // Element i, counted from the first one before x.
  T at(int64_t i) const {
    if (i >= before) return x[i - before];
    return past == nullptr ? T{} : past[i];
  }
};

// y[t] = the sum of weights[j] * signal.at(t + j)
template <class T>
void Convolve(const Signal<T>& signal, const T* weights, T bias, int64_t length, T* y) {
  for (int64_t t = 0; t < length; ++t) y[t] = bias;
  for (int64_t j = 0; j <= signal.before; ++j) {
    const T weight = weights[j];
    const int64_t behind = signal.before - j;  // how far the element is behind y's
    const int64_t early = behind < length ? behind : length;
    for (int64_t t = 0; t < early; ++t) y[t] += weight * signal.at(t + j);
    for (int64_t t = early; t < length; ++t) y[t] += weight * signal.x[t - behind];
  }
}

template <class T>
Status Run(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[kX].shape;
  const int64_t channels = shape[1];
  const int64_t length = shape[2];
  const int64_t before = inputs[kWeights].shape[2] - 1;
  if (shape[0] == 0 || channels == 0) return Status();
  const T* x = inputs[kX].data<T>();
  const T* weights = inputs[kWeights].data<T>();
  const T* bias = inputs.has(kBias) ? inputs[kBias].data<T>() : nullptr;
  const T* past = inputs.has(kPast) ? inputs[kPast].data<T>() : nullptr;
  T* y = outputs[0].data<T>();
  T* present = outputs[1].data<T>();
  ParallelFor(exec, shape[0] * channels, length * (before + 1) + before, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t channel = row % channels;
      const Signal<T> signal{past == nullptr ? nullptr : past + row * before, x + row * length, before};
      T* to = y + row * length;
      Convolve(signal, weights + channel * (before + 1), bias == nullptr ? T{} : bias[channel], length, to);
      for (int64_t t = 0; attrs.swish && t < length; ++t) to[t] *= Sigmoid(to[t]);
      for (int64_t i = 0; i < before; ++i) present[row * before + i] = signal.at(length + i);
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  constexpr const char* kActivations[] = {"none", "silu", "swish"};  // the last two are one
  size_t activation = 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "activation", kActivations, &activation));
  attrs.swish = activation != 0;
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[kX].shape;
  const Shape& weights = inputs[kWeights].shape;
  EP_RETURN_IF_ERROR(CheckRank(x, 3, "the input"));
  EP_RETURN_IF_ERROR(CheckRank(weights, 3, "the weight"));
  if (weights[0] != x[1] || weights[1] != 1 || weights[2] < 1) {
    return BadShape(kOp, kWeights, weights, "must be (channels, 1, one or more)");
  }
  if (inputs.has(kBias) && !IsVectorOf(x[1], inputs[kBias].shape)) {
    return BadShape(kOp, kBias, inputs[kBias].shape, "must have one number per channel");
  }
  shapes[0] = x;
  shapes[1] = {x[0], x[1], weights[2] - 1};
  if (inputs.has(kPast) && inputs[kPast].shape != shapes[1]) {
    return BadShape(kOp, kPast, inputs[kPast].shape, "must be (batch, channels, weights but one)");
  }
  return CheckShape(shapes[1]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[kX].dtype) {
<%= cases(k.t, "Run", "attrs, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(kOp, inputs[kX].dtype);
  }
}

}  // namespace <%= ns %>
