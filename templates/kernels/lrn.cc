<% from "kernels/parts.inc" import read, cases %>
<%= banner %>
#include "<%= k.header %>"

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
      const T* from = x + plane * pixels;
      for (int64_t i = 0; i < pixels; ++i) {
        double squares = 0;
        for (int64_t c = first; c <= last; ++c) {
          const double value = static_cast<double>(from[c * pixels + i]);
          squares += value * value;
        }
        y[plane * pixels + i] = static_cast<T>(static_cast<double>(from[i]) / Pow(bias + alpha * squares, beta));
      }
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(node.Get("alpha", &attrs.alpha));
  EP_RETURN_IF_ERROR(node.Get("beta", &attrs.beta));
  EP_RETURN_IF_ERROR(node.Get("bias", &attrs.bias));
  EP_RETURN_IF_ERROR(node.Get("size", &attrs.size));
  if (attrs.size < 1) return InvalidArgument("the attribute size must be positive");
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  if (x.size() < 2) return InvalidArgument(Text() << "X must have rank 2 or more, not shape " << x);
  shapes[0] = x;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Normalize", "attrs, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
