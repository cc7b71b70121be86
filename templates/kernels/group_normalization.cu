<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/rows.h"

namespace <%= ns %> {
namespace {

// Normalizes a run of `members` channels by the mean and the variance of all of its elements.
template <class T>
struct NormalizeGroup {
  const T* x;
  const T* scale;
  const T* bias;
  T* y;
  int64_t members;
  int64_t channels;
  int64_t pixels;
  double epsilon;

  template <class Threads>
  EP_DEVICE void operator()(int64_t group, const Threads& threads) const {
    const auto add = [](double a, double b) { return a + b; };
    const int64_t count = members * pixels;
    const T* from = x + group * count;
    T* to = y + group * count;
    const double sum = threads.Join(
        count, 0.0, [&](int64_t i) { return static_cast<double>(from[i]); }, add);
    const double mean = sum / static_cast<double>(count);
    const double squares = threads.Join(
        count, 0.0,
        [&](int64_t i) {
          const double value = static_cast<double>(from[i]) - mean;
          return value * value;
        },
        add);
    const double variance = squares / static_cast<double>(count);
    const double factor = 1 / Sqrt(variance + epsilon);
    const int64_t first = group * members % channels;
    threads.ForEach(count, [&](int64_t i) {
      const int64_t channel = first + i / pixels;
      const T value = static_cast<T>((static_cast<double>(from[i]) - mean) * factor);
      to[i] = value * scale[channel] + bias[channel];
    });
  }
};

template <class T>
Status Normalize(float epsilon, int64_t members, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const int64_t channels = shape[1];
  const int64_t pixels = Product(shape, 2, shape.size());
  const NormalizeGroup<T> body{inputs[0].data<T>(), inputs[1].data<T>(), inputs[2].data<T>(), outputs[0].data<T>(),
                               members, channels, pixels, static_cast<double>(epsilon)};
  return LaunchRows(exec, shape[0] * (channels / members), members * pixels, 1, body);
}

}  // namespace

<% include "kernels/group_normalization.inc" %>

}  // namespace <%= ns %>
