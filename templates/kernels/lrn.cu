<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/launch.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// Divides an element by a power of the squares of its neighbours in nearby channels.
template <class T>
struct NormalizeElement {
  const T* x;
  T* y;
  int64_t channels;
  int64_t pixels;
  int64_t below;  // so many neighbours
  int64_t above;
  double alpha;
  double beta;
  double bias;

  EP_DEVICE void operator()(int64_t i) const {
    const int64_t channel = i / pixels % channels;
    const int64_t first = channel < below ? -channel : -below;
    const int64_t last = channel + above < channels ? above : channels - 1 - channel;
    double squares = 0;
    for (int64_t c = first; c <= last; ++c) {
      const double value = static_cast<double>(x[i + c * pixels]);
      squares += value * value;
    }
    y[i] = static_cast<T>(static_cast<double>(x[i]) / Pow(bias + alpha * squares, beta));
  }
};

template <class T>
Status Normalize(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  NormalizeElement<T> body{};
  body.x = inputs[0].data<T>();
  body.y = outputs[0].data<T>();
  body.channels = shape[1];
  body.pixels = Product(shape, 2, shape.size());
  const int64_t size = attrs.size < body.channels * 2 ? attrs.size : body.channels * 2;
  body.below = (size - 1) / 2;
  body.above = size - 1 - body.below;
  body.alpha = static_cast<double>(attrs.alpha) / static_cast<double>(attrs.size);
  body.beta = static_cast<double>(attrs.beta);
  body.bias = static_cast<double>(attrs.bias);
  return Launch(exec, outputs[0].size(), body);
}

}  // namespace

<% include "kernels/lrn.inc" %>

}  // namespace <%= ns %>
