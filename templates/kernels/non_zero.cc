<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// Calls body(i) for every element that is not zero.
template <class T, class Body>
void ForNonZero(const Tensor& x, Body body) {
  const T* data = x.data<T>();
  const int64_t count = x.size();
  for (int64_t i = 0; i < count; ++i) {
    if (data[i] != T{}) body(i);
  }
}

template <class T>
Status Count(const Tensor& x, int64_t* count) {
  ForNonZero<T>(x, [count](int64_t) { ++*count; });
  return Status();
}

// The coordinates of each are a column of the output.
template <class T>
Status Find(const Tensor& x, const MutableTensor& found) {
  const Shape shape = x.shape.empty() ? Shape{1} : x.shape;
  const int64_t columns = found.shape[1];
  int64_t* y = found.data<int64_t>();
  int64_t column = 0;
  ForNonZero<T>(x, [&](int64_t i) {
    for (size_t axis = shape.size(); axis-- > 0;) {
      y[static_cast<int64_t>(axis) * columns + column] = i % shape[axis];
      i /= shape[axis];
    }
    ++column;
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const auto count = [&](int64_t* found) {
    switch (inputs[0].dtype) {
      <%= cases(k.t, "Count", "inputs[0], found") -%>
      default:
        return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
    }
  };
  int64_t found = 0;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(count(&found));
  const size_t rank = inputs[0].shape.size();
  shapes[0] = {static_cast<int64_t>(rank == 0 ? 1 : rank), found};  // a scalar as one element
  return Status();
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec&) {
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Find", "inputs[0], outputs[0]") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
