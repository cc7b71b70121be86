<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// An input with one dimension has one channel.
int64_t Channels(const Shape& x) { return x.size() > 1 ? x[1] : 1; }

// The statistics may be of another type than X.
template <class T>
T ValueAt(const Tensor& tensor, int64_t index) {
  if (tensor.dtype == DType::kFloat64) return static_cast<T>(tensor.data<double>()[index]);
  return static_cast<T>(tensor.data<float>()[index]);
}

template <class T>
Status Normalize(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  const T epsilon = static_cast<T>(attrs.epsilon);
  const int64_t channels = Channels(shape);
  const int64_t pixels = shape.size() > 1 ? Product(shape, 2, shape.size()) : 1;
  ParallelFor(exec, shape[0] * channels, pixels, [&](int64_t begin, int64_t end) {
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
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  const int since = node.SinceVersion();
  int64_t is_test = 0;
  int64_t spatial = 1;
  int64_t training = 0;
  EP_RETURN_IF_ERROR(node.Get("epsilon", &attrs.epsilon));
  EP_RETURN_IF_ERROR(node.Get("is_test", &is_test));
  EP_RETURN_IF_ERROR(node.Get("spatial", &spatial));
  EP_RETURN_IF_ERROR(node.Get("training_mode", &training));
  // Up to version 6 a mode was chosen by is_test, then by the number of outputs.
  if (training != 0 || node.OutputCount() > 1 || (since < 7 && is_test == 0)) {
    return NotImplemented("training mode: only inference is implemented");
  }
  if (spatial == 0) return NotImplemented("spatial=0: a mean per element is not implemented");
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  if (x.empty()) return InvalidArgument("X must not be a scalar");
  for (size_t i = 1; i < 5; ++i) {
    if (!IsVectorOf(Channels(x), inputs[i].shape)) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "must have one value for each channel of X");
    }
  }
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
