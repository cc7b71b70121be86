<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/rows.h"

namespace <%= ns %> {
namespace {

// One value for each channel; they may be of another type than X.
struct Values {
  const void* raw;
  bool wide;

  explicit Values(const Tensor& tensor) : raw(tensor.raw), wide(tensor.dtype == DType::kFloat64) {}

  template <class T>
  EP_DEVICE T At(int64_t channel) const {
    return wide ? static_cast<T>(static_cast<const double*>(raw)[channel])
                : static_cast<T>(static_cast<const float*>(raw)[channel]);
  }
};

template <class T>
struct NormalizePlane {
  const T* x;
  T* y;
  Values scale;
  Values bias;
  Values mean;
  Values variance;
  int64_t channels;
  int64_t pixels;
  T epsilon;

  template <class Threads>
  EP_DEVICE void operator()(int64_t plane, const Threads& threads) const {
    const int64_t channel = plane % channels;
    const T factor = scale.At<T>(channel) / Sqrt(variance.At<T>(channel) + epsilon);
    const T offset = bias.At<T>(channel) - mean.At<T>(channel) * factor;
    const T* from = x + plane * pixels;
    T* to = y + plane * pixels;
    threads.ForEach(pixels, [&](int64_t i) { to[i] = from[i] * factor + offset; });
  }
};

template <class T>
Status Normalize(const <%= k.attrs %>& attrs, int64_t channels, int64_t pixels, Inputs inputs, Outputs outputs, Exec& exec) {
  const NormalizePlane<T> body{inputs[0].data<T>(), outputs[0].data<T>(), Values(inputs[1]), Values(inputs[2]),
                               Values(inputs[3]), Values(inputs[4]), channels, pixels,
                               static_cast<T>(attrs.epsilon)};
  return LaunchRows(exec, inputs[0].shape[0] * channels, pixels, 1, body);
}

}  // namespace

<% include "kernels/batch_normalization.inc" %>

}  // namespace <%= ns %>
