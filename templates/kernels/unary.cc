<% from "kernels/parts.inc" import read, cases %>
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
  EP_HOST_DEVICE <%= k.p.out %> operator()(T x) const {
    return <%= k.p.function %>;
  }
};

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return SameShape(inputs, shapes);
}

Status Compute(const <%= k.attrs %>& <% if k.attributes %>attrs<% endif %>, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& x = inputs[0];
  const Function function{<%= k.members("attrs.") %>};
  switch (x.dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return Map<<%= cpp %>, <%= cpp if k.p.out == "T" else k.p.out %>>(x, outputs[0], <%= k.p.cost %>, function, exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  }
}

}  // namespace <%= ns %>
