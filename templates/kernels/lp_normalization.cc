<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// A line whose norm is 0 stays as it is.
template <class T>
Status Normalize(const <%= k.attrs %>& attrs, size_t axis, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  const int64_t count = shape[axis];
  const int64_t step = Product(shape, axis + 1, shape.size());
  ParallelFor(exec, Product(shape, 0, axis) * step, 4 * count, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t first = line / step * count * step + line % step;
      double norm = 0;
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(x[first + i * step]);
        norm += attrs.p == 1 ? Magnitude(value) : value * value;
      }
      if (attrs.p == 2) norm = Sqrt(norm);
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(x[first + i * step]);
        y[first + i * step] = static_cast<T>(norm == 0 ? value : value / norm);
      }
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(node.Get("axis", &attrs.axis));
  EP_RETURN_IF_ERROR(node.Get("p", &attrs.p));
  if (attrs.p != 1 && attrs.p != 2) return InvalidArgument("p must be 1 or 2");
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  size_t axis = 0;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, inputs[0].shape.size(), &axis));
  shapes[0] = inputs[0].shape;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, inputs[0].shape.size(), &axis));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Normalize", "attrs, axis, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
