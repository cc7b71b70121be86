<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// Whether `shape` is that of the axes of `x` from `axis` on, but for leading ones.
bool FitsRow(const Shape& shape, const Shape& x, size_t axis) {
  size_t skip = 0;
  while (shape.size() - skip > x.size() - axis && shape[skip] == 1) ++skip;
  if (shape.size() - skip != x.size() - axis) return false;
  for (size_t i = skip; i < shape.size(); ++i) {
    if (shape[i] != x[axis + i - skip]) return false;
  }
  return true;
}

template <class T>
Status Normalize(const <%= k.attrs %>& attrs, int64_t rows, int64_t count, Inputs inputs,
                 Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  const T* scale = inputs[1].data<T>();
<% if k.p.centered %>
  const T* bias = inputs.has(2) ? inputs[2].data<T>() : nullptr;
  T* y = outputs.has(0) ? outputs[0].data<T>() : nullptr;
  float* means = outputs.has(1) ? outputs[1].data<float>() : nullptr;
  float* deviations = outputs.has(2) ? outputs[2].data<float>() : nullptr;
<% else %>
  T* y = outputs[0].data<T>();
<% endif %>
  ParallelFor(exec, rows, 4 * count, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row * count;
<% if k.p.centered %>
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(from[i]);
      const double mean = sum / static_cast<double>(count);
<% endif %>
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(from[i])<% if k.p.centered %> - mean<% endif %>;
        squares += value * value;
      }
      const double variance = squares / static_cast<double>(count);
      const double factor = 1 / Sqrt(variance + static_cast<double>(attrs.epsilon));
<% if k.p.centered %>
      if (means != nullptr) means[row] = static_cast<float>(mean);
      if (deviations != nullptr) deviations[row] = static_cast<float>(factor);
      if (y == nullptr) continue;
      T* to = y + row * count;
      for (int64_t i = 0; i < count; ++i) {
        const T value = static_cast<T>((static_cast<double>(from[i]) - mean) * factor);
        to[i] = value * scale[i] + (bias == nullptr ? T{} : bias[i]);
      }
<% else %>
      T* to = y + row * count;
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(static_cast<double>(from[i]) * factor) * scale[i];
<% endif %>
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t stash_type = static_cast<int64_t>(DType::kFloat32);
  EP_RETURN_IF_ERROR(node.Get("axis", &attrs.axis));
  EP_RETURN_IF_ERROR(node.Get("epsilon", &attrs.epsilon));
  EP_RETURN_IF_ERROR(node.Get("stash_type", &stash_type));
  if (stash_type != static_cast<int64_t>(DType::kFloat32)) {
    return NotImplemented("a stash_type other than float32");
  }
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (inputs.has(i) && !FitsRow(inputs[i].shape, x, axis)) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "must have the shape of the normalized axes of X");
    }
    if (inputs.has(i) && inputs[i].dtype != inputs[0].dtype) {
      return NotImplemented("a scale of another type than X");
    }
  }
  shapes[0] = x;
<% if k.p.centered %>
  for (size_t i = 1; i < shapes.size(); ++i) {
    shapes[i] = x;
    for (size_t j = axis; j < x.size(); ++j) shapes[i][j] = 1;
  }
<% endif %>
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  const int64_t rows = Product(x, 0, axis);
  const int64_t count = Product(x, axis, x.size());
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Normalize", "attrs, rows, count, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
