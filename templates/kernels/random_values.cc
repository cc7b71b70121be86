<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/<% if k.p.like %>errors<% else %>checks<% endif %>.h"
#include "gen/kernels/support/random.h"

namespace <%= ns %> {
namespace {

template <class T>
Status Draw(const <%= k.attrs %>& attrs, const MutableTensor& y, Exec& exec) {
  const Random random(attrs.seed, attrs.has_seed);
<% for name, value in k.p.numbers %>
  const double <%= name %> = <%= value %>;
<% endfor %>
  T* to = y.data<T>();
  ParallelFor(exec, y.size(), <%= k.p.cost %>, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(<%= k.p.value %>);
  });
  return Status();
}

}  // namespace

<%= read(k) %>

<% if k.p.like %>
Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  shapes[0] = inputs[0].shape;
  return Status();
}
<% else %>
Status InferShapes(const <%= k.attrs %>& attrs, Inputs, Shapes& shapes) {
  shapes[0] = attrs.shape;
  return CheckShape(shapes[0]);
}
<% endif %>

// The output already has the type that `dtype`<% if k.p.like %>, or the input,<% endif %> asks for. With a `seed` the numbers are the
// same at every call; they are not those of other libraries.
Status Compute(const <%= k.attrs %>& attrs, Inputs, Outputs outputs, Exec& exec) {
  switch (outputs[0].dtype) {
    <%= cases(k.t, "Draw", "attrs, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, outputs[0].dtype);
  }
}

}  // namespace <%= ns %>
