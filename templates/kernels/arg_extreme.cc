<% from "kernels/parts.inc" import read, cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// The index of <%= k.p.doc %> of `count` elements that lie `step` apart.
template <class T>
int64_t FindIn(const T* x, int64_t count, int64_t step, bool last) {
  int64_t found = 0;
  for (int64_t i = 1; i < count; ++i) {
    const T best = x[found * step];
    const T value = x[i * step];
    if (value <%= k.p.better %> best || (last && value == best)) found = i;
  }
  return found;
}

template <class T>
Status Find(int64_t count, int64_t step, bool last, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  int64_t* y = outputs[0].data<int64_t>();
  ParallelFor(exec, outputs[0].size(), count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      y[i] = FindIn(x + i / step * count * step + i % step, count, step, last);
    }
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  Shape& y = shapes[0];
  y = x;
  y[axis] = 1;
  if (x[axis] == 0 && ElementCount(y) != 0) {
    return InvalidArgument(Text() << "axis " << axis << " of shape " << x << " is empty");
  }
  if (attrs.keepdims == 0) y.erase(y.begin() + static_cast<std::ptrdiff_t>(axis));
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  const int64_t count = x[axis];
  const int64_t step = Product(x, axis + 1, x.size());
<% if k.attributes | selectattr("key", "equalto", "select_last_index") | list %>
  const bool last = attrs.select_last_index != 0;
<% else %>
  const bool last = false;
<% endif %>
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Find", "count, step, last, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
