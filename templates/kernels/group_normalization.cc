<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

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
      const T* from = x + group * count;
      T* to = y + group * count;
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(from[i]);
      const double mean = sum / static_cast<double>(count);
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(from[i]) - mean;
        squares += value * value;
      }
      const double variance = squares / static_cast<double>(count);
      const double factor = 1 / Sqrt(variance + static_cast<double>(epsilon));
      for (int64_t i = 0; i < count; ++i) {
        const int64_t channel = (group * members + i / pixels) % channels;
        const T value = static_cast<T>((static_cast<double>(from[i]) - mean) * factor);
        to[i] = value * scale[channel] + bias[channel];
      }
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
<% if k.p.grouped %>
  EP_RETURN_IF_ERROR(node.Get("num_groups", &attrs.groups));
  if (attrs.groups < 1) return InvalidArgument(Text() << "num_groups is " << attrs.groups);
  int64_t stash_type = static_cast<int64_t>(DType::kFloat32);
  EP_RETURN_IF_ERROR(node.Get("stash_type", &stash_type));
  if (stash_type != static_cast<int64_t>(DType::kFloat32)) {
    return NotImplemented("a stash_type other than float32");
  }
<% endif %>
  return node.Get("epsilon", &attrs.epsilon);
}

Status InferShapes(const <%= k.attrs %>&<% if k.p.grouped %> attrs<% endif %>, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  if (x.size() < 2) return InvalidArgument(Text() << "X must have rank 2 or more, not shape " << x);
<% if k.p.grouped %>
  if (x[1] % attrs.groups != 0) {
    return InvalidArgument(Text() << x[1] << " channels do not make " << attrs.groups << " groups");
  }
<% endif %>
  for (size_t i = 1; i < 3; ++i) {
    if (!IsVectorOf(x[1], inputs[i].shape)) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "must have one value for each channel of X");
    }
  }
  shapes[0] = x;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
<% if k.p.grouped %>
  const int64_t members = inputs[0].shape[1] / attrs.groups;
<% else %>
  const int64_t members = 1;  // every channel by itself
<% endif %>
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Normalize", "attrs.epsilon, members, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
