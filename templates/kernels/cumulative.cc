<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

Status AxisOf(Inputs inputs, size_t* axis) {
  std::vector<int64_t> given;
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "axis", &given));
  if (given.size() != 1) return InvalidArgument("axis must be one number");
  return ResolveAxis(given[0], inputs[0].shape.size(), axis);
}

// Walks some lines along the axis side by side, `width` of them that lie next to each other; the next
// elements of all lines are `step` further on.
template <class T>
void Run(const T* x, T* y, int64_t count, int64_t step, int64_t width, bool exclusive) {
  for (int64_t i = 0; i < width; ++i) y[i] = exclusive ? T(<%= k.p.start %>) : x[i];
  for (int64_t k = 1; k < count; ++k) {
    const T* before = y;
    const T* joined = exclusive ? x : x + step;
    x += step;
    y += step;
    for (int64_t i = 0; i < width; ++i) y[i] = <%= k.p.join %>(before[i], joined[i]);
  }
}

template <class T>
Status Join(const <%= k.attrs %>& attrs, size_t axis, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  if (outputs[0].size() == 0) return Status();
  const int64_t count = shape[axis];
  const int64_t inner = Product(shape, axis + 1, shape.size());
  const bool reverse = attrs.reverse != 0;
  const int64_t first = reverse ? (count - 1) * inner : 0;
  const T* x = inputs[0].data<T>() + first;
  T* y = outputs[0].data<T>() + first;
  ParallelFor(exec, Product(shape, 0, axis) * inner, count, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end;) {
      const int64_t left = inner - line % inner;
      const int64_t width = left < end - line ? left : end - line;
      const int64_t at = line / inner * count * inner + line % inner;
      Run(x + at, y + at, count, reverse ? -inner : inner, width, attrs.exclusive != 0);
      line += width;
    }
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  size_t axis = 0;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(AxisOf(inputs, &axis));
  shapes[0] = inputs[0].shape;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  size_t axis = 0;
  EP_RETURN_IF_ERROR(AxisOf(inputs, &axis));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Join", "attrs, axis, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
