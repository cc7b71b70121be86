<% set step = " * channels" if k.base else "" %>
<%= banner %>
#include "<%= k.header %>"

<% if k.base %>
#include "gen/kernels/support/channels_last.h"
<% endif %>
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// Normalizes every run of `members` channels by the mean and the variance of all of its elements.
template <class T>
Status Normalize(float epsilon, int64_t members, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const T* x = inputs[0].data<T>();
  const T* scale = inputs[1].data<T>();
  const T* bias = inputs[2].data<T>();
  T* y = outputs[0].data<T>();
  const int64_t channels = shape[1];
  const int64_t pixels = Product(shape, 2, shape.size());
  const int64_t count = members * pixels;
  ParallelFor(exec, shape[0] * (channels / members), 4 * count, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
<% if k.base %>
      const int64_t start = group / channels * channels * pixels + group % channels;
      const T* from = x + start;
      T* to = y + start;
<% else %>
      const T* from = x + group * count;
      T* to = y + group * count;
<% endif %>
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(from[i<%= step %>]);
      const double mean = sum / static_cast<double>(count);
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(from[i<%= step %>]) - mean;
        squares += value * value;
      }
      const double variance = squares / static_cast<double>(count);
      const double factor = 1 / Sqrt(variance + static_cast<double>(epsilon));
      for (int64_t i = 0; i < count; ++i) {
        const int64_t channel = (group * members + i / pixels) % channels;
        const T value = static_cast<T>((static_cast<double>(from[i<%= step %>]) - mean) * factor);
        to[i<%= step %>] = value * scale[channel] + bias[channel];
      }
    }
  });
  return Status();
}

}  // namespace

<% include "kernels/group_normalization.inc" %>

}  // namespace <%= ns %>
