<%= banner %>
#include "<%= k.header %>"

<% if k.base %>
#include "gen/kernels/support/channels_last.h"
<% endif %>
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// Divides every element by a power of the squares of its neighbours in nearby channels.
template <class T>
Status Normalize(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  const int64_t channels = shape[1];
  const int64_t pixels = Product(shape, 2, shape.size());
  const int64_t size = attrs.size < channels * 2 ? attrs.size : channels * 2;
  const double alpha = static_cast<double>(attrs.alpha) / static_cast<double>(attrs.size);
  const double beta = static_cast<double>(attrs.beta);
  const double bias = static_cast<double>(attrs.bias);
  ParallelFor(exec, shape[0] * channels, pixels * (size + 20), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t channel = plane % channels;
      const int64_t below = (size - 1) / 2;
      const int64_t above = size - 1 - below;
      const int64_t first = channel < below ? -channel : -below;
      const int64_t last = channel + above < channels ? above : channels - 1 - channel;
<% if k.base %>
      const int64_t start = plane / channels * channels * pixels + channel;
      const T* from = x + start;
<% else %>
      const T* from = x + plane * pixels;
<% endif %>
      for (int64_t i = 0; i < pixels; ++i) {
        double squares = 0;
        for (int64_t c = first; c <= last; ++c) {
          const double value = static_cast<double>(from[<% if k.base %>i * channels + c<% else %>c * pixels + i<% endif %>]);
          squares += value * value;
        }
        y[<% if k.base %>start + i * channels<% else %>plane * pixels + i<% endif %>] = static_cast<T>(static_cast<double>(from[i<% if k.base %> * channels<% endif %>]) / Pow(bias + alpha * squares, beta));
      }
    }
  });
  return Status();
}

}  // namespace

<% include "kernels/lrn.inc" %>

}  // namespace <%= ns %>
