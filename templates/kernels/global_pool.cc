<% from "kernels/parts.inc" import read, cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// <%= k.p.doc %>
template <class T>
T PoolPlane(const T* plane, int64_t count) {
<% if k.p.kind == "max" %>
  T largest = plane[0];
  for (int64_t i = 1; i < count; ++i) {
    if (plane[i] > largest) largest = plane[i];
  }
  return largest;
<% else %>
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(plane[i]);
  return static_cast<T>(sum / static_cast<double>(count));
<% endif %>
}

template <class T>
Status Pool(int64_t count, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  ParallelFor(exec, outputs[0].size(), count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = PoolPlane(x + i * count, count);
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  if (x.size() < 2) return InvalidArgument(Text() << "X must have rank 2 or more, not shape " << x);
  shapes[0].assign(x.size(), 1);
  shapes[0][0] = x[0];
  shapes[0][1] = x[1];
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  const int64_t count = Product(x, 2, x.size());
  if (count == 0) return InvalidArgument(Text() << "X of shape " << x << " has nothing to pool");
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Pool", "count, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
