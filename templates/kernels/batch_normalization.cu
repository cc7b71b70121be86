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

<% if not k.base %>
// A running statistic of each channel, before and after.
struct Running {
  Values old;
  void* raw;  // may be null
  bool wide;

  Running(const Tensor& before, const MutableTensor* after)
      : old(before), raw(after == nullptr ? nullptr : after->raw), wide(after != nullptr && after->dtype == DType::kFloat64) {}

  EP_DEVICE void Update(double momentum, double found, int64_t channel) const {
    if (raw == nullptr) return;
    const double value = momentum * old.At<double>(channel) + (1 - momentum) * found;
    if (wide) {
      static_cast<double*>(raw)[channel] = value;
    } else {
      static_cast<float*>(raw)[channel] = static_cast<float>(value);
    }
  }
};

// By the mean and the variance of the batch.
template <class T>
struct TrainChannel {
  const T* x;
  T* y;  // may be null
  Values scale;
  Values bias;
  Running mean;
  Running variance;
  int64_t channels;
  int64_t pixels;
  int64_t count;  // of the elements of a channel
  double epsilon;
  double momentum;

  template <class Threads>
  EP_DEVICE void operator()(int64_t channel, const Threads& threads) const {
    const auto add = [](double a, double b) { return a + b; };
    const auto place = [&](int64_t i) { return (i / pixels * channels + channel) * pixels + i % pixels; };
    const double sum = threads.Join(
        count, 0.0, [&](int64_t i) { return static_cast<double>(x[place(i)]); }, add);
    const double found = sum / static_cast<double>(count);
    const double squares = threads.Join(
        count, 0.0,
        [&](int64_t i) {
          const double value = static_cast<double>(x[place(i)]) - found;
          return value * value;
        },
        add);
    const double spread = squares / static_cast<double>(count);
    threads.Once([&] {
      mean.Update(momentum, found, channel);
      variance.Update(momentum, spread, channel);
    });
    if (y == nullptr) return;
    const double factor = scale.At<double>(channel) / Sqrt(spread + epsilon);
    const double offset = bias.At<double>(channel) - found * factor;
    threads.ForEach(count, [&](int64_t i) {
      y[place(i)] = static_cast<T>(static_cast<double>(x[place(i)]) * factor + offset);
    });
  }
};

template <class T>
Status Train(const <%= k.attrs %>& attrs, int64_t channels, int64_t pixels, Inputs inputs, Outputs outputs, Exec& exec) {
  const int64_t count = inputs[0].shape[0] * pixels;
  const TrainChannel<T> body{inputs[0].data<T>(), outputs.has(0) ? outputs[0].data<T>() : nullptr, Values(inputs[1]),
                             Values(inputs[2]), Running(inputs[3], outputs.at(1)), Running(inputs[4], outputs.at(2)),
                             channels, pixels, count, static_cast<double>(attrs.epsilon),
                             static_cast<double>(attrs.momentum)};
  return LaunchRows(exec, channels, count, 1, body);
}

<% endif %>
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
