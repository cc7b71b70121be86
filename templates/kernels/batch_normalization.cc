<%= banner %>
#include "<%= k.header %>"

<% if k.base %>
#include "gen/kernels/support/channels_last.h"
<% endif %>
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// The statistics may be of another type than X.
template <class T>
T ValueAt(const Tensor& tensor, int64_t index) {
  if (tensor.dtype == DType::kFloat64) return static_cast<T>(tensor.data<double>()[index]);
  return static_cast<T>(tensor.data<float>()[index]);
}

template <class T>
Status Normalize(const <%= k.attrs %>& attrs, int64_t channels, int64_t pixels, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  const T epsilon = static_cast<T>(attrs.epsilon);
<% if k.base %>
  void* scratch = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(2 * static_cast<size_t>(channels) * sizeof(T), &scratch));
  T* factors = static_cast<T*>(scratch);
  T* offsets = factors + channels;
  for (int64_t channel = 0; channel < channels; ++channel) {
    const T variance = ValueAt<T>(inputs[4], channel);
    const T factor = ValueAt<T>(inputs[1], channel) / Sqrt(variance + epsilon);
    factors[channel] = factor;
    offsets[channel] = ValueAt<T>(inputs[2], channel) - ValueAt<T>(inputs[3], channel) * factor;
  }
  ParallelFor(exec, inputs[0].shape[0] * pixels, channels, [&](int64_t begin, int64_t end) {
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      const T* from = x + pixel * channels;
      T* to = y + pixel * channels;
      for (int64_t i = 0; i < channels; ++i) to[i] = from[i] * factors[i] + offsets[i];
    }
  });
<% else %>
  ParallelFor(exec, inputs[0].shape[0] * channels, pixels, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t channel = plane % channels;
      const T variance = ValueAt<T>(inputs[4], channel);
      const T factor = ValueAt<T>(inputs[1], channel) / Sqrt(variance + epsilon);
      const T offset = ValueAt<T>(inputs[2], channel) - ValueAt<T>(inputs[3], channel) * factor;
      const T* from = x + plane * pixels;
      T* to = y + plane * pixels;
      for (int64_t i = 0; i < pixels; ++i) to[i] = from[i] * factor + offset;
    }
  });
<% endif %>
  return Status();
}

}  // namespace

<% include "kernels/batch_normalization.inc" %>

}  // namespace <%= ns %>
