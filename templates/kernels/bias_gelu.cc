<% from "kernels/parts.inc" import read, cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// <%= k.p.doc %>
template <class T>
T Gelu(T x) {
  return <%= k.p.function %>;
}

template <class T>
Status Activate(Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  const T* bias = inputs.has(1) ? inputs[1].data<T>() : nullptr;
  T* y = outputs[0].data<T>();
  const int64_t count = bias != nullptr ? inputs[1].size() : 1;
  if (count == 0) return Status();
  ParallelFor(exec, outputs[0].size() / count, 30 * count, [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row * count;
      T* to = y + row * count;
      for (int64_t i = 0; i < count; ++i) to[i] = Gelu(from[i] + (bias != nullptr ? bias[i] : T{}));
    }
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  shapes[0] = x;
  if (!inputs.has(1)) return Status();
  if (!x.empty() && IsVectorOf(x.back(), inputs[1].shape)) return Status();
  return BadShape(<%= k.label | cpp_string %>, 1, inputs[1].shape, "must have one value for each element of the last dimension");
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
<%= cases(k.t, "Activate", "inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
