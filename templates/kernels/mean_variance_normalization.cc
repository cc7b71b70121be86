<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/strides.h"

namespace <%= ns %> {
namespace {

// Some axes of a dense tensor, to be walked one element after the other.
struct Walk {
  Shape dims;
  std::vector<int64_t> strides;

  int64_t count() const { return Product(dims, 0, dims.size()); }

  // How far the element `index` is from the first one.
  int64_t At(int64_t index) const {
    int64_t at = 0;
    for (size_t i = dims.size(); i-- > 0;) {
      at += index % dims[i] * strides[i];
      index /= dims[i];
    }
    return at;
  }
};

// As ONNX has it, a small number added to the deviation keeps the divisor from 0.
template <class T>
Status Normalize(const Walk& kept, const Walk& joined, Inputs inputs, Outputs outputs, Exec& exec) {
  constexpr double kLeast = 1e-9;
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  const int64_t count = joined.count();
  if (count == 0) return Status();
  ParallelFor(exec, kept.count(), 16 * count, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t first = kept.At(k);
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(x[first + joined.At(i)]);
      const double mean = sum / static_cast<double>(count);
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(x[first + joined.At(i)]) - mean;
        squares += value * value;
      }
      const double divisor = Sqrt(squares / static_cast<double>(count)) + kLeast;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = first + joined.At(i);
        y[at] = static_cast<T>((static_cast<double>(x[at]) - mean) / divisor);
      }
    }
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  AxisSet axes;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(ResolveAxes(attrs.axes, inputs[0].shape.size(), &axes));
  shapes[0] = inputs[0].shape;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  AxisSet axes;
  EP_RETURN_IF_ERROR(ResolveAxes(attrs.axes, shape.size(), &axes));
  const std::vector<int64_t> strides = DenseStrides(shape);
  Walk kept;
  Walk joined;
  for (size_t i = 0; i < shape.size(); ++i) {
    // No axis at all means every axis.
    Walk& walk = attrs.axes.empty() || axes.has(i) ? joined : kept;
    walk.dims.push_back(shape[i]);
    walk.strides.push_back(strides[i]);
  }
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Normalize", "kept, joined, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
