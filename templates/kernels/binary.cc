<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

<% for header in k.p.includes | sort %>
#include "gen/kernels/support/<%= header %>"
<% endfor %>

namespace <%= ns %> {
namespace {

<% if k.p.doc %>
// <%= k.p.doc %>
<% endif %>
struct Function {
<% for a in k.attributes %>
  <%= a.cpp %> <%= a.name %>;
<% endfor %>
<% if k.attributes %>

<% endif %>
  template <class T>
  EP_HOST_DEVICE <%= k.p.out %> operator()(T a, T b) const {
    return <%= k.p.function %>;
  }
};

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
<% if k.p.get("same_shape") %>
  if (inputs[0].shape != inputs[1].shape) {
    return BadShape(<%= k.label | cpp_string %>, 1, inputs[1].shape, "must be that of the first input");
  }
  return SameShape(inputs, shapes);
<% elif k.p.one_way %>
  // Only the second input is broadcast.
  return SameShape(inputs, shapes);
<% else %>
  return BroadcastShapes(inputs, shapes);
<% endif %>
}

Status Compute(const <%= k.attrs %>&<% if k.attributes %> attrs<% endif %>, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& a = inputs[0];
  const Tensor& b = inputs[1];
  const Function function{<%= k.members("attrs.") %>};
  switch (a.dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return Zip<<%= cpp %>, <%= cpp %>, <%= cpp if k.p.out == "T" else k.p.out %>>(<%= k.label | cpp_string %>, a, b, outputs[0], <%= k.p.cost %>, function, exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, a.dtype);
  }
}

}  // namespace <%= ns %>
